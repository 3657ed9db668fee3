/// What reads bytes that come from outside, and what must hold whatever the bytes are.
///
/// `make fuzz` looks for bytes that break a promise, trap, or take too long; `make test` tries those that it has kept in
/// Fixtures/fuzz.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// HTTP/1.1 requests of one connection, and who may ask.
  case request
  /// Sound files.
  case wav
  /// Household files: JSON5, and what it says.
  case household
  /// TAPS files of a replay.
  case taps
  /// Calendars (iCalendar), and what takes place in some days of them.
  case calendar
  /// A school's file, and its days.
  case bell
  /// What the stations of a cafeteria have: `special`'s document, the byte 0x1E, and that of each of the others.
  case menu
  /// The map of days that a school publishes.
  case daymap
  /// Picks of a planner.
  case picks

  /// Reads the bytes as the product does.
  /// - Throws: the promise that they break.
  package func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    switch self {
    case .request: try RequestPromises.check(bytes)
    case .wav: try WAVPromises.check(bytes)
    case .household: try HouseholdPromises.check(bytes)
    case .taps: try TapsPromises.check(bytes)
    case .calendar: try CalendarPromises.check(bytes)
    case .bell: try BellPromises.check(bytes)
    case .menu: try MenuPromises.check(bytes)
    case .daymap: try DayMapPromises.check(bytes)
    case .picks: try PicksPromises.check(bytes)
    }
  }
}

/// Something that must hold for all bytes and does not hold for these.
package struct BrokenPromise: Error, Equatable, Sendable, CustomStringConvertible {
  /// What does not hold.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// - Throws: `promise` when it does not hold.
func expect(_ holds: Bool, _ promise: @autoclosure () -> String) throws(BrokenPromise) {
  if !holds { throw BrokenPromise(promise()) }
}
