/// An RRULE (RFC 5545 3.3.10), or the reason why it is not followed.
struct RecurrenceRule: Hashable, Sendable {
  enum Frequency: String, Sendable {
    case hourly = "HOURLY"
    case daily = "DAILY"
    case weekly = "WEEKLY"
    case monthly = "MONTHLY"
    case yearly = "YEARLY"
  }

  /// The last moment of a rule, as it is written.
  enum Until: Hashable, Sendable {
    case day(CalendarDay)
    /// By the clock of DTSTART: clients write it so, although the standard wants UTC.
    case local(LocalMoment)
    /// Seconds since 1970.
    case utc(Int)

    /// - Parameters:
    ///   - moment: by the clock of DTSTART.
    ///   - utc: the same, in seconds since 1970.
    func isPast(_ moment: LocalMoment, utc: @autoclosure () -> Int) -> Bool {
      switch self {
      case .day(let day): moment.day > day
      case .local(let last): moment > last
      case .utc(let last): utc() > last
      }
    }
  }

  /// `1MO`, `-1SU`; ordinal 0: every one.
  struct Weekday: Hashable, Sendable {
    var ordinal: Int
    /// 0 is Monday.
    var day: Int
  }

  var frequency: Frequency
  var interval = 1
  var count: Int?
  var until: Until?
  /// 0 is Monday.
  var weekStart = 0
  var months: [Int] = []
  var weekNumbers: [Int] = []
  var yearDays: [Int] = []
  var monthDays: [Int] = []
  var weekdays: [Weekday] = []
  var hours: [Int] = []
  var minutes: [Int] = []
  var seconds: [Int] = []
  var positions: [Int] = []

  /// More moments in one day than anybody puts on a wall; a rule that asks for more is not followed.
  private static let momentsInDay = 1440

  /// - Returns: nil for a rule that is not understood in every part: half of a rule would be a guess.
  init?(_ text: String) {
    var parts: [Substring: Substring] = [:]
    for part in text.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, parts.updateValue(pair[1], forKey: Substring(pair[0].trimmed.uppercased())) == nil else {
        return nil
      }
    }
    guard let name = parts.removeValue(forKey: "FREQ"), let frequency = Frequency(rawValue: name.trimmed.uppercased())
    else { return nil }
    self.frequency = frequency
    for (key, value) in parts where !read(key, value.trimmed.uppercased()) { return nil }
    guard isInTable, max(hours.count, 1) * max(minutes.count, 1) * max(seconds.count, 1) <= Self.momentsInDay else {
      return nil
    }
  }

  private mutating func read(_ key: Substring, _ value: String) -> Bool {
    switch key {
    // An interval of more hours than there are in the years of a calendar is as good as any.
    case "INTERVAL": return Self.read(Int(value).map { min($0, 100_000_000) }, 1...100_000_000, into: &interval)
    case "COUNT":
      guard let number = Int(value), number > 0 else { return false }
      count = number
      return true
    case "UNTIL":
      until = Self.until(value)
      return until != nil
    case "WKST": return Self.read(Self.weekdayNames.firstIndex(of: value), 0...6, into: &weekStart)
    case "BYMONTH": return Self.read(value, 1...12, into: &months)
    case "BYWEEKNO": return Self.read(value, -53...53, into: &weekNumbers)
    case "BYYEARDAY": return Self.read(value, -366...366, into: &yearDays)
    case "BYMONTHDAY": return Self.read(value, -31...31, into: &monthDays)
    case "BYHOUR": return Self.read(value, 0...23, into: &hours, allowsZero: true)
    case "BYMINUTE": return Self.read(value, 0...59, into: &minutes, allowsZero: true)
    case "BYSECOND": return Self.read(value, 0...59, into: &seconds, allowsZero: true)
    case "BYSETPOS": return Self.read(value, -366...366, into: &positions)
    case "BYDAY": return read(weekdays: value)
    default: return false
    }
  }

  /// The combinations that the table of RFC 5545 3.3.10 allows.
  private var isInTable: Bool {
    switch frequency {
    case .yearly: weekNumbers.isEmpty || hasPlainWeekdays
    case .monthly: weekNumbers.isEmpty && yearDays.isEmpty
    case .weekly: weekNumbers.isEmpty && yearDays.isEmpty && monthDays.isEmpty && hasPlainWeekdays
    case .daily: weekNumbers.isEmpty && yearDays.isEmpty && hasPlainWeekdays
    case .hourly: weekNumbers.isEmpty && hasPlainWeekdays
    }
  }

  private var hasPlainWeekdays: Bool { weekdays.allSatisfy { $0.ordinal == 0 } }

  static let weekdayNames = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

  private mutating func read(weekdays text: String) -> Bool {
    var found: Set<Weekday> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = part.trimmed
      guard let day = Self.weekdayNames.firstIndex(of: String(part.suffix(2))) else { return false }
      let digits = part.dropLast(2)
      guard digits.isEmpty || (Int(digits).map { $0 != 0 && -53...53 ~= $0 } ?? false) else { return false }
      found.insert(Weekday(ordinal: Int(digits) ?? 0, day: day))
    }
    weekdays = found.sorted { ($0.day, $0.ordinal) < ($1.day, $1.ordinal) }
    return true
  }

  private static func read(_ number: Int?, _ range: ClosedRange<Int>, into field: inout Int) -> Bool {
    guard let number, range ~= number else { return false }
    field = number
    return true
  }

  private static func read(
    _ list: String, _ range: ClosedRange<Int>, into field: inout [Int], allowsZero: Bool = false
  ) -> Bool {
    let parts = list.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = Set(parts.compactMap { Int($0.trimmed) })
    guard parts.allSatisfy({ Int($0.trimmed) != nil }),
      numbers.allSatisfy({ range ~= $0 && (allowsZero || $0 != 0) })
    else { return false }
    field = numbers.sorted()
    return true
  }

  private static func until(_ text: String) -> Until? {
    guard let written = WrittenTime(text) else { return nil }
    switch written {
    case .day(let day): return .day(day)
    case .local(let moment): return .local(moment)
    case .utc(let instant): return .utc(instant)
    }
  }
}
