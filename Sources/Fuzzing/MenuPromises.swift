internal import BellSchedule
internal import Configuration
internal import Foundation

/// What the reader of a cafeteria's stations promises, and the menus of the days.
enum MenuPromises {
  /// Between the two documents of an input; no JSON holds it.
  private static let separator: UInt8 = 0x1E

  /// The first document is of the station `special`, the second of each of the other five; of one alone, both.
  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let documents = bytes.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    var bodies: [Menu.Station: [UInt8]] = [:]
    var refusal: String?
    for station in Menu.Station.allCases {
      let body = documents[station == .special ? 0 : documents.count - 1]
      bodies[station] = body
      do throws(RejectedBody) { try BellFile.check(body, of: station) } catch {
        try DocumentPromises.check(error)
        refusal = refusal ?? error.sentence
      }
    }
    let menu: Menu
    do throws(RejectedBody) { menu = try BellFile.menu(bodies) } catch {
      try DocumentPromises.check(error)
      try expect(refusal == nil || error.sentence == refusal, "refused for another reason than its first station's")
      return
    }
    try expect(refusal == nil, "a menu with a station that is refused")
    try check(menu)
  }

  /// A school year of menus, and what is on the wall of some of its days.
  private static func check(_ menu: Menu) throws(BrokenPromise) {
    try expect(menu.weeks > 0, "a menu of no weeks")
    let calendar = SchoolCalendar(school: try SampleSchool.school(), zone: .gmt)
    guard let plan = calendar.school.lunch else { throw BrokenPromise("a school without lunch") }
    // Enough for two turns of most menus, and across the change of semesters.
    let days = (0..<21).map { plan.validFrom.advanced(by: $0) } + (-8..<8).map { plan.semesterSwitch.advanced(by: $0) }
    for day in days {
      let midnight = calendar.endOfDay(day.advanced(by: -1))
      let week = calendar.menuWeek(of: day, weeks: menu.weeks)
      try expect(week.map { (0..<menu.weeks).contains($0) } ?? false, "a week that the menu does not have")
      let facts = calendar.menu(menu, of: day, at: midnight)
      try expect((facts != nil) == calendar.isSchoolDay(day), "a menu on a day without school, or none on one with")
      if let facts { try check(facts) }
      let onWall = calendar.menuOnWall(menu, at: midnight.addingTimeInterval(64_800))
      try expect(onWall.map { $0.daysAhead > 0 } ?? true, "a lunch that is over")
      try expect(
        calendar.menuOnWall(menu, at: midnight.addingTimeInterval(30_000)) == nil, "a menu in the early morning")
    }
  }

  private static func check(_ facts: MenuFacts) throws(BrokenPromise) {
    try expect(facts.courses.map(\.station) == Menu.Station.allCases, "a station without its dish")
    for course in facts.courses {
      try expect((1...6).contains(course.dishes.count), "a dish of \(course.dishes.count) parts")
      for dish in course.dishes {
        try expect((1...100).contains(dish.count) && dish.utf8.count <= 1600, "a dish of \(dish.utf8.count) bytes")
        try DocumentPromises.check(shown: dish, "a dish")
      }
    }
  }
}
