internal import Foundation
internal import Reminders

extension Store {
  /// What happened in [from, to), oldest first.
  func history(from: Date, to: Date) throws(LedgerError) -> [HistoryItem] {
    let range = [SQLValue(from), SQLValue(to)]
    var items: [(order: Int64, item: HistoryItem)] = []
    items += try taps(range)
    items += try endings(range)
    items += try undos(range)
    return items.enumerated().sorted {
      ($0.element.item.at, $0.element.order, $0.offset) < ($1.element.item.at, $1.element.order, $1.offset)
    }.map(\.element.item)
  }

  /// The taps as they were answered; undone credits are in there, their undo is an item of its own.
  private func taps(_ range: [SQLValue]) throws(LedgerError) -> [(order: Int64, item: HistoryItem)] {
    let doing = "reading the taps"
    var credited: [Int64: [HistoryItem.Dose]] = [:]
    for row in try database.rows(
      """
      SELECT c.tap, o.medication, o.due FROM credit c JOIN occurrence o ON o.id = c.occurrence JOIN tap t ON t.id = c.tap
      WHERE t.at >= ? AND t.at < ? ORDER BY o.due, o.medication
      """, range, doing: doing)
    {
      if let tap = row[0].integer, let medication = row[1].text, let due = row[2].date {
        credited[tap, default: []].append(.init(medication: medication, dueAt: due))
      }
    }
    var refused: [Int64: [TapVerdict.NotCredited]] = [:]
    for row in try database.rows(
      """
      SELECT r.tap, r.medication, r.reason, r.at FROM refusal r JOIN tap t ON t.id = r.tap
      WHERE t.at >= ? AND t.at < ? ORDER BY r.tap, r.position
      """, range, doing: doing)
    {
      if let tap = row[0].integer, let medication = row[1].text,
        let reason = row[2].text.flatMap({ NotCreditedReason(rawValue: $0) })
      {
        refused[tap, default: []].append(.init(medication: medication, reason: reason, at: row[3].date))
      }
    }
    return try database.rows(
      """
      SELECT t.id, t.at, t.uid, t.outcome, t.message, t.sound, r.at FROM tap t LEFT JOIN tap r ON r.id = t.resolves
      WHERE t.at >= ? AND t.at < ? ORDER BY t.at, t.id
      """, range, doing: doing
    ).compactMap { row in
      guard let id = row[0].integer, let at = row[1].date, let outcome = row[3].text else { return nil }
      let tap = HistoryItem.Tap(
        uid: row[2].blob.map { TagUID($0) }, outcome: outcome, credited: credited[id] ?? [],
        notCredited: refused[id] ?? [], message: row[4].text ?? "", sound: row[5].text ?? "none", resolves: row[6].date)
      return (1, HistoryItem(at: at, kind: .tap(tap)))
    }
  }

  private func endings(_ range: [SQLValue]) throws(LedgerError) -> [(order: Int64, item: HistoryItem)] {
    try database.rows(
      """
      SELECT e.at, e.kind, e.reason, o.medication, o.due FROM ending e JOIN occurrence o ON o.id = e.occurrence
      WHERE e.at >= ? AND e.at < ? ORDER BY e.at, o.due, o.medication
      """, range, doing: "reading the endings"
    ).compactMap { row in
      guard let at = row[0].date, let medication = row[3].text, let due = row[4].date else { return nil }
      let dose = HistoryItem.Dose(medication: medication, dueAt: due)
      let reason = row[2].text ?? ""
      switch row[1].text {
      case "missed": return (0, HistoryItem(at: at, kind: .missed(dose)))
      case "unknown": return (0, HistoryItem(at: at, kind: .unknown(dose, reason: reason)))
      default: return (0, HistoryItem(at: at, kind: .skip(dose, reason: reason)))
      }
    }
  }

  private func undos(_ range: [SQLValue]) throws(LedgerError) -> [(order: Int64, item: HistoryItem)] {
    try database.rows(
      """
      SELECT u.at, o.medication, o.due FROM undo u JOIN credit c ON c.id = u.credit
      JOIN occurrence o ON o.id = c.occurrence WHERE u.at >= ? AND u.at < ? ORDER BY u.at
      """, range, doing: "reading what was undone"
    ).compactMap { row in
      guard let at = row[0].date, let medication = row[1].text, let due = row[2].date else { return nil }
      return (2, HistoryItem(at: at, kind: .undo(.init(medication: medication, dueAt: due))))
    }
  }
}
