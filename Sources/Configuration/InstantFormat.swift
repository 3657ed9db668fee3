package import Foundation
internal import Wall

/// Instants as people and programs write them (DESIGN 4.1).
package enum InstantFormat {
  /// An ISO 8601 date and time with an offset or Z: calendar, ordinal and week dates, extended and basic form, seconds and
  /// fractions optional. nil for anything else, above all for a time without an offset, which is no instant.
  package static func parse(_ text: String) -> Date? {
    guard text.utf8.count <= 64 else { return nil }
    var reader = ISO8601Reader(text)
    return reader.instant()
  }

  /// As `2026-11-01T01:30:00-07:00`: whole seconds rounded down, a numeric offset, never Z.
  package static func text(_ instant: Date, in zone: TimeZone) -> String { InstantText.text(instant, in: zone) }
}

/// Reads one instant from left to right.
private struct ISO8601Reader {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  mutating func instant() -> Date? {
    guard let day = date(), take("T") || take("t"), let second = clock(), let offset = offset(), rest.isEmpty else {
      return nil
    }
    return Date(timeIntervalSince1970: Double(day * 86_400 - offset) + second)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let byte = rest.first, UInt32(byte) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  /// Exactly `count` digits, in the range.
  private mutating func number(_ count: Int, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(Self.isDigit), let value = Int(String(Substring(digits))),
      range ~= value
    else { return nil }
    rest = rest.dropFirst(count)
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Days since 1970-01-01.
  private mutating func date() -> Int? {
    guard let year = number(4, in: 0...9999) else { return nil }
    let isExtended = take("-")
    if take("W") {
      guard let week = number(2, in: 1...53), !isExtended || take("-"), let day = number(1, in: 1...7) else {
        return nil
      }
      // Week 1 is the one with 4 January in it; weeks begin on Monday, and so did the one of 1970-01-05 (day 4).
      let fourth = CivilDay.number(year: year, month: 1, day: 4)
      let monday = fourth - CivilDay.modulo(fourth - 4, 7) + (week - 1) * 7
      guard monday + 3 < CivilDay.number(year: year + 1, month: 1, day: 1) else { return nil }
      return monday + day - 1
    }
    if rest.prefix(while: { $0 != UInt8(ascii: "T") && $0 != UInt8(ascii: "t") }).count == 3 {
      guard let day = number(3, in: 1...(CivilDay.isLeap(year) ? 366 : 365)) else { return nil }
      return CivilDay.number(year: year, month: 1, day: 1) + day - 1
    }
    guard let month = number(2, in: 1...12), !isExtended || take("-"),
      let day = number(2, in: 1...CivilDay.count(year: year, month: month))
    else { return nil }
    return CivilDay.number(year: year, month: month, day: day)
  }

  /// Seconds since midnight, 24:00 included; a leap second is the first second of the next minute.
  private mutating func clock() -> Double? {
    guard let hour = number(2, in: 0...24) else { return nil }
    var seconds = Double(hour * 3600)
    var unit = 3600.0
    let isExtended = take(":")
    if isExtended || rest.first.map(Self.isDigit) == true {
      guard let minute = number(2, in: 0...59) else { return nil }
      seconds += Double(minute * 60)
      unit = 60
      let hasSeconds = isExtended ? take(":") : rest.first.map(Self.isDigit) == true
      if hasSeconds {
        guard let second = number(2, in: 0...60) else { return nil }
        seconds += Double(second)
        unit = 1
      }
    }
    if take(".") || take(",") {
      let digits = rest.prefix(while: Self.isDigit)
      guard !digits.isEmpty, let fraction = Double("0." + String(Substring(digits))) else { return nil }
      rest = rest.dropFirst(digits.count)
      seconds += fraction * unit
    }
    return seconds <= 86_400 ? seconds : nil
  }

  /// Seconds east of Greenwich.
  private mutating func offset() -> Int? {
    if take("Z") || take("z") { return 0 }
    let sign: Int
    if take("+") {
      sign = 1
    } else if take("-") {
      sign = -1
    } else if rest.starts(with: "\u{2212}".utf8) {
      rest = rest.dropFirst(3)
      sign = -1
    } else {
      return nil
    }
    guard let hours = number(2, in: 0...23) else { return nil }
    if rest.isEmpty { return sign * hours * 3600 }
    _ = take(":")
    guard let minutes = number(2, in: 0...59) else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
