/// How long each instance of an event takes, worked out once for all of them.
enum EventLength {
  case days(Int)
  /// By the clock: an event from 22:00 to 06:00 ends at 06:00 in the nights of a clock change too. (RFC 5545 3.8.5.3 wants
  /// the exact seconds of the first one; people, and the clients they know, go by the clock.)
  case clock(Int)
  /// Elapsed seconds.
  case exact(Int)
  /// Days by the calendar, then elapsed seconds (RFC 5545 3.3.6).
  case nominal(days: Int, seconds: Int)

  /// - Parameter instant: turns a time into seconds since 1970.
  init(_ length: EventVersion.Length, of start: EventTime, instant: (EventTime) -> Int) {
    switch (start, length) {
    case (.day, .unsaid): self = .days(1)
    case (.day(let first), .until(let end)):
      // DTEND is not included, and a day has at least itself.
      let isPastMidnight = end.local.secondOfDay > 0
      self = .days(max(end.local.day.number - first.number + (isPastMidnight ? 1 : 0), 1))
    case (.day, .duration(let duration)):
      self = .days(max(duration.days + (duration.seconds + 86_399) / 86_400, 1))
    case (.moment, .unsaid): self = .exact(0)
    case (.moment(let start, _), .until(.day(let end))):
      self = .clock(max(LocalMoment(end).seconds - start.seconds, 0))
    case (.moment(let local, let zone), .until(.moment(let end, let endZone))):
      // An end before the start is a mistake that leaves the start as it is.
      self =
        zone == endZone
        ? .clock(max(end.seconds - local.seconds, 0))
        : .exact(max(instant(.moment(end, endZone)) - instant(start), 0))
    case (.moment, .duration(let duration)): self = .nominal(days: duration.days, seconds: duration.seconds)
    }
  }

  /// About how many seconds it takes, at least.
  var seconds: Int {
    switch self {
    case .days(let days): days * 86_400
    case .clock(let seconds), .exact(let seconds): seconds
    case .nominal(let days, let seconds): days * 86_400 + seconds
    }
  }

  /// The end of an instance that starts at a local time, in seconds since 1970.
  func end(from local: LocalMoment, _ start: Int, clock: ZoneClock) -> Int {
    switch self {
    case .days(let days): return clock.instant(of: local + days * 86_400)
    case .exact(let seconds): return start + seconds
    case .nominal(let days, let seconds):
      return (days == 0 ? start : clock.instant(of: local + days * 86_400)) + seconds
    case .clock(let seconds):
      // From 02:30 to 02:45 in the hour that does not come is from 03:30 to 03:45.
      let end = clock.instant(of: local + seconds)
      return end > start ? end : start + seconds
    }
  }
}
