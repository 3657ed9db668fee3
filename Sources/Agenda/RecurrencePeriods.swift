/// The periods of a rule (its years, months, weeks, days or hours), and the days of each that its parts leave.
struct RecurrencePeriods {
  struct Period {
    /// The first second, by the clock of DTSTART.
    let seconds: Int
    /// Of the first day.
    let year: Int
    let month: Int
  }

  private let rule: RecurrenceRule
  /// The first second of the period that holds DTSTART.
  private let origin: Period
  /// What DTSTART fills in where the rule says nothing.
  private let start: (year: Int, month: Int, day: Int, weekday: Int)

  init(_ rule: RecurrenceRule, start: LocalMoment) {
    var rule = rule
    let day = start.day
    let parts = day.parts
    self.start = (parts.year, parts.month, parts.day, day.weekday)
    if rule.frequency == .yearly, rule.months.isEmpty, rule.weekNumbers.isEmpty, rule.yearDays.isEmpty,
      rule.weekdays.isEmpty
    {
      // By the standard "the 25th" of a yearly rule is the 25th of every month. Those who write it mean a birthday, and
      // Google and MagicMirror (#2547) read it so.
      rule.months = [parts.month]
    }
    self.rule = rule
    let first =
      switch rule.frequency {
      case .yearly: CalendarDay.number(year: parts.year, month: 1)
      case .monthly: CalendarDay.number(year: parts.year, month: parts.month)
      case .weekly: day.number - floorMod(day.weekday - rule.weekStart, 7)
      case .daily, .hourly: day.number
      }
    let hour = rule.frequency == .hourly ? start.secondOfDay / 3600 * 3600 : 0
    origin = Period(seconds: first * 86_400 + hour, year: parts.year, month: parts.month)
  }

  /// A period, not after that of the moment, from which on nothing up to the moment can be missed; 0 before DTSTART.
  func index(of moment: LocalMoment) -> Int {
    let parts = moment.day.parts
    let distance =
      switch rule.frequency {
      case .yearly: parts.year - origin.year
      case .monthly: (parts.year - origin.year) * 12 + parts.month - origin.month
      case .weekly: floorDiv(moment.seconds - origin.seconds, 7 * 86_400)
      case .daily: floorDiv(moment.seconds - origin.seconds, 86_400)
      case .hourly: floorDiv(moment.seconds - origin.seconds, 3600)
      }
    return max(floorDiv(distance, rule.interval), 0)
  }

  /// - Returns: nil after the year 9999.
  func period(_ index: Int) -> Period? {
    let (steps, overflow) = index.multipliedReportingOverflow(by: rule.interval)
    guard !overflow, steps < 100_000_000 else { return nil }
    switch rule.frequency {
    case .yearly:
      let year = origin.year + steps
      guard year <= 9999 else { return nil }
      return Period(seconds: CalendarDay.number(year: year, month: 1) * 86_400, year: year, month: 1)
    case .monthly:
      let months = origin.year * 12 + origin.month - 1 + steps
      guard months / 12 <= 9999 else { return nil }
      let (year, month) = (months / 12, months % 12 + 1)
      return Period(seconds: CalendarDay.number(year: year, month: month) * 86_400, year: year, month: month)
    case .weekly: return period(at: origin.seconds + steps * 7 * 86_400)
    case .daily: return period(at: origin.seconds + steps * 86_400)
    case .hourly: return period(at: origin.seconds + steps * 3600)
    }
  }

  private func period(at seconds: Int) -> Period? {
    let parts = LocalMoment(seconds: seconds).day.parts
    return parts.year <= 9999 ? Period(seconds: seconds, year: parts.year, month: parts.month) : nil
  }

  /// Whether an hour of an hourly rule is one of those asked for.
  func matches(hour period: Period) -> Bool {
    let moment = LocalMoment(seconds: period.seconds)
    return (rule.hours.isEmpty || rule.hours.contains(moment.secondOfDay / 3600)) && passesLimits(moment.day.number)
  }

  /// The days of a period of days, in order.
  func days(of period: Period, steps: inout Int) -> [Int] {
    let first = floorDiv(period.seconds, 86_400)
    switch rule.frequency {
    case .yearly: return yearDays(period, steps: &steps)
    case .monthly:
      guard rule.months.isEmpty || rule.months.contains(period.month) else { return [] }
      return monthDays(year: period.year, month: period.month)
    case .weekly:
      let wanted = rule.weekdays.isEmpty ? [start.weekday] : rule.weekdays.map(\.day)
      return (0..<7).filter { wanted.contains((rule.weekStart + $0) % 7) }.map { first + $0 }.filter(passesMonth)
    case .daily: return passesLimits(first) ? [first] : []
    case .hourly: return []
    }
  }

  private func passesMonth(_ number: Int) -> Bool {
    rule.months.isEmpty || rule.months.contains(CalendarDay(number: number).parts.month)
  }

  private func passesLimits(_ number: Int) -> Bool {
    let day = CalendarDay(number: number)
    guard rule.weekdays.isEmpty || rule.weekdays.contains(where: { $0.day == day.weekday }) else { return false }
    if rule.months.isEmpty, rule.monthDays.isEmpty, rule.yearDays.isEmpty { return true }
    let parts = day.parts
    return (rule.months.isEmpty || rule.months.contains(parts.month))
      && (rule.monthDays.isEmpty || isMonthDay(parts.day, of: CalendarDay.length(year: parts.year, month: parts.month)))
      && (rule.yearDays.isEmpty || isYearDay(number, year: parts.year))
  }

  private func isMonthDay(_ day: Int, of length: Int) -> Bool {
    rule.monthDays.contains { $0 > 0 ? $0 == day : length + $0 + 1 == day }
  }

  private func isYearDay(_ number: Int, year: Int) -> Bool {
    let ofYear = number - CalendarDay.number(year: year, month: 1) + 1
    let length = CalendarDay.isLeap(year) ? 366 : 365
    return rule.yearDays.contains { $0 > 0 ? $0 == ofYear : length + $0 + 1 == ofYear }
  }

  /// The days of one month by BYMONTHDAY and BYDAY, or DTSTART's where there is neither.
  private func monthDays(year: Int, month: Int) -> [Int] {
    let first = CalendarDay.number(year: year, month: month)
    let length = CalendarDay.length(year: year, month: month)
    if rule.weekdays.isEmpty {
      let wanted = rule.monthDays.isEmpty ? [start.day] : rule.monthDays
      return Set(wanted.map { $0 > 0 ? $0 : length + $0 + 1 }).filter { 1...length ~= $0 }.sorted()
        .map { first + $0 - 1 }
    }
    return weekdays(from: first, count: length)
      .filter { rule.monthDays.isEmpty || isMonthDay($0 - first + 1, of: length) }
  }

  private func yearDays(_ period: Period, steps: inout Int) -> [Int] {
    if rule.weekNumbers.isEmpty, rule.yearDays.isEmpty, rule.weekdays.isEmpty || !rule.months.isEmpty {
      return rule.months.flatMap { monthDays(year: period.year, month: $0) }
    }
    steps -= 366
    let first = CalendarDay.number(year: period.year, month: 1)
    let length = CalendarDay.isLeap(period.year) ? 366 : 365
    let days =
      if !rule.weekNumbers.isEmpty {
        weekDays(first: first, length: length)
      } else if rule.weekdays.isEmpty {
        Array(first..<first + length)
      } else if rule.months.isEmpty {
        weekdays(from: first, count: length)
      } else {
        // With BYMONTH an ordinal counts within the month.
        rule.months.flatMap {
          weekdays(
            from: CalendarDay.number(year: period.year, month: $0),
            count: CalendarDay.length(year: period.year, month: $0))
        }
      }
    return days.filter { number in
      let parts = CalendarDay(number: number).parts
      return (rule.months.isEmpty || rule.months.contains(parts.month))
        && (rule.monthDays.isEmpty
          || isMonthDay(parts.day, of: CalendarDay.length(year: parts.year, month: parts.month)))
        && (rule.yearDays.isEmpty || isYearDay(number, year: period.year))
    }
  }

  /// The days of a year in the weeks of BYWEEKNO, on the weekdays of BYDAY or on DTSTART's. Week 1 is the first with at
  /// least four days in its year.
  private func weekDays(first: Int, length: Int) -> [Int] {
    let wanted = rule.weekdays.isEmpty && rule.yearDays.isEmpty && rule.monthDays.isEmpty ? [start.weekday] : []
    let weekdays = rule.weekdays.isEmpty ? wanted : rule.weekdays.map(\.day)
    var days: [Int] = []
    var monday = first - floorMod(CalendarDay(number: first).weekday - rule.weekStart, 7)
    while monday < first + length {
      // The year of a week is that of its fourth day.
      let owner = CalendarDay(number: monday + 3).parts.year
      let begin = firstWeek(of: owner)
      let number = (monday - begin) / 7 + 1
      let count = (firstWeek(of: owner + 1) - begin) / 7
      if rule.weekNumbers.contains(number) || rule.weekNumbers.contains(number - count - 1) {
        days += (monday..<monday + 7).filter {
          first..<first + length ~= $0
            && (weekdays.isEmpty || weekdays.contains(CalendarDay(number: $0).weekday))
        }
      }
      monday += 7
    }
    return days
  }

  private func firstWeek(of year: Int) -> Int {
    let fourth = CalendarDay.number(year: year, month: 1) + 3
    return fourth - floorMod(CalendarDay(number: fourth).weekday - rule.weekStart, 7)
  }

  /// The days on the weekdays of BYDAY, their ordinals counted from both ends of the stretch.
  private func weekdays(from first: Int, count: Int) -> [Int] {
    var days: Set<Int> = []
    for wanted in rule.weekdays {
      let earliest = first + floorMod(wanted.day - CalendarDay(number: first).weekday, 7)
      let last = earliest + (first + count - 1 - earliest) / 7 * 7
      switch wanted.ordinal {
      case 0: days.formUnion(stride(from: earliest, through: last, by: 7))
      case 1...: days.insert(earliest + (wanted.ordinal - 1) * 7)
      default: days.insert(last + (wanted.ordinal + 1) * 7)
      }
    }
    return days.filter { first..<first + count ~= $0 }.sorted()
  }
}
