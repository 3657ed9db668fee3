package import Foundation

extension SchoolCalendar {
  /// From this local time on the menu stands on the wall: minutes since midnight.
  static let menuFrom = 600
  /// The local times between which news of the day come: of the exceptions, 17 of 405 were published in the night before the
  /// day and 4 after its first bell (`schedule.md` 1.6). Minutes since midnight.
  static let news = 300..<600

  /// When anything of this changes next by the passing of time alone, the seconds that are counted down aside: a bell of the
  /// school or of a pupil, the end of an override, the menu, midnight, a map that grows old. Always after `now`.
  package func nextChange(after now: Date, pupils: [Pupil]) -> Date {
    let today = clock.day(of: now)
    let midnight = endOfDay(today)
    var changes = [midnight, clock.instant(on: today, minutes: Self.menuFrom)] + overrides.map(\.until)
    for pupil in [nil] + pupils.map(Optional.some) {
      changes += resolveDay(today, for: pupil, at: now).blocks.flatMap { [$0.startsAt, $0.endsAt] }
    }
    // Old is what is older than a day, so that it becomes so just after it.
    if let remote { changes.append(remote.checkedAt.addingTimeInterval(Self.stale + 0.001)) }
    return changes.filter { $0 > now }.min() ?? midnight
  }

  /// When the exceptions are to be asked for again: every 10 min from 05:00 to 10:00 on school days, hourly otherwise.
  ///
  /// - Parameter asked: when they last were.
  package func nextPoll(after asked: Date) -> Date {
    let today = clock.day(of: asked)
    let dense = [today, today.advanced(by: 1)].compactMap { day -> Date? in
      guard !usual(day).kind.isFree else { return nil }
      let next = max(asked.addingTimeInterval(600), clock.instant(on: day, minutes: Self.news.lowerBound))
      return next < clock.instant(on: day, minutes: Self.news.upperBound) ? next : nil
    }
    return min(asked.addingTimeInterval(3600), dense.min() ?? .distantFuture)
  }
}
