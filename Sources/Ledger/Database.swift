internal import CSQLite

/// One SQLite connection, used from one place at a time: the actor that owns it.
///
/// Opened in multi-thread mode (no mutex of SQLite's own), because the owner's executor already excludes.
@safe
final class Database {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = unsafe [:]

  enum Access {
    case read
    case write
    /// Write; the file is made when it is not there.
    case create
  }

  /// - Parameters:
  ///   - path: a file, or ":memory:".
  ///   - busyTimeout: milliseconds to wait for another program's lock.
  init(path: String, _ access: Access, busyTimeout: Int32 = 2000) throws(LedgerError) {
    let mode =
      switch access {
      case .read: SQLITE_OPEN_READONLY
      case .write: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      unsafe sqlite3_close_v2(opened)
      throw LedgerError(code: code == SQLITE_OK ? SQLITE_CANTOPEN : code, doing: "opening \(path)")
    }
    unsafe handle = opened
    unsafe sqlite3_busy_timeout(handle, busyTimeout)
    if access == .read { _ = unsafe kiosk_never_checkpoint_on_close(handle) }
  }

  deinit {
    while let (_, statement) = unsafe statements.popFirst() { unsafe sqlite3_finalize(statement) }
    unsafe sqlite3_close_v2(handle)
  }

  /// Runs one statement; `read` sees every row it gives.
  func query<T>(
    _ sql: String, _ values: [SQLValue] = [], doing: String, _ read: (Row) throws(LedgerError) -> T
  ) throws(LedgerError) -> [T] {
    let statement = try unsafe prepared(sql, doing: doing)
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let code = unsafe bind(value, to: Int32(index + 1), of: statement)
      guard code == SQLITE_OK else { throw LedgerError(code: code, doing: doing) }
    }
    var answers: [T] = []
    while true {
      let code = unsafe sqlite3_step(statement)
      switch code {
      case SQLITE_ROW: answers.append(try read(unsafe Row(statement, doing: doing)))
      case SQLITE_DONE: return answers
      default: throw LedgerError(code: code, doing: doing)
      }
    }
  }

  /// Runs one statement whose rows do not matter.
  func run(_ sql: String, _ values: [SQLValue] = [], doing: String) throws(LedgerError) {
    _ = try query(sql, values, doing: doing) { _ in }
  }

  /// The first column of the first row; nil when there is none or it is NULL.
  func integer(_ sql: String, _ values: [SQLValue] = [], doing: String) throws(LedgerError) -> Int64? {
    try query(sql, values, doing: doing) { $0.integer(0) }.first ?? nil
  }

  func text(_ sql: String, doing: String) throws(LedgerError) -> String? {
    try query(sql, doing: doing) { $0.text(0) }.first ?? nil
  }

  /// Runs several statements without parameters, such as a schema.
  func script(_ sql: String, doing: String) throws(LedgerError) {
    guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw LedgerError(code: unsafe sqlite3_extended_errcode(handle), doing: doing)
    }
  }

  var lastInsertedID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Rows that this connection has inserted, changed or deleted since it was opened.
  var totalChanges: Int { unsafe Int(sqlite3_total_changes(handle)) }

  /// Whether the path no longer leads to the file that is open: what is written then is lost at the next start.
  var hasMoved: Bool { unsafe kiosk_has_moved(handle) != 0 }

  /// Runs `body` between BEGIN IMMEDIATE and COMMIT. Whatever fails, nothing of it stays; what `body` throws comes out.
  func transaction<T>(doing: String, _ body: () throws -> T) throws -> T {
    try run("BEGIN IMMEDIATE", doing: doing)
    do {
      let result = try body()
      try run("COMMIT", doing: doing)
      return result
    } catch {
      // SQLite has rolled back by itself after a full disk or an I/O error.
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK", doing: doing) }
      throw error
    }
  }

  /// Copies everything to `path` in one read transaction, as one file without a log beside it.
  func copy(to path: String) throws(LedgerError) {
    let target = try Database(path: path, .create)
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw LedgerError(code: unsafe sqlite3_extended_errcode(target.handle), doing: "copying to \(path)")
    }
    // All pages in one step: another writer in between would make SQLite start over, again and again.
    let step = unsafe sqlite3_backup_step(backup, -1)
    let finish = unsafe sqlite3_backup_finish(backup)
    guard step == SQLITE_DONE, finish == SQLITE_OK else {
      throw LedgerError(code: step == SQLITE_DONE ? finish : step, doing: "copying to \(path)")
    }
    // The copy's header says WAL, as the original's does.
    try target.run("PRAGMA journal_mode = DELETE", doing: "finishing \(path)")
  }

  private func prepared(_ sql: String, doing: String) throws(LedgerError) -> OpaquePointer {
    if let statement = unsafe statements[sql] { return unsafe statement }
    var statement: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement = unsafe statement else { throw LedgerError(code: code, doing: doing) }
    unsafe statements[sql] = statement
    return unsafe statement
  }

  private func bind(_ value: SQLValue, to index: Int32, of statement: OpaquePointer) -> Int32 {
    switch value {
    case .null: return unsafe sqlite3_bind_null(statement, index)
    case .integer(let value): return unsafe sqlite3_bind_int64(statement, index, value)
    case .text(var text):
      return text.withUTF8 {
        unsafe kiosk_bind_text(statement, index, $0.baseAddress, Int32(clamping: $0.count))
      }
    case .blob(let bytes): return unsafe kiosk_bind_blob(statement, index, bytes, Int32(clamping: bytes.count))
    }
  }
}

/// The SQLite library that is linked.
package enum SQLiteLibrary {
  /// Such as "3.40.1".
  package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}
