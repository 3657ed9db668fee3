extension Expansion {
  /// Adds what of a series overlaps the window. Exceptions are matched with what they replace wherever both lie, so that
  /// one can be moved into the window and out of it.
  mutating func add(_ series: EventSeries) {
    guard let master = series.master else {
      for version in series.overrides where !version.isCancelled && !version.isDeclined {
        addAlone(version)
      }
      return
    }
    guard !master.isCancelled else { return }
    let exceptions = Exceptions(series, of: master, &self)
    for version in exceptions.replacements where !version.isCancelled && !version.isDeclined { addAlone(version) }
    guard !master.isDeclined else { return }
    addOccurrences(of: master, exceptions)
  }

  private mutating func addAlone(_ version: EventVersion) {
    if !place(version, at: version.start, length(of: version), isOfFirst: true) { report(version) }
  }

  private mutating func addOccurrences(of master: EventVersion, _ exceptions: Exceptions) {
    let own = length(of: master)
    let occurrences = occurrences(
      of: master, reach: own.seconds, slack: min(exceptions.longestShift, Exceptions.farthestShift))
    var isWhole = occurrences.isWhole && exceptions.longestShift <= Exceptions.farthestShift
    var seen: Set<Int> = []
    var count = 0
    for occurrence in occurrences.found {
      let key = exceptions.key(occurrence.start, &self)
      guard seen.insert(key.exact).inserted, !exceptions.removes(key) else { continue }
      guard count < Self.mostOfSeries else {
        isWhole = false
        break
      }
      let before = instances.count
      let isOfFirst = count < Self.fewestOfSeries
      if let range = exceptions.range(at: occurrence.start) {
        guard !range.version.isCancelled, !range.version.isDeclined else { continue }
        let start = exceptions.moved(occurrence.start, by: range, &self)
        isWhole = place(range.version, at: start, length(of: range.version), isOfFirst: isOfFirst) && isWhole
      } else {
        let length = occurrence.length.map { EventLength($0, of: occurrence.start) { instant($0) } } ?? own
        isWhole = place(master, at: occurrence.start, length, isOfFirst: isOfFirst) && isWhole
      }
      count += instances.count - before
    }
    if !isWhole { report(master) }
  }

  private struct Occurrences {
    var found: [EventVersion.ExtraTime]
    var isWhole = true
  }

  /// DTSTART, what the rules make near the window, and RDATE.
  private mutating func occurrences(of master: EventVersion, reach: Int, slack: Int) -> Occurrences {
    let rules = master.hasUnknownRule ? [] : master.rules
    let ends = rules.map { $0.until.map { end(of: $0, in: master) } }
    // DTSTART is the first whether the rule makes it or not. A rule that ended before it is a series that is over.
    let begins = rules.isEmpty || ends.contains { !($0?.isPast(master.start.local) ?? false) }
    var occurrences = Occurrences(
      found: begins ? [EventVersion.ExtraTime(start: master.start, length: nil)] : [])
    let margin = 172_800 + slack
    // Nobody's rule makes events of ten years.
    let from = LocalMoment(seconds: self.from - min(reach, 3660 * 86_400) - margin)
    let through = LocalMoment(seconds: to + margin)
    guard !rules.isEmpty else {
      occurrences.found += master.extraTimes
      return occurrences
    }
    // All rules of a series share its steps: any number of them costs no more than one.
    var moments: [LocalMoment] = []
    occurrences.isWhole = withSteps { steps in
      for (rule, end) in zip(rules, ends) {
        guard steps > 0 else { return false }
        let walk = Recurrence(rule, start: master.start.local, isAllDay: master.start.isDay)
        let isWhole = walk.walk(
          from: from, through: through, steps: &steps, isPast: { end?.isPast($0) ?? false },
          found: { moments.append($0) })
        guard isWhole else { return false }
      }
      return true
    }
    occurrences.found += moments.map { EventVersion.ExtraTime(start: master.start.with($0), length: nil) }
    occurrences.found += master.extraTimes
    return occurrences
  }

  /// UNTIL by the clock of DTSTART.
  private struct End {
    let isPast: (LocalMoment) -> Bool

    func isPast(_ moment: LocalMoment) -> Bool { isPast(moment) }
  }

  private mutating func end(of until: RecurrenceRule.Until, in master: EventVersion) -> End {
    switch (until, master.start) {
    case (.utc(let last), .moment(_, let zone)):
      let clock = clock(zone)
      return End { moment in
        // Only near the end does it matter what the zone says.
        if abs(moment.seconds - last) > 172_800 { return moment.seconds > last }
        return clock.instant(of: moment) > last
      }
    case (.utc(let last), .day):
      let lastDay = day(.moment(LocalMoment(seconds: last), .utc))
      return End { $0.day > lastDay }
    case (.local(let last), .day): return End { $0.day > last.day }
    case (.local(let last), .moment): return End { $0 > last }
    case (.day(let last), _): return End { $0.day > last }
    }
  }
}

extension EventTime {
  /// The same kind of time, by the same clock, at another moment.
  func with(_ moment: LocalMoment) -> EventTime {
    switch self {
    case .day: .day(moment.day)
    case .moment(_, let zone): .moment(moment, zone)
    }
  }
}
