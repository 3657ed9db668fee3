internal import BellSchedule
internal import Foundation
internal import Testing

/// The vectors of `schedule.md` 1.9, in Chicago.
@Suite struct VectorTests {
  @Test(arguments: [
    ("2025-12-18 08:45", "Early Dismissal", "inPeriod 6 25:00"),
    ("2025-12-19 08:45", "Early Dismissal", "inPeriod 5 25:00"),
    ("2025-12-19 12:30", "Early Dismissal", "afterSchool -> 1 on 2026-01-06"),
    ("2026-05-22 10:55", "Early Dismissal", "passing 5:00 -> 8"),
    ("2025-09-19 14:50", "PM Assembly", "inPeriod Assembly 35:00"),
    ("2025-08-19 10:30", "Activity Period", "inPeriod Activity 19:00"),
    ("2025-08-21 09:26", "Late Arrival", "beforeSchool 1:04:00 -> 1"),
    ("2025-08-21 10:30", "Late Arrival", "inPeriod 1 35:00"),
    ("2025-09-02 09:21", "Standard", "passing 5:00 -> 2"),
    ("2025-09-02 15:25", "Standard", "afterSchool -> 1 on 2025-09-03"),
    ("2025-10-31 08:21", "Standard", "beforeSchool 9:00 -> 1"),
    ("2026-05-15 10:30", "Activity Period", "inPeriod Activity 19:00"),
    ("2026-05-25 10:30", "Summer Break", "noSchool -> ? on 2026-08-12"),
    ("2026-06-10 12:10", "Summer Break", "noSchool -> ? on 2026-08-12"),
    // The states of 1.4.
    ("2025-09-02 08:29:59", "Standard", "beforeSchool 0:01 -> 1"),
    ("2025-09-02 08:30", "Standard", "inPeriod 1 51:00"), ("2025-09-02 09:20:59", "Standard", "inPeriod 1 0:01"),
    ("2025-09-02 09:25:59", "Standard", "passing 0:01 -> 2"), ("2025-09-02 09:26", "Standard", "inPeriod 2 47:00"),
    ("2025-09-02 15:24:59", "Standard", "inPeriod 8 0:01"),
    ("2025-12-18 11:39:59", "Early Dismissal", "inPeriod 4 0:01"),
    ("2025-12-18 11:40", "Early Dismissal", "inPeriod Makeup 50:00"),
  ])
  func `the wall says what the school does`(instant: String, dayType: String, line: String) throws {
    let facts = try calendar().facts(at: at(instant))
    #expect(facts.kind.name == dayType)
    #expect(facts.line == line)
  }

  @Test func `after school the next bell is 17 hours and 5 minutes away`() throws {
    let now = at("2025-09-02 15:25")
    let next = try #require(try calendar().facts(at: now).next?.block)
    #expect(CountdownText.digits(Int(next.startsAt.timeIntervalSince(now))) == "17:05:00")
  }

  @Test func `a weekend on which the clock goes back is an hour longer`() throws {
    let now = at("2026-11-01 00:00")
    let next = try #require(try calendarOf2027().facts(at: now).next)
    #expect(next.day == day("2026-11-02"))
    #expect(next.daysAhead == 1)
    #expect(next.block?.startsAt.timeIntervalSince(now) == 33.5 * 3600)
  }

  @Test func `the tables are those the school has published`() throws {
    let calendar = try calendar()
    #expect(
      calendar.resolveDay(day("2025-09-02"), at: .distantPast).table() == [
        "1 8:30-9:21", "2 9:26-10:13", "3 10:18-11:05", "4 11:10-11:57", "5 12:02-12:49", "6 12:54-13:41",
        "7 13:46-14:33", "8 14:38-15:25",
      ])
    #expect(
      calendar.resolveDay(day("2025-12-18"), at: .distantPast).table() == [
        "6 8:30-9:10", "2 9:20-10:00", "3 10:10-10:50", "4 11:00-11:40", "Makeup 11:40-12:30",
      ])
    #expect(
      calendar.resolveDay(day("2026-05-22"), at: .distantPast).table() == [
        "5 8:30-9:10", "1 9:20-10:00", "7 10:10-10:50", "8 11:00-11:40", "Makeup 11:40-12:30",
      ])
  }

  @Test func `passing is 5 minutes, 10 on short days, and 7 between halves`() throws {
    for type in try stevenson().dayTypes {
      guard case .table(let rows, let halves) = type.plan else { continue }
      let gaps = zip(rows, rows.dropFirst()).map { $1.start - $0.end }
      #expect(gaps.allSatisfy { $0 == (type.name == "Odyssey" ? 10 : 5) }, "\(type.name)")
      for (a, b) in zip(halves, halves.dropFirst()) {
        #expect(b.start - a.end == (a.id.half?.letter == "A" ? 7 : 5), "\(type.name) \(a.id.text)")
      }
    }
  }

  @Test(arguments: [
    (-1, "0:00"), (0, "0:00"), (1, "0:01"), (59, "0:59"), (61, "1:01"), (1500, "25:00"), (3599, "59:59"),
    (3600, "1:00:00"), (4500, "1:15:00"), (86_399, "23:59:59"), (86_400, nil), (86_401, nil),
  ])
  func `seconds are counted down in digits until a day's name says more`(seconds: Int, text: String?) {
    #expect(CountdownText.digits(seconds) == text)
  }

  @Test(arguments: ["2025-09-02", "2024-02-29", "0001-01-01", "9999-12-31", "1969-12-31", "2026-03-08"])
  func `a day is written as it is read`(text: String) {
    #expect(DayKey(text)?.description == text)
  }

  @Test(arguments: [
    "2025-02-29", "2025-13-01", "2025-9-2", "2025-09-02 ", "+025-09-02", "0000-01-01", "9/2/2025", "", "--",
  ])
  func `what is no day is none`(text: String) {
    #expect(DayKey(text) == nil)
  }

  @Test func `days follow one another, with their weekdays`() {
    var date = day("1999-12-31")
    #expect(date.weekday == 5)
    for _ in 0..<1500 {
      let next = date.advanced(by: 1)
      #expect(next.weekday == date.weekday % 7 + 1)
      #expect(DayKey(next.description) == next && date < next)
      #expect(next.monday.weekday == 1 && next.monday <= next && next.number - next.monday.number < 7)
      date = next
    }
  }
}
