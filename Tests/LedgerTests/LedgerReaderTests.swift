import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

struct LedgerReaderTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  @Test func `a ledger that is not there is an empty one, and stays away`() throws {
    let reader = try LedgerReader(directory: folder.path)
    #expect(try reader.household() == Household())
    #expect(try reader.documents() == [:])
    #expect(try reader.doseLog(at: Sample.now) == DoseLog())
    #expect(try reader.history(from: .distantPast, to: .distantFuture) == [])
    #expect(throws: LedgerError.self) { try reader.backup(to: "\(folder.path)/copy") }
    #expect(folder.names == [])
  }

  @Test func `another process reads while the agent writes, and sees only whole doses`() async throws {
    let ledger = try await folder.furnishedLedger()
    let path = folder.path
    let days = 120
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for day in 0..<days {
          let dose = Sample.dose(day: Sample.today + day)
          _ = try await ledger.recordTap(Sample.tap(at: dose.dueAt), decide: Sample.taking(dose))
        }
      }
      group.addTask {
        await #expect(processExitsWith: .success) { [path = path as String, days = days as Int] in
          let time = SystemTime()
          let deadline = time.uptime() + .seconds(120)
          var last = 0
          while last < days {
            guard time.uptime() < deadline else { exit(3) }
            let items = try LedgerReader(directory: path).history(from: .distantPast, to: .distantFuture)
            guard items.count >= last else { exit(4) }
            for case .tap(let tap) in items.map(\.kind) where tap.credited.count != 1 { exit(5) }
            last = items.count
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await ledger.outcomes().count == days)
  }

  @Test func `a reader never checkpoints, also as the last one to leave`() async throws {
    let ledger = try await folder.furnishedLedger()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      let ledger = Ledger(directory: path, log: .none)
      _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
      kill(getpid(), SIGKILL)
    }
    let log = FileSystem.size(of: folder.file + "-wal")
    #expect((log ?? 0) > 0)
    await ledger.close()
    // What the writer's own end took into the file is of no account here; a killed writer's log is.
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      let ledger = Ledger(directory: path, log: .none)
      _ = try await ledger.recordTap(Sample.tap(at: Sample.now + 9), decide: Sample.answering(.wrongWindow))
      kill(getpid(), SIGKILL)
    }
    let left = FileSystem.size(of: folder.file + "-wal")
    let whole = FileSystem.size(of: folder.file)
    #expect((left ?? 0) > 0)
    do {
      let reader = try LedgerReader(directory: folder.path)
      #expect(try reader.history(from: .distantPast, to: .distantFuture).count == 2)
    }
    #expect(FileSystem.size(of: folder.file + "-wal") == left)
    #expect(FileSystem.size(of: folder.file) == whole)
  }

  @Test func `a reader cannot write`() async throws {
    try await folder.furnishedLedger().close()
    let database = try #require(try LedgerFile.openForReading(folder.file))
    #expect(throws: LedgerError.self) { try database.run("DELETE FROM person", doing: "") }
  }

  @Test func `the wall of an earlier instant shows what was recorded up to then`() async throws {
    let ledger = try await folder.furnishedLedger()
    let dose = Sample.dose()
    try await ledger.write([.open(dose)], at: dose.opensAt)
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(dose))
    #expect(try await ledger.undo(dose.key, at: Sample.now + 60))
    try await ledger.write([.end(dose.key, .missed)], at: dose.closesAt)
    try await ledger.acknowledge([dose.key], at: dose.closesAt + 60)
    // A tap whose time was confirmed later.
    let iron = Sample.dose("ann-iron")
    _ = try await ledger.recordTap(
      Sample.tap(at: Sample.now, recordedAt: Sample.now + 600), decide: Sample.taking(iron))

    let reader = try LedgerReader(directory: folder.path)
    func log(_ at: Date) throws -> (rows: [DoseLog.Row], credits: [OccurrenceKey]) {
      let log = try reader.doseLog(at: at)
      return (log.rows.filter { $0.occurrence == dose }, log.credits.map(\.key))
    }
    #expect(try log(dose.opensAt - 1).rows == [])
    #expect(try log(dose.opensAt).rows == [DoseLog.Row(occurrence: dose)])
    #expect(try log(Sample.now - 1).credits == [])
    #expect(try log(Sample.now).credits == [dose.key])
    #expect(try log(Sample.now + 60).credits == [])
    #expect(try log(Sample.now + 600).credits == [iron.key])
    #expect(try log(dose.closesAt - 1).rows.map(\.ending) == [nil])
    #expect(try log(dose.closesAt).rows.map(\.ending) == [.missed])
    #expect(try log(dose.closesAt).rows.map(\.acknowledged) == [false])
    #expect(try log(dose.closesAt + 60).rows.map(\.acknowledged) == [true])
    #expect(try reader.doseLog(at: Sample.now).advancedUntil == Sample.now)
  }
}
