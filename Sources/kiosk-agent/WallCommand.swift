internal import Agent
internal import Configuration
internal import Feeds
internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders
internal import Wall

/// `wall`: the snapshot of an instant, from rows recorded up to it and the household as it is now.
enum WallCommand {
  /// - Parameter refreshes: whether everything that can be fetched is fetched once first.
  static func run(at text: String?, refreshes: Bool, _ setting: Setting, json: Bool) async throws {
    let time = try FixedClock(at: text)
    let reader = try Files.ledger(of: setting)
    var input = try doses(reader, at: time.now(), setting)
    input.night = setting.configuration.wall.night
    input.isForPage = false
    // Whoever asks once is told at once.
    input.rail.grace = 0
    let documents = try reader.documents()
    let buses = BusLook(documents["watches"], feed: setting.oneBusAway(time: time, stores: true), time: time)
    let school = setting.school(documents, time: time, stores: !refreshes)
    let agenda = setting.agenda(time: time, stores: !refreshes)
    if refreshes {
      try await buses.refresh(&input)
      try await school.refresh(&input)
      try await agenda.refresh(&input)
    } else {
      await buses.addKept(to: &input)
      await school.addKept(to: &input)
      await agenda.addKept(to: &input)
    }
    let snapshot = input.snapshot(v: 1)
    if json { try Output.line(snapshot.json) } else { try table(snapshot) }
  }

  private static func doses(_ reader: LedgerReader, at now: Date, _ setting: Setting) throws -> WallInput {
    let household = try reader.household()
    var log = try reader.doseLog(at: now)
    let spans = try reader.recordingSpans(since: now - 40 * 86_400)
    let changes = Advance(household: household, zone: setting.zone, recording: spans).changes(to: log, now: now)
    log = log.applying(changes, at: now)
    let status = DoseStatus.of(household, log: log, now: now, zone: setting.zone, clockTrusted: true)
    var input = WallInput(
      agent: Commands.version, boot: "command", now: now, zone: setting.zone,
      language: setting.configuration.wall.language, clockTrusted: true, reader: .init(state: "unknown"))
    func dose(_ dose: DoseStatus.Dose) -> WallInput.Dose {
      .init(
        person: dose.person.name, medication: dose.medication.name, dose: dose.medication.dose,
        dueAt: dose.occurrence.dueAt)
    }
    input.zoneName = setting.configuration.timeZoneName
    input.names = household.names
    input.late = status.late.map(dose)
    input.rail.doses = status.railDoses(at: now)
    input.ended = status.ended.map { ended in
      .init(
        dose: dose(ended.dose), closedAt: ended.dose.occurrence.closesAt, isMissed: ended.ending == .missed,
        isLost: ended.ending == .unknown(.recordsLost))
    }
    input.recordsLostSince = log.recordsLost.last { now < $0.end + 86_400 }?.start
    return input
  }

  // MARK: For people

  private static func table(_ snapshot: Snapshot) throws(CommandFailure) {
    try Output.line("\(snapshot.clock.text)  \(snapshot.clock.dateText)  (\(snapshot.timeZone))")
    for banner in snapshot.banners { try Output.line("! \(banner.text)") }
    for row in snapshot.late {
      try Output.line("LATE    \(row.person): \(row.medication)\(row.dose.map { ", " + $0 } ?? "")  \(row.text)")
    }
    for row in snapshot.missed { try Output.line("MISSED  \(row.person): \(row.medication)  \(row.text)") }
    if snapshot.late.isEmpty, snapshot.missed.isEmpty { try Output.line("nothing is late or missed") }
    if let period = snapshot.period {
      try section("school", [["", period.text]] + period.people.map { [$0.name, $0.text] })
    }
    try section("rail", snapshot.rail.cards.map(card))
    if snapshot.rail.more > 0 { try Output.line("  +\(snapshot.rail.more) \(snapshot.texts.more)") }
    try section("agenda", snapshot.agenda.map { [$0.state, $0.text, $0.title, $0.note] })
    try section("arrivals", snapshot.arrivals.map(arrival))
    try section("sources", snapshot.sources.map { [$0.id, $0.state, $0.fetchedAt.map(time) ?? "", $0.message ?? ""] })
  }

  private static func section(_ title: String, _ rows: [[String]]) throws(CommandFailure) {
    guard !rows.isEmpty else { return }
    try Output.line("\(title):")
    for line in Columns.aligned(rows) { try Output.line("  " + line) }
  }

  private static func card(_ card: Snapshot.Card) -> [String] {
    let left = [card.value, card.unit].filter { !$0.isEmpty }.joined(separator: " ")
    return [card.kind, card.badge, card.title, left, card.detail]
  }

  private static func arrival(_ row: Snapshot.Arrival) -> [String] {
    [
      row.watch, row.headsign, time(row.at), row.minutes.map { "\($0) min" } ?? "", row.state,
      row.lateSeconds.map { $0 > 0 ? "+\(Int($0)) s" : "\(Int($0)) s" } ?? "", "trip \(row.trip)",
    ]
  }

  /// The time of day in an instant of the snapshot.
  private static func time(_ instant: String) -> String { String(instant.dropFirst(11).prefix(5)) }
}

extension Household {
  /// People's names by id.
  var names: [String: String] { Dictionary(people.map { ($0.id, $0.name) }) { first, _ in first } }
}

/// A clock that stands, for what is asked about one instant; waiting takes the time it takes.
struct FixedClock: TimeSource {
  var instant: Date

  /// - Parameter text: what `--at` says; nil: it is now.
  init(at text: String?) throws(CommandFailure) {
    guard let text else {
      instant = SystemTime().now().asStored
      return
    }
    guard let instant = InstantFormat.parse(text) else {
      throw CommandFailure(
        code: .usage,
        sentence: "--at \(text.debugDescription) is no instant: say one such as 2026-11-02T08:01:00-08:00")
    }
    self.instant = instant.asStored
  }

  func now() -> Date { instant }
  func uptime() -> Duration { SystemTime().uptime() }
  func sleep(untilUptime deadline: Duration) async throws { try await SystemTime().sleep(untilUptime: deadline) }
}

/// Tables for people.
enum Columns {
  /// Rows with their cells one below the other; the last cell of a row is as long as it is.
  static func aligned(_ rows: [[String]]) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        cell + String(repeating: " ", count: max(0, widths[column] - cell.count))
      }
      return cells.enumerated().filter { widths[$0.offset] > 0 }.map(\.element).joined(separator: "  ")
        .trimmingCharacters(in: .whitespaces)
    }
  }
}
