/// The moments of a rule, by the clock of DTSTART.
///
/// The years, months, weeks, days or hours of the rule are its periods; those before the time that is asked for are
/// jumped over, so that a rule from 1970 costs as much as one from yesterday.
struct Recurrence {
  private let rule: RecurrenceRule
  private let start: LocalMoment
  private let periods: RecurrencePeriods
  /// Seconds since midnight (of an hourly rule: since the full hour), in order.
  private let times: [Int]

  /// - Parameter isAllDay: DTSTART is a day: hours, minutes and seconds of the rule do not count (RFC 5545 3.3.10).
  init(_ rule: RecurrenceRule, start: LocalMoment, isAllDay: Bool) {
    self.rule = rule
    self.start = start
    periods = RecurrencePeriods(rule, start: start)
    times = isAllDay ? [0] : Self.times(rule, start: start.secondOfDay)
  }

  private static func times(_ rule: RecurrenceRule, start: Int) -> [Int] {
    let isHourly = rule.frequency == .hourly
    let hours = isHourly ? [0] : rule.hours.isEmpty ? [start / 3600] : rule.hours
    let minutes = rule.minutes.isEmpty ? [start / 60 % 60] : rule.minutes
    let seconds = rule.seconds.isEmpty ? [start % 60] : rule.seconds
    return hours.flatMap { hour in minutes.flatMap { minute in seconds.map { hour * 3600 + minute * 60 + $0 } } }
  }

  /// Calls `found` with every moment in [from, through], in order.
  ///
  /// - Parameters:
  ///   - steps: what the walk may still cost: a period, a day looked at or a moment each take one. At 0 it ends early.
  ///   - isPast: whether a moment lies after the rule's UNTIL.
  /// - Returns: false when it ended early.
  @discardableResult
  func walk(
    from: LocalMoment, through: LocalMoment, steps: inout Int, isPast: (LocalMoment) -> Bool,
    found: (LocalMoment) -> Void
  ) -> Bool {
    var index = rule.count == nil ? periods.index(of: from) : 0
    var counted = 0
    while true {
      if index == 1, let constant = momentsInPeriod {
        // Each period from the second on counts the same: those before `from` need not be looked at.
        let jump = max(periods.index(of: from) - index, 0)
        let jumped = jump.multipliedReportingOverflow(by: constant)
        if jumped.overflow || jumped.partialValue > (rule.count ?? .max) - counted { return true }
        index += jump
        counted += jumped.partialValue
      }
      guard let period = periods.period(index), LocalMoment(seconds: period.seconds) <= through else { return true }
      let moments = moments(of: period, steps: &steps)
      for moment in moments where moment >= start {
        steps -= 1
        counted += 1
        if counted > rule.count ?? .max || moment > through || isPast(moment) { return true }
        if moment >= from { found(moment) }
        if steps <= 0 { return false }
      }
      steps -= 1
      if steps <= 0 { return false }
      index += 1
    }
  }

  private func moments(of period: RecurrencePeriods.Period, steps: inout Int) -> [LocalMoment] {
    if rule.frequency == .hourly {
      guard periods.matches(hour: period) else { return [] }
      return selected(times.map { LocalMoment(seconds: period.seconds + $0) })
    }
    let days = periods.days(of: period, steps: &steps)
    // A set that is larger than what may be spent is not made.
    guard days.count * times.count <= max(steps, 0) + times.count else {
      steps = 0
      return []
    }
    return selected(days.flatMap { day in times.map { LocalMoment(CalendarDay(number: day), second: $0) } })
  }

  /// Those at BYSETPOS.
  private func selected(_ moments: [LocalMoment]) -> [LocalMoment] {
    guard !rule.positions.isEmpty else { return moments }
    let indices = rule.positions.map { $0 > 0 ? $0 - 1 : moments.count + $0 }
    return Set(indices).filter(moments.indices.contains).sorted().map { moments[$0] }
  }

  /// How many moments each period after the first has, when that does not depend on the period.
  private var momentsInPeriod: Int? {
    guard rule.count != nil, rule.months.isEmpty, rule.positions.isEmpty, rule.monthDays.isEmpty, rule.yearDays.isEmpty
    else { return nil }
    switch rule.frequency {
    case .weekly: return max(rule.weekdays.count, 1) * times.count
    case .daily: return rule.weekdays.isEmpty ? times.count : nil
    case .hourly: return rule.weekdays.isEmpty && rule.hours.isEmpty ? times.count : nil
    case .monthly, .yearly: return nil
    }
  }
}
