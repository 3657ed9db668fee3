import Foundation
import Reminders

/// What a ledger would hold: everything that was applied, in order. A restart keeps only this, and the log is built from
/// it anew, with no more in it than the ledger promises (see `DoseLog`).
struct Journal {
  private var rows: [OccurrenceKey: DoseLog.Row] = [:]
  private(set) var credits: [Credit] = []
  private var advancedUntil: Date?

  /// - Parameter rulesChange: then the instant is kept even when there was nothing to write: what is over by the old rules
  ///   and zone must not be asked for by the new ones.
  mutating func apply(_ changes: [DoseChange], at now: Date, rulesChange: Bool = false) {
    for change in changes {
      switch change {
      case .open(let occurrence): rows[occurrence.key] = DoseLog.Row(occurrence: occurrence)
      case .end(let key, let ending): rows[key]?.ending = ending
      }
    }
    if !changes.isEmpty || advancedUntil == nil || rulesChange { advancedUntil = max(now, advancedUntil ?? now) }
  }

  mutating func credit(_ verdict: TapVerdict, at now: Date) {
    credits += verdict.credited.map { Credit(key: $0.key, tappedAt: now) }
  }

  mutating func acknowledge(_ key: OccurrenceKey) { rows[key]?.acknowledged = true }
  mutating func loseLastCredit() { _ = credits.popLast() }
  mutating func loseRows() { rows = [:] }
  mutating func undoLast() { _ = credits.popLast() }

  func knows(_ key: OccurrenceKey) -> Bool { rows[key] != nil }

  func log(at now: Date) -> DoseLog {
    let from = min(now, advancedUntil ?? now) - DoseLog.reachOfRows
    return DoseLog(
      rows: rows.values.filter { $0.occurrence.closesAt > from },
      credits: credits.filter {
        from - DoseLog.reachOfCredits <= $0.tappedAt && $0.tappedAt <= now + DoseLog.reachOfCredits
      }, advancedUntil: advancedUntil)
  }
}
