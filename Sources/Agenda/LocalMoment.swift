/// A date and a time of the wall clock, to the second, without zone.
struct LocalMoment: Hashable, Comparable, Sendable {
  /// Seconds from 1970-01-01 00:00 of the same wall clock, counting every day as 86,400.
  var seconds: Int

  init(seconds: Int) { self.seconds = seconds }

  init(_ day: CalendarDay, second: Int = 0) { seconds = day.number * 86_400 + second }

  var day: CalendarDay { CalendarDay(number: floorDiv(seconds, 86_400)) }

  /// Seconds since midnight, 0 to 86,399.
  var secondOfDay: Int { floorMod(seconds, 86_400) }

  static func < (a: LocalMoment, b: LocalMoment) -> Bool { a.seconds < b.seconds }

  static func + (moment: LocalMoment, seconds: Int) -> LocalMoment { LocalMoment(seconds: moment.seconds + seconds) }
}
