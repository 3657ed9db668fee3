internal import Foundation

/// Times of day and days as the wall writes them: in its zone and language, 24 hours.
struct LocalTimes {
  let zone: TimeZone
  let words: Words
  private let calendar: Calendar

  init(zone: TimeZone, words: Words) {
    self.zone = zone
    self.words = words
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  /// `8:05`.
  func time(_ instant: Date) -> String {
    let parts = calendar.dateComponents([.hour, .minute], from: instant)
    return String(format: "%d:%02d", parts.hour ?? 0, parts.minute ?? 0)
  }

  /// `8:05`, with the day in front when it is not `now`'s: `yesterday 22:00`, `tomorrow 6:00`, `Sat 22:00`, `14 Nov 22:00`.
  func time(_ instant: Date, from now: Date) -> String {
    switch dayDifference(from: now, to: instant) {
    case -1: "\(words.yesterday) \(time(instant))"
    case 1: "\(words.tomorrow) \(time(instant))"
    default: named(instant, from: now)
    }
  }

  /// A dose's own name, `8:05` or `Sat 22:00`: after midnight it is still Saturday's, and a stored text must not say
  /// "yesterday" for ever.
  func named(_ instant: Date, from now: Date) -> String {
    switch dayDifference(from: now, to: instant) {
    case 0: time(instant)
    case -6...6: "\(words.weekdays[weekday(instant)].prefix(words.shortDay)) \(time(instant))"
    default: "\(dayAndMonth(instant, letters: 3)) \(time(instant))"
    }
  }

  /// `Monday, 30 November`.
  func date(_ instant: Date) -> String {
    "\(words.weekdays[weekday(instant)]), \(dayAndMonth(instant, letters: 20))"
  }

  /// A day as something that is not now's is called: `tomorrow`, `Mon`, `14 Nov`.
  func day(_ instant: Date, from now: Date) -> String {
    dayDifference(from: now, to: instant) == 1 ? words.tomorrow : shortDay(instant, from: now)
  }

  /// `Mon`, or `14 Nov` when that would not say which.
  func shortDay(_ instant: Date, from now: Date) -> String {
    (-6...6).contains(dayDifference(from: now, to: instant))
      ? String(weekdayName(instant).prefix(words.shortDay)) : dayAndMonth(instant, letters: 3)
  }

  /// `Monday`.
  func weekdayName(_ instant: Date) -> String { words.weekdays[weekday(instant)] }

  func isSameDay(_ one: Date, _ other: Date) -> Bool { dayDifference(from: one, to: other) == 0 }

  /// `2026-11-30`, or so many days later.
  func isoDay(_ instant: Date, plus days: Int = 0) -> String {
    let parts = calendar.dateComponents([.year, .month, .day], from: instant)
    let day = CivilDay(
      number: CivilDay.number(year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1) + days)
    return String(format: "%04d-%02d-%02d", day.year, day.month, day.day)
  }

  /// The next local minute: when a clock without seconds changes.
  func nextMinute(after instant: Date) -> Date {
    Date(timeIntervalSince1970: (instant.timeIntervalSince1970 / 60).rounded(.down) * 60 + 60)
  }

  private func dayAndMonth(_ instant: Date, letters: Int) -> String {
    let parts = calendar.dateComponents([.month, .day], from: instant)
    return words.dayAndMonth(parts.day ?? 1, String(words.months[(parts.month ?? 1) - 1].prefix(letters)))
  }

  private func weekday(_ instant: Date) -> Int { calendar.component(.weekday, from: instant) - 1 }

  private func dayDifference(from: Date, to: Date) -> Int {
    calendar.dateComponents([.day], from: calendar.startOfDay(for: from), to: calendar.startOfDay(for: to)).day ?? 0
  }
}
