internal import Foundation
internal import Reminders

/// The ledger's queries over one connection: what is read. Whoever owns it decides when they run.
final class Store {
  let database: Database

  init(_ database: Database) { self.database = database }

  // MARK: The rules

  func household() throws(LedgerError) -> Household {
    let doing = "reading the household"
    let people = try database.query(
      "SELECT id, name, reminders_enabled FROM person WHERE until IS NULL ORDER BY position, id", doing: doing
    ) { row throws(LedgerError) in
      Person(id: try row.need(row.text(0)), name: try row.need(row.text(1)), remindersEnabled: row.integer(2) == 1)
    }
    var times: [String: [DoseTime]] = [:]
    for (medication, time) in try doseTimes() { times[medication, default: []].append(time) }
    let medications = try database.query(
      "SELECT id, person, name, dose, minimum_spacing FROM medication WHERE until IS NULL ORDER BY position, id",
      doing: doing
    ) { row throws(LedgerError) in
      let id = try row.need(row.text(0))
      return Medication(
        id: id, person: try row.need(row.text(1)), name: try row.need(row.text(2)), dose: row.text(3),
        times: times[id] ?? [], minimumSpacing: row.int(4))
    }
    return Household(people: people, medications: medications, tags: try tags())
  }

  private func doseTimes() throws(LedgerError) -> [(medication: String, time: DoseTime)] {
    try database.query(
      """
      SELECT medication, at, days, opens_before, late_after, closes_after, since, entered FROM dose_time
      WHERE until IS NULL ORDER BY medication, position
      """, doing: "reading the household"
    ) { row throws(LedgerError) in
      let time = DoseTime(
        at: LocalTime(minutes: try row.need(row.int(1))), days: Weekday.days(of: try row.need(row.integer(2))),
        opensBefore: row.int(3), lateAfter: try row.need(row.int(4)), closesAfter: row.int(5), since: row.date(6),
        entered: try row.need(row.date(7)))
      return (try row.need(row.text(0)), time)
    }
  }

  private func tags() throws(LedgerError) -> [Tag] {
    let doing = "reading the tags"
    var medications: [Int64: [String]] = [:]
    for (tag, medication) in try database.query(
      """
      SELECT m.tag, m.medication FROM tag t JOIN tag_medication m ON m.tag = t.id
      WHERE t.until IS NULL ORDER BY m.tag, m.position
      """, doing: doing,
      { row throws(LedgerError) in (try row.need(row.integer(0)), try row.need(row.text(1))) })
    {
      medications[tag, default: []].append(medication)
    }
    return try database.query(
      "SELECT id, uid, label FROM tag WHERE until IS NULL ORDER BY position, id", doing: doing
    ) { row throws(LedgerError) in
      Tag(
        uid: TagUID(try row.need(row.blob(1))), label: row.text(2),
        medications: medications[try row.need(row.integer(0))] ?? [])
    }
  }

  /// Household sections that are kept as JSON text, by name.
  func documents() throws(LedgerError) -> [String: String] {
    let pairs = try database.query(
      "SELECT name, json FROM document WHERE until IS NULL", doing: "reading the household's documents"
    ) { row throws(LedgerError) in (try row.need(row.text(0)), try row.need(row.text(1))) }
    return Dictionary(pairs) { $1 }
  }

  // MARK: What happened

  /// Every query goes by an index from `now` on, so that years of history cost nothing.
  /// - Parameter recordedUntil: only what was recorded up to that instant; nil: everything.
  func doseLog(at now: Date, recordedUntil: Date? = nil) throws(LedgerError) -> DoseLog {
    let advanced = try meta(Self.advancedUntil).map { Date(milliseconds: $0) }
    let from = SQLValue(min(now, advanced ?? now) - DoseLog.reachOfRows)
    let limit = SQLValue.integer(recordedUntil?.milliseconds ?? Int64.max)
    let columns = """
      SELECT o.medication, o.day, o.at, o.due, o.opens, o.closes, o.late, o.spacing, e.kind, e.reason, a.ending
      FROM occurrence o LEFT JOIN believed_ending e ON e.occurrence = o.id AND e.recorded_at <= ?2
      LEFT JOIN acknowledgement a ON a.ending = e.id AND a.recorded_at <= ?2
      """
    let rows = try database.query(
      // The plus keeps SQLite from the index of what was recorded up to `limit`, which is everything.
      "\(columns) WHERE o.closes > ?1 AND +o.recorded_at <= ?2 ORDER BY o.due, o.medication", [from, limit],
      doing: "reading the doses", Self.row)
    // An undone credit leaves an occurrence open that may have closed long ago.
    let reopened = try database.query(
      """
      \(columns) WHERE o.id IN (SELECT c.occurrence FROM undo u JOIN credit c ON c.id = u.credit)
      AND o.closes <= ?1 AND o.recorded_at <= ?2 AND e.id IS NULL
      AND NOT EXISTS (SELECT 1 FROM live_credit c WHERE c.occurrence = o.id) ORDER BY o.due, o.medication
      """, [from, limit], doing: "reading the doses", Self.row)
    return DoseLog(
      rows: reopened + rows, credits: try credits(at: now, closingAfter: from, limit: limit),
      advancedUntil: recordedUntil.map { at in advanced.map { min($0, at) } ?? at } ?? advanced,
      recordsLost: try recordsLost(at: now, endingAfter: from))
  }

  /// The credits around `now`, and those of all rows of the log: without its credit an old one would look missed.
  private func credits(at now: Date, closingAfter from: SQLValue, limit: SQLValue) throws(LedgerError) -> [Credit] {
    let columns = "SELECT o.medication, o.day, o.at, c.tapped_at"
    let counts = """
      c.recorded_at <= ?4 AND NOT EXISTS (SELECT 1 FROM undo u WHERE u.credit = c.id AND u.recorded_at <= ?4)
      """
    // CROSS JOIN keeps SQLite from walking through every credit there ever was.
    return try database.query(
      """
      \(columns) FROM credit c JOIN occurrence o ON o.id = c.occurrence
      WHERE c.tapped_at BETWEEN ?1 AND ?2 AND \(counts)
      UNION \(columns) FROM occurrence o CROSS JOIN credit c ON c.occurrence = o.id WHERE o.closes > ?3 AND \(counts)
      ORDER BY 4, 1, 2, 3
      """, [SQLValue(now - DoseLog.reachOfCredits), SQLValue(now + DoseLog.reachOfCredits), from, limit],
      doing: "reading the credits"
    ) { row throws(LedgerError) in
      Credit(key: try Self.key(row), tappedAt: try row.need(row.date(3)))
    }
  }

  static func key(_ row: Row) throws(LedgerError) -> OccurrenceKey {
    // Beyond these no calendar arithmetic is safe; the schema lets none in.
    let day = try row.need(row.int(1).flatMap { (-1_000_000...10_000_000).contains($0) ? $0 : nil })
    return OccurrenceKey(
      medication: try row.need(row.text(0)), day: LocalDay(number: day),
      at: LocalTime(minutes: try row.need(row.int(2))))
  }

  private static func row(_ row: Row) throws(LedgerError) -> DoseLog.Row {
    let occurrence = Occurrence(
      key: try key(row), dueAt: try row.need(row.date(3)), opensAt: try row.need(row.date(4)),
      closesAt: try row.need(row.date(5)), lateAt: row.date(6), spacing: Double(try row.need(row.integer(7))) / 1000)
    return DoseLog.Row(
      occurrence: occurrence,
      ending: row.isNull(8) ? nil : try row.need(Ending(kind: row.text(8), reason: row.text(9))),
      acknowledged: !row.isNull(10))
  }

  /// The taps of a boot that still wait for their time: stored under an untrusted clock, or taken under one that was then
  /// found to be ahead.
  func pendingTaps(boot: String) throws(LedgerError) -> [StoredPendingTap] {
    try database.query(
      """
      SELECT id, uid, uptime FROM (
        SELECT id, uid, uptime FROM tap WHERE boot = ?1 AND outcome = 'pendingTime'
        UNION SELECT id, uid, uptime FROM doubted_tap WHERE boot = ?1 AND outcome = 'taken'
          AND recorded_at > (SELECT min(corrected_to) FROM clock_correction)
      ) p WHERE NOT EXISTS (SELECT 1 FROM tap r WHERE r.resolves = p.id) ORDER BY id
      """, [.text(boot)], doing: "reading the pending taps"
    ) { row throws(LedgerError) in
      StoredPendingTap(
        id: try row.need(row.integer(0)),
        tap: PendingTap(
          uid: TagUID(try row.need(row.blob(1))), uptime: .nanoseconds(try row.need(row.integer(2)))))
    }
  }

  /// The newest instant recorded under a trusted clock that is still believed, in milliseconds.
  func newestTrusted() throws(LedgerError) -> Int64? {
    let doubted = { (table: String) in
      """
      EXISTS (SELECT 1 FROM clock_correction c
        WHERE \(table).id <= c.last_\(table) AND \(table).recorded_at > c.corrected_to)
      """
    }
    let newest = { (table: String, condition: String) in
      """
      (SELECT recorded_at FROM \(table) WHERE \(condition) AND NOT \(doubted(table)) ORDER BY recorded_at DESC LIMIT 1)
      """
    }
    return try database.integer(
      """
      SELECT max(recorded_at) FROM (SELECT \(newest("tap", "trusted = 1")) AS recorded_at
      UNION ALL SELECT \(newest("occurrence", "1")) UNION ALL SELECT \(newest("ending", "1")))
      """, doing: "reading the newest row")
  }

  func recordingSpans(since: Date) throws(LedgerError) -> [DateInterval] {
    try database.query(
      "SELECT started, ended FROM recording_span WHERE ended > ? ORDER BY started", [SQLValue(since)],
      doing: "reading when taps could be recorded"
    ) { row throws(LedgerError) in
      let start = try row.need(row.date(0))
      return DateInterval(start: start, end: max(start, try row.need(row.date(1))))
    }
  }

  /// The mark up to which the rules have written what time did.
  static let advancedUntil = "advanced_until"

  func meta(_ key: String) throws(LedgerError) -> Int64? {
    try database.integer("SELECT value FROM meta WHERE key = ?", [.text(key)], doing: "reading a mark")
  }
}
