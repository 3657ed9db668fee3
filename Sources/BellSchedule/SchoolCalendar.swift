package import Foundation

/// A school with everything that is known about its days: the same answers for every surface of the wall (DESIGN 5.4).
package struct SchoolCalendar: Equatable, Sendable {
  package var school: School
  /// Takes the place of the file's own exceptions; nil: none was ever fetched.
  package var remote: RemoteExceptions?
  /// The last one said of a day counts.
  package var overrides: [BellOverride]
  let clock: SchoolClock

  /// - Parameter zone: the wall's, for a school that names none.
  package init(
    school: School, remote: RemoteExceptions? = nil, overrides: [BellOverride] = [], zone: TimeZone
  ) {
    self.school = school
    self.remote = remote
    self.overrides = overrides
    clock = SchoolClock(school.zone ?? zone)
  }

  /// The zone of the school's clocks.
  package var zone: TimeZone { clock.zone }

  /// The school's day at an instant.
  package func day(of instant: Date) -> DayKey { clock.day(of: instant) }

  /// When an override of a day ends if nobody says otherwise.
  package func endOfDay(_ day: DayKey) -> Date { clock.startOfDay(day.advanced(by: 1)) }

  var exceptions: ExceptionMap { remote?.map ?? school.exceptions }

  func year(of day: DayKey) -> SchoolYear? { school.years.first { $0.holds(day) } }
}

/// What a day is.
package enum DayKind: Equatable, Sendable {
  /// A type with bells.
  case school(type: String)
  /// A type without school, such as No School.
  case free(type: String)
  case outsideYear(name: String)
  case schoolBreak(name: String)
  case weekend(name: String)
  /// A type that the school's file does not know, such as Asynchronous: it has a name and no times.
  case nameOnly(type: String)
  /// A day of a school year whose exceptions nobody has published.
  case unpublished(year: String)
  /// A day of a school year that the school's file does not know.
  case unknownYear(year: String)

  /// The type or the name; nil when it is not known.
  package var name: String? {
    switch self {
    case .school(let name), .free(let name), .outsideYear(let name), .schoolBreak(let name), .weekend(let name),
      .nameOnly(let name):
      name
    case .unpublished, .unknownYear: nil
    }
  }

  /// There is no school, and that is certain.
  var isFree: Bool {
    switch self {
    case .free, .outsideYear, .schoolBreak, .weekend: true
    case .school, .nameOnly, .unpublished, .unknownYear: false
    }
  }

  /// There is school, and its bells are known.
  var isSchool: Bool {
    if case .school = self { true } else { false }
  }

  /// Whether there is school and when is known.
  var isKnown: Bool { isFree || isSchool }
}

/// Who says so.
package enum DaySource: String, Equatable, Sendable {
  /// Somebody at the wall.
  case override
  /// The fetched exceptions map.
  case remote
  /// The school's file.
  case bundled
  /// Nobody: it is a day as every other.
  case `default`
}

/// Something about a day's data that a person should mend; the wall says it.
package enum DayNote: Equatable, Sendable {
  /// Several types stand for the day; the first counts.
  case conflict(types: [String])
  /// A type with bells stands for a Saturday or Sunday and is ignored; an override can say that it is meant.
  case ignoredOnWeekend(type: String)
  /// The day is the `place`th of its range, from 1, and the type has no order for it.
  case noOrder(type: String, place: Int)
}
