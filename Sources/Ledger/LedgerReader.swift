package import Foundation
package import Reminders

/// The ledger read by another process while the agent writes: never writes, never checkpoints (DESIGN 4.1).
///
/// A ledger that is not there is an empty one.
package struct LedgerReader {
  private let store: Store?

  package init(directory: String) throws(LedgerError) {
    store = try LedgerFile.openForReading(directory + "/" + Ledger.fileName)
  }

  package func household() throws(LedgerError) -> Household { try store?.household() ?? Household() }

  package func documents() throws(LedgerError) -> [String: String] { try store?.documents() ?? [:] }

  /// The rows recorded up to `now`.
  package func doseLog(at now: Date) throws(LedgerError) -> DoseLog {
    try store?.doseLog(at: now, recordedBefore: now) ?? DoseLog()
  }

  package func history(from: Date, to: Date) throws(LedgerError) -> [HistoryItem] {
    try store?.history(from: from, to: to) ?? []
  }

  /// When taps could be recorded, as far as it was kept.
  package func recordingSpans(since: Date) throws(LedgerError) -> [DateInterval] {
    try store?.database.rows(
      "SELECT started, ended FROM recording_span WHERE ended > ? ORDER BY started", [SQLValue(since)],
      doing: "reading when taps could be recorded"
    ).compactMap { row in
      guard let start = row[0].date, let end = row[1].date, end >= start else { return nil }
      return DateInterval(start: start, end: end)
    } ?? []
  }

  /// A consistent copy, made while the agent may be writing.
  package func backup(to path: String) throws(LedgerError) {
    guard let store else { throw LedgerError(kind: .cannotOpen, doing: "copying it: there is no ledger yet") }
    try store.backup(to: path)
  }
}
