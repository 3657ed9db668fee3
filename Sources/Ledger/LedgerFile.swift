internal import Foundation
internal import Linux

/// Opens and checks ledger files.
enum LedgerFile {
  /// The one writing connection.
  static func open(_ path: String, log: Log) throws(LedgerError) -> Store {
    let exists = FileManager.default.fileExists(atPath: path)
    if exists { try refuseEmpty(path) }
    let database = try Database(path: path)
    let store = Store(database)
    if exists {
      try check(database)
    }
    try configure(database)
    try migrate(store, path: path, log: log)
    chmodOwnerOnly(path)
    return store
  }

  static func inMemory() throws(LedgerError) -> Store {
    let store = Store(try Database(path: ":memory:"))
    try store.database.run("PRAGMA foreign_keys = ON", doing: "opening it")
    try migrate(store, path: nil, log: .none)
    return store
  }

  /// For other processes beside the writer: never writes, never checkpoints. nil when there is no ledger.
  static func openForReading(_ path: String) throws(LedgerError) -> Store? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    try refuseEmpty(path)
    let database = try Database(path: path, readOnly: true, busyTimeout: 1000)
    try database.run("PRAGMA query_only = ON", doing: "opening it to read")
    _ = try database.rows("PRAGMA wal_autocheckpoint = 0", doing: "opening it to read")
    try checkIdentity(database)
    return Store(database)
  }

  /// Whether the file at `path` is a whole ledger of a version this program knows.
  static func validate(_ path: String) throws(LedgerError) {
    try refuseEmpty(path)
    let database = try Database(path: path, readOnly: true)
    try checkIdentity(database)
    let answer = try database.rows("PRAGMA integrity_check(1)", doing: "checking the copy").first?.first?.text
    guard answer == "ok" else { throw LedgerError(kind: .damaged, doing: "checking the copy") }
  }

  /// An empty file opens as an empty database: a ledger that lost everything would look like a new one.
  private static func refuseEmpty(_ path: String) throws(LedgerError) {
    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? nil
    if size == 0, !FileManager.default.fileExists(atPath: path + "-wal") {
      throw LedgerError(kind: .damaged, doing: "opening it: the file is empty")
    }
  }

  private static func check(_ database: Database) throws(LedgerError) {
    try checkIdentity(database)
    let answer = try database.rows("PRAGMA quick_check(1)", doing: "checking it").first?.first?.text
    guard answer == "ok" else { throw LedgerError(kind: .damaged, doing: "checking it") }
  }

  private static func checkIdentity(_ database: Database) throws(LedgerError) {
    let application = try database.integer("PRAGMA application_id", doing: "checking what file it is")
    let version = try database.integer("PRAGMA user_version", doing: "checking its version") ?? 0
    // A file that was being made when the power went has neither.
    guard application == Schema.applicationID || (application == 0 && version == 0) else {
      throw LedgerError(kind: .damaged, doing: "checking what file it is: not a ledger of kiosk-agent")
    }
    guard version <= Schema.version else { throw LedgerError(kind: .newerSchema, doing: "checking its version") }
  }

  private static func configure(_ database: Database) throws(LedgerError) {
    let mode = try database.rows("PRAGMA journal_mode = WAL", doing: "switching to WAL").first?.first?.text
    guard mode == "wal" else { throw LedgerError(kind: .other, doing: "switching to WAL: it stays in \(mode ?? "?")") }
    try database.run("PRAGMA synchronous = FULL", doing: "asking for safe commits")
    guard try database.integer("PRAGMA synchronous", doing: "reading back") == 2 else {
      throw LedgerError(kind: .other, doing: "asking for safe commits: SQLite does not give them")
    }
    try database.run("PRAGMA foreign_keys = ON", doing: "opening it")
  }

  /// Brings the schema up to date, each step in its own transaction, after a copy of the file as it was.
  static func migrate(_ store: Store, path: String?, log: Log, to target: Int64 = Schema.version) throws(LedgerError) {
    let version = try store.database.integer("PRAGMA user_version", doing: "reading its version") ?? 0
    guard version < target else { return }
    if version > 0, let path {
      let copy = "\(path).before-version-\(version + 1)"
      if FileManager.default.fileExists(atPath: copy) { try? FileManager.default.removeItem(atPath: copy) }
      try store.database.copy(to: copy)
      log.notice("the ledger is brought from version \(version) to \(target); a copy of it is kept as \(copy)")
    }
    for next in (version + 1)...target {
      let script =
        "BEGIN IMMEDIATE; \(Schema.migrations[Int(next) - 1]); PRAGMA user_version = \(next);"
        + "PRAGMA application_id = \(Schema.applicationID); COMMIT;"
      do {
        try store.database.script(script, doing: "bringing it to version \(next)")
      } catch {
        try? store.database.script("ROLLBACK", doing: "bringing it to version \(next)")
        throw error
      }
    }
  }

  private static func chmodOwnerOnly(_ path: String) {
    try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }
}
