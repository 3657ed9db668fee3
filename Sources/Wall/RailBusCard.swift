internal import Foundation

/// A bus in words: what is known of it first, then what to do about it, then what comes after.
struct BusCardWriter {
  /// More do not fit beside the time.
  private static let mostFacts = 3
  /// From so many minutes on the time of day says more than a number.
  private static let longWait = 100

  let bus: BusFacts
  let now: Date
  let zone: TimeZone
  let words: Words

  var card: RailCard {
    let (first, second, style) = known
    return RailCard(
      kind, "bus", id: bus.id, badge: bus.route, title: bus.name, facts: facts(first, second), value: value, at: bus.at,
      style: style, in: zone)
  }

  /// What fits. That it is old is known before what it says is acted on; what is not known any more is no ground for
  /// advice. That it is the last one, is late or is old is never what gives way.
  private func facts(_ first: String?, _ second: String?) -> [String] {
    if isStale { return [first, second, after].compactMap { $0 } }
    if bus.last != nil, let first, let heard, advice != nil, let after {
      // Of an old prediction that it was on time is the least.
      return isOnTime ? [heard, advice, after].compactMap { $0 } : [first, heard, after]
    }
    return Array([first, heard, advice, after, second].compactMap { $0 }.prefix(Self.mostFacts))
  }

  private var isOnTime: Bool {
    guard case .predicted(let lateSeconds?, _, _) = bus.state else { return false }
    return !bus.isLate && !isEarly(lateSeconds)
  }

  private func isEarly(_ lateSeconds: Double) -> Bool { lateSeconds <= -60 }

  private var rail: RailWords { words.rail }
  private var times: LocalTimes { LocalTimes(zone: zone, words: words) }

  private var isStale: Bool {
    if case .stale = bus.state { true } else { false }
  }

  private var kind: RailClass {
    switch bus.state {
    case .predicted, .frequency(_, nil): bus.isLate ? .lateBus : .bus
    case .canceled: .lateBus
    case .scheduled, .unconfirmed, .frequency, .stale, .silent: .scheduledBus
    }
  }

  /// What is most to be known, what is good to know when there is room, and the card's style.
  private var known: (first: String?, second: String?, style: String) {
    switch bus.state {
    case .predicted(let lateSeconds, let scheduledAt, let age):
      let style = bus.isLate ? "late" : "normal"
      guard let lateSeconds else { return (age == nil ? rail.live : nil, nil, style) }
      let aside = rail.scheduledAt(times.time(scheduledAt))
      let minutes = Int((min(abs(lateSeconds), 1e6) / 60).rounded())
      if bus.isLate { return (rail.late(minutes), aside, style) }
      if isEarly(lateSeconds) { return (rail.early(minutes), aside, style) }
      return (rail.onTime, nil, style)
    case .scheduled: return (rail.byTimetable, nil, "scheduled")
    case .unconfirmed: return (rail.unconfirmed, nil, "scheduled")
    case .canceled: return (rail.doesNotRun, nil, "canceled")
    case .frequency(let every, let heard): return (rail.every(every), nil, heard == nil ? "normal" : "scheduled")
    case .stale(let minutes, let was): return (rail.noData(minutes), rail.was(times.time(was)), "stale")
    case .silent(let silence): return silenced(silence)
    }
  }

  private func silenced(_ silence: BusFacts.Silence) -> (first: String?, second: String?, style: String) {
    switch silence {
    case .later(let at): (rail.nextAt(times.time(at, from: now)), nil, "scheduled")
    case .noServiceToday: (rail.noServiceToday, nil, "scheduled")
    case .noMoreToday(let next): (rail.noMoreToday, next.map { rail.nextAt(times.time($0, from: now)) }, "scheduled")
    case .timetableExpired: (rail.timetableExpired, nil, "stale")
    case .providerDown(let since): (rail.noAnswerSince(times.time(since, from: now)), nil, "stale")
    case .notAvailable(let problem, _): (words.source.problems[problem], nil, "stale")
    case .noneUntil(let at): (rail.noneUntil(times.time(at, from: now)), nil, "scheduled")
    }
  }

  /// How old it is, when it is not fresh.
  private var heard: String? {
    switch bus.state {
    case .predicted(_, _, let age): age.map(rail.heard)
    case .scheduled(let age), .frequency(_, let age): age.map(rail.heard)
    default: nil
    }
  }

  private var advice: String? {
    switch bus.advice {
    case .leave(let minutes): rail.leave(minutes)
    case .leaveNow: rail.leaveNow
    case .run: rail.run
    case .missed: rail.notToBeCaught
    case nil: nil
    }
  }

  private var after: String? {
    switch bus.last {
    case .ofDay: rail.lastOfDay
    case .ofWindow: rail.lastOfWindow
    case nil: bus.then.map { rail.then(times.time($0)) }
    }
  }

  private var value: (text: String, unit: String) {
    switch bus.state {
    case .silent: return ("", "")
    case .stale: return ("–", "")
    case .canceled: return (bus.at.map(times.time) ?? "", "")
    case .predicted, .scheduled, .unconfirmed, .frequency:
      guard let minutes = bus.minutes else { return ("", "") }
      if minutes >= Self.longWait { return (bus.at.map(times.time) ?? "", "") }
      return minutes > 0 ? ("\(minutes)", rail.minutes) : (rail.now, "")
    }
  }
}
