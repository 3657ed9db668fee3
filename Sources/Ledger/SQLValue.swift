internal import CSQLite
internal import Foundation

/// A parameter of a statement.
enum SQLValue: Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  init(_ value: Int) { self = .integer(Int64(value)) }
  init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }
  init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }
  init(_ value: String?) { self = value.map { .text($0) } ?? .null }
  init(_ value: [UInt8]?) { self = value.map { .blob($0) } ?? .null }
  init(_ value: Bool) { self = .integer(value ? 1 : 0) }
  init(_ value: Date?) { self = value.map { .integer($0.milliseconds) } ?? .null }
}

/// The row a statement stands on; valid only inside the closure it was given to.
@safe
struct Row {
  private let statement: OpaquePointer
  private let doing: String

  init(_ statement: OpaquePointer, doing: String) {
    unsafe self.statement = statement
    self.doing = doing
  }

  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(statement, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : nil
  }

  func text(_ column: Int32) -> String? {
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT,
      let text = unsafe sqlite3_column_text(statement, column)
    else { return nil }
    let count = unsafe Int(sqlite3_column_bytes(statement, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  func blob(_ column: Int32) -> [UInt8]? {
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
    guard let bytes = unsafe sqlite3_column_blob(statement, column) else { return [] }
    let count = unsafe Int(sqlite3_column_bytes(statement, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }

  func int(_ column: Int32) -> Int? { integer(column).flatMap { Int(exactly: $0) } }

  func date(_ column: Int32) -> Date? { integer(column).map { Date(milliseconds: $0) } }

  /// What must be there in a sound ledger: dropping such a row in silence could hide a dose.
  func need<T>(_ value: T?) throws(LedgerError) -> T {
    guard let value else { throw LedgerError(kind: .damaged, doing: "\(doing): a row makes no sense") }
    return value
  }
}
