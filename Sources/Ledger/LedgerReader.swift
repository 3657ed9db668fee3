package import Foundation
package import Reminders

/// The ledger read by another process while the agent writes: never writes, never checkpoints (DESIGN 4.1).
///
/// A ledger that is not there is an empty one. All that one reader says is of one state; make it, ask, and let it go, for
/// while it lives the agent's write-ahead log cannot be emptied.
package struct LedgerReader {
  private let store: Store?

  /// - Parameter directory: the state directory.
  package init(directory: String) throws(LedgerError) {
    store = try LedgerFile.openForReading("\(directory)/\(LedgerFile.name)").map { Store($0) }
  }

  package func household() throws(LedgerError) -> Household { try store?.household() ?? Household() }

  /// Household sections that are kept as JSON text, by name.
  package func documents() throws(LedgerError) -> [String: String] { try store?.documents() ?? [:] }

  /// As it was at `now`: only what was recorded up to then.
  package func doseLog(at now: Date) throws(LedgerError) -> DoseLog {
    try store?.doseLog(at: now, recordedUntil: now) ?? DoseLog()
  }

  /// What happened in [from, to), oldest first.
  package func history(from: Date, to: Date) throws(LedgerError) -> [HistoryItem] {
    try store?.history(from: from, to: to) ?? []
  }

  /// The taps of a boot that still wait to be decided, oldest first: the clock of that boot is not known yet.
  package func pendingTaps(boot: String) throws(LedgerError) -> [StoredPendingTap] {
    try store?.pendingTaps(boot: boot) ?? []
  }

  /// The spans that reach beyond `since` in which taps could be recorded, oldest first.
  package func recordingSpans(since: Date) throws(LedgerError) -> [DateInterval] {
    try store?.recordingSpans(since: since) ?? []
  }

  /// A consistent copy, made while the agent may be writing.
  package func backup(to path: String) throws(LedgerError) {
    guard let store else { throw LedgerError(kind: .notFound, doing: "copying the ledger: there is none yet") }
    try store.backup(to: path)
  }
}
