package import Foundation

/// Which stop is asked for when: every 30 s while a window of one of its watches is open, once two minutes ahead of a
/// window, never otherwise; one request a stop, however many watches look at it (DESIGN 5.3).
///
/// It says what the watches want. Back-off after failures and the distance between requests come on top.
package struct FetchPlanner: Sendable {
  /// Seconds from one request for a stop to the next.
  package static let tick: TimeInterval = 30
  /// Seconds before a window at which its stop is asked for once.
  package static let ahead: TimeInterval = 120

  package struct Plan: Equatable, Sendable {
    /// The stops to ask for now, in the household's order.
    package var due: [StopKey]
    /// Seconds until another is due, when those of `due` are asked for now; nil: no watch is enabled.
    package var nextIn: TimeInterval?
  }

  private let watches: [Watch]
  private let zone: TimeZone

  /// - Parameter zone: the household's.
  package init(watches: [Watch], zone: TimeZone) {
    self.watches = watches.filter(\.isEnabled)
    self.zone = zone
  }

  /// Every watched stop once, in the household's order, whatever its window.
  package var stops: [StopKey] {
    var seen: Set<StopKey> = []
    return watches.map(\.stopKey).filter { seen.insert($0).inserted }
  }

  /// - Parameters:
  ///   - now: the local clock.
  ///   - sinceAttempt: seconds, by a clock that never steps, since each stop was last asked for, with or without success.
  package func plan(at now: Date, sinceAttempt: [StopKey: TimeInterval]) -> Plan {
    var plan = Plan(due: [], nextIn: nil)
    for stop in stops {
      let wanted = wantedIn(stop, at: now, since: sinceAttempt[stop])
      if wanted == 0 { plan.due.append(stop) }
      let next = wanted == 0 ? wantedIn(stop, at: now, since: 0) : wanted
      plan.nextIn = [plan.nextIn, next].compactMap(\.self).min()
    }
    return plan
  }

  /// Seconds until a stop is to be asked for; 0: now.
  private func wantedIn(_ stop: StopKey, at now: Date, since: TimeInterval?) -> TimeInterval? {
    watches.lazy.filter { $0.stopKey == stop }.compactMap { wantedIn($0.window, at: now, since: since) }.min()
  }

  private func wantedIn(_ window: WatchWindow, at now: Date, since: TimeInterval?) -> TimeInterval? {
    if let opening = window.opening(at: now, in: zone) {
      let wait = max(0, Self.tick - (since ?? Self.tick))
      // Half a millisecond: an age that was added up of fractions must not miss its tick.
      if wait < 0.0005 { return 0 }
      if opening.holds(now.addingTimeInterval(wait)) { return wait }
    }
    guard let next = window.nextOpening(after: now, in: zone) else { return nil }
    let untilAhead = next.start.timeIntervalSince(now) - Self.ahead
    if untilAhead > 0 { return untilAhead }
    let isDone = since.map { $0 <= -untilAhead } ?? false
    return isDone ? next.start.timeIntervalSince(now) : 0
  }

  /// The timetables that the watches need now: of the days that the rest of an open window touches, before six also of
  /// the day before, whose service runs on into the night.
  ///
  /// - Parameter agencyZones: where a stop's timetable has another zone than the household.
  package func timetables(at now: Date, agencyZones: [StopKey: TimeZone] = [:]) -> [TimetableKey] {
    var wanted: [TimetableKey] = []
    for watch in watches {
      guard let opening = openingSoon(watch.window, at: now) else { continue }
      let agencyZone = agencyZones[watch.stopKey] ?? zone
      let today = ServiceDay(of: now, in: agencyZone)
      let last = max(today, ServiceDay(of: opening.end.addingTimeInterval(-1), in: agencyZone))
      let sinceMidnight = now.timeIntervalSince(ZoneClock(agencyZone).startOfDay(today))
      let first = sinceMidnight < 6 * 3600 ? today.advanced(by: -1) : today
      for number in first.number...last.number {
        let key = TimetableKey(stop: watch.stopKey, day: ServiceDay(number: number))
        if !wanted.contains(key) { wanted.append(key) }
      }
    }
    return wanted
  }

  private func openingSoon(_ window: WatchWindow, at now: Date) -> WatchWindow.Opening? {
    if let opening = window.opening(at: now, in: zone) { return opening }
    guard let next = window.nextOpening(after: now, in: zone) else { return nil }
    return next.start.timeIntervalSince(now) <= Self.ahead ? next : nil
  }
}

/// The timetable of one stop on one day.
package struct TimetableKey: Hashable, Sendable {
  package var stop: StopKey
  package var day: ServiceDay

  package init(stop: StopKey, day: ServiceDay) {
    self.stop = stop
    self.day = day
  }
}
