package import Foundation

/// What a watch shows at one instant: facts for the wall to put into words.
package struct WatchBoard: Equatable, Sendable {
  /// `Watch.id`.
  package var watch: String
  /// Whether the watch's window is open. The rows are there in any case, the card only then.
  package var isOpen: Bool
  /// The buses one can still board, earliest first: of the last good answer, and when that is old or missing, of the
  /// timetable behind it.
  package var arrivals: [Arrival]
  /// Where `arrivals` come from.
  package var basis: Basis
  /// The server's clock at the last good answer.
  package var answeredAt: Date?
  package var trouble: StopBoard.Trouble?
  /// The first that runs.
  package var next: Arrival?
  /// The one that runs after `next`; may be behind the rows, from the timetable.
  package var after: Arrival?
  /// Whether `next` is the last, where that is known.
  package var last: LastBus?
  /// Why there is no `next`.
  package var silence: Silence?
  /// The first bus that can still be caught from the door, and when to leave for it; nil without `walkMinutes`.
  package var leave: Leave?
  /// What the provider says in words about these buses and this stop.
  package var notices: [Notice]
  /// Seconds until any of this changes by the passing of time alone; nil: never.
  package var changesIn: TimeInterval?

  package enum Basis: Equatable, Sendable {
    /// The last good answer, not older than 180 s.
    case answer
    /// The last good answer, older, with the timetable behind what it reached to.
    case oldAnswer
    /// The timetable alone.
    case timetable
    case nothing
  }

  package enum LastBus: Equatable, Sendable {
    /// No other runs in the watch's window.
    case ofWindow
    /// No other runs on this day.
    case ofDay
  }

  package struct Leave: Equatable, Sendable {
    package var key: Visit.Key
    package var advice: LeaveAdvice
  }

  /// Why there is no bus to show. Each is another text.
  package enum Silence: Equatable, Sendable {
    /// Not within reach of the rows; the timetable has one later today.
    case later(Arrival)
    /// The timetable has none today.
    case noServiceToday
    /// Today's have left; when the timetable of the next day begins, if it is known.
    case noMoreToday(next: Date?)
    /// The provider's timetable has run out.
    case timetableExpired
    /// The provider fails, its last answer does not reach to now and there is no timetable; since when, by the local clock.
    case providerDown(since: Date)
    /// The provider has none up to here, and there is no timetable to look further.
    case noneUntil(Date)
    /// Nothing has been asked yet, or not since the time that the last answer reached to.
    case notAsked
  }

  /// The advice about each bus, for the hysteresis of the next board.
  var advice: [Visit.Key: LeaveAdvice]
}
