internal import Agent
internal import Configuration
internal import Foundation
internal import Ledger
internal import Linux
internal import PCSC
internal import Reminders
internal import Sound
internal import Wall

/// `history`.
enum HistoryCommand {
  /// N local days including today.
  static func run(days: Int, _ setting: Setting, json: Bool) throws {
    let now = SystemTime().now()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = setting.zone
    let today = calendar.startOfDay(for: now)
    let from = calendar.date(byAdding: .day, value: 1 - days, to: today) ?? today
    // Rows of a clock that was ahead are shown as well: the end is far away.
    let reader = try Files.ledger(of: setting)
    let items = try reader.history(from: from, to: now + 366 * 86_400)
    let lost = json ? [] : try atUnknownTime(items, reader)
    for item in items {
      try Output.line(
        json
          ? JSONLines.text(item, in: setting.zone)
          : JSONLines.readable(item, isAtUnknownTime: lost.contains(item.at), in: setting.zone))
    }
  }

  /// The instants of taps whose boot ended before its clock was known: nobody will ever know when they were (DESIGN 5.2).
  private static func atUnknownTime(_ items: [HistoryItem], _ reader: LedgerReader) throws -> Set<Date> {
    let waiting = Set(try reader.pendingTaps(boot: BootID.current()).map(\.id))
    let candidates = items.filter {
      if case .tap(let tap) = $0.kind { tap.outcome == .pendingTime && !waiting.contains(tap.id) } else { false }
    }
    guard !candidates.isEmpty else { return [] }
    let decided = try reader.history(from: .distantPast.asStored, to: .distantFuture.asStored).compactMap { item in
      if case .tap(let tap) = item.kind { tap.resolves } else { nil }
    }
    return Set(candidates.map(\.at)).subtracting(decided)
  }
}

/// `wall`: the snapshot of an instant, from rows recorded up to it and the household as it is now.
enum WallCommand {
  static func run(at text: String?, _ setting: Setting, json: Bool) throws {
    let time = SystemTime()
    var now = time.now()
    if let text {
      guard let instant = InstantFormat.parse(text) else {
        throw CommandFailure(
          code: .usage,
          sentence: "--at \(text.debugDescription) is no instant: say one such as 2026-11-02T08:01:00-08:00")
      }
      now = instant
    }
    let snapshot = try snapshot(at: now.asStored, setting)
    if json { try Output.line(snapshot.json) } else { try table(snapshot) }
  }

  private static func snapshot(at now: Date, _ setting: Setting) throws -> Snapshot {
    let reader = try Files.ledger(of: setting)
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
    input.late = status.late.map(dose)
    input.ended = status.ended.map { ended in
      .init(
        dose: dose(ended.dose), closedAt: ended.dose.occurrence.closesAt, isMissed: ended.ending == .missed,
        isLost: ended.ending == .unknown(.recordsLost))
    }
    input.recordsLostSince = log.recordsLost.last { now < $0.end + 86_400 }?.start
    return input.snapshot(v: 1)
  }

  private static func table(_ snapshot: Snapshot) throws(CommandFailure) {
    try Output.line("\(snapshot.clock.text)  \(snapshot.clock.dateText)  (\(snapshot.timeZone))")
    for banner in snapshot.banners { try Output.line("! \(banner.text)") }
    for row in snapshot.late {
      try Output.line("LATE    \(row.person): \(row.medication)\(row.dose.map { ", " + $0 } ?? "")  \(row.text)")
    }
    for row in snapshot.missed { try Output.line("MISSED  \(row.person): \(row.medication)  \(row.text)") }
    if snapshot.late.isEmpty, snapshot.missed.isEmpty { try Output.line("nothing is late or missed") }
  }
}

/// `version`.
enum VersionReport {
  static func text(json: Bool) -> String {
    let versions = [
      ("agent", Commands.version), ("pcsclite", PCSCLibrary.version), ("alsa", ALSALibraryVersion.text),
      ("sqlite", SQLiteLibrary.version),
    ]
    if json { return JSONText.object(versions.map { ($0.0, .text($0.1)) }).compact }
    let names = ["agent": "kiosk-agent", "pcsclite": "libpcsclite", "alsa": "ALSA", "sqlite": "SQLite"]
    return versions.map { key, version in
      (names[key] ?? key).padding(toLength: 13, withPad: " ", startingAt: 0) + version
    }.joined(separator: "\n")
  }
}
