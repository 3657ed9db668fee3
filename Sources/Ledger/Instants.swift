package import Foundation

extension Date {
  /// Whole milliseconds since 1970 UTC, rounded down: how the ledger keeps instants.
  package var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded(.down)) }

  package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// The instant as the ledger keeps it. What is decided must be decided with what is stored.
  package var asStored: Date { Date(milliseconds: milliseconds) }
}

extension SQLValue {
  init(_ date: Date?) { self = date.map { .integer($0.milliseconds) } ?? .null }

  var date: Date? { integer.map { Date(milliseconds: $0) } }
}
