package import Agenda
package import Configuration
internal import Feeds
internal import Foundation
internal import Wall

/// A calendar of the configuration with all that is known of it.
package struct CalendarSheet: Sendable {
  package var calendar: Configuration.CalendarSource
  /// By its last good content; nil: there is none.
  package var feed: CalendarFeed?
  /// What is chosen of it; nil: all of it, when anything is.
  package var picks: PicksFile?
  var file: CalendarShelf.FileStanding?
  var picksFiles: [CalendarShelf.FileStanding] = []
  var standing: Standing?
  /// How many of its events repeat too often to be shown whole, by the plan of today.
  var cutEventCount = 0

  package init(_ calendar: Configuration.CalendarSource) { self.calendar = calendar }

  mutating func take(_ look: CalendarShelf.Look) {
    if look.file != nil { feed = look.feed }
    (file, picks, picksFiles) = (look.file, look.picks, look.picksFiles)
  }

  mutating func take(_ reading: Reading<CalendarFeed>) {
    if let value = reading.value { feed = value }
    standing = reading.standing
  }

  /// What is wrong with its own file or a file of its picks; nil: nothing.
  package var trouble: CalendarShelf.FileStanding? {
    ([file].compactMap { $0 } + picksFiles).first { $0.trouble != nil }
  }

  /// As the wall shows it.
  ///
  /// - Parameter uptime: of the same instant as `now`.
  func source(at now: Date, uptime: Duration) -> SourceFacts {
    var facts = standingFacts(at: now, uptime: uptime)
    if cutEventCount > 0 { facts.remark = .repeatsTooOften(events: cutEventCount) }
    return facts
  }

  private func standingFacts(at now: Date, uptime: Duration) -> SourceFacts {
    let id = CalendarSubscription.id(of: calendar)
    let name = calendar.name ?? calendar.id
    if let trouble {
      // With picks that cannot be read the calendar is as old as they are.
      let problem: SourceFacts.Problem = if case .unreadable = trouble.trouble { .noFile } else { .badFile }
      return SourceFacts(
        id: id, name: name, state: trouble.readAt == nil ? .down : .stale, fetchedAt: trouble.readAt, problem: problem,
        detail: trouble.trouble.flatMap(Self.detail), failingSince: trouble.failingSince)
    }
    if let standing { return SourceFacts(id, name: name, standing, at: now, uptime: uptime) }
    return SourceFacts(id: id, name: name, state: file == nil ? .off : .fresh, fetchedAt: file?.readAt)
  }

  /// Of what cannot be read the problem says enough.
  private static func detail(_ trouble: FileTrouble) -> String? {
    if case .wrong(let sentence) = trouble { sentence } else { nil }
  }
}
