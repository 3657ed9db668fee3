internal import Foundation
internal import Reminders

extension Store {
  /// What happened in [from, to), oldest first; of what happened in one instant endings come first, then taps, then what
  /// was undone.
  func history(from: Date, to: Date) throws(LedgerError) -> [HistoryItem] {
    let range = [SQLValue(from), SQLValue(to)]
    let items = try endings(range) + taps(range) + enteredByHand(range) + undos(range)
    return items.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element.item)
  }

  /// With the place in history, which under a wrong clock is not what the tap says of itself.
  private typealias Placed = (at: Date, item: HistoryItem)

  private func taps(_ range: [SQLValue]) throws(LedgerError) -> [Placed] {
    let credited = try creditedDoses(range)
    let refused = try refusals(range)
    return try database.query(
      """
      SELECT t.id, t.at, t.uid, t.unreadable, t.outcome, t.person, t.message, t.sound, r.at, t.trusted, t.placed_at
      FROM tap t LEFT JOIN tap r ON r.id = t.resolves WHERE t.placed_at >= ? AND t.placed_at < ?
      ORDER BY t.placed_at, t.id
      """, range, doing: "reading the taps"
    ) { row throws(LedgerError) in
      let id = try row.need(row.integer(0))
      let tap = HistoryItem.Tap(
        id: id, uid: row.blob(2).map { TagUID($0) }, unreadable: row.text(3),
        outcome: try row.need(row.text(4).flatMap { TapOutcome(rawValue: $0) }), person: row.text(5),
        credited: credited[id] ?? [], notCredited: refused[id] ?? [], message: try row.need(row.text(6)),
        sound: try row.need(row.text(7).flatMap { TapSound(rawValue: $0) }), resolves: row.date(8),
        clockTrusted: row.integer(9) == 1)
      return (try row.need(row.date(10)), HistoryItem(at: try row.need(row.date(1)), kind: .tap(tap)))
    }
  }

  private func creditedDoses(_ range: [SQLValue]) throws(LedgerError) -> [Int64: [HistoryItem.Dose]] {
    let pairs = try database.query(
      """
      SELECT o.medication, o.due, c.tap FROM tap t JOIN credit c ON c.tap = t.id JOIN occurrence o ON o.id = c.occurrence
      WHERE t.placed_at >= ? AND t.placed_at < ? ORDER BY o.due, o.medication
      """, range, doing: "reading the credits"
    ) { row throws(LedgerError) in (try row.need(row.integer(2)), try Self.dose(row)) }
    return Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
  }

  private func refusals(_ range: [SQLValue]) throws(LedgerError) -> [Int64: [TapVerdict.NotCredited]] {
    let pairs = try database.query(
      """
      SELECT r.medication, r.reason, r.at, r.tap FROM tap t JOIN refusal r ON r.tap = t.id
      WHERE t.placed_at >= ? AND t.placed_at < ? ORDER BY r.tap, r.position
      """, range, doing: "reading what taps did not credit"
    ) { row throws(LedgerError) in
      let refusal = TapVerdict.NotCredited(
        medication: try row.need(row.text(0)),
        reason: try row.need(row.text(1).flatMap { NotCreditedReason(rawValue: $0) }), at: row.date(2))
      return (try row.need(row.integer(3)), refusal)
    }
    return Dictionary(grouping: pairs, by: \.0).mapValues { $0.map(\.1) }
  }

  private func endings(_ range: [SQLValue]) throws(LedgerError) -> [Placed] {
    try database.query(
      """
      SELECT o.medication, o.due, e.kind, e.reason, e.at FROM believed_ending e JOIN occurrence o ON o.id = e.occurrence
      WHERE e.at >= ? AND e.at < ? ORDER BY e.at, o.due, o.medication
      """, range, doing: "reading the endings"
    ) { row throws(LedgerError) in
      let kind: HistoryItem.Kind =
        switch try row.need(Ending(kind: row.text(2), reason: row.text(3))) {
        case .missed: .missed(try Self.dose(row))
        case .unknown(let reason): .unknown(try Self.dose(row), reason)
        case .skipped(let reason): .skip(try Self.dose(row), reason)
        }
      let at = try row.need(row.date(4))
      return (at, HistoryItem(at: at, kind: kind))
    }
  }

  private func enteredByHand(_ range: [SQLValue]) throws(LedgerError) -> [Placed] {
    try database.query(
      """
      SELECT o.medication, o.due, c.tapped_at FROM credit c JOIN occurrence o ON o.id = c.occurrence
      WHERE c.tapped_at >= ? AND c.tapped_at < ? AND c.tap IS NULL ORDER BY c.tapped_at, c.id
      """, range, doing: "reading what was entered by hand"
    ) { row throws(LedgerError) in
      let at = try row.need(row.date(2))
      return (at, HistoryItem(at: at, kind: .took(try Self.dose(row))))
    }
  }

  private func undos(_ range: [SQLValue]) throws(LedgerError) -> [Placed] {
    try database.query(
      """
      SELECT o.medication, o.due, u.recorded_at FROM undo u JOIN credit c ON c.id = u.credit
      JOIN occurrence o ON o.id = c.occurrence WHERE u.recorded_at >= ? AND u.recorded_at < ?
      ORDER BY u.recorded_at, o.due, o.medication
      """, range, doing: "reading what was undone"
    ) { row throws(LedgerError) in
      let at = try row.need(row.date(2))
      return (at, HistoryItem(at: at, kind: .undo(try Self.dose(row))))
    }
  }

  /// The first two columns.
  private static func dose(_ row: Row) throws(LedgerError) -> HistoryItem.Dose {
    HistoryItem.Dose(medication: try row.need(row.text(0)), dueAt: try row.need(row.date(1)))
  }
}
