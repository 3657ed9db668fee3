package import Foundation

/// What takes place in a stretch of time.
package struct AgendaExpansion: Equatable, Sendable {
  /// By start, then by UID and title; whole days where they begin in the zone, before what begins then.
  package let instances: [AgendaInstance]
  /// The events of which only a part is shown, because their rules ask for too much.
  package let problems: [EventProblem]

  /// How many events those are.
  package var cutEventCount: Int { Set(problems.map(\.uid)).count }
}

extension CalendarFeed {
  /// The instances that overlap [from, to), cancelled and declined ones left out.
  ///
  /// Time and memory are bounded whatever the rules say: no series has more than 2,000 instances, all together no more than
  /// 20,000, and the steps of all rules are counted. What others have used up leaves every event its first instances and
  /// every series some steps, so that a rule that asks for little is shown beside any number that ask for too much. Who needs
  /// the whole of a long stretch asks for a part at a time.
  ///
  /// - Parameter zone: the wall's: of floating times, and of the days.
  package func instances(from: Date, to: Date, in zone: TimeZone) -> AgendaExpansion {
    var expansion = Expansion(from: from, to: to, wall: zone, calendar: self.zone)
    if from < to { for series in series { expansion.add(series) } }
    let clock = ZoneClock(zone)
    let sorted = expansion.instances
      .map { (start: $0.startSeconds(clock), instance: $0) }
      .sorted { a, b in
        (a.start, a.instance.isAllDay ? 0 : 1, a.instance.uid, a.instance.title)
          < (b.start, b.instance.isAllDay ? 0 : 1, b.instance.uid, b.instance.title)
      }
    return AgendaExpansion(instances: sorted.map(\.instance), problems: expansion.problems)
  }
}

extension AgendaInstance {
  fileprivate func startSeconds(_ clock: ZoneClock) -> Int {
    switch span {
    case .days(let first, _): clock.instant(of: LocalMoment(first))
    case .times(let start, _): start.wholeSeconds
    }
  }
}

/// The work of one expansion: its window, its clocks, and what it may still cost.
struct Expansion {
  private(set) var instances: [AgendaInstance] = []
  private(set) var problems: [EventProblem] = []

  /// Seconds since 1970, half-open.
  let from: Int
  let to: Int
  /// By the wall's clock, both included.
  private let firstDay: CalendarDay
  private let lastDay: CalendarDay
  private let wall: TimeZone
  private let calendar: EventZone
  private var clocks: [EventZone: ZoneClock] = [:]
  private var steps = 1_000_000
  /// Steps for the rules that come when those are used up: some for each of the most events.
  private var spareSteps = CalendarFeed.mostEvents * fewestSteps

  private static let mostInstances = 20_000
  static let mostOfSeries = 2000
  /// Instances that every series may have: those of a daily event in three days and the night before.
  static let fewestOfSeries = 4
  private static let mostSteps = 50_000
  /// Steps that every series may take: a rule of every weekday, counted from its beginning, takes them in most of a year.
  private static let fewestSteps = 500

  init(from: Date, to: Date, wall: TimeZone, calendar: EventZone) {
    self.from = from.wholeSeconds
    self.to = to.wholeSeconds
    self.wall = wall
    self.calendar = calendar
    firstDay = CalendarDay(of: from, in: wall)
    lastDay = ZoneClock(wall).moment(at: self.to - 1).day
  }

  mutating func clock(_ zone: EventZone) -> ZoneClock {
    if let clock = clocks[zone] { return clock }
    let clock = ZoneClock(zone, wall: wall)
    clocks[zone] = clock
    return clock
  }

  mutating func instant(_ time: EventTime) -> Int {
    switch time {
    case .day(let day): clock(calendar).instant(of: LocalMoment(day))
    case .moment(let local, let zone): clock(zone).instant(of: local)
    }
  }

  /// The day that a time means in a series of days. A client that writes such a day in UTC means midnight, or the last
  /// second, either of UTC or of the calendar.
  mutating func day(_ time: EventTime) -> CalendarDay {
    switch time {
    case .day(let day): day
    case .moment(let local, .utc) where ![0, 86_399].contains(local.secondOfDay):
      clock(calendar).moment(at: local.seconds).day
    case .moment(let local, _): local.day
    }
  }

  /// Runs the walks of one series with the steps that it may take; when none are left, not at all.
  mutating func withSteps(_ walk: (inout Int) -> Bool) -> Bool {
    let common = min(max(steps, 0), Self.mostSteps)
    let allowed = max(common, min(max(spareSteps, 0), Self.fewestSteps))
    guard allowed > 0 else { return false }
    var left = allowed
    let isWhole = walk(&left)
    let used = allowed - left
    steps -= min(used, common)
    spareSteps -= max(used - common, 0)
    return isWhole
  }

  mutating func report(_ version: EventVersion) {
    problems.append(EventProblem(kind: .tooManyRepetitions, line: version.line, uid: version.uid))
  }

  /// Whether a local time can be in the window, by a margin that covers all zones.
  func isNear(_ local: LocalMoment, length: EventLength) -> Bool {
    local.seconds - 172_800 < to && local.seconds + length.seconds + 172_800 > from
  }

  mutating func length(of version: EventVersion) -> EventLength {
    EventLength(version.length, of: version.start) { instant($0) }
  }

  /// Adds an instance if it overlaps the window.
  ///
  /// - Parameter isOfFirst: whether it is one of the first of its series, for which there is always room.
  /// - Returns: false when there is no room for it.
  mutating func place(_ version: EventVersion, at start: EventTime, _ length: EventLength, isOfFirst: Bool) -> Bool {
    guard isNear(start.local, length: length), let span = span(start, length) else { return true }
    guard isOfFirst || instances.count < Self.mostInstances else { return false }
    instances.append(
      AgendaInstance(
        uid: version.uid, span: span, title: version.title, location: version.location,
        isTentative: version.isTentative, isFree: version.isFree, isPrivate: version.isPrivate,
        repeatsUnknown: version.hasUnknownRule))
    return true
  }

  private mutating func span(_ start: EventTime, _ length: EventLength) -> AgendaInstance.Span? {
    switch start {
    case .day(let first):
      let end = first.advanced(by: max(length.seconds / 86_400, 1))
      return first <= lastDay && end > firstDay ? .days(first, until: end) : nil
    case .moment(let local, let zone):
      let clock = clock(zone)
      let begin = clock.instant(of: local)
      let end = length.end(from: local, begin, clock: clock)
      guard begin < to, end > from || begin == end && begin >= from else { return nil }
      return .times(Date(timeIntervalSince1970: Double(begin)), until: Date(timeIntervalSince1970: Double(end)))
    }
  }
}
