package import Foundation

/// What a school's file says: its tables, its years, the days that are not as every other.
package struct School: Equatable, Sendable {
  package var name: String?
  /// nil: the wall's.
  package var zone: TimeZone?
  /// Seconds from the time in a table to the bell that rings: -15 when the bells are 15 s early. Tables and texts stay as
  /// they are, and so does the wall's clock.
  package var bellOffset = 0
  /// The type of a day of which nothing else is said.
  package var regular: String
  /// Where a day of the week has another regular type, by `DayKey.weekday`.
  package var weekdays: [Int: String] = [:]
  /// Each name once; `DayType.noSchool` is among them.
  package var dayTypes: [DayType]
  package var exceptions = ExceptionMap([])
  /// Where a newer exceptions map is fetched from.
  package var exceptionsURL: String?
  /// In order, none touching another; at least one.
  package var years: [SchoolYear]
  /// What the days between two school years are called.
  package var summer = "Summer Break"
  /// What Saturday and Sunday are called.
  package var weekend = "Weekend"
  /// Names that school days take in turn, such as A and B; empty: the school has none. The first school day of a year has
  /// the first.
  package var cycle: [String] = []
  package var lunch: LunchPlan?

  package init(regular: String, dayTypes: [DayType], years: [SchoolYear]) {
    self.regular = regular
    self.dayTypes = dayTypes
    self.years = years
  }

  func dayType(_ name: String) -> DayType? { dayTypes.first { $0.name == name } }

  /// The type that somebody means by a name, in any case: what a command or a fetched map may say.
  package func dayType(named name: String) -> DayType? {
    let wanted = Self.folded(name)
    return dayType(name) ?? dayTypes.first { Self.folded($0.name) == wanted }
  }

  /// Whether a household's `lunch` is a period of some table here, so that a wrong one can be told.
  package func hasPeriod(_ lunch: String) -> Bool {
    let id = PeriodID(lunch.uppercased())
    return dayTypes.contains { type in
      switch type.plan {
      case .free: false
      case .table(let rows, let halves): (rows + halves).contains { $0.id == id }
      case .rotating(_, let orders): orders.joined().contains(id)
      }
    }
  }

  private static func folded(_ name: String) -> String { name.trimmingCharacters(in: .whitespaces).lowercased() }

  /// Of several types of one day the lowest counts (DESIGN 5.4): No School > Early Dismissal > PM Assembly > Late Arrival >
  /// Activity. Types beside these five are made for a day of their own: they come after No School, in the file's order, and a
  /// type that the file does not know after them.
  func rank(of type: String) -> Int {
    guard let index = dayTypes.firstIndex(where: { $0.name == type }) else { return 1000 }
    if dayTypes[index].plan == .free { return 0 }
    if type == regular { return 3000 }
    let fixed = ["early dismissal", "pm assembly", "late arrival", "activity"]
    let name = Self.folded(type)
    return fixed.firstIndex { name == $0 || name == "\($0) period" }.map { 2000 + $0 } ?? index + 1
  }
}

/// The first and the last day of school, and when there is none between them.
package struct SchoolYear: Equatable, Sendable {
  package struct Break: Equatable, Sendable {
    package var name: String
    package var first: DayKey
    package var last: DayKey

    package init(name: String, first: DayKey, last: DayKey) {
      self.name = name
      self.first = first
      self.last = last
    }
  }

  package var first: DayKey
  package var last: DayKey
  package var breaks: [Break]

  package init(first: DayKey, last: DayKey, breaks: [Break] = []) {
    self.first = first
    self.last = last
    self.breaks = breaks
  }

  package func holds(_ day: DayKey) -> Bool { first <= day && day <= last }

  /// As people call it: `2026-27`, or `2026` for one that ends in the year it begins in.
  package var label: String { Self.label(from: first.components.year ?? 0, to: last.components.year ?? 0) }

  static func label(from: Int, to: Int) -> String {
    from == to ? "\(from)" : "\(from)-\(to % 100 < 10 ? "0" : "")\(to % 100)"
  }
}

/// Whose day it is.
package struct Pupil: Equatable, Sendable {
  package var id: String
  /// The period in which the pupil eats: `5`, `5A` or `5B`; nil: none that the household has named.
  package var lunch: String?
  /// Whether the pupil's periods are cut in two where a table has halves.
  package var halfPeriods: Bool

  package init(id: String, lunch: String? = nil, halfPeriods: Bool = false) {
    self.id = id
    self.lunch = lunch
    self.halfPeriods = halfPeriods
  }
}
