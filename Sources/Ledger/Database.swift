internal import CSQLite

/// A value in a row or a parameter.
enum SQLValue: Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  init(_ value: [UInt8]?) { self = value.map { .blob($0) } ?? .null }
  init(_ value: Bool) { self = .integer(value ? 1 : 0) }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
}

/// One SQLite connection, used from one place at a time: the actor that owns it.
///
/// Opened in multi-thread mode (no mutex of SQLite's own), because the owner's executor already excludes.
@safe
final class Database {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = unsafe [:]

  /// - Parameters:
  ///   - path: a file, or ":memory:".
  ///   - busyTimeout: milliseconds to wait for another program's lock.
  init(path: String, readOnly: Bool = false, create: Bool = true, busyTimeout: Int32 = 2000) throws(LedgerError) {
    var opened: OpaquePointer?
    let flags =
      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      | (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0))
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe opened else {
      unsafe sqlite3_close_v2(opened)
      throw LedgerError(code: code == SQLITE_OK ? SQLITE_CANTOPEN : code, doing: "opening it")
    }
    unsafe handle = opened
    unsafe sqlite3_busy_timeout(handle, busyTimeout)
    if readOnly { unsafe _ = kiosk_never_checkpoint_on_close(handle) }
  }

  deinit {
    unsafe statements.values.forEach { unsafe _ = sqlite3_finalize($0) }
    unsafe sqlite3_close_v2(handle)
  }

  /// Runs one statement that gives no rows.
  func run(_ sql: String, _ values: [SQLValue] = [], doing: String) throws(LedgerError) {
    _ = try rows(sql, values, doing: doing)
  }

  /// Runs several statements without parameters, such as a schema.
  func script(_ sql: String, doing: String) throws(LedgerError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw LedgerError(code: extendedCode, doing: doing) }
  }

  /// All rows of a statement.
  func rows(_ sql: String, _ values: [SQLValue] = [], doing: String) throws(LedgerError) -> [[SQLValue]] {
    let statement = try unsafe prepared(sql, doing: doing)
    defer {
      unsafe sqlite3_reset(statement)
      unsafe sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let code = unsafe bind(value, to: Int32(index + 1), of: statement)
      guard code == SQLITE_OK else { throw LedgerError(code: code, doing: doing) }
    }
    var rows: [[SQLValue]] = []
    while true {
      let code = unsafe sqlite3_step(statement)
      switch code {
      case SQLITE_ROW:
        rows.append((0..<(unsafe sqlite3_column_count(statement))).map { unsafe column(statement, $0) })
      case SQLITE_DONE: return rows
      default: throw LedgerError(code: code, doing: doing)
      }
    }
  }

  /// The first column of the first row; nil when there is none or it is NULL.
  func integer(_ sql: String, _ values: [SQLValue] = [], doing: String) throws(LedgerError) -> Int64? {
    try rows(sql, values, doing: doing).first?.first?.integer
  }

  var lastInsertedID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  private var extendedCode: Int32 { unsafe sqlite3_extended_errcode(handle) }

  /// Runs `body` between BEGIN IMMEDIATE and COMMIT. Whatever fails, nothing of it stays.
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

  /// A consistent copy of everything, while other processes may read; this connection does not write meanwhile.
  func copy(to path: String) throws(LedgerError) {
    let target = try Database(path: path)
    try target.run("PRAGMA journal_mode = DELETE", doing: "writing the copy")
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw LedgerError(code: target.extendedCode, doing: "copying it")
    }
    let step = unsafe sqlite3_backup_step(backup, -1)
    let finish = unsafe sqlite3_backup_finish(backup)
    guard step == SQLITE_DONE, finish == SQLITE_OK else {
      throw LedgerError(code: step == SQLITE_DONE ? finish : step, doing: "copying it")
    }
    try target.run("PRAGMA journal_mode = DELETE", doing: "closing the copy")
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
    case .text(let value):
      let bytes = Array(value.utf8).map { CChar(bitPattern: $0) }
      return unsafe kiosk_bind_text(statement, index, bytes, Int32(bytes.count))
    case .blob(let bytes): return unsafe kiosk_bind_blob(statement, index, bytes, Int32(bytes.count))
    }
  }

  private func column(_ statement: OpaquePointer, _ index: Int32) -> SQLValue {
    let type = unsafe sqlite3_column_type(statement, index)
    let count = unsafe Int(sqlite3_column_bytes(statement, index))
    switch type {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, index))
    case SQLITE_TEXT:
      guard let text = unsafe sqlite3_column_text(statement, index) else { return .text("") }
      return .text(unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      guard count > 0, let bytes = unsafe sqlite3_column_blob(statement, index) else { return .blob([]) }
      return .blob(unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .null
    }
  }
}

/// The version of the SQLite library in use, such as 3.40.1.
package enum SQLiteLibrary {
  package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}
