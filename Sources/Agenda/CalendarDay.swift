internal import Foundation

/// A day of the Gregorian calendar, without time and zone.
///
/// Days are counted, not asked of Foundation's `Calendar`: a rule that repeats is a sum of whole numbers, and only what it
/// finds has to be placed in a zone.
package struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01.
  package let number: Int

  package init(number: Int) { self.number = number }

  /// - Returns: nil for a day that does not exist, such as 31 April, and outside the years 1 to 9999.
  package init?(year: Int, month: Int, day: Int) {
    guard 1...9999 ~= year, 1...12 ~= month, 1...Self.length(year: year, month: month) ~= day else { return nil }
    number = Self.number(year: year, month: month) + day - 1
  }

  /// The inverse of `description`; nil for anything else and for days that do not exist.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  package static func < (a: CalendarDay, b: CalendarDay) -> Bool { a.number < b.number }

  package func advanced(by days: Int) -> CalendarDay { CalendarDay(number: number + days) }

  /// As `2026-11-01`.
  package var description: String {
    let parts = self.parts
    return String(format: "%04d-%02d-%02d", parts.year, parts.month, parts.day)
  }

  /// 0 is Monday, 6 Sunday; 1970-01-01 was a Thursday.
  var weekday: Int { floorMod(number + 3, 7) }

  /// Year, month 1 to 12 and day 1 to 31, by counting eras of 400 years from 1 March (H. Hinnant, "chrono-compatible
  /// low-level date algorithms").
  var parts: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = floorDiv(shifted, 146_097)
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * month + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
  }

  /// The number of the first day of a month (1 to 12).
  static func number(year: Int, month: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDiv(shifted, 400)
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  /// How many days a month (1 to 12) has.
  static func length(year: Int, month: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

/// The quotient rounded down.
func floorDiv(_ a: Int, _ b: Int) -> Int { a / b - (a % b < 0 ? 1 : 0) }

/// The remainder that is never negative.
func floorMod(_ a: Int, _ b: Int) -> Int { a - floorDiv(a, b) * b }
