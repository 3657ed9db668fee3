internal import Foundation
internal import Linux
internal import Reminders

extension Witness {
  /// Brings ledger and witness to the same taps, when the ledger is opened.
  ///
  /// Killed between commit and line, the witness lacks the last taps. A ledger without its log, or an old copy in its place,
  /// opens well and lacks taps that were acknowledged: they are put back.
  func reconcile(with store: Store) throws(LedgerError) {
    let newest = try store.newestTapID()
    let last = WitnessFile.last(in: directory)
    begin(at: min(newest, last?.tap?.id ?? last?.restored?.lastTap ?? 0))
    if let tap = last?.tap {
      let lines = tap.id > newest ? WitnessFile.lines(in: directory) : []
      let common = tap.id > newest ? lines.compactMap(\.tap).last { $0.id <= newest } : tap
      if let common, try store.witnessLines(after: common.id - 1).first?.tap?.isSame(as: common) != true {
        log.error("\(Self.name) is of another ledger: its taps are not put back, and new ones are noted after them")
        note([WitnessLine(restored: .init(lastTap: 0))])
        begin(at: 0)
      } else if tap.id > newest {
        let (taps, since) = try Self.putBack(lines, into: store)
        log.error(
          "the ledger lacked \(taps) taps that were recorded: they are put back from \(Self.name); "
            + "records since \(since.map { LedgerFile.text($0) } ?? "the beginning") may be lost")
        begin(at: tap.id)
      }
    }
    // What is older than these is in the backups; ten thousand lines would hold up the start.
    begin(at: max(lastNoted, newest - Self.mostLate))
    note(try store.witnessLines(after: lastNoted))
  }

  /// So many taps without a line get one when the ledger is opened.
  private static let mostLate: Int64 = 1000

  /// Writes the taps that the ledger lacks into it, in one transaction, and marks that more may be missing.
  /// - Returns: how many, and the instant up to which the ledger held everything; nil: not known.
  static func putBack(_ lines: [WitnessLine], into store: Store) throws(LedgerError) -> (taps: Int, since: Date?) {
    let doing = "putting back taps from \(name)"
    do {
      return try store.database.transaction(doing: doing) {
        let since = try store.newestInstant()
        let newest = try store.newestTapID()
        // What was undone before the last tap that the ledger has is undone in it.
        let begin = lines.lastIndex { $0.tap.map { $0.id <= newest } ?? false }.map { $0 + 1 } ?? 0
        var taps = 0
        for line in lines[begin...] {
          if let tap = line.tap, try store.insert(tap) { taps += 1 }
          if let undo = line.undo { try store.insert(undo) }
        }
        try store.database.run(
          "INSERT INTO records_lost (since) VALUES (?)", [.integer(since?.milliseconds ?? 0)], doing: doing)
        return (taps, since)
      }
    } catch {
      throw error as? LedgerError ?? LedgerError(kind: .other, doing: "\(doing): \(error)")
    }
  }
}

extension Store {
  /// 0: none.
  func newestTapID() throws(LedgerError) -> Int64 {
    try database.integer("SELECT max(id) FROM tap", doing: "looking for the last tap") ?? 0
  }

  /// When a backup was made last, by a trusted clock.
  static let backedUpAt = "backed_up_at"

  /// How many backups were made.
  static let backupNumber = "backup_number"

  func backupNumber() throws(LedgerError) -> Int64 { try meta(Self.backupNumber) ?? 0 }

  /// The newest instant of which the ledger knows anything; nil: of none.
  func newestInstant() throws(LedgerError) -> Date? {
    let spans = try database.integer("SELECT max(ended) FROM recording_span", doing: "looking for the last instant")
    let instants = [try newestTrusted(), spans, try meta(Self.advancedUntil), try meta(Self.backedUpAt)]
    return instants.compactMap { $0 }.max().map { Date(milliseconds: $0) }
  }

  /// The spans whose rows may be missing and that end after `from`, oldest first.
  func recordsLost(at now: Date, endingAfter from: SQLValue) throws(LedgerError) -> [DateInterval] {
    try database.query(
      "SELECT since, until FROM records_lost WHERE until IS NULL OR until > ? ORDER BY id", [from],
      doing: "reading what was lost"
    ) { row throws(LedgerError) in
      let end = row.date(1) ?? now
      return DateInterval(start: min(end, try row.need(row.date(0))), end: end)
    }
  }

  /// Whether a loss waits for the instant at which it ends.
  func hasOpenLoss() throws(LedgerError) -> Bool {
    try database.integer("SELECT 1 FROM records_lost WHERE until IS NULL", doing: "reading what was lost") != nil
  }

  /// From here on the ledger records again.
  /// - Parameter now: told by a trusted clock.
  func endLoss(at now: Date) throws(LedgerError) {
    try database.run(
      "UPDATE records_lost SET until = ? WHERE until IS NULL", [SQLValue(now)], doing: "ending a loss of records")
  }

  /// Writes the rows of a tap again, under its own id.
  /// - Returns: false when they are there, or when the line makes no sense.
  fileprivate func insert(_ tap: WitnessLine.Tap) throws(LedgerError) -> Bool {
    let doing = "putting back a tap"
    let uid = tap.uid.flatMap { TagUID(hex: $0)?.bytes }
    guard (uid == nil) == (tap.unreadable != nil), TapOutcome(rawValue: tap.outcome).map({ $0 != .ignored }) ?? false,
      TapSound(rawValue: tap.sound) != nil,
      try database.integer("SELECT 1 FROM tap WHERE id = ?", [.integer(tap.id)], doing: doing) == nil
    else { return false }
    if let person = tap.person { try ensure(person: person, at: tap.recordedAt) }
    let answered = try tap.resolves.map { id throws(LedgerError) in
      try database.integer(
        "SELECT id FROM tap t WHERE id = ? AND NOT EXISTS (SELECT 1 FROM tap WHERE resolves = t.id)", [.integer(id)],
        doing: doing)
    }
    try database.run(
      """
      INSERT INTO tap (id, at, recorded_at, placed_at, zone_offset, uptime, boot, trusted, uid, person, outcome, unreadable,
        message, sound, resolves)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(tap.id), .integer(tap.at), .integer(tap.recordedAt), .integer(tap.placedAt), .integer(tap.zoneOffset),
        .integer(tap.uptime), .text(tap.boot), SQLValue(tap.trusted), SQLValue(uid), SQLValue(tap.person),
        .text(tap.outcome), SQLValue(tap.unreadable), .text(tap.message), .text(tap.sound), SQLValue(answered ?? nil),
      ], doing: doing)
    for dose in tap.credited { try insert(dose, of: tap) }
    for (position, refusal) in tap.refused.enumerated() where NotCreditedReason(rawValue: refusal.reason) != nil {
      try ensure(medication: refusal.medication, person: tap.person, at: tap.recordedAt)
      try database.run(
        "INSERT INTO refusal (tap, position, medication, reason, at) VALUES (?, ?, ?, ?, ?)",
        [
          .integer(tap.id), SQLValue(position), .text(refusal.medication), .text(refusal.reason), SQLValue(refusal.at),
        ], doing: doing)
    }
    return true
  }

  private func insert(_ dose: WitnessLine.Dose, of tap: WitnessLine.Tap) throws(LedgerError) {
    let doing = "putting back a credit"
    guard let key = dose.key.occurrence, dose.closes > dose.opens, dose.spacing >= 0 else { return }
    try ensure(medication: key.medication, person: tap.person, at: tap.recordedAt)
    if try id(of: key) == nil {
      try database.run(
        """
        INSERT INTO occurrence (medication, day, at, due, opens, closes, late, spacing, recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .text(key.medication), SQLValue(key.day.number), SQLValue(key.at.minutes), .integer(dose.due),
          .integer(dose.opens), .integer(dose.closes), SQLValue(dose.late), .integer(dose.spacing),
          .integer(tap.recordedAt),
        ], doing: doing)
    }
    // A dose that is credited already stays so: one credit at a time.
    try database.run(
      """
      INSERT INTO credit (occurrence, attempt, tap, tapped_at, recorded_at)
      SELECT ?1, 1 + (SELECT count(*) FROM credit WHERE occurrence = ?1), ?2, ?3, ?4
      WHERE NOT EXISTS (SELECT 1 FROM live_credit WHERE occurrence = ?1)
      """, [.integer(try existingID(of: key)), .integer(tap.id), .integer(tap.at), .integer(tap.recordedAt)],
      doing: doing)
  }

  fileprivate func insert(_ undo: WitnessLine.Undo) throws(LedgerError) {
    guard let key = undo.dose.occurrence, let id = try id(of: key) else { return }
    try database.run(
      "INSERT INTO undo (credit, reason, recorded_at) SELECT id, 'person', ? FROM live_credit WHERE occurrence = ?",
      [.integer(undo.at), .integer(id)], doing: "putting back an undo")
  }

  /// A person whom the restored ledger does not know yet is there for the history, and no longer in the household.
  private func ensure(person: String, at instant: Int64) throws(LedgerError) {
    try database.run(
      """
      INSERT INTO person (id, name, reminders_enabled, position, until) VALUES (?1, ?1, 0, 0, ?2) ON CONFLICT (id) DO NOTHING
      """, [.text(person), .integer(instant)], doing: "putting back a person")
  }

  private func ensure(medication: String, person: String?, at instant: Int64) throws(LedgerError) {
    guard let person else { return }
    try database.run(
      """
      INSERT INTO medication (id, person, name, position, until) VALUES (?1, ?2, ?1, 0, ?3) ON CONFLICT (id) DO NOTHING
      """, [.text(medication), .text(person), .integer(instant)], doing: "putting back a medication")
  }
}
