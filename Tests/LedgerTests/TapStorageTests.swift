import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

struct TapStorageTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  @Test func `a tap that was acknowledged is there after the next start, with all that was decided`() async throws {
    let ledger = try await folder.furnishedLedger()
    let dose = Sample.dose()
    let record = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(dose))
    #expect(record.decided.verdict.outcome == .taken)
    await ledger.close()

    let again = folder.ledger()
    let log = try await again.view(at: Sample.now).log
    #expect(log.rows == [DoseLog.Row(occurrence: dose)])
    #expect(log.credits == [Credit(key: dose.key, tappedAt: Sample.now)])
    let items = try await again.history(from: Sample.now, to: Sample.now + 1)
    #expect(
      items == [
        HistoryItem(
          at: Sample.now,
          kind: .tap(
            .init(
              id: record.id, uid: Sample.blue, unreadable: nil, outcome: .taken, person: "ann",
              credited: [.init(medication: "ann-levo", dueAt: dose.dueAt)], notCredited: [], message: "taken",
              sound: .success, resolves: nil, clockTrusted: true)))
      ])
  }

  @Test func `a process killed after the commit and before its answer leaves a dose that the next tap finds`()
    async throws
  {
    try await folder.furnishedLedger().close()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      let ledger = Ledger(directory: path, log: .none)
      _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
      kill(getpid(), SIGKILL)
    }
    let ledger = folder.ledger()
    let record = try await ledger.recordTap(Sample.tap(at: Sample.now + 5), decide: Sample.taking(Sample.dose()))
    #expect(record.decided.verdict.outcome == .alreadyTaken)
    #expect(record.decided.verdict.notCredited.first?.at == Sample.now)
    #expect(try await ledger.number("SELECT count(*) FROM credit") == 1)
  }

  @Test func `a process killed while it decides leaves nothing, and the next tap is credited`() async throws {
    try await folder.furnishedLedger().close()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      let ledger = Ledger(directory: path, log: .none)
      _ = try await ledger.recordTap(Sample.tap()) { view in
        kill(getpid(), SIGKILL)
        return Sample.taking(Sample.dose())(view)
      }
    }
    let ledger = folder.ledger()
    #expect(try await ledger.outcomes() == [])
    let record = try await ledger.recordTap(Sample.tap(at: Sample.now + 5), decide: Sample.taking(Sample.dose()))
    #expect(record.decided.verdict.outcome == .taken)
  }

  @Test func `a decision that throws leaves nothing of it and its error comes out`() async throws {
    struct Stop: Error {}
    let ledger = try await folder.furnishedLedger()
    await #expect(throws: Stop.self) {
      _ = try await ledger.recordTap(Sample.tap()) { _ in throw Stop() }
    }
    #expect(try await ledger.outcomes() == [])
    try await ledger.checkWritable()
  }

  @Test func `a credit that the schema refuses takes the opened dose and the tap with it`() async throws {
    let ledger = try await folder.furnishedLedger()
    let dose = Sample.dose()
    let refused = try await kind {
      _ = try await ledger.recordTap(Sample.tap()) { _ in
        var decided = Sample.taking(dose)(LedgerView(household: Household(), log: DoseLog()))
        decided.verdict.credited.append(decided.verdict.credited[0])
        return decided
      }
    }
    #expect(refused == .conflict)
    #expect(try await ledger.number("SELECT (SELECT count(*) FROM occurrence) + (SELECT count(*) FROM tap)") == 0)
  }

  @Test(arguments: [true, false])
  func `no dose is opened or credited while the clock is not trusted`(opens: Bool) async throws {
    let ledger = try await folder.furnishedLedger()
    let refused = try await kind {
      _ = try await ledger.recordTap(Sample.tap(trusted: false)) { view in
        var decided = Sample.taking(Sample.dose())(view)
        if opens { decided.verdict.credited = [] } else { decided.changes = [] }
        return decided
      }
    }
    #expect(refused == .conflict)
    #expect(try await ledger.outcomes() == [])
  }

  @Test func `a bounce is not for the ledger`() async throws {
    let ledger = try await folder.furnishedLedger()
    let refused = try await kind {
      _ = try await ledger.recordTap(Sample.tap(), decide: Sample.answering(.ignored))
    }
    #expect(refused == .conflict)
  }

  @Test(arguments: TapOutcome.allCases.filter { $0 != .ignored })
  func `every other outcome is stored and read back`(outcome: TapOutcome) async throws {
    let ledger = try await folder.furnishedLedger()
    let entry = outcome == .unreadable ? Sample.tap(nil, unreadable: "mute") : Sample.tap()
    _ = try await ledger.recordTap(entry, decide: Sample.answering(outcome))
    #expect(try await ledger.outcomes() == [outcome])
  }

  @Test func `the ledger keeps instants to the millisecond, and a kept instant stays what it is`() {
    for number in 0..<5000 {
      let date = Date(milliseconds: 1_793_520_000_000 + Int64(number))
      #expect(date.milliseconds == 1_793_520_000_000 + Int64(number))
      #expect(date.asStored == date)
    }
    #expect(Date(timeIntervalSince1970: .nan).milliseconds == 0)
    #expect(Date(timeIntervalSince1970: 1e300).milliseconds == 9_000_000_000_000_000)
  }

  @Test func `a dose that is opened or ended twice stays as it was first`() async throws {
    let ledger = try await folder.furnishedLedger()
    let dose = Sample.dose()
    try await ledger.write([.open(dose), .end(dose.key, .missed)], at: dose.closesAt)
    var other = dose
    other.closesAt += 3600
    try await ledger.write([.open(other), .end(dose.key, .unknown(.notRecording))], at: dose.closesAt + 60)
    let log = try await ledger.view(at: dose.closesAt).log
    #expect(log.rows == [DoseLog.Row(occurrence: dose, ending: .missed)])
  }

  @Test func `time that has nothing to write writes nothing`() async throws {
    let ledger = try await folder.furnishedLedger()
    try await ledger.write([.open(Sample.dose())], at: Sample.now)
    let size = FileSystem.size(of: folder.file + "-wal")
    for minute in 1...20 {
      let view = try await ledger.advance(at: Sample.now + Double(minute) * 60) { _ in [] }
      #expect(view.log.rows.count == 1)
    }
    #expect(FileSystem.size(of: folder.file + "-wal") == size)
  }

  @Test func `the first question to the rules is remembered even when they ask for nothing`() async throws {
    let ledger = try await folder.furnishedLedger()
    #expect(try await ledger.view(at: Sample.now).log.advancedUntil == nil)
    #expect(try await ledger.advance(at: Sample.now) { _ in [] }.log.advancedUntil == Sample.now)
  }

  @Test func `the mark of time never goes back`() async throws {
    let ledger = try await folder.furnishedLedger()
    try await ledger.write([.open(Sample.dose())], at: Sample.now)
    try await ledger.write([.open(Sample.dose("ann-iron"))], at: Sample.now - 60)
    #expect(try await ledger.view(at: Sample.now).log.advancedUntil == Sample.now)
  }
}
