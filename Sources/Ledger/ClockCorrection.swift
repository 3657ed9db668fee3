package import Foundation

extension Ledger {
  /// The clock is known now and shows `now`: what claims to have been recorded later was recorded by a clock that was
  /// ahead. Such rows stay and are no longer believed (DESIGN 5.2 "Clock").
  ///
  /// A real-time clock that keeps local time is hours ahead until the first answer of a time server. Without this the doses
  /// of those hours would already have ended, or count as taken. Their credits are undone, their endings forgotten; the
  /// taps of this boot are then among `pendingTaps`, to be decided at their true instants.
  /// - Returns: whether there were any.
  package func correctClock(to now: Date, boot: String) throws -> Bool {
    let now = now.asStored
    let isAhead = try newestTrustedInstant().map { $0 > now } ?? false
    guard try isAhead || read({ try $0.hasRulesEntered(after: now) }) else { return false }
    return try write("marking rows from the future") { store in
      try store.pullBackRules(to: now)
      if isAhead { try store.markFuture(after: now) }
      return isAhead
    }
  }
}

extension Store {
  fileprivate func hasRulesEntered(after now: Date) throws(LedgerError) -> Bool {
    try database.integer(
      "SELECT 1 FROM dose_time WHERE until IS NULL AND entered > ? LIMIT 1", [SQLValue(now)],
      doing: "looking for rules from the future") != nil
  }

  /// What was imported by a clock that was ahead is in force now. A `since` that the household itself names stays.
  fileprivate func pullBackRules(to now: Date) throws(LedgerError) {
    try database.run(
      """
      UPDATE dose_time SET since = iif(since BETWEEN entered - 999 AND entered, ?1, since), entered = ?1
      WHERE until IS NULL AND entered > ?1
      """, [SQLValue(now)], doing: "bringing rules back from the future")
  }

  fileprivate func markFuture(after now: Date) throws(LedgerError) {
    let doing = "marking rows from the future"
    let firstLost = try database.integer(
      """
      SELECT min(o.closes) FROM believed_ending e JOIN occurrence o ON o.id = e.occurrence WHERE e.recorded_at > ?
      """, [SQLValue(now)], doing: doing)
    try database.run(
      """
      INSERT INTO clock_correction (corrected_to, last_tap, last_occurrence, last_ending)
      SELECT ?, (SELECT coalesce(max(id), 0) FROM tap), (SELECT coalesce(max(id), 0) FROM occurrence),
        (SELECT coalesce(max(id), 0) FROM ending)
      """, [SQLValue(now)], doing: doing)
    try database.run(
      """
      INSERT INTO undo (credit, reason, recorded_at)
      SELECT id, 'clock', ?1 FROM live_credit WHERE recorded_at > ?1
      """, [SQLValue(now)], doing: doing)
    try database.run("DELETE FROM recording_span WHERE started > ?", [SQLValue(now)], doing: doing)
    try database.run("UPDATE recording_span SET ended = ?1 WHERE ended > ?1", [SQLValue(now)], doing: doing)
    try database.run(
      "UPDATE meta SET value = ?1 WHERE key = ?2 AND value > ?1", [SQLValue(now), .text(Self.backedUpAt)], doing: doing)
    // The rules ask again for all that they have written since: what is a row stays one, what lost its ending gets another.
    let believed = [try newestTrusted(), firstLost.map { $0 - 1 }].compactMap { $0 }
    try setMeta(Self.advancedUntil, min(now.milliseconds, believed.min() ?? now.milliseconds))
  }
}
