internal import BellSchedule
internal import Foundation
internal import Testing

/// The cafeteria's weeks (`schedule.md` 1.5).
@Suite struct LunchTests {
  /// Dishes that say where they stand.
  static func menu(weeks: Int = 4) throws -> Menu {
    func daily(_ name: String) -> Menu.Dishes {
      .daily((0..<weeks).map { week in (1...5).map { ["\(name) \(week).\($0)", "more"] } })
    }
    func weekly(_ name: String) -> Menu.Dishes { .weekly((0..<weeks).map { ["\(name) \($0)"] }) }
    let special = [
      ["Poke Bowl", "Tacos", "Wings", "Chili", "Sushi"], ["Poke Bowl", "Tacos", "Wings", "Nachos", "Sushi"],
    ]
    return try Menu([
      .comfort: daily("comfort"), .mindful: daily("mindful"), .sides: daily("sides"), .soup: weekly("soup"),
      .international: weekly("world"), .special: .semesters(special.map { $0.map { [$0] } }),
    ])
  }

  @Test(arguments: [
    ("2025-08-11", 0), ("2025-11-17", 2), ("2025-11-24", 3), ("2025-12-01", 3), ("2025-12-08", 0), ("2025-12-15", 1),
    ("2026-01-05", 2), ("2026-01-12", 3), ("2026-01-20", 0), ("2026-02-02", 2), ("2026-02-17", 0), ("2026-03-02", 2),
    ("2026-03-16", 0), ("2026-03-30", 1), ("2026-04-06", 2), ("2026-04-20", 0), ("2026-04-27", 1),
  ])
  func `the 17 weeks that the cafeteria published`(monday: String, index: Int) throws {
    #expect(try calendar().menuWeek(of: day(monday), weeks: 4) == index)
    #expect(try calendar().menuWeek(of: day(monday).monday.advanced(by: 4), weeks: 4) == index)
  }

  /// The week of the menu of each week of 2025-26 from its first on; "x": nobody eats. Thanksgiving's does not turn it.
  private static let weeks = "0123 0123 0123 0123 301 xx 23 0123 0123 0x 1230 1230".filter { $0 != " " }.map(
    \.wholeNumberValue)

  @Test func `every school day of 2025-26 has its week's menu, and no other day has one`() throws {
    let calendar = try calendar()
    let menu = try Self.menu()
    let first = day("2025-08-11")
    var days = 0
    for number in first.number...day("2026-05-31").number {
      let date = DayKey(number: number)
      let found = calendar.menu(menu, of: date, at: .distantPast)
      guard calendar.isSchoolDay(date) else {
        if found != nil { Issue.record("\(date): a menu without school") }
        continue
      }
      days += 1
      let week = Self.weeks[(number - first.number) / 7]
      let comfort = found?.courses.first { $0.station == .comfort }?.dishes.first
      if comfort != week.map({ "comfort \($0).\(date.weekday)" }) {
        Issue.record("\(date): \(comfort ?? "nothing"), not week \(week.map(String.init) ?? "?")")
      }
    }
    #expect(days == 176)
  }

  @Test func `a day has the dishes of all six stations in order`() throws {
    let found = try #require(try calendar().menu(try Self.menu(), of: day("2025-08-14"), at: at("2025-08-13 12:00")))
    #expect(found.daysAhead == 1)
    #expect(found.courses.map(\.station) == [.special, .comfort, .mindful, .sides, .soup, .international])
    #expect(
      found.courses.map(\.dishes) == [
        ["Chili"], ["comfort 0.4", "more"], ["mindful 0.4", "more"], ["sides 0.4", "more"], ["soup 0"], ["world 0"],
      ])
  }

  @Test(arguments: [
    ("2025-12-18", "Chili"), ("2026-01-08", "Nachos"), ("2026-05-21", "Nachos"), ("2026-05-22", "Sushi"),
    ("2025-08-12", "Tacos"),
  ])
  func `the semester turns on its day, and the first and the last day have a menu`(date: String, special: String) throws
  {
    let found = try calendar().menu(try Self.menu(), of: day(date), at: .distantPast)
    #expect(found?.courses.first?.dishes == [special])
  }

  @Test(arguments: ["2025-08-11", "2025-09-01", "2025-09-06", "2025-12-27", "2026-05-25", "2026-07-15", "2026-09-01"])
  func `without school there is no menu`(date: String) throws {
    #expect(try calendar().menu(try Self.menu(), of: day(date), at: .distantPast) == nil)
  }

  @Test func `a snow day has none, and turns nothing once it is over`() throws {
    let calendar = try calendar(
      BellOverride(day: day("2025-09-02"), type: "No School", until: at("2025-09-03 00:00")))
    #expect(calendar.menu(try Self.menu(), of: day("2025-09-02"), at: at("2025-09-02 07:00")) == nil)
    #expect(calendar.menu(try Self.menu(), of: day("2025-09-03"), at: at("2025-09-02 07:00")) != nil)
  }

  @Test func `a week that is said to be another one counts from there`() throws {
    var calendar = try calendar()
    calendar.school.lunch = LunchPlan(
      validFrom: day("2025-08-11"), validTo: day("2026-05-22"), semesterSwitch: day("2026-01-01"), firstWeek: 2,
      anchors: [.init(monday: day("2025-12-01"), index: 0), .init(monday: day("2026-01-12"), index: 1)])
    let found = ["2025-08-11", "2025-08-18", "2025-11-28", "2025-12-01", "2025-12-08", "2026-01-12", "2026-01-20"].map {
      calendar.menuWeek(of: day($0), weeks: 4)
    }
    #expect(found == [2, 3, 1, 0, 1, 1, 2])
  }

  @Test(arguments: [
    // Days of school that week (Monday to Friday), and whether the menu turns after it.
    (0, false), (1, false), (2, false), (3, true), (4, true), (5, true),
  ])
  func `three school days turn the menu`(schoolDays: Int, turns: Bool) throws {
    var calendar = try calendar()
    var free = [ExceptionMap.Entry(type: "No School", first: day("2025-09-20"), last: day("2025-09-20"))]
    if schoolDays < 5 {
      free.append(.init(type: "No School", first: day("2025-09-08").advanced(by: schoolDays), last: day("2025-09-12")))
    }
    calendar.school.exceptions = ExceptionMap(free)
    let before = calendar.menuWeek(of: day("2025-09-08"), weeks: 4)
    let after = calendar.menuWeek(of: day("2025-09-15"), weeks: 4)
    #expect((before != after) == turns)
  }

  @Test func `behind days that nobody has published the week is not known`() throws {
    var calendar = try calendar()
    calendar.school.lunch = LunchPlan(
      validFrom: day("2026-08-10"), validTo: day("2027-05-27"), semesterSwitch: day("2027-01-01"))
    #expect(calendar.menuWeek(of: day("2026-08-12"), weeks: 4) == 0)
    #expect(calendar.menuWeek(of: day("2026-08-19"), weeks: 4) == nil)
    calendar.remote = try calendarOf2027().remote
    #expect(calendar.menuWeek(of: day("2026-08-19"), weeks: 5) == 1)
  }

  @Test(arguments: [
    ("2025-09-02 09:59:59", nil), ("2025-09-02 10:00", "2025-09-02"), ("2025-09-02 15:24:59", "2025-09-02"),
    ("2025-09-02 15:25", "2025-09-03"), ("2025-09-05 16:00", "2025-09-08"), ("2025-09-06 09:00", nil),
    ("2025-09-06 10:00", "2025-09-08"), ("2025-08-21 10:00", "2025-08-21"), ("2026-05-22 12:29", "2026-05-22"),
    ("2026-05-22 12:30", nil), ("2026-07-15 12:00", nil),
  ])
  func `from ten the wall has the menu of today, and after school the next`(now: String, date: String?) throws {
    #expect(try calendar().menuOnWall(try Self.menu(), at: at(now))?.day == date.map(day))
  }

  @Test func `stations must be all there and of one number of weeks`() throws {
    #expect(throws: Menu.Mistake.missing(.special)) { try Menu([:]) }
    let special = Menu.Dishes.semesters([[["a"]], [["b"]]])
    let stations: [Menu.Station: Menu.Dishes] = [
      .special: special, .comfort: .daily([[["a"]]]), .mindful: .daily([[["a"]]]), .sides: .daily([[["a"]]]),
      .soup: .weekly([["a"]]), .international: .weekly([["a"], ["b"]]),
    ]
    #expect(throws: Menu.Mistake.otherWeeks(.international, has: 2, others: 1)) { try Menu(stations) }
    #expect(throws: Menu.Mistake.noWeeks(.comfort)) {
      try Menu(stations.merging([.comfort: .daily([])]) { $1 })
    }
  }
}
