package import Foundation

/// When a watch is looked at: from one local time to another, on some days of the week, in the household's zone.
///
/// A window that ends at an earlier time than it begins ends on the next day and belongs to the day it begins on.
package struct WatchWindow: Equatable, Sendable {
  package let days: Set<Weekday>
  package let from: TimeOfDay
  package let to: TimeOfDay

  /// Monday to Friday, 06:30 to 09:00 (DESIGN 5.3).
  package static let usual = WatchWindow(
    days: [.mon, .tue, .wed, .thu, .fri], from: TimeOfDay(minutes: 390), to: TimeOfDay(minutes: 540))

  private init(days: Set<Weekday>, from: TimeOfDay, to: TimeOfDay) {
    self.days = days
    self.from = from
    self.to = to
  }

  /// From what the household file says: `mon` to `sun`, `HH:mm`; nil when it does not say a window.
  package init?(days: [String], from: String, to: String) {
    let named = days.compactMap(Weekday.init(rawValue:))
    guard named.count == days.count, !named.isEmpty, let from = TimeOfDay(from), let to = TimeOfDay(to), from != to
    else { return nil }
    self.init(days: Set(named), from: from, to: to)
  }

  /// One stretch of time in which a window is open, the end not included.
  package struct Opening: Equatable, Sendable {
    package let start: Date
    package let end: Date

    package func holds(_ instant: Date) -> Bool { start <= instant && instant < end }
  }

  /// The opening that holds an instant.
  package func opening(at instant: Date, in zone: TimeZone) -> Opening? {
    let today = ServiceDay(of: instant, in: zone)
    return (-2...1).lazy.compactMap { opening(on: today.advanced(by: $0), in: zone) }.first { $0.holds(instant) }
  }

  /// The first opening that starts after an instant.
  package func nextOpening(after instant: Date, in zone: TimeZone) -> Opening? {
    let today = ServiceDay(of: instant, in: zone)
    return (-1...9).lazy.compactMap { opening(on: today.advanced(by: $0), in: zone) }.first { $0.start > instant }
  }

  /// The opening that begins on a day. There is exactly one on each day of `days`, whatever the clock does on it.
  ///
  /// It holds what a clock shows between the two times, in the hour that comes twice the first time round only. A window
  /// that lies wholly in the hour that does not come is moved behind it, as long as it was.
  package func opening(on day: ServiceDay, in zone: TimeZone) -> Opening? {
    guard days.contains(day.weekday) else { return nil }
    let clock = ZoneClock(zone)
    let first = clock.resolve(day, from)
    let last = clock.resolve(to < from ? day.advanced(by: 1) : day, to)
    let start = first.gapEnd ?? first.at
    let end = last.gapEnd ?? last.at
    guard start >= end else { return Opening(start: start, end: end) }
    let length = (to.minutes - from.minutes + 1440) % 1440
    return Opening(start: first.at, end: first.at.addingTimeInterval(Double(length) * 60))
  }
}
