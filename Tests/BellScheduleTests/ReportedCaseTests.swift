internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

/// What went wrong in other programs for the same walls: the cases of `schedule.md` 1.8 by their numbers.
@Suite struct ReportedCaseTests {
  @Test(arguments: [
    (-15, "2025-09-02 09:20:44", "inPeriod 1 0:01"), (-15, "2025-09-02 09:20:45", "passing 5:00 -> 2"),
    (15, "2025-09-02 09:21:14", "inPeriod 1 0:01"), (15, "2025-09-02 09:21:15", "passing 5:00 -> 2"),
    (-15, "2025-09-02 08:29:44", "beforeSchool 0:01 -> 1"),
    (-15, "2025-09-02 15:24:45", "afterSchool -> 1 on 2025-09-03"),
  ])
  func `1 bells that are seconds off ring when they ring, and texts keep the table's times`(
    offset: Int, instant: String, line: String
  ) throws {
    var calendar = try calendar()
    calendar.school.bellOffset = offset
    let facts = calendar.facts(at: at(instant))
    #expect(facts.line == line)
    if let block = facts.block, block.id == .numbered("1") {
      #expect(block.tableEnd == at("2025-09-02 09:21"))
      #expect(block.endsAt == at("2025-09-02 09:21").addingTimeInterval(Double(offset)))
    }
  }

  @Test func `2 Monday is 63 and a half hours after a Friday on which the clock goes forward`() throws {
    let now = at("2026-03-06 16:00")
    let next = try #require(try calendar().facts(at: now).next)
    #expect(next.day == day("2026-03-09"))
    #expect(next.daysAhead == 3)
    #expect(next.block?.startsAt.timeIntervalSince(now) == 63.5 * 3600)
  }

  @Test(arguments: [("2025-12-19 08:45", "inPeriod 5 25:00"), ("2026-03-27 10:00", "noSchool -> 1 on 2026-03-30")])
  func `3 the last day of a range belongs to it`(instant: String, line: String) throws {
    #expect(try calendar().facts(at: at(instant)).line == line)
  }

  @Test func `4 each day of a range has its own periods`() throws {
    let periods = try calendar().resolveDay(day("2025-12-18"), at: .distantPast).blocks.map(\.id.text)
    #expect(periods == ["6", "2", "3", "4", "Makeup"])
  }

  @Test(arguments: ["2026-07-15 12:10", "2025-08-11 12:10", "2026-05-25 12:10"])
  func `5 outside the school year it is never Standard`(instant: String) throws {
    let facts = try calendar().facts(at: at(instant))
    #expect(facts.kind == .outsideYear(name: "Summer Break"))
    #expect(facts.state == .noSchool)
    #expect(facts.next?.day != day("2026-05-25"))
  }

  @Test func `6 a range over a weekend counts school days`() throws {
    var calendar = try calendarOf2027()
    calendar.remote?.map = ExceptionMap([
      .init(type: "Early Dismissal", first: day("2026-12-17"), last: day("2026-12-21"))
    ])
    let first = ["2026-12-17", "2026-12-18"].map {
      calendar.resolveDay(day($0), at: .distantPast).blocks.first?.id.text
    }
    #expect(first == ["6", "5"])
    let saturday = calendar.resolveDay(day("2026-12-19"), at: .distantPast)
    #expect(saturday.kind == .weekend(name: "Weekend") && saturday.notes == [])
    // The third day: the school has no periods for it.
    let third = calendar.resolveDay(day("2026-12-21"), at: .distantPast)
    #expect(third.table().first == "? 8:30-9:10")
    #expect(third.notes == [.noOrder(type: "Early Dismissal", place: 3)])
  }

  @Test func `7 and 8 after the last period it is after school, with the first period of the next day's own table`()
    throws
  {
    let evening = try calendar().facts(at: at("2025-12-17 15:35"))
    #expect(evening.line == "afterSchool -> 6 on 2025-12-18")
    let late = try calendar().facts(at: at("2025-08-20 15:35"))
    #expect(late.next?.kind == .school(type: "Late Arrival"))
    #expect(late.next?.block?.startsAt == at("2025-08-21 10:30"))
  }

  @Test func `9 an override ends with its day`() throws {
    var calendar = try calendar()
    calendar.overrides = [
      BellOverride(day: day("2025-09-02"), type: "Late Arrival", until: calendar.endOfDay(day("2025-09-02")))
    ]
    #expect(calendar.facts(at: at("2025-09-02 23:59:59")).kind == .school(type: "Late Arrival"))
    let after = calendar.facts(at: at("2025-09-03 00:00:01"))
    #expect(after.kind == .school(type: "Standard"))
    #expect(after.source == .default)
    #expect(calendar.resolveDay(day("2025-09-02"), at: at("2025-09-03 00:00:00")).kind == .school(type: "Standard"))
  }

  @Test func `10 a year whose exceptions nobody has published is not Standard`() throws {
    let facts = try calendar().facts(at: at("2026-09-01 09:00"))
    #expect(facts.kind == .unpublished(year: "2026-27"))
    #expect(facts.line == "unpublished")
    #expect(facts.next == nil)
    #expect(try calendarOf2027().facts(at: at("2026-09-01 09:00")).line == "inPeriod 1 21:00")
  }

  @Test func `11 two pupils have their lunch in the two halves of one period`() throws {
    let pupils = [Pupil(id: "ann", lunch: "5A"), Pupil(id: "bob", lunch: "5B")]
    let board = try calendar().board(at: at("2025-09-02 12:25"), pupils: pupils)
    #expect(board.school.line == "inPeriod 5 24:00")
    #expect(board.people.map(\.facts.line) == ["passing 4:00 -> 5B", "passing 4:00 -> 5B"])
    #expect(board.people.map(\.differs) == [true, true])
    #expect(board.people[0].facts.lunch == nil)
    let lunch = try #require(board.people[1].facts.lunch)
    #expect(!lunch.isNow && lunch.secondsLeft == 240)
    #expect(lunch.block.tableStart == at("2025-09-02 12:29"))
  }

  @Test func `12 days that take turns do so by school days`() throws {
    var calendar = SchoolCalendar(school: try smallSchool("cycle: ['A', 'B']"), zone: chicago)
    calendar.school.years = [SchoolYear(first: day("2025-09-08"), last: day("2026-06-30"))]
    calendar.school.exceptions = ExceptionMap([
      .init(type: "No School", first: day("2025-09-09"), last: day("2025-09-09"))
    ])
    let week = (8...15).map { calendar.resolveDay(day("2025-09-\($0)"), at: .distantPast).cycle }
    #expect(week == ["A", nil, "B", "A", "B", nil, nil, "A"])
  }

  @Test func `13 and 14 and 21 whatever the clock steps to, what is left is told from that instant and is never 0`()
    throws
  {
    let calendar = try calendar()
    for second in stride(from: 0, to: 86_400, by: 61) {
      let facts = calendar.facts(at: at("2025-09-02 00:00").addingTimeInterval(Double(second) + 0.5))
      guard let left = facts.secondsLeft, let end = facts.endsAt else { continue }
      #expect((1...30_600).contains(left), "\(facts.line)")
      #expect(Double(left) == end.timeIntervalSince(at("2025-09-02 00:00")) - Double(second))
    }
  }

  @Test func `18 tomorrow is as its override says`() throws {
    let thursday = day("2025-09-04")
    let calendar = try calendar(
      BellOverride(day: thursday, type: "late arrival", until: at("2025-09-05 00:00")))
    let next = try #require(calendar.facts(at: at("2025-09-03 20:00")).next)
    #expect(next.kind == .school(type: "Late Arrival"))
    #expect(next.block?.startsAt == at("2025-09-04 10:30"))
  }

  @Test(arguments: [("2026-09-01 09:00", false), ("2026-09-02 09:00", true), ("2026-09-05 09:00", false)])
  func `19 a map that was not confirmed for a day is old on a school day`(now: String, isStale: Bool) throws {
    var calendar = try calendarOf2027()
    calendar.remote?.checkedAt = at("2026-09-01 08:59")
    let board = calendar.board(at: at(now), pupils: [])
    #expect(board.isStale == isStale)
    #expect(board.checkedAt == at("2026-09-01 08:59"))
  }

  @Test func `22 the names are the file's`() throws {
    let school = try smallSchool("exceptions: { Finals: ['9/3/2025'] }, weekend: 'Wochenende'")
    let calendar = SchoolCalendar(school: school, zone: chicago)
    #expect(calendar.facts(at: at("2025-09-03 10:30")).kind.name == "Finals")
    #expect(calendar.facts(at: at("2025-09-06 10:30")).kind.name == "Wochenende")
  }

  @Test func `23 a day of the week can have a table of its own`() throws {
    let calendar = SchoolCalendar(school: try smallSchool("weekdays: { wed: 'Finals' }"), zone: chicago)
    let week = (1...5).map { calendar.resolveDay(day("2025-09-0\($0)"), at: .distantPast).kind.name }
    #expect(week == ["Standard", "Standard", "Finals", "Standard", "Standard"])
  }
}
