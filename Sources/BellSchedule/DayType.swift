/// A kind of school day, such as Late Arrival, with its bells.
package struct DayType: Equatable, Sendable {
  /// One stretch between two bells; times in minutes since local midnight, the end not included.
  package struct Row: Equatable, Sendable {
    package var id: PeriodID
    package var start: Int
    package var end: Int

    package init(id: PeriodID, start: Int, end: Int) {
      self.id = id
      self.start = start
      self.end = end
    }
  }

  package enum Plan: Equatable, Sendable {
    /// No school.
    case free
    /// The same periods every time. `halves` is the table with periods cut in two; empty: the type has none.
    case table([Row], halves: [Row])
    /// The same times every time; which period is when goes by the place of the day in its range, one list of `orders` a
    /// day. The rows carry no id of their own.
    case rotating([Row], orders: [[PeriodID]])
  }

  /// As the exceptions name it.
  package var name: String
  package var plan: Plan

  package init(name: String, plan: Plan) {
    self.name = name
    self.plan = plan
  }

  /// The name under which every school's exceptions list days without school.
  package static let noSchool = DayType(name: "No School", plan: .free)

  /// The order of the `place`th day, from 1; nil: there is none.
  static func order(_ place: Int, of orders: [[PeriodID]]) -> [PeriodID]? {
    (1..<orders.count + 1).contains(place) ? orders[place - 1] : nil
  }
}
