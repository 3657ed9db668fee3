internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

@Suite struct BellFileTests {
  private static func day(_ year: Int, _ month: Int, _ day: Int) throws -> DayKey {
    try #require(DayKey(year: year, month: month, day: day))
  }

  private static func fixture() throws -> School {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/bell")
    return try BellFile.parse(Array(try Data(contentsOf: folder.appending(path: "stevenson.json5"))))
  }

  @Test func `the school of the fixture is read whole`() throws {
    let school = try Self.fixture()
    #expect(school.name == "Stevenson High School")
    #expect(school.zone?.identifier == "America/Chicago")
    #expect(school.regular == "Standard" && school.bellOffset == 0)
    #expect(
      school.dayTypes.map(\.name) == [
        "Standard", "Late Arrival", "Activity Period", "PM Assembly", "Early Dismissal", "Odyssey", "Summer",
        "No School",
      ])
    #expect(school.years.map(\.label) == ["2025-26", "2026-27"])
    #expect(school.years.map(\.breaks.count) == [2, 2])
    let days = Dictionary(grouping: school.exceptions.days) { school.exceptions.entries(on: $0).map(\.type) }
    #expect(
      days.mapValues(\.count) == [
        ["Late Arrival"]: 10, ["Activity Period"]: 14, ["PM Assembly"]: 2, ["Early Dismissal"]: 4, ["No School"]: 28,
      ])
    #expect(school.lunch?.validTo == (try Self.day(2026, 5, 22)))
  }

  @Test func `what a file leaves out has its default`() throws {
    let school = try BellFile.parse(
      Array(
        """
        { regular: "Day", dayTypes: { Day: { periods: { "1": "8:00 - 9:00", "2": "09:00-23:59" } } },
          years: [{ first: "9/1/2025", last: "2026-06-30" }] }
        """.utf8))
    #expect(school.zone == nil && school.name == nil && school.lunch == nil && school.exceptionsURL == nil)
    #expect(school.summer == "Summer Break" && school.weekend == "Weekend" && school.cycle.isEmpty)
    #expect(school.exceptions.entries.isEmpty && school.weekdays.isEmpty)
    let rows = [
      DayType.Row(id: .numbered("1"), start: 480, end: 540), DayType.Row(id: .numbered("2"), start: 540, end: 1439),
    ]
    #expect(school.dayTypes == [DayType(name: "Day", plan: .table(rows, halves: [])), .noSchool])
    #expect(school.years == [SchoolYear(first: try Self.day(2025, 9, 1), last: try Self.day(2026, 6, 30))])
  }

  @Test func `every key is read`() throws {
    let school = try BellFile.parse(
      Array(
        """
        { name: "S", timeZone: "Europe/Berlin", bellOffset: -15, regular: "Day", weekdays: { fri: "Short" },
          dayTypes: { Day: { periods: { "!Start": "8:00-9:00" } },
                      Short: { slots: ["8:00-9:00"], rotation: [["1"], ["!Walk"]] }, Off: { periods: {} } },
          exceptions: { Short: [{ days: "12/21/2026", rotation: 2 }, "2026-12-23-2026-12-24", "1/4/2027 - 1/5/2027"] },
          exceptionsURL: "https://school.example/days.json",
          years: [{ first: "2026-09-01", last: "2027-06-30", breaks: [{ name: "Fall", first: "10/5/2026", last: "10/9/2026" }] }],
          summer: "Ferien", weekend: "Wochenende", cycle: ["A", "B"],
          lunch: { validFrom: "2026-09-01", validTo: "2027-06-30", semesterSwitch: "2027-02-01", firstWeek: 1,
                   anchors: [{ week: "2027-01-04", index: 3 }], stationsURL: "https://school.example/lunch/" } }
        """.utf8))
    #expect(school.bellOffset == -15 && school.weekdays == [5: "Short"] && school.cycle == ["A", "B"])
    let slot = DayType.Row(id: .unknown, start: 480, end: 540)
    #expect(
      school.dayTypes == [
        DayType(
          name: "Day", plan: .table([DayType.Row(id: .named("Start"), start: 480, end: 540)], halves: [])),
        DayType(name: "Short", plan: .rotating([slot], orders: [[.numbered("1")], [.named("Walk")]])),
        DayType(name: "Off", plan: .free), .noSchool,
      ])
    #expect(
      school.exceptions.entries == [
        .init(type: "Short", first: try Self.day(2026, 12, 21), last: try Self.day(2026, 12, 21), rotation: 2),
        .init(type: "Short", first: try Self.day(2026, 12, 23), last: try Self.day(2026, 12, 24)),
        .init(type: "Short", first: try Self.day(2027, 1, 4), last: try Self.day(2027, 1, 5)),
      ])
    #expect(school.exceptionsURL == "https://school.example/days.json")
    #expect(school.summer == "Ferien" && school.weekend == "Wochenende" && school.zone?.identifier == "Europe/Berlin")
    #expect(
      school.lunch
        == LunchPlan(
          validFrom: try Self.day(2026, 9, 1), validTo: try Self.day(2027, 6, 30),
          semesterSwitch: try Self.day(2027, 2, 1), firstWeek: 1,
          anchors: [.init(monday: try Self.day(2027, 1, 4), index: 3)], stationsURL: "https://school.example/lunch/"))
  }
}
