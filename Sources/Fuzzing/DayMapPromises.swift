internal import BellSchedule
internal import Configuration
internal import Foundation

/// What the reader of the map that a school publishes promises: all of it is taken, or nothing.
enum DayMapPromises {
  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let school = try SampleSchool.school()
    let map: ExceptionMap
    do throws(RejectedBody) { map = try BellFile.exceptions(bytes, for: school) } catch {
      try DocumentPromises.check(error)
      return
    }
    let written = (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: [Any]]) ?? [:]
    try expect(written.values.reduce(0) { $0 + $1.count } == map.entries.count, "a part of it was taken")
    try ExceptionPromises.check(map, near: school.years)
    for entry in map.entries {
      let known = school.dayType(named: entry.type)
      try expect(known.map { $0.name == entry.type } ?? true, "a known type by another name")
    }
    var calendar = SchoolCalendar(school: school, zone: .gmt)
    calendar.remote = RemoteExceptions(map: map, checkedAt: Date(timeIntervalSince1970: 1_780_000_000))
    let days = SchoolPromises(calendar: calendar)
    for entry in [map.entries.first, map.entries.last].compactMap(\.self) {
      try days.checkFortnight(from: entry.first.advanced(by: -3))
      let source = calendar.resolveDay(entry.first, at: .distantPast).source
      try expect(source == .remote || entry.first.isWeekend, "what was fetched does not count")
    }
    try expect(calendar.notes.count <= 2 * 5000 + map.entries.count, "more notes than days")
  }
}

/// A small school with something of every kind, for what is fetched.
enum SampleSchool {
  private static let zone = TimeZone(identifier: "America/Chicago")

  static func school() throws(BrokenPromise) -> School {
    let bells = [("1", 510, 561), ("5", 722, 769), ("8", 878, 925)]
    let slots = [(510, 550), (560, 600)].map { DayType.Row(id: .unknown, start: $0.0, end: $0.1) }
    guard let zone, let first = DayKey("2026-08-12"), let last = DayKey("2027-05-27"), let change = DayKey("2027-01-01")
    else { throw BrokenPromise("there are no days here") }
    var school = School(
      regular: "Standard",
      dayTypes: [
        DayType(
          name: "Standard",
          plan: .table(bells.map { DayType.Row(id: PeriodID($0.0), start: $0.1, end: $0.2) }, halves: [])),
        DayType(
          name: "Early Dismissal",
          plan: .rotating(slots, orders: [["1", "2"], ["3", "4"]].map { $0.map { PeriodID($0) } })),
        DayType(name: "Late Arrival", plan: .table([DayType.Row(id: PeriodID("5"), start: 630, end: 665)], halves: [])),
        .noSchool,
      ],
      years: [SchoolYear(first: first, last: last)])
    school.zone = zone
    school.lunch = LunchPlan(validFrom: first, validTo: last, semesterSwitch: change)
    return school
  }
}
