internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

/// Who decides what a day is (DESIGN 5.4).
@Suite struct ResolveTests {
  private static func entry(_ type: String, _ first: String, _ last: String? = nil, rotation: Int? = nil)
    -> ExceptionMap.Entry
  {
    ExceptionMap.Entry(type: type, first: day(first), last: day(last ?? first), rotation: rotation)
  }

  private func resolved(_ date: String, _ entries: [ExceptionMap.Entry], overrides: [BellOverride] = []) throws
    -> DayTimeline
  {
    var calendar = try calendar()
    calendar.school.exceptions = ExceptionMap(entries + [Self.entry("No School", "2025-09-01")])
    calendar.overrides = overrides
    return calendar.resolveDay(day(date), at: at("\(date) 12:00"))
  }

  @Test(arguments: [
    ("2025-09-02", DayKind.school(type: "Standard"), DaySource.default),
    ("2025-09-06", .weekend(name: "Weekend"), .default), ("2025-09-07", .weekend(name: "Weekend"), .default),
    ("2025-12-23", .free(type: "No School"), .bundled), ("2025-12-27", .schoolBreak(name: "Winter Break"), .bundled),
    ("2025-08-12", .school(type: "Standard"), .default), ("2026-05-22", .school(type: "Early Dismissal"), .bundled),
    ("2026-05-23", .outsideYear(name: "Summer Break"), .bundled),
    ("2026-08-11", .outsideYear(name: "Summer Break"), .bundled),
    ("2026-08-12", .unpublished(year: "2026-27"), .default),
    ("2026-08-15", .weekend(name: "Weekend"), .default), ("2026-12-22", .schoolBreak(name: "Winter Break"), .bundled),
    ("2027-08-11", .outsideYear(name: "Summer Break"), .bundled),
    // Years that the file does not know are not a summer without end.
    ("2027-08-12", .unknownYear(year: "2027-28"), .default), ("2028-03-01", .unknownYear(year: "2027-28"), .default),
    ("2028-09-01", .unknownYear(year: "2028-29"), .default), ("2025-05-22", .unknownYear(year: "2024-25"), .default),
    ("2025-05-23", .outsideYear(name: "Summer Break"), .bundled), ("2027-10-02", .weekend(name: "Weekend"), .default),
  ])
  func `each day has one kind and somebody who says so`(date: String, kind: DayKind, source: DaySource) throws {
    let timeline = try calendar().resolveDay(day(date), at: at("\(date) 12:00"))
    #expect(timeline.kind == kind)
    #expect(timeline.source == source)
  }

  @Test func `an exception in a break keeps the break's name beside its own`() throws {
    let timeline = try calendar().resolveDay(day("2025-12-23"), at: .distantPast)
    #expect(timeline.kind == .free(type: "No School") && timeline.occasion == "Winter Break")
  }

  @Test func `a fetched map takes the place of the file's`() throws {
    let timeline = try calendarOf2027().resolveDay(day("2026-08-27"), at: .distantPast)
    #expect(timeline.kind == .school(type: "Late Arrival") && timeline.source == .remote)
    // What only the file says counts no more, and a year of which the map says nothing is not published.
    #expect(try calendarOf2027().resolveDay(day("2025-08-21"), at: .distantPast).kind == .unpublished(year: "2025-26"))
  }

  @Test(arguments: [
    ("2026-05-25", "2026-08-12", false), ("2026-05-22", "2026-08-14", false), ("2026-08-12", "2026-08-12", true),
    ("2027-05-27", "2027-08-01", true), ("2027-05-28", "2027-08-01", false),
  ])
  func `a summer that reaches into a year says nothing of the rest of it`(first: String, last: String, isKnown: Bool)
    throws
  {
    var calendar = try calendar()
    calendar.school.exceptions = ExceptionMap([Self.entry("No School", first, last)])
    let kind = calendar.resolveDay(day("2026-09-01"), at: .distantPast).kind
    #expect(kind == (isKnown ? .school(type: "Standard") : .unpublished(year: "2026-27")))
  }

  @Test func `a school that has no exceptions and fetches none has regular days`() throws {
    let calendar = SchoolCalendar(school: try smallSchool(), zone: chicago)
    #expect(calendar.resolveDay(day("2025-09-02"), at: .distantPast).kind == .school(type: "Standard"))
    let waiting = SchoolCalendar(
      school: try smallSchool("exceptionsURL: 'https://school.example/a.json'"), zone: chicago)
    #expect(waiting.resolveDay(day("2025-09-02"), at: .distantPast).kind == .unpublished(year: "2025-26"))
  }

  @Test func `an exception makes a school day in a break, on a weekend without bells only, and in summer`() throws {
    #expect(try resolved("2026-01-02", [Self.entry("Standard", "2026-01-02")]).kind == .school(type: "Standard"))
    #expect(
      try resolved("2026-06-10", [Self.entry("Summer", "2026-06-04", "2026-08-01")]).kind == .school(type: "Summer"))
    #expect(try resolved("2025-09-06", [Self.entry("No School", "2025-09-06")]).kind == .free(type: "No School"))
    let saturday = try resolved("2025-08-30", [Self.entry("Late Arrival", "2025-08-30")])
    #expect(saturday.kind == .weekend(name: "Weekend"))
    #expect(saturday.notes == [.ignoredOnWeekend(type: "Late Arrival")])
  }

  /// Of a range the days on which it begins and ends are those that somebody has named; a weekend within it is only passed
  /// over (`schedule.md` 1.3).
  @Test(arguments: [
    ("Late Arrival", "2025-09-05", "2025-09-06", ["2025-09-06"]),
    ("Late Arrival", "2025-09-05", "2025-09-07", ["2025-09-06", "2025-09-07"]),
    ("Late Arrival", "2025-09-07", "2025-09-09", ["2025-09-07"]),
    ("Late Arrival", "2025-09-06", "2025-09-08", ["2025-09-06", "2025-09-07"]),
    ("Late Arrival", "2025-09-06", "2025-09-07", ["2025-09-06", "2025-09-07"]),
    ("Late Arrival", "2025-09-06", "2025-09-14", ["2025-09-06", "2025-09-07", "2025-09-13", "2025-09-14"]),
    ("Asynchronous", "2025-09-05", "2025-09-06", ["2025-09-06"]),
    ("Late Arrival", "2025-09-05", "2025-09-08", []), ("Early Dismissal", "2025-09-04", "2025-09-16", []),
    ("No School", "2025-09-05", "2025-09-06", []), ("No School", "2025-09-06", "2025-09-07", []),
  ])
  func `a weekend at the edge of a range is ignored and said, one within it is passed over`(
    type: String, first: String, last: String, days: [String]
  ) throws {
    var calendar = try calendar()
    calendar.school.exceptions = ExceptionMap([Self.entry(type, first, last)])
    let ignored = calendar.notes.filter { $0.note == .ignoredOnWeekend(type: type) }
    #expect(ignored.map(\.day) == days.map(day))
    #expect(days.allSatisfy { calendar.resolveDay(day($0), at: .distantPast).kind == .weekend(name: "Weekend") })
  }

  @Test func `what somebody says of a day answers what its data leaves open`() throws {
    let saturday = Self.entry("Late Arrival", "2025-09-06")
    let meant = BellOverride(day: day("2025-09-06"), type: "Late Arrival", until: at("2025-09-07 00:00"))
    #expect(try resolved("2025-09-06", [saturday], overrides: [meant]).notes == [])
    let both = [Self.entry("Late Arrival", "2025-09-03"), Self.entry("No School", "2025-09-03")]
    let closed = BellOverride(day: day("2025-09-03"), type: "No School", until: at("2025-09-04 00:00"))
    #expect(try resolved("2025-09-03", both, overrides: [closed]).notes == [])
    #expect(try resolved("2025-09-03", both).notes.count == 1)
  }

  @Test(arguments: [
    (["Activity Period", "Late Arrival"], "Late Arrival"), (["Late Arrival", "PM Assembly"], "PM Assembly"),
    (["PM Assembly", "Early Dismissal"], "Early Dismissal"), (["Early Dismissal", "No School"], "No School"),
    (["Standard", "Activity Period"], "Activity Period"), (["Odyssey", "Early Dismissal"], "Odyssey"),
    (["Odyssey", "No School"], "No School"), (["Asynchronous", "Early Dismissal"], "Asynchronous"),
    (["Activity Period", "Late Arrival", "PM Assembly", "Early Dismissal", "No School"], "No School"),
  ])
  func `of several types of one day the graver counts, in whatever order they stand, and it is said`(
    types: [String], winner: String
  ) throws {
    for types in [types, types.reversed()] {
      let timeline = try resolved("2025-09-03", types.map { Self.entry($0, "2025-09-03") })
      #expect(timeline.kind.name == winner)
      guard case .conflict(let told)? = timeline.notes.first else {
        Issue.record("\(types): not said")
        continue
      }
      #expect(told.first == winner && Set(told) == Set(types))
    }
  }

  @Test func `the same type twice is no conflict`() throws {
    let twice = [Self.entry("Late Arrival", "2025-09-03"), Self.entry("Late Arrival", "2025-09-02", "2025-09-04")]
    #expect(try resolved("2025-09-03", twice).notes == [])
  }

  @Test func `a type that the file does not know has its name and no times, and is never Standard`() throws {
    let entries = [Self.entry("Asynchronous", "2025-09-03")]
    let timeline = try resolved("2025-09-03", entries)
    #expect(timeline.kind == .nameOnly(type: "Asynchronous"))
    #expect(timeline.momentState(at: at("2025-09-03 10:00")) == .unpublished)
    var calendar = try calendar()
    calendar.school.exceptions = ExceptionMap(entries)
    // It is a day of school all the same.
    let next = try #require(calendar.facts(at: at("2025-09-02 18:00")).next)
    #expect(next.day == day("2025-09-03") && next.block == nil)
  }

  @Test func `an override goes before everything, also on a weekend and in summer`() throws {
    for date in ["2025-09-01", "2025-09-06", "2025-12-27", "2026-07-15", "2026-09-01"] {
      let timeline = try resolved(
        date, [Self.entry("No School", date)],
        overrides: [BellOverride(day: day(date), type: "Late Arrival", until: at("\(date) 23:00"))])
      #expect(timeline.kind == .school(type: "Late Arrival"))
      #expect(timeline.source == .override)
    }
  }

  @Test func `an override of an afternoon ends when it says, and the last one said counts`() throws {
    let tuesday = day("2025-09-02")
    var calendar = try calendar(BellOverride(day: tuesday, type: "No School", until: at("2025-09-02 13:00")))
    #expect(calendar.facts(at: at("2025-09-02 12:59:59")).state == .noSchool)
    #expect(calendar.facts(at: at("2025-09-02 13:00")).line == "inPeriod 6 41:00")
    calendar.overrides.append(BellOverride(day: tuesday, type: "Late Arrival", until: at("2025-09-02 11:00")))
    #expect(calendar.facts(at: at("2025-09-02 10:59:59")).line == "inPeriod 1 0:01")
    #expect(calendar.facts(at: at("2025-09-02 11:00")).state == .noSchool)
  }

  @Test func `two entries can say which day of a rotation they are`() throws {
    let apart = [
      Self.entry("Early Dismissal", "2025-12-18"), Self.entry("Early Dismissal", "2025-12-22", rotation: 2),
    ]
    #expect(try resolved("2025-12-18", apart).blocks.first?.id == .numbered("6"))
    #expect(try resolved("2025-12-22", apart).blocks.first?.id == .numbered("5"))
  }

  @Test func `a day that another type has taken turns no rotation`() throws {
    let snow = [Self.entry("Early Dismissal", "2025-12-17", "2025-12-19"), Self.entry("No School", "2025-12-18")]
    #expect(try resolved("2025-12-17", snow).blocks.first?.id == .numbered("6"))
    #expect(try resolved("2025-12-19", snow).blocks.first?.id == .numbered("5"))
  }

  @Test func `an override of a rotating type keeps the place that the exceptions give the day, or says its own`() throws
  {
    let end = at("2025-12-20 00:00")
    let friday = day("2025-12-19")
    let range = [Self.entry("Early Dismissal", "2025-12-18", "2025-12-19")]
    func first(_ override: BellOverride, _ entries: [ExceptionMap.Entry]) throws -> String? {
      try resolved("2025-12-19", entries, overrides: [override]).blocks.first?.id.text
    }
    #expect(try first(BellOverride(day: friday, type: "Early Dismissal", until: end), range) == "5")
    #expect(try first(BellOverride(day: friday, type: "Early Dismissal", until: end), []) == "6")
    #expect(try first(BellOverride(day: friday, type: "Early Dismissal", until: end, rotation: 2), []) == "5")
  }

  @Test func `everything that a person should mend is listed by day`() throws {
    var calendar = try calendar()
    #expect(calendar.notes.isEmpty)
    calendar.school.exceptions = ExceptionMap([
      Self.entry("Late Arrival", "2025-09-06"), Self.entry("Late Arrival", "2025-09-03"),
      Self.entry("No School", "2025-09-03"), Self.entry("Early Dismissal", "2025-12-17", "2025-12-19"),
    ])
    #expect(calendar.notes.map(\.day) == ["2025-09-03", "2025-09-06", "2025-12-19"].map(day))
  }

  @Test func `the school's day is the school's, wherever the wall hangs`() throws {
    let tokyo = SchoolCalendar(school: try stevenson(), zone: try #require(TimeZone(identifier: "Asia/Tokyo")))
    #expect(tokyo.zone == chicago)
    #expect(tokyo.facts(at: at("2025-09-02 08:30")).line == "inPeriod 1 51:00")
    var school = try stevenson()
    school.zone = nil
    #expect(
      SchoolCalendar(school: school, zone: .gmt).resolveDay(day("2025-09-02"), at: .distantPast).blocks[0].startsAt
        == at("2025-09-02 08:30", in: .gmt))
  }
}
