/// A DATE or DATE-TIME as it stands in a calendar (RFC 5545 3.3.4 and 3.3.5), of the years 1 to 9999.
enum WrittenTime: Hashable, Sendable {
  case day(CalendarDay)
  /// By the clock that TZID names, or a floating one.
  case local(LocalMoment)
  /// Seconds since 1970.
  case utc(Int)

  /// `20261101`, `20261101T013000` or `20261101T013000Z`; some write no seconds. Nil for anything else and for what does
  /// not exist. A leap second is the second before it.
  init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 8, let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[4..<6]),
      let dayOfMonth = Self.number(bytes[6..<8]), let day = CalendarDay(year: year, month: month, day: dayOfMonth)
    else { return nil }
    if bytes.count == 8 {
      self = .day(day)
      return
    }
    guard bytes[8] == UInt8(ascii: "T") || bytes[8] == UInt8(ascii: "t") else { return nil }
    var digits = bytes[9...]
    let isUTC = digits.last == UInt8(ascii: "Z") || digits.last == UInt8(ascii: "z")
    if isUTC { digits = digits.dropLast() }
    guard digits.count == 6 || digits.count == 4, let hour = Self.number(digits.prefix(2)),
      let minute = Self.number(digits.dropFirst(2).prefix(2)),
      let second = digits.count == 6 ? Self.number(digits.suffix(2)) : 0, hour < 24, minute < 60, second <= 60
    else { return nil }
    let moment = LocalMoment(day, second: hour * 3600 + minute * 60 + min(second, 59))
    self = isUTC ? .utc(moment.seconds) : .local(moment)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard 48...57 ~= digit else { return nil }
      number = number * 10 + Int(digit - 48)
    }
    return number
  }
}

/// A time of an event: a whole day, or a moment of a zone's clock.
enum EventTime: Hashable, Sendable {
  case day(CalendarDay)
  case moment(LocalMoment, EventZone)

  init(_ written: WrittenTime, zone: EventZone) {
    switch written {
    case .day(let day): self = .day(day)
    case .local(let moment): self = .moment(moment, zone)
    case .utc(let instant): self = .moment(LocalMoment(seconds: instant), .utc)
    }
  }

  var isDay: Bool {
    if case .day = self { true } else { false }
  }

  /// As it is written, by its own clock.
  var local: LocalMoment {
    switch self {
    case .day(let day): LocalMoment(day)
    case .moment(let moment, _): moment
    }
  }
}

/// A duration (RFC 5545 3.3.6): days and weeks by the calendar, hours, minutes and seconds exact.
struct WrittenDuration: Hashable, Sendable {
  var days = 0
  var seconds = 0

  /// `P1W`, `P1DT2H30M`, `PT15M`. A negative one is none: an event does not end before it begins. Nil for anything else and
  /// for more than 10,000 days.
  init?(_ text: some StringProtocol) {
    var rest = Substring(text.uppercased())
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest = rest.dropFirst() }
    guard rest.first == "P" else { return nil }
    rest = rest.dropFirst()
    var isTime = false
    var parts = 0
    while let character = rest.first {
      if character == "T", !isTime {
        isTime = true
        rest = rest.dropFirst()
        continue
      }
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      guard let number = Int(digits), number <= 864_000_000, let unit = rest.popFirst() else { return nil }
      switch (unit, isTime) {
      case ("W", false): days += number * 7
      case ("D", false): days += number
      case ("H", true): seconds += number * 3600
      case ("M", true): seconds += number * 60
      case ("S", true): seconds += number
      default: return nil
      }
      parts += 1
      guard parts <= 5 else { return nil }
    }
    guard parts > 0, days + seconds / 86_400 <= 10_000 else { return nil }
    if isNegative { (days, seconds) = (0, 0) }
  }
}
