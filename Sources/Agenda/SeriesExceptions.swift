/// What a series leaves out, and what it has in other words (EXDATE, RECURRENCE-ID).
///
/// A time of a timed series is matched by its instant, whatever clock it is written by; a day in a timed series by the
/// local day; in a series of days everything by the day.
struct Exceptions {
  /// What an occurrence is matched by.
  struct Key: Hashable {
    /// Seconds since 1970, or the day's number in a series of days.
    let exact: Int
    let day: Int
  }

  /// RANGE=THISANDFUTURE.
  struct Range {
    let version: EventVersion
    /// By the clock of the series.
    let from: LocalMoment
    /// By the clock of the version.
    let original: LocalMoment
  }

  /// The newest version of each occurrence that has one of its own.
  private(set) var replacements: [EventVersion] = []
  private var exact: Set<Int> = []
  private var days: Set<Int> = []
  /// In order.
  private var ranges: [Range] = []
  private let isOfDays: Bool

  init(_ series: EventSeries, of master: EventVersion, _ expansion: inout Expansion) {
    isOfDays = master.start.isDay
    var byID: [EventTime: EventVersion] = [:]
    for version in series.overrides {
      guard let id = version.recurrenceID else { continue }
      let key = key(id, &expansion)
      let name =
        matchesDay(id) ? EventTime.day(CalendarDay(number: key.day)) : .moment(LocalMoment(seconds: key.exact), .utc)
      byID[name] = version
      exclude(id, key)
    }
    replacements = byID.values.sorted { $0.line < $1.line }
    for version in replacements where version.isRange {
      if let id = version.recurrenceID { addRange(version, id, key(id, &expansion), master, &expansion) }
    }
    ranges.sort { $0.from < $1.from }
    for time in master.excluded { exclude(time, key(time, &expansion)) }
  }

  private func matchesDay(_ time: EventTime) -> Bool { isOfDays || time.isDay }

  private mutating func exclude(_ time: EventTime, _ key: Key) {
    if matchesDay(time) { days.insert(key.day) } else { exact.insert(key.exact) }
  }

  private mutating func addRange(
    _ version: EventVersion, _ id: EventTime, _ key: Key, _ master: EventVersion, _ expansion: inout Expansion
  ) {
    let from: LocalMoment
    let original: LocalMoment
    if matchesDay(id) {
      from = LocalMoment(CalendarDay(number: key.day))
      original = from + (isOfDays ? 0 : master.start.local.secondOfDay)
    } else {
      from = expansion.local(key.exact, of: master.start)
      original = expansion.local(key.exact, of: version.start)
    }
    ranges.append(Range(version: version, from: from, original: original))
  }

  func key(_ time: EventTime, _ expansion: inout Expansion) -> Key {
    if isOfDays {
      let day = expansion.day(time).number
      return Key(exact: day, day: day)
    }
    return Key(exact: expansion.instant(time), day: time.local.day.number)
  }

  func removes(_ key: Key) -> Bool { days.contains(key.day) || exact.contains(key.exact) }

  /// The last range that an occurrence falls into; nil: none. Each of thousands of occurrences asks, and there may be as many
  /// ranges.
  func range(at start: EventTime) -> Range? {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].from <= start.local { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : ranges[low - 1]
  }

  /// How far ranges move what they hold, in seconds: so far from the window occurrences are looked for.
  var longestShift: Int {
    ranges.map { abs($0.version.start.local.seconds - $0.original.seconds) }.max() ?? 0
  }

  /// Nobody moves a series by more than a year; what is moved further is looked for no further, and said to be missing.
  static let farthestShift = 366 * 86_400

  /// Where an occurrence stands in a range: as far from its own time as the range's first one.
  func moved(_ start: EventTime, by range: Range, _ expansion: inout Expansion) -> EventTime {
    let shift = range.version.start.local.seconds - range.original.seconds
    let local =
      isOfDays || range.version.start.isDay
      ? start.local : expansion.local(expansion.instant(start), of: range.version.start)
    return range.version.start.with(local + shift)
  }
}

extension Expansion {
  /// An instant by the clock of a time.
  mutating func local(_ instant: Int, of time: EventTime) -> LocalMoment {
    switch time {
    case .day: LocalMoment(seconds: instant)
    case .moment(_, let zone): clock(zone).moment(at: instant)
    }
  }
}
