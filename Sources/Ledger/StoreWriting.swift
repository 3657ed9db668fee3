internal import Foundation
internal import Reminders

/// What is written, inside a transaction of the caller.
extension Store {
  /// Applies what the rules decided for the time up to `until`. What is a row already stays as it is: rows never change.
  /// - Parameter now: the wall clock at the moment of writing; later than `until` when a pending tap is decided.
  func apply(_ changes: [DoseChange], until: Date, at now: Date) throws(LedgerError) {
    for change in changes {
      switch change {
      case .open(let occurrence):
        if try id(of: occurrence.key) == nil { try insert(occurrence, at: now) }
      case .end(let key, let ending):
        let id = try existingID(of: key)
        let ended = try database.integer(
          "SELECT 1 FROM believed_ending WHERE occurrence = ?", [.integer(id)], doing: "ending a dose")
        if ended == nil { try insert(ending, of: id, at: now) }
      }
    }
    try endLoss(at: now)
    // Not up to `now`: windows that opened after `until` would never become rows.
    try setMeta(Self.advancedUntil, max(until.milliseconds, try meta(Self.advancedUntil) ?? .min))
  }

  private func insert(_ occurrence: Occurrence, at now: Date) throws(LedgerError) {
    try database.run(
      """
      INSERT INTO occurrence (medication, day, at, due, opens, closes, late, spacing, recorded_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(occurrence.key.medication), SQLValue(occurrence.key.day.number), SQLValue(occurrence.key.at.minutes),
        SQLValue(occurrence.dueAt), SQLValue(occurrence.opensAt), SQLValue(occurrence.closesAt),
        SQLValue(occurrence.lateAt), SQLValue(Date(timeIntervalSince1970: occurrence.spacing)), SQLValue(now),
      ], doing: "opening a dose")
  }

  private func insert(_ ending: Ending, of occurrence: Int64, at now: Date) throws(LedgerError) {
    try database.run(
      """
      INSERT INTO ending (occurrence, kind, reason, at, recorded_at)
      SELECT id, ?2, ?3, min(closes, ?4), ?4 FROM occurrence WHERE id = ?1
      """, [.integer(occurrence), .text(ending.kind), SQLValue(ending.reason), SQLValue(now)], doing: "ending a dose")
  }

  func id(of key: OccurrenceKey) throws(LedgerError) -> Int64? {
    try database.integer(
      "SELECT id FROM occurrence WHERE medication = ? AND day = ? AND at = ?",
      [.text(key.medication), SQLValue(key.day.number), SQLValue(key.at.minutes)], doing: "finding a dose")
  }

  func existingID(of key: OccurrenceKey) throws(LedgerError) -> Int64 {
    guard let id = try id(of: key) else {
      throw LedgerError(kind: .notFound, doing: "finding the dose of \(key.medication) on \(key.day) at \(key.at)")
    }
    return id
  }

  /// - Returns: the tap's id.
  func insert(_ entry: TapEntry, _ decided: DecidedTap) throws(LedgerError) -> Int64 {
    let placed = entry.clockTrusted ? entry.at.milliseconds : try newestTrusted() ?? entry.at.milliseconds
    try database.run(
      """
      INSERT INTO tap (at, recorded_at, placed_at, zone_offset, uptime, boot, trusted, uid, person, outcome, unreadable,
        message, sound, resolves)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        SQLValue(entry.at), SQLValue(entry.recordedAt), .integer(placed), SQLValue(entry.zoneOffset),
        .integer(entry.uptime.nanoseconds), .text(entry.boot), SQLValue(entry.clockTrusted),
        SQLValue(entry.uid?.bytes), SQLValue(decided.verdict.person), .text(decided.verdict.outcome.rawValue),
        SQLValue(entry.unreadable), .text(decided.message), .text(decided.sound.rawValue), SQLValue(entry.resolves),
      ], doing: "storing a tap")
    let tap = database.lastInsertedID
    for credited in decided.verdict.credited { try credit(credited.key, tap: tap, entry) }
    for (position, refusal) in decided.verdict.notCredited.enumerated() {
      try database.run(
        "INSERT INTO refusal (tap, position, medication, reason, at) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(tap), SQLValue(position), .text(refusal.medication), .text(refusal.reason.rawValue),
          SQLValue(refusal.at),
        ], doing: "storing what a tap did not credit")
    }
    return tap
  }

  private func credit(_ key: OccurrenceKey, tap: Int64, _ entry: TapEntry) throws(LedgerError) {
    try database.run(
      """
      INSERT INTO credit (occurrence, attempt, tap, tapped_at, recorded_at)
      SELECT ?1, 1 + (SELECT count(*) FROM credit WHERE occurrence = ?1), ?2, ?3, ?4
      """,
      [.integer(try existingID(of: key)), .integer(tap), SQLValue(entry.at), SQLValue(entry.recordedAt)],
      doing: "crediting a dose")
  }

  func setMeta(_ key: String, _ value: Int64) throws(LedgerError) {
    try database.run(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [.text(key), .integer(value)], doing: "setting a mark")
  }
}
