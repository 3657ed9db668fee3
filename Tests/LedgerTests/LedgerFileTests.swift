import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Synchronization
import Testing

@testable import Ledger

struct LedgerFileTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  @Test func `a new ledger is safe: WAL, every commit flushed, foreign keys, its owner's only`() async throws {
    let ledger = folder.ledger()
    try await ledger.open()
    #expect(try await ledger.read { try $0.database.text("PRAGMA journal_mode", doing: "") } == "wal")
    #expect(try await ledger.number("PRAGMA synchronous") == 2)
    #expect(try await ledger.number("PRAGMA foreign_keys") == 1)
    #expect(try await ledger.number("PRAGMA user_version") == Int64(Schema.version))
    for name in folder.names where name.hasPrefix("ledger") {
      let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test func `a clean end leaves one file`() async throws {
    let ledger = try await folder.furnishedLedger()
    await ledger.close()
    #expect(folder.names == ["ledger.sqlite"])
    #expect(try await kind { try await ledger.checkWritable() } == .cannotOpen)
  }

  private func scribble(_ bytes: [UInt8], at offset: Int? = nil) throws {
    if let offset {
      let handle = try FileHandle(forWritingTo: URL(filePath: folder.file))
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data(bytes))
      try handle.close()
    } else {
      try Data(bytes).write(to: URL(filePath: folder.file))
    }
  }

  /// What opening the file alone says, before anything is restored.
  private func refusal(mayBeNew: Bool = true) async throws -> LedgerError.Kind? {
    try await kind { _ = try LedgerFile.open(folder.file, mayBeNew: mayBeNew, log: .none) }
  }

  @Test func `an emptied file is a damaged ledger and not a new one`() async throws {
    try scribble([])
    #expect(try await refusal() == .damaged)
    #expect(FileSystem.size(of: folder.file) == 0)
  }

  @Test func `a file that is gone where there was one is a damaged ledger and not a new one`() async throws {
    #expect(try await refusal(mayBeNew: false) == .damaged)
    #expect(folder.names == [])
  }

  @Test func `a log without its ledger is not given to a new one`() async throws {
    try Data([1]).write(to: URL(filePath: folder.file + "-wal"))
    #expect(try await refusal() == .damaged)
  }

  @Test func `a torn first page, a broken page and another program's file are found at the start`() async throws {
    let ledger = try await folder.furnishedLedger()
    for number in 0..<200 {
      _ = try await ledger.recordTap(
        Sample.tap(at: Sample.now + Double(number)), decide: Sample.answering(.wrongWindow))
    }
    await ledger.close()
    let whole = try Data(contentsOf: URL(filePath: folder.file))
    let pages = whole.count / 4096
    for page in [0, pages / 2, pages - 1] {
      try scribble([UInt8](whole))
      try scribble([UInt8](repeating: 0xA5, count: 4096), at: page * 4096)
      #expect(try await refusal() == .damaged, "page \(page) of \(pages)")
    }
    try scribble(
      Array("not a database, but long enough to have a header of a hundred bytes".utf8)
        + [UInt8](repeating: 7, count: 4096))
    #expect(try await refusal() == .damaged)
  }

  @Test func `another program's database is refused and left alone`() async throws {
    try Database(path: folder.file, .create).script("CREATE TABLE t (a); INSERT INTO t VALUES (1)", doing: "")
    #expect(try await refusal() == .damaged)
    #expect(try Database(path: folder.file, .read).integer("SELECT count(*) FROM t", doing: "") == 1)
  }

  @Test func `a ledger of a newer version is refused and left alone`() async throws {
    try await folder.furnishedLedger().close()
    try Database(path: folder.file, .write).run("PRAGMA user_version = 99", doing: "")
    #expect(try await kind { try await folder.ledger().open() } == .newerSchema)
    #expect(throws: LedgerError.self) { _ = try LedgerReader(directory: folder.path) }
    #expect(try Database(path: folder.file, .read).integer("PRAGMA user_version", doing: "") == 99)
  }

  @Test func `each step to a newer version keeps a copy of the file as it was, and all rows`() async throws {
    let ledger = try await folder.furnishedLedger()
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    await ledger.close()
    let newer =
      Schema.migrations
      + ["ALTER TABLE person ADD COLUMN born INTEGER", "CREATE TABLE more (a) STRICT"]
      .map { $0.replacing("(a)", with: "(a ANY)") }
    let lines = Mutex<[String]>([])
    let log = Log { _, line in lines.withLock { $0.append(line) } }
    let database = try LedgerFile.open(folder.file, mayBeNew: false, log: log, migrations: newer)
    #expect(try database.integer("PRAGMA user_version", doing: "") == Int64(newer.count))
    #expect(try database.integer("SELECT count(*) FROM credit", doing: "") == 1)
    #expect(try database.integer("SELECT count(*) FROM person WHERE born IS NULL", doing: "") == 2)
    #expect(lines.withLock { $0.count } == 2)
    let copies = folder.names.filter { $0.contains("before-version") }
    #expect(copies == (1...2).map { "ledger.sqlite.before-version-\(Schema.version + $0)" })
    for (index, copy) in copies.enumerated() {
      let old = try Database(path: "\(folder.path)/\(copy)", .read)
      #expect(try old.integer("PRAGMA user_version", doing: "") == Int64(Schema.version + index))
      #expect(try old.integer("SELECT count(*) FROM credit", doing: "") == 1)
    }
  }

  @Test func `a step that fails leaves the version before it`() async throws {
    try await folder.furnishedLedger().close()
    let broken = Schema.migrations + ["CREATE TABLE half (a ANY) STRICT; SELECT no_such_function()"]
    #expect(throws: LedgerError.self) {
      _ = try LedgerFile.open(folder.file, mayBeNew: false, log: .none, migrations: broken)
    }
    let ledger = folder.ledger()
    #expect(try await ledger.export().household == Sample.household)
    #expect(try await ledger.number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
  }

  @Test func `a power cut while the ledger is made leaves no half of one`() async throws {
    try Data("half".utf8).write(to: URL(filePath: folder.file + ".new"))
    let ledger = try await folder.furnishedLedger()
    #expect(try await ledger.export().household == Sample.household)
  }

  @Test func `every kind of error says what to do`() {
    for kind in LedgerError.Kind.allCases {
      let parts = LedgerError(kind: kind, code: 10, doing: "storing a tap").sentence.split(separator: ": ")
      #expect(parts.count >= 2 && !parts[parts.count - 1].isEmpty, "\(kind)")
    }
  }

  @Test(
    arguments: [
      (13, LedgerError.Kind.full), (8, .readOnly), (1032, .readOnly), (5, .locked), (517, .locked), (6, .locked),
      (11, .damaged), (26, .damaged), (14, .cannotOpen), (778, .io), (1034, .io), (1811, .conflict), (2067, .conflict),
      (1, .other),
    ] as [(Int32, LedgerError.Kind)])
  func `SQLite's codes become what a person can act on`(code: Int32, kind: LedgerError.Kind) {
    #expect(LedgerError(code: code, doing: "").kind == kind)
  }
}
