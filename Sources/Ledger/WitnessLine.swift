internal import Foundation
internal import Reminders

/// One line of `taps.jsonl`: all that the rows of a tap hold, so that they can be written again. One of the three is there.
///
/// Instants are milliseconds since 1970 UTC.
struct WitnessLine: Codable, Equatable, Sendable {
  /// Names a dose.
  struct Key: Codable, Equatable {
    var medication: String
    /// As `2026-11-30` and `08:00`.
    var day: String
    var at: String

    init(_ key: OccurrenceKey) {
      medication = key.medication
      day = key.day.description
      at = key.at.description
    }

    /// nil when there is no such day or time.
    var occurrence: OccurrenceKey? {
      guard let day = LocalDay(day), let at = LocalTime(at) else { return nil }
      return OccurrenceKey(medication: medication, day: day, at: at)
    }
  }

  /// A dose that the tap credited, as its row stands: a backup that is older than the dose does not hold it.
  struct Dose: Codable, Equatable {
    var key: Key
    var due: Int64
    var opens: Int64
    var closes: Int64
    /// nil: never late.
    var late: Int64?
    /// Milliseconds.
    var spacing: Int64
  }

  struct Refusal: Codable, Equatable {
    var medication: String
    var reason: String
    var at: Int64?
  }

  struct Tap: Codable, Equatable {
    /// The tap's id in the ledger.
    var id: Int64
    var at: Int64
    var recordedAt: Int64
    var placedAt: Int64
    /// Seconds east of UTC.
    var zoneOffset: Int64
    /// Nanoseconds of boot time.
    var uptime: Int64
    var boot: String
    var trusted: Bool
    /// Upper-case hex; nil when it was not read.
    var uid: String?
    /// Why not; nil when it was read.
    var unreadable: String?
    /// The id of whose tag it is.
    var person: String?
    var outcome: String
    var message: String
    var sound: String
    /// The id of the tap that this one answers.
    var resolves: Int64?
    var credited: [Dose]
    var refused: [Refusal]

    /// Whether both are one physical tap's row: ids alone could be those of another ledger.
    func isSame(as other: Tap) -> Bool {
      id == other.id && boot == other.boot && uptime == other.uptime && at == other.at
    }
  }

  /// A credit that a person took back.
  struct Undo: Codable, Equatable {
    var dose: Key
    var at: Int64
  }

  /// From here on the ledger is one whose last tap has this id: lines before this one with a greater id are not of its past.
  struct Restored: Codable, Equatable {
    var lastTap: Int64
  }

  var tap: Tap?
  var undo: Undo?
  var restored: Restored?

  init(tap: Tap) { self.tap = tap }
  init(undo: Undo) { self.undo = undo }
  init(restored: Restored) { self.restored = restored }
}

/// Reads `taps.jsonl` back.
enum WitnessFile {
  /// How much of the end of a file is looked at first: some hundred lines.
  private static let tail = 64 << 10

  /// Every line that is of the ledger's past, oldest first. A line that is torn costs itself alone.
  static func lines(in directory: String) -> [WitnessLine] {
    var lines: [WitnessLine] = []
    for name in [Witness.olderName, Witness.name] {
      guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)") else { continue }
      for line in parsed(data) {
        if let restored = line.restored { lines.removeAll { $0.tap.map { $0.id > restored.lastTap } ?? false } }
        lines.append(line)
      }
    }
    return lines
  }

  /// The newest tap that is of the ledger's past, or the mark of a restore after it; nil: the witness knows of none.
  static func last(in directory: String) -> WitnessLine? {
    // The end of the file is enough nearly always, and a year of lines takes a while to read.
    if let handle = FileHandle(forReadingAtPath: "\(directory)/\(Witness.name)") {
      defer { try? handle.close() }
      let end = (try? handle.seekToEnd()) ?? 0
      try? handle.seek(toOffset: end - min(end, UInt64(tail)))
      let found = parsed((try? handle.readToEnd()) ?? Data()).last { $0.undo == nil }
      if let found { return found }
    }
    return lines(in: directory).last { $0.undo == nil }
  }

  /// The newest taps that are of the ledger's past, oldest first: at most `count`, and no more than the end of the file holds.
  static func newestTaps(_ count: Int, in directory: String) -> [WitnessLine.Tap] {
    guard let handle = FileHandle(forReadingAtPath: "\(directory)/\(Witness.name)") else { return [] }
    defer { try? handle.close() }
    let end = (try? handle.seekToEnd()) ?? 0
    try? handle.seek(toOffset: end - min(end, UInt64(tail)))
    var taps: [WitnessLine.Tap] = []
    for line in parsed((try? handle.readToEnd()) ?? Data()) {
      if let restored = line.restored { taps.removeAll { $0.id > restored.lastTap } }
      if let tap = line.tap { taps.append(tap) }
    }
    return Array(taps.suffix(count))
  }

  private static func parsed(_ data: Data) -> [WitnessLine] {
    let decoder = JSONDecoder()
    return data.split(separator: 0x0A).compactMap { line in
      (try? decoder.decode(WitnessLine.self, from: line)).flatMap {
        $0.tap != nil || $0.undo != nil || $0.restored != nil ? $0 : nil
      }
    }
  }
}

extension Store {
  /// The lines of the taps whose id is greater, oldest first.
  func witnessLines(after id: Int64) throws(LedgerError) -> [WitnessLine] {
    let doing = "reading the taps for \(Witness.name)"
    let taps = try database.query(
      """
      SELECT id, at, recorded_at, placed_at, zone_offset, uptime, boot, trusted, uid, unreadable, person, outcome, message,
        sound, resolves FROM tap WHERE id > ? ORDER BY id
      """, [.integer(id)], doing: doing
    ) { row throws(LedgerError) in
      WitnessLine.Tap(
        id: try row.need(row.integer(0)), at: try row.need(row.integer(1)), recordedAt: try row.need(row.integer(2)),
        placedAt: try row.need(row.integer(3)), zoneOffset: try row.need(row.integer(4)),
        uptime: try row.need(row.integer(5)), boot: try row.need(row.text(6)), trusted: row.integer(7) == 1,
        uid: row.blob(8).map { TagUID($0).hex }, unreadable: row.text(9), person: row.text(10),
        outcome: try row.need(row.text(11)), message: try row.need(row.text(12)), sound: try row.need(row.text(13)),
        resolves: row.integer(14), credited: [], refused: [])
    }
    var lines: [WitnessLine] = []
    for var tap in taps {
      tap.credited = try creditedDoses(of: tap.id, doing: doing)
      tap.refused = try refusals(of: tap.id, doing: doing)
      lines.append(WitnessLine(tap: tap))
    }
    return lines
  }

  private func creditedDoses(of tap: Int64, doing: String) throws(LedgerError) -> [WitnessLine.Dose] {
    try database.query(
      """
      SELECT o.medication, o.day, o.at, o.due, o.opens, o.closes, o.late, o.spacing
      FROM credit c JOIN occurrence o ON o.id = c.occurrence WHERE c.tap = ? ORDER BY c.id
      """, [.integer(tap)], doing: doing
    ) { row throws(LedgerError) in
      WitnessLine.Dose(
        key: WitnessLine.Key(try Self.key(row)), due: try row.need(row.integer(3)), opens: try row.need(row.integer(4)),
        closes: try row.need(row.integer(5)), late: row.integer(6), spacing: try row.need(row.integer(7)))
    }
  }

  private func refusals(of tap: Int64, doing: String) throws(LedgerError) -> [WitnessLine.Refusal] {
    try database.query(
      "SELECT medication, reason, at FROM refusal WHERE tap = ? ORDER BY position", [.integer(tap)], doing: doing
    ) { row throws(LedgerError) in
      WitnessLine.Refusal(
        medication: try row.need(row.text(0)), reason: try row.need(row.text(1)), at: row.integer(2))
    }
  }
}
