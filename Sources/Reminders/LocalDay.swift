internal import Foundation

/// A day of the civil calendar, without time and zone.
package struct LocalDay: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var year: Int
  package var month: Int
  package var day: Int

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  package static func < (a: LocalDay, b: LocalDay) -> Bool {
    (a.year, a.month, a.day) < (b.year, b.month, b.day)
  }

  /// As `2026-11-01`.
  package var description: String { String(format: "%04d-%02d-%02d", year, month, day) }
}

/// A time of the wall clock, 00:00 to 23:59.
package struct LocalTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var hour: Int
  package var minute: Int

  package init(hour: Int, minute: Int) {
    self.hour = hour
    self.minute = minute
  }

  /// `H:mm` or `HH:mm`, 0:00 to 23:59; nil for anything else ("25:00", "8", "08:0").
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
    else { return nil }
    self.init(hour: hour, minute: minute)
  }

  package static func < (a: LocalTime, b: LocalTime) -> Bool { (a.hour, a.minute) < (b.hour, b.minute) }

  /// As `08:00`.
  package var description: String { String(format: "%02d:%02d", hour, minute) }
}

/// The days of the week as the household file spells them.
package enum Weekday: String, CaseIterable, Hashable, Sendable {
  case mon, tue, wed, thu, fri, sat, sun
}

extension LocalDay {
  /// Days since 1970-01-01 in the proleptic Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
  package var number: Int {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The inverse of `number`.
  package init(number: Int) {
    let z = number + 719_468
    let era = (z >= 0 ? z : z - 146_096) / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted + (shifted < 10 ? 3 : -9)
    self.init(
      year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month, day: dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  package var weekday: Weekday {
    // 1970-01-01 was a Thursday.
    let index = ((number + 3) % 7 + 7) % 7
    return Weekday.allCases[index]
  }
}

extension LocalDay {
  /// The inverse of `description`; nil for anything else and for days that do not exist.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
    guard LocalDay(number: number) == self else { return nil }
  }
}
