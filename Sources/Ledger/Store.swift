internal import Foundation
internal import Reminders

/// The ledger's queries over one connection. Whoever owns it decides when they run.
final class Store {
  let database: Database

  init(_ database: Database) { self.database = database }

  // MARK: The rules

  func household() throws(LedgerError) -> Household {
    let doing = "reading the household"
    let people = try database.rows(
      "SELECT id, name, reminders_enabled FROM person WHERE until IS NULL ORDER BY position", doing: doing
    ).compactMap { row -> Person? in
      guard let id = row[0].text, let name = row[1].text else { return nil }
      return Person(id: id, name: name, remindersEnabled: row[2].integer == 1)
    }
    var times: [String: [DoseTime]] = [:]
    for row in try database.rows(
      "SELECT medication, at, days, opens_before, late_after, closes_after, since FROM dose_time WHERE until IS NULL ORDER BY at, id",
      doing: doing)
    {
      guard let medication = row[0].text, let at = row[1].text.flatMap({ LocalTime($0) }) else { continue }
      times[medication, default: []].append(
        DoseTime(
          at: at, days: Weekday.days(of: row[2].integer ?? 0), opensBefore: row[3].integer.map { Int($0) },
          lateAfter: Int(row[4].integer ?? 0), closesAfter: row[5].integer.map { Int($0) }, since: row[6].date))
    }
    let medications = try database.rows(
      "SELECT id, person, name, dose, minimum_spacing FROM medication WHERE until IS NULL ORDER BY position",
      doing: doing
    ).compactMap { row -> Medication? in
      guard let id = row[0].text, let person = row[1].text, let name = row[2].text else { return nil }
      return Medication(
        id: id, person: person, name: name, dose: row[3].text, times: times[id] ?? [],
        minimumSpacing: row[4].integer.map { Int($0) })
    }
    return Household(people: people, medications: medications, tags: try tags())
  }

  private func tags() throws(LedgerError) -> [Tag] {
    var medications: [Int64: [String]] = [:]
    for row in try database.rows(
      "SELECT tag, medication FROM tag_medication ORDER BY tag, position", doing: "reading the tags")
    {
      if let tag = row[0].integer, let id = row[1].text { medications[tag, default: []].append(id) }
    }
    return try database.rows(
      "SELECT id, uid, label FROM tag WHERE until IS NULL ORDER BY position", doing: "reading the tags"
    ).compactMap { row in
      guard let id = row[0].integer, let uid = row[1].blob else { return nil }
      return Tag(uid: TagUID(uid), label: row[2].text, medications: medications[id] ?? [])
    }
  }

  // MARK: What happened

  /// - Parameter recordedBefore: only rows recorded up to that instant; nil: all.
  func doseLog(at now: Date, recordedBefore: Date? = nil) throws(LedgerError) -> DoseLog {
    let doing = "reading the doses"
    let advancedUntil = try meta("advanced_until").map { Date(milliseconds: $0) }
    let from = min(now - 86_400, advancedUntil ?? now)
    let limit = recordedBefore?.milliseconds ?? Int64.max
    let rows = try database.rows(
      """
      SELECT o.medication, o.day, o.at, o.due, o.opens, o.closes, o.late, o.spacing, e.kind, e.reason, a.at
      FROM occurrence o LEFT JOIN ending e ON e.occurrence = o.id AND e.at <= ?2
      LEFT JOIN acknowledgement a ON a.occurrence = o.id AND a.at <= ?2
      WHERE o.closes > ?1 AND o.opens <= ?2 ORDER BY o.due
      """, [SQLValue(from), .integer(limit)], doing: doing)
    let reach: TimeInterval = 14 * 86_400
    let credits = try database.rows(
      """
      SELECT o.medication, o.day, o.at, c.tapped_at FROM credit c JOIN occurrence o ON o.id = c.occurrence
      WHERE (c.tapped_at BETWEEN ?1 AND ?2) AND c.tapped_at <= ?3
        AND NOT EXISTS (SELECT 1 FROM undo u WHERE u.credit = c.id AND u.at <= ?3)
      """, [SQLValue(now - reach), SQLValue(now + reach), .integer(limit)], doing: doing)
    return DoseLog(
      rows: rows.compactMap(Self.row),
      credits: credits.compactMap { row in
        guard let key = Self.key(row), let tappedAt = row[3].date else { return nil }
        return Credit(key: key, tappedAt: tappedAt)
      }, advancedUntil: recordedBefore == nil ? advancedUntil : min(advancedUntil ?? now, now))
  }

  private static func key(_ row: [SQLValue]) -> OccurrenceKey? {
    guard let medication = row[0].text, let day = row[1].text.flatMap({ LocalDay($0) }),
      let at = row[2].text.flatMap({ LocalTime($0) })
    else { return nil }
    return OccurrenceKey(medication: medication, day: day, at: at)
  }

  private static func row(_ row: [SQLValue]) -> DoseLog.Row? {
    guard let key = key(row), let due = row[3].date, let opens = row[4].date, let closes = row[5].date else {
      return nil
    }
    let occurrence = Occurrence(
      key: key, dueAt: due, opensAt: opens, closesAt: closes, lateAt: row[6].date,
      spacing: Double(row[7].integer ?? 0) / 1000)
    return DoseLog.Row(
      occurrence: occurrence, ending: Ending(kind: row[8].text, reason: row[9].text), acknowledged: row[10] != .null)
  }

  func pendingTaps(boot: String) throws(LedgerError) -> [StoredPendingTap] {
    try database.rows(
      """
      SELECT t.id, t.uid, t.uptime FROM tap t WHERE t.boot = ? AND t.outcome = 'pendingTime'
        AND NOT EXISTS (SELECT 1 FROM tap r WHERE r.resolves = t.id) ORDER BY t.id
      """, [.text(boot)], doing: "reading the pending taps"
    ).compactMap { row in
      guard let id = row[0].integer, let uid = row[1].blob, let uptime = row[2].integer else { return nil }
      return StoredPendingTap(id: id, tap: PendingTap(uid: TagUID(uid), uptime: .milliseconds(uptime)))
    }
  }

  // MARK: Writing

  /// Applies what the rules decided at `now`.
  func apply(_ changes: [DoseChange], at now: Date) throws(LedgerError) {
    for change in changes {
      switch change {
      case .open(let occurrence): try insert(occurrence)
      case .end(let key, let ending):
        try database.run(
          "INSERT INTO ending (occurrence, kind, reason, at) VALUES (?, ?, ?, ?)",
          [.integer(try id(of: key)), .text(ending.kind), SQLValue(ending.reason), SQLValue(now)],
          doing: "ending a dose")
      }
    }
    try setMeta("advanced_until", max(now.milliseconds, try meta("advanced_until") ?? Int64.min))
  }

  private func insert(_ occurrence: Occurrence) throws(LedgerError) {
    try database.run(
      "INSERT INTO occurrence (medication, day, at, due, opens, closes, late, spacing) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .text(occurrence.key.medication), .text(occurrence.key.day.description), .text(occurrence.key.at.description),
        SQLValue(occurrence.dueAt), SQLValue(occurrence.opensAt), SQLValue(occurrence.closesAt),
        SQLValue(occurrence.lateAt), .integer(Int64(occurrence.spacing * 1000)),
      ], doing: "opening a dose")
  }

  func id(of key: OccurrenceKey) throws(LedgerError) -> Int64 {
    let id = try database.integer(
      "SELECT id FROM occurrence WHERE medication = ? AND day = ? AND at = ?",
      [.text(key.medication), .text(key.day.description), .text(key.at.description)], doing: "finding a dose")
    guard let id else { throw LedgerError(kind: .constraint, doing: "finding a dose that no window opened for") }
    return id
  }

  func insert(_ entry: TapEntry, _ decided: DecidedTap) throws(LedgerError) -> Int64 {
    let doing = "storing a tap"
    try database.run(
      """
      INSERT INTO tap (at, zone_offset, uptime, boot, trusted, uid, person, outcome, unreadable, message, sound, resolves)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        SQLValue(entry.at), .integer(Int64(entry.zoneOffset)), .integer(entry.uptime.milliseconds), .text(entry.boot),
        SQLValue(entry.clockTrusted), SQLValue(entry.uid?.bytes), SQLValue(decided.verdict.person),
        .text(decided.verdict.outcome.rawValue), SQLValue(entry.unreadable), .text(decided.message),
        .text(decided.sound), SQLValue(entry.resolves),
      ], doing: doing)
    let tap = database.lastInsertedID
    for credit in decided.verdict.credited {
      let occurrence = try id(of: credit.key)
      try database.run(
        """
        INSERT INTO credit (occurrence, attempt, tap, tapped_at)
        VALUES (?1, 1 + (SELECT count(*) FROM credit WHERE occurrence = ?1), ?2, ?3)
        """, [.integer(occurrence), .integer(tap), SQLValue(entry.at)], doing: "crediting a dose")
    }
    for (position, refusal) in decided.verdict.notCredited.enumerated() {
      try database.run(
        "INSERT INTO refusal (tap, position, medication, reason, at) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(tap), .integer(Int64(position)), .text(refusal.medication), .text(refusal.reason.rawValue),
          SQLValue(refusal.at),
        ], doing: doing)
    }
    return tap
  }

  func meta(_ key: String) throws(LedgerError) -> Int64? {
    try database.integer("SELECT value FROM meta WHERE key = ?", [.text(key)], doing: "reading a mark")
  }

  func setMeta(_ key: String, _ value: Int64) throws(LedgerError) {
    try database.run(
      "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      [.text(key), .integer(value)], doing: "setting a mark")
  }
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension Weekday {
  /// One bit a day, Monday lowest.
  static func bits(of days: Set<Weekday>) -> Int64 {
    allCases.enumerated().reduce(0) { $0 | (days.contains($1.element) ? 1 << Int64($1.offset) : 0) }
  }

  static func days(of bits: Int64) -> Set<Weekday> {
    Set(allCases.enumerated().filter { bits & 1 << Int64($0.offset) != 0 }.map(\.element))
  }
}

extension Ending {
  var kind: String {
    switch self {
    case .missed: "missed"
    case .unknown: "unknown"
    case .skipped: "skip"
    }
  }

  var reason: String? {
    switch self {
    case .missed: nil
    case .unknown(let reason): reason.rawValue
    case .skipped(let reason): reason.rawValue
    }
  }

  init?(kind: String?, reason: String?) {
    switch kind {
    case "missed": self = .missed
    case "unknown": self = .unknown(reason.flatMap { UnknownReason(rawValue: $0) } ?? .notRecording)
    case "skip": self = .skipped(reason.flatMap { SkipReason(rawValue: $0) } ?? .ruleEnded)
    default: return nil
    }
  }
}
