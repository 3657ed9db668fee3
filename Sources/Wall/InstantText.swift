package import Foundation

/// Instants of the snapshot and of every command: `2026-11-01T01:30:00-07:00` (DESIGN 4.1).
package enum InstantText {
  /// Whole seconds rounded down, a numeric offset, never Z.
  ///
  /// Years 1 to 9999; an instant beyond is written as the last one that can be. An offset with seconds (local mean time,
  /// before the zones) loses them and the local time goes with it, so that the text still names the same instant.
  package static func text(_ instant: Date, in zone: TimeZone) -> String {
    let seconds = Int(min(max(instant.timeIntervalSince1970, -62_135_510_400), 253_402_214_400).rounded(.down))
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) / 60
    let local = seconds + offset * 60
    let day = CivilDay(number: (local - CivilDay.modulo(local, 86_400)) / 86_400)
    let second = CivilDay.modulo(local, 86_400)
    return String(
      format: "%04d-%02d-%02dT%02d:%02d:%02d%@%02d:%02d", day.year, day.month, day.day, second / 3600,
      second / 60 % 60, second % 60, offset < 0 ? "-" : "+", abs(offset) / 60, abs(offset) % 60)
  }
}

/// A day of the Gregorian calendar and its number, in whole-number arithmetic: `Calendar` takes microseconds a call, and
/// falls back to the Julian calendar before 1582.
package struct CivilDay: Equatable, Sendable {
  package let year: Int
  package let month: Int
  package let day: Int

  /// - Parameter number: days since 1970-01-01, of the years 0 to 9999.
  package init(number: Int) {
    // Days since 1 March of a year 0, so that the leap day is the last of a year.
    let shifted = number + 719_468
    let era = (shifted - Self.modulo(shifted, 146_097)) / 146_097
    let ofEra = Self.modulo(shifted, 146_097)
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days from 1970-01-01 to this day.
  package static func number(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year - modulo(year, 400)) / 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let yearOfEra = modulo(year, 400)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
  }

  package static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// How many days a month (1 to 12) has.
  package static func count(year: Int, month: Int) -> Int {
    number(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
      - number(year: year, month: month, day: 1)
  }

  /// The remainder that is never negative.
  package static func modulo(_ a: Int, _ b: Int) -> Int {
    let remainder = a % b
    return remainder < 0 ? remainder + b : remainder
  }
}
