package import Foundation

extension SchoolCalendar {
  /// What there is to eat on a day; nil when it is no school day, outside the plan, or its week is not known.
  ///
  /// - Parameter now: which overrides still count, and from where `daysAhead` counts.
  package func menu(_ menu: Menu, of day: DayKey, at now: Date) -> MenuFacts? {
    guard let plan = school.lunch, !day.isWeekend,
      !bells(of: stretches(of: day, at: now), on: day, for: nil).isEmpty,
      let week = menuWeek(of: day, weeks: menu.weeks)
    else { return nil }
    let courses = menu.courses(
      week: week, weekday: day.weekday, semester: day < plan.semesterSwitch ? 0 : 1)
    return MenuFacts(day: day, daysAhead: day.number - clock.day(of: now).number, courses: courses)
  }

  /// The menu that stands on the wall from 10:00 on: today's until school is over, then the next school day's.
  package func menuOnWall(_ menu: Menu, at now: Date) -> MenuFacts? {
    let today = clock.day(of: now)
    guard now >= clock.instant(on: today, minutes: Self.menuFrom) else { return nil }
    let isSchoolToCome = resolveDay(today, at: now).blocks.contains { now < $0.endsAt }
    let day = isSchoolToCome ? today : nextSchoolDay(after: today, at: now)?.day
    return day.flatMap { self.menu(menu, of: $0, at: now) }
  }

  /// Which week of the menu a day lies in, from 0; nil outside the plan, or behind days of which nobody knows whether there
  /// is school.
  ///
  /// The cafeteria turns to the next week after each week of at least three school days, so that breaks and the two days
  /// before Thanksgiving do not count; overrides are left aside, since they are forgotten.
  package func menuWeek(of day: DayKey, weeks: Int) -> Int? {
    guard weeks > 0, let plan = school.lunch, plan.validFrom <= day, day <= plan.validTo,
      let anchor = plan.anchors.last(where: { $0.monday <= day })
    else { return nil }
    var index = anchor.index
    var monday = anchor.monday
    while monday < day.monday {
      var schoolDays = 0
      for day in (0..<7).map(monday.advanced(by:)) {
        if case .unpublished = usual(day).kind { return nil }
        schoolDays += isSchoolDay(day) ? 1 : 0
      }
      if schoolDays >= LunchPlan.daysThatTurn { index += 1 }
      monday = monday.advanced(by: 7)
    }
    return index % weeks
  }
}
