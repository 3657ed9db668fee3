package import Foundation

/// A day of the civil calendar, without zone: of a timetable (its service date) or of a watch.
package struct ServiceDay: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  package let number: Int

  package init(number: Int) { self.number = number }

  /// The local day of an instant.
  package init(of instant: Date, in zone: TimeZone) {
    let local = instant.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: instant))
    number = Int(exactly: (local / 86_400).rounded(.down)) ?? 0
  }

  package static func < (a: ServiceDay, b: ServiceDay) -> Bool { a.number < b.number }

  package func advanced(by days: Int) -> ServiceDay { ServiceDay(number: number + days) }

  package var weekday: Weekday {
    // 1970-01-01 was a Thursday.
    let index = ((number + 3) % 7 + 7) % 7
    return Weekday.allCases[index]
  }

  /// Year, month and day.
  var components: DateComponents {
    let noon = Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200)
    return Self.civil.dateComponents([.year, .month, .day], from: noon)
  }

  private static let civil = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// As `2026-11-01`, which is how OneBusAway wants a date.
  package var description: String {
    let parts = components
    return String(format: "%04d-%02d-%02d", parts.year ?? 1970, parts.month ?? 1, parts.day ?? 1)
  }
}

/// The days of the week as the household file spells them.
package enum Weekday: String, CaseIterable, Hashable, Sendable {
  case mon, tue, wed, thu, fri, sat, sun
}

/// A time of the wall clock, 00:00 to 23:59.
package struct TimeOfDay: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Minutes since midnight, 0 to 1439.
  package let minutes: Int

  /// `HH:mm`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    minutes = hour * 60 + minute
  }

  init(minutes: Int) { self.minutes = minutes }

  package static func < (a: TimeOfDay, b: TimeOfDay) -> Bool { a.minutes < b.minutes }

  package var description: String { String(format: "%02d:%02d", minutes / 60, minutes % 60) }
}

/// Local times of one zone as instants.
struct ZoneClock {
  private let calendar: Calendar
  private let zone: TimeZone

  init(_ zone: TimeZone) {
    self.zone = zone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  /// When a local time is. In the hour that comes twice it is the first. A time in the hour that does not come has two
  /// answers: `gapEnd`, the instant at which the clock jumps over it, and `at`, as if the clock had not been changed.
  struct Resolved {
    let at: Date
    let gapEnd: Date?
  }

  func resolve(_ day: ServiceDay, _ time: TimeOfDay) -> Resolved {
    var wanted = day.components
    wanted.hour = time.minutes / 60
    wanted.minute = time.minutes % 60
    let asked = Double(day.number * 86_400 + time.minutes * 60)
    guard let at = calendar.date(from: wanted) else {
      return Resolved(at: Date(timeIntervalSince1970: asked), gapEnd: nil)
    }
    let offset = zone.secondsFromGMT(for: at)
    guard at.timeIntervalSince1970 + Double(offset) != asked else { return Resolved(at: at, gapEnd: nil) }
    // The jump lies between the asked time by the new offset, which is before it, and by the old one, which is `at`.
    var before = (asked - Double(offset)).rounded(.down)
    var after = at.timeIntervalSince1970
    while after - before > 1 {
      let middle = ((before + after) / 2).rounded(.down)
      if zone.secondsFromGMT(for: Date(timeIntervalSince1970: middle)) == offset {
        after = middle
      } else {
        before = middle
      }
    }
    return Resolved(at: at, gapEnd: Date(timeIntervalSince1970: after))
  }

  func startOfDay(_ day: ServiceDay) -> Date {
    let midnight = resolve(day, TimeOfDay(minutes: 0))
    return midnight.gapEnd ?? midnight.at
  }
}
