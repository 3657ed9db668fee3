import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

struct BackupTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  @Test func `copies made while taps are recorded are whole, and hold all that was acknowledged before`() async throws {
    let ledger = try await folder.furnishedLedger()
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<150 {
          _ = try await ledger.recordTap(
            Sample.tap(at: Sample.now + Double(number)), decide: Sample.answering(.wrongWindow))
        }
      }
      group.addTask {
        for number in 0..<10 {
          let before = try await ledger.outcomes().count
          // As `kiosk-agent backup` does, beside the writer, and as the agent does itself.
          if number % 2 == 0 {
            try LedgerReader(directory: path).backup(to: "\(path)/copy-\(number)")
          } else {
            try await ledger.backup(to: "\(path)/copy-\(number)")
          }
          try LedgerFile.validate("\(path)/copy-\(number)")
          let copy = try Database(path: "\(path)/copy-\(number)", .read)
          #expect(try copy.integer("SELECT count(*) FROM tap", doing: "") ?? 0 >= before)
        }
      }
      try await group.waitForAll()
    }
    #expect(folder.names.filter { $0.hasSuffix(".part") } == [])
  }

  @Test func `a backup replaces an older one and is its owner's only`() async throws {
    let ledger = try await folder.furnishedLedger()
    let path = "\(folder.path)/copy"
    try Data("old".utf8).write(to: URL(filePath: path))
    try await ledger.backup(to: path)
    try LedgerFile.validate(path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a backup onto the ledger itself or into no folder is refused and harms nothing`() async throws {
    let ledger = try await folder.furnishedLedger()
    #expect(unsafe symlink(folder.file, "\(folder.path)/link") == 0)
    for path in [
      folder.file, "\(folder.path)/link",
      "\(folder.path)/../\((folder.path as NSString).lastPathComponent)/ledger.sqlite",
    ] {
      #expect(try await kind { try await ledger.backup(to: path) } == .conflict)
    }
    #expect(try await kind { try await ledger.backup(to: "\(folder.path)/none/copy") } == .notFound)
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    #expect(try await ledger.outcomes() == [.taken])
  }

  @Test func `there is one backup a day and seven are kept`() async throws {
    let ledger = try await folder.furnishedLedger()
    for day in 0..<9 {
      #expect(try await ledger.backupDaily(LocalDay(number: Sample.today + day)))
      #expect(try await ledger.backupDaily(LocalDay(number: Sample.today + day)) == false)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/backups").sorted()
    #expect(names == (2..<9).map { "ledger-\(LocalDay(number: Sample.today + $0)).sqlite" })
  }

  @Test func `a restored backup is the ledger, and the old one is moved aside whole`() async throws {
    let ledger = try await folder.furnishedLedger()
    try await ledger.backup(to: "\(folder.path)/copy")
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    await ledger.close()
    for round in 1...2 {
      let aside = try #require(try Ledger.restore(from: "\(folder.path)/copy", into: folder.path, at: Sample.now))
      #expect(aside == folder.file + ".replaced-1793520000" + (round == 1 ? "" : "-2"))
      let old = try Database(path: aside, .read)
      #expect(try old.integer("SELECT count(*) FROM credit", doing: "") == (round == 1 ? 1 : 0))
      let restored = folder.ledger()
      #expect(try await restored.outcomes() == [])
      #expect(try await restored.export().household == Sample.household)
      await restored.close()
    }
  }

  @Test func `the log of the old ledger does not get into the restored one`() async throws {
    try await folder.furnishedLedger().close()
    let copy = "\(folder.path)/copy"
    try LedgerReader(directory: folder.path).backup(to: copy)
    // Killed: its log stays.
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.path as String] in
      let ledger = Ledger(directory: path, log: .none)
      for number in 0..<20 {
        _ = try await ledger.recordTap(
          Sample.tap(at: Sample.now + Double(number)), decide: Sample.answering(.wrongWindow))
      }
      kill(getpid(), SIGKILL)
    }
    #expect(folder.names.contains("ledger.sqlite-wal"))
    // And a power cut took the restore after it had moved the database alone.
    #expect(unsafe rename(folder.file, folder.file + ".lost") == 0)
    #expect(try Ledger.restore(from: copy, into: folder.path, at: Sample.now) == nil)
    let restored = folder.ledger()
    #expect(try await restored.outcomes() == [])
    try await restored.checkWritable()
  }

  @Test func `restore refuses what is not a whole ledger and then changes nothing`() async throws {
    let ledger = try await folder.furnishedLedger()
    let copy = "\(folder.path)/copy"
    try await ledger.backup(to: copy)
    await ledger.close()
    let whole = try Data(contentsOf: URL(filePath: copy))
    let bad = "\(folder.path)/bad"
    func refused(_ content: Data?) async throws -> LedgerError.Kind? {
      try? FileManager.default.removeItem(atPath: bad)
      try content?.write(to: URL(filePath: bad))
      return try await kind { _ = try Ledger.restore(from: bad, into: folder.path, at: Sample.now) }
    }
    let names = folder.names
    #expect(try await refused(nil) == .notFound)
    #expect(try await refused(Data()) == .damaged)
    #expect(try await refused(Data("people: []".utf8)) == .damaged)
    #expect(try await refused(whole.prefix(whole.count / 2)) == .damaged)
    try? FileManager.default.removeItem(atPath: bad)
    try Database(path: bad, .create).script("CREATE TABLE t (a)", doing: "")
    #expect(try await refused(try Data(contentsOf: URL(filePath: bad))) == .damaged)
    try Database(path: copy, .write).run("PRAGMA user_version = 99", doing: "")
    #expect(try await refused(try Data(contentsOf: URL(filePath: copy))) == .newerSchema)
    try FileManager.default.removeItem(atPath: bad)
    #expect(folder.names == names)
    #expect(
      try await kind { _ = try Ledger.restore(from: folder.file, into: folder.path, at: Sample.now) } == .conflict)
    #expect(try await folder.ledger().export().household == Sample.household)
  }

  @Test func `a backup goes into a state directory that has none yet`() async throws {
    try await folder.furnishedLedger().close()
    let other = try StateFolder()
    #expect(try Ledger.restore(from: folder.file, into: other.path + "/new", at: Sample.now) == nil)
    let restored = Ledger(directory: other.path + "/new", log: .none)
    #expect(try await restored.export().household == Sample.household)
  }
}
