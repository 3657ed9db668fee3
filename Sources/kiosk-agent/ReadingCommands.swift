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
