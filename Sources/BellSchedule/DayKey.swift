internal import Foundation

/// A day of the civil calendar, without time and zone.
package struct DayKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  package let number: Int

  package init(number: Int) { self.number = number }

  /// nil for a day that does not exist, such as 30 February. Years 1 to 9999.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
      let noon = Self.civil.date(from: DateComponents(year: year, month: month, day: day, hour: 12))
    else { return nil }
    number = Int((noon.timeIntervalSince1970 / 86_400).rounded(.down))
    guard components.day == day, components.month == month else { return nil }
  }

  /// The inverse of `description`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  package static func < (a: DayKey, b: DayKey) -> Bool { a.number < b.number }

  package func advanced(by days: Int) -> DayKey { DayKey(number: number + days) }

  /// Monday is 1, Sunday 7.
  package var weekday: Int {
    // 1970-01-01 was a Thursday.
    ((number + 3) % 7 + 7) % 7 + 1
  }

  package var isWeekend: Bool { weekday > 5 }

  /// The Monday of its week.
  package var monday: DayKey { advanced(by: 1 - weekday) }

  /// Year, month and day.
  var components: DateComponents {
    Self.civil.dateComponents(
      [.year, .month, .day], from: Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200))
  }

  private static let civil = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// As `2026-11-01`.
  package var description: String {
    let parts = components
    return String(format: "%04d-%02d-%02d", parts.year ?? 1970, parts.month ?? 1, parts.day ?? 1)
  }
}

/// The days and times of the zone that the school's clocks show.
struct SchoolClock: Equatable, Sendable {
  let zone: TimeZone
  private let calendar: Calendar

  init(_ zone: TimeZone) {
    self.zone = zone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  /// The local day of an instant.
  func day(of instant: Date) -> DayKey {
    let local = instant.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: instant))
    return DayKey(number: Int(exactly: (local / 86_400).rounded(.down)) ?? 0)
  }

  /// Local times of one day as instants: in the hour that comes twice the first, in the hour that does not come as if the
  /// clock had not been changed (`schedule.md` 0).
  ///
  /// - Parameter minutes: since midnight by the clock on the wall.
  func instants(on day: DayKey, minutes: [Int]) -> [Date] {
    var parts = day.components
    return minutes.map { minutes in
      parts.hour = minutes / 60
      parts.minute = minutes % 60
      return calendar.date(from: parts) ?? Date(timeIntervalSince1970: Double(day.number * 86_400 + minutes * 60))
    }
  }

  func instant(on day: DayKey, minutes: Int) -> Date { instants(on: day, minutes: [minutes])[0] }

  /// The first instant of a day, also where midnight does not exist or comes twice.
  func startOfDay(_ day: DayKey) -> Date { calendar.startOfDay(for: instant(on: day, minutes: 720)) }
}
