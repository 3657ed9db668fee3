/// How the cafeteria turns through its weeks (`schedule.md` 1.5).
package struct LunchPlan: Equatable, Sendable {
  /// A week that is known to be a certain one: the count starts again from it.
  package struct Anchor: Equatable, Sendable {
    package var monday: DayKey
    /// From 0.
    package var index: Int

    package init(monday: DayKey, index: Int) {
      self.monday = monday
      self.index = index
    }
  }

  /// The first day with a menu.
  package var validFrom: DayKey
  /// The last day with a menu, itself among them.
  package var validTo: DayKey
  /// The first day of the second semester.
  package var semesterSwitch: DayKey
  /// The first is the week of `validFrom`; in order.
  package var anchors: [Anchor]
  /// Where the six stations are fetched from: their names and `.json` go behind it.
  package var stationsURL: String?

  package init(
    validFrom: DayKey, validTo: DayKey, semesterSwitch: DayKey, firstWeek: Int = 0, anchors: [Anchor] = [],
    stationsURL: String? = nil
  ) {
    self.validFrom = validFrom
    self.validTo = validTo
    self.semesterSwitch = semesterSwitch
    self.anchors = [Anchor(monday: validFrom.monday, index: firstWeek)] + anchors
    self.stationsURL = stationsURL
  }

  /// Fewer school days in a week do not turn the menu: the two days before Thanksgiving did not, four days did.
  static let daysThatTurn = 3
}
