internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct LocalTimesTests {
  @Test(arguments: [
    (at(7, "0:05"), "0:05", "0:05"), (at(7, "23:59"), "23:59", "23:59"),
    (at(6, "22:00"), "yesterday 22:00", "Fri 22:00"),
    (at(8, "0:00"), "tomorrow 0:00", "Sun 0:00"), (at(1, "9:30"), "Sun 9:30", "Sun 9:30"),
    (at(13, "9:30"), "Fri 9:30", "Fri 9:30"),
    (at(14, "9:30"), "14 Nov 9:30", "14 Nov 9:30"), (at(0, "9:30"), "31 Oct 10:30", "31 Oct 10:30"),
  ])
  func `a time of another day says which, and a dose keeps its weekday`(instant: Date, told: String, named: String) {
    let times = LocalTimes(zone: losAngeles, words: .english)
    #expect(times.time(instant, from: at(7, "8:00")) == told)
    #expect(times.named(instant, from: at(7, "8:00")) == named)
  }

  @Test func `the days of a clock change are days`() {
    let times = LocalTimes(zone: losAngeles, words: .english)
    // Sunday 1 November 2026 has 25 hours, Sunday 8 March has 23.
    let autumn = Date(timeIntervalSince1970: 1_793_516_400)  // 1 November, 0:00
    #expect(times.time(autumn - 60, from: autumn + 24.5 * 3600) == "yesterday 23:59")
    #expect(times.time(autumn + 24.9 * 3600, from: autumn) == "23:54")
    #expect(times.time(autumn + 1.5 * 3600, from: autumn) == "1:30")
    #expect(times.time(autumn + 2.5 * 3600, from: autumn) == "1:30")
    let spring = Date(timeIntervalSince1970: 1_772_956_800)  // 8 March, 0:00
    #expect(times.time(spring + 2 * 3600, from: spring) == "3:00")
    #expect(times.time(spring + 23 * 3600, from: spring) == "tomorrow 0:00")
    #expect(times.time(spring - 1800, from: spring + 22.9 * 3600) == "yesterday 23:30")
  }

  @Test func `the day is written as the language has it`() {
    #expect(LocalTimes(zone: losAngeles, words: .english).date(at(30, "8:00")) == "Monday, 30 November")
    #expect(LocalTimes(zone: losAngeles, words: .german).date(at(30, "8:00")) == "Montag, 30. November")
    #expect(LocalTimes(zone: losAngeles, words: .german).time(at(20, "8:00"), from: at(1, "8:00")) == "20. Nov 8:00")
  }

  @Test func `a day and its number are each other's inverse`() {
    var expected = CivilDay(number: -719_162)
    #expect(expected == CivilDay(number: CivilDay.number(year: 1, month: 1, day: 1)))
    for number in -719_162...2_932_896 {
      let day = CivilDay(number: number)
      guard day == expected, CivilDay.number(year: day.year, month: day.month, day: day.day) == number else {
        #expect(day == expected, "\(number)")
        return
      }
      expected = day.next
    }
    #expect(expected.year == 10_000)
  }
}

extension CivilDay {
  /// The day after, by the rules of the calendar as people count.
  fileprivate var next: CivilDay {
    let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if day < days[month - 1] { return CivilDay(year: year, month: month, day: day + 1) }
    return month < 12 ? CivilDay(year: year, month: month + 1, day: 1) : CivilDay(year: year + 1, month: 1, day: 1)
  }
}
