internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

/// An override that ends within its day: what the day is without it comes back by itself, and is told before it does.
@Suite struct EndingOverrideTests {
  private static func said(_ type: String, until: String, on date: String = "2025-09-02") -> BellOverride {
    BellOverride(day: day(date), type: type, until: at("\(date) \(until)"))
  }

  @Test(arguments: [
    // School closed until the afternoon: the lesson that then runs is the next one, today.
    ("No School", "13:00", "00:00", "noSchool -> 6"), ("No School", "13:00", "12:59:59", "noSchool -> 6"),
    ("No School", "13:00", "13:00", "inPeriod 6 41:00"),
    // It ends between two lessons.
    ("No School", "10:15", "10:14:59", "noSchool -> 3"), ("No School", "10:15", "10:15", "passing 3:00 -> 3"),
    // It ends when school is over: there is nothing more today.
    ("No School", "15:30", "15:00", "noSchool -> 1 on 2025-09-03"),
    ("No School", "15:30", "15:30", "afterSchool -> 1 on 2025-09-03"),
    // The first bell of what was said and its end are one: what then runs is the regular third period.
    ("Late Arrival", "10:30", "09:00", "beforeSchool 1:30:00 -> 3"),
    ("Late Arrival", "10:30", "10:29:59", "beforeSchool 0:01 -> 3"),
    ("Late Arrival", "10:30", "10:30", "inPeriod 3 35:00"),
    // A lesson of what was said is cut short, and the regular one goes on.
    ("Late Arrival", "11:00", "10:45", "inPeriod 1 15:00"), ("Late Arrival", "11:00", "11:00", "inPeriod 3 5:00"),
    ("Late Arrival", "08:00", "07:00", "beforeSchool 1:30:00 -> 1"),
    ("Early Dismissal", "12:30", "12:29", "inPeriod Makeup 1:00"),
    ("Early Dismissal", "12:30", "12:30", "inPeriod 5 19:00"),
    ("Early Dismissal", "12:00", "11:50", "inPeriod Makeup 10:00"),
    ("Early Dismissal", "12:00", "12:00", "passing 2:00 -> 5"),
    // The lesson is the same on both sides of the seam, so that no bell rings there; nor where it ends between two.
    ("Standard", "12:30", "12:10", "inPeriod 5 39:00"), ("Standard", "12:30", "12:30", "inPeriod 5 19:00"),
    ("Standard", "10:15", "10:14", "passing 4:00 -> 3"), ("Standard", "10:13", "10:12", "inPeriod 2 1:00"),
    // To the end of the day: nothing comes back.
    ("No School", "23:59:59", "09:00", "noSchool -> 1 on 2025-09-03"),
    ("Early Dismissal", "23:59:59", "13:00", "afterSchool -> 1 on 2025-09-03"),
  ])
  func `the day without it is back at its end, and is told before`(
    type: String, until: String, now: String, line: String
  ) throws {
    #expect(try calendar(Self.said(type, until: until)).facts(at: at("2025-09-02 \(now)")).line == line)
  }

  @Test func `a closed morning says when it ends, and counts nothing down`() throws {
    let facts = try calendar(Self.said("No School", until: "13:00")).facts(at: at("2025-09-02 09:00"))
    #expect(facts.kind == .free(type: "No School") && facts.source == .override)
    #expect(facts.endsAt == at("2025-09-02 13:00"))
    #expect(facts.secondsLeft == nil, "it is counted to bells (DESIGN 4.4)")
    let next = try #require(facts.next)
    #expect(next.daysAhead == 0 && next.kind == .school(type: "Standard"))
    #expect(next.block?.startsAt == at("2025-09-02 13:00") && next.block?.endsAt == at("2025-09-02 13:41"))
  }

  @Test func `a lesson that is cut short says where, also where the bells are early`() throws {
    var calendar = try calendar(Self.said("Late Arrival", until: "11:00"))
    calendar.school.bellOffset = -15
    let block = try #require(calendar.facts(at: at("2025-09-02 10:45")).block)
    #expect(block.endsAt == at("2025-09-02 11:00") && block.tableEnd == at("2025-09-02 11:00"))
    #expect(block.startsAt == at("2025-09-02 10:29:45") && block.tableStart == at("2025-09-02 10:30"))
  }

  @Test(arguments: [
    ("No School", "12:30", "2025-09-03", "5", "12:30", "Standard"),
    ("Late Arrival", "10:30", "2025-09-03", "3", "10:30", "Standard"),
    ("Late Arrival", "11:00", "2025-09-03", "1", "10:30", "Late Arrival"),
    ("No School", "16:00", "2025-09-04", "1", "08:30", "Standard"),
    ("Late Arrival", "08:00", "2025-09-03", "1", "08:30", "Standard"),
  ])
  func `the evening before, the next bell is the first that will ring`(
    type: String, until: String, date: String, period: String, time: String, kind: String
  ) throws {
    let calendar = try calendar(Self.said(type, until: until, on: "2025-09-03"))
    let next = try #require(calendar.facts(at: at("2025-09-02 20:00")).next)
    #expect(next.day == day(date))
    #expect(next.block?.id == .numbered(period) && next.block?.startsAt == at("\(date) \(time)"))
    #expect(next.kind == .school(type: kind))
  }

  @Test func `what ends before its day begins never counts`() throws {
    let calendar = try calendar(BellOverride(day: day("2025-09-03"), type: "No School", until: at("2025-09-02 21:00")))
    #expect(calendar.facts(at: at("2025-09-02 20:00")).line == "afterSchool -> 1 on 2025-09-03")
  }

  @Test func `school on a Saturday morning ends with what was said`() throws {
    let saturday = Self.said("Standard", until: "12:30", on: "2025-09-06")
    let calendar = try calendar(saturday)
    #expect(calendar.facts(at: at("2025-09-06 12:20")).line == "inPeriod 5 10:00")
    #expect(calendar.facts(at: at("2025-09-06 12:20")).next == nil)
    #expect(calendar.facts(at: at("2025-09-06 12:30")).line == "noSchool -> 1 on 2025-09-08")
    // It is over before its first bell: the day is what it is without it.
    let early = try self.early(Self.said("Late Arrival", until: "10:30", on: "2025-09-06"))
    #expect(early.line == "noSchool -> 1 on 2025-09-08" && early.kind == .weekend(name: "Weekend"))
  }

  private func early(_ said: BellOverride) throws -> PeriodFacts {
    try calendar(said).facts(at: at("2025-09-06 09:00"))
  }

  @Test func `a lesson that is the same on both sides of the end is one, for a pupil and over several ends too`() throws
  {
    let ann = Pupil(id: "ann", lunch: "5A")
    let twice = try calendar(Self.said("Standard", until: "12:20"), Self.said("Standard", until: "12:10"))
    let facts = twice.facts(at: at("2025-09-02 12:05"))
    #expect(facts.block == (try calendar()).facts(at: at("2025-09-02 12:05")).block)
    #expect(facts.line == "inPeriod 5 44:00")
    let lunch = twice.facts(at: at("2025-09-02 12:05"), for: ann).lunch
    #expect(lunch?.isNow == true && lunch?.block.endsAt == at("2025-09-02 12:22"))
    // The evening before, its end is told whole.
    let tomorrow = try calendar(Self.said("Standard", until: "09:00", on: "2025-09-03"))
    #expect(tomorrow.facts(at: at("2025-09-02 20:00")).next?.block?.endsAt == at("2025-09-03 09:21"))
    // The same period at other times is another lesson.
    let other = try calendar(Self.said("Late Arrival", until: "12:30")).resolveDay(day("2025-09-02"), at: .distantPast)
    #expect(other.blocks.contains { $0.endsAt == at("2025-09-02 12:30") })
    #expect(zip(other.blocks, other.blocks.dropFirst()).allSatisfy { $0.endsAt <= $1.startsAt })
  }

  @Test(arguments: [
    // It ends before the first bell of either: the day is what it is.
    ("08:00", "07:00", "beforeSchool 1:30:00 -> 1", "Standard"),
    ("08:30", "08:29", "beforeSchool 1:00 -> 1", "Standard"),
    // It takes lessons away, though it has none of its own.
    ("08:31", "08:00", "beforeSchool 31:00 -> 1", "Late Arrival"),
    ("10:14", "09:00", "beforeSchool 1:18:00 -> 3", "Late Arrival"),
  ])
  func `what changes nothing does not name the day`(until: String, now: String, line: String, kind: String) throws {
    let facts = try calendar(Self.said("Late Arrival", until: until)).facts(at: at("2025-09-02 \(now)"))
    #expect(facts.line == line && facts.kind == .school(type: kind))
    #expect((facts.source == .override) == (kind != "Standard"))
    #expect(facts.next?.kind == .school(type: "Standard"))
  }

  @Test func `of several that were said the first that changes something names the day`() throws {
    let second = try calendar(Self.said("No School", until: "11:00"), Self.said("Late Arrival", until: "08:00"))
    #expect(second.facts(at: at("2025-09-02 07:00")).kind == .free(type: "No School"))
    let none = try calendar(Self.said("Late Arrival", until: "08:15"), Self.said("Late Arrival", until: "08:00"))
    #expect(none.facts(at: at("2025-09-02 07:00")).source == .default)
    let both = try calendar(Self.said("Late Arrival", until: "09:00"), Self.said("Late Arrival", until: "08:00"))
    #expect(both.facts(at: at("2025-09-02 07:00")).source == .override)
  }

  @Test func `where what was said leaves no bell of a day, school is over`() throws {
    let school = try smallSchool(periods: "'1': '8:00-9:00', '2': '9:05-10:00'")
    let calendar = SchoolCalendar(
      school: school, overrides: [Self.said("Finals", until: "10:00")], zone: chicago)
    let facts = calendar.facts(at: at("2025-09-02 09:30"))
    #expect(facts.line == "afterSchool -> 1 on 2025-09-03" && facts.source == .override)
    #expect(facts.block == nil && facts.startsAt == nil && facts.secondsLeft == nil)
    #expect(calendar.facts(at: at("2025-09-02 10:00")).line == "afterSchool -> 1 on 2025-09-03")
  }

  @Test func `where nobody knows what comes after, no lesson is cut short and no next day is named`() throws {
    let calendar = try calendar(Self.said("Late Arrival", until: "11:00", on: "2026-09-01"))
    #expect(calendar.facts(at: at("2026-09-01 10:45")).line == "inPeriod 1 20:00")
    #expect(calendar.facts(at: at("2026-09-01 11:00")).line == "unpublished")
    // Nor is a lesson announced that begins after it.
    let morning = try self.calendarOf(Self.said("Late Arrival", until: "09:00", on: "2026-09-01"))
    #expect(morning.facts(at: at("2026-09-01 08:00")).line == "unpublished")
    #expect(morning.facts(at: at("2026-08-31 20:00")).next?.day != day("2026-09-01"))
    #expect(morning.nextSchoolDay(after: day("2026-08-31"), at: at("2026-08-31 20:00")) == nil)
    #expect(calendar.resolveDay(day("2026-09-01"), at: .distantPast).blocks.count == 1)
    // Until somebody's next word, if that is known: no two lessons at once.
    let gap = try self.calendarOf(
      Self.said("Standard", until: "15:00", on: "2026-09-01"),
      Self.said("Asynchronous", until: "11:02", on: "2026-09-01"),
      Self.said("Late Arrival", until: "11:00", on: "2026-09-01"))
    let blocks = gap.resolveDay(day("2026-09-01"), at: .distantPast).blocks
    #expect(
      blocks.first?.endsAt == at("2026-09-01 11:02") && blocks.dropFirst().first?.startsAt == at("2026-09-01 11:02"))
    let closed = try self.calendarOf(Self.said("No School", until: "10:00", on: "2026-09-01"))
    #expect(closed.facts(at: at("2026-09-01 09:00")).line == "noSchool")
  }

  private func calendarOf(_ said: BellOverride...) throws -> SchoolCalendar {
    var calendar = try calendar()
    calendar.overrides = said
    return calendar
  }

  @Test func `the menu of a day is there when any of it is school`() throws {
    let menu = try LunchTests.menu()
    let closed = try calendar(Self.said("No School", until: "11:00"))
    #expect(closed.menuOnWall(menu, at: at("2025-09-02 10:30"))?.day == day("2025-09-02"))
    let all = try calendar(Self.said("No School", until: "16:00"))
    #expect(all.menuOnWall(menu, at: at("2025-09-02 10:30"))?.day == day("2025-09-03"))
    // A holiday on which what was said is over before its first bell.
    let holiday = try calendar(Self.said("Late Arrival", until: "10:30", on: "2025-09-01"))
    #expect(holiday.menu(menu, of: day("2025-09-01"), at: at("2025-09-01 08:00")) == nil)
    let lesson = try calendar(Self.said("Late Arrival", until: "10:31", on: "2025-09-01"))
    #expect(lesson.menu(menu, of: day("2025-09-01"), at: at("2025-09-01 08:00")) != nil)
  }

  /// Whatever was said, and until when: the end that is told stays the end until it comes, and something changes then.
  @Test(arguments: ["Standard", "No School", "Late Arrival", "Early Dismissal", "Activity Period", "Odyssey"])
  func `no end that was told moves, and the wall is told of every change`(type: String) throws {
    let pupils = [Pupil(id: "ann", lunch: "5A"), Pupil(id: "bob", halfPeriods: true)]
    for minute in stride(from: 8 * 60 + 3, through: 16 * 60, by: 13) {
      let until = String(format: "%02d:%02d", minute / 60, minute % 60)
      let calendar = try calendar(Self.said(type, until: until))
      var now = at("2025-09-02 00:00")
      let midnight = calendar.endOfDay(day("2025-09-02"))
      while now < midnight {
        let change = calendar.nextChange(after: now, pupils: pupils)
        for pupil in [nil] + pupils.map(Optional.some) {
          let facts = calendar.facts(at: now, for: pupil)
          let last = calendar.facts(at: change.addingTimeInterval(-1), for: pupil)
          let same =
            (last.state, last.block, last.endsAt, last.next) == (facts.state, facts.block, facts.endsAt, facts.next)
          if !same { Issue.record("\(type) until \(until) at \(now): \(facts.line) became \(last.line) untold") }
          guard let end = facts.endsAt else { continue }
          if end <= now { Issue.record("\(type) until \(until) at \(now): ended at \(end)") }
          if change < end, calendar.facts(at: change, for: pupil).endsAt != end {
            Issue.record("\(type) until \(until) at \(change): the end was \(end)")
          }
          if change == end, calendar.facts(at: change, for: pupil).endsAt == end {
            Issue.record("\(type) until \(until) at \(change): it has not ended")
          }
        }
        now = change
      }
    }
  }
}
