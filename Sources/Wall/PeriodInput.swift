package import Foundation

/// What there is to say of the school day at one instant (DESIGN 5.4), as facts; `PeriodWriter` has the words.
package struct PeriodInput: Equatable, Sendable {
  /// Spelled as in the snapshot.
  package enum State: String, CaseIterable, Sendable {
    case inPeriod, passing, beforeSchool, afterSchool, noSchool, unpublished
  }

  /// Who says what the day is, spelled as in the snapshot.
  package enum Source: String, CaseIterable, Sendable {
    case override, remote, bundled, `default`
  }

  /// What a stretch of the day is called.
  package enum Name: Equatable, Sendable {
    /// A period by its number, such as `2` or `5A`.
    case numbered(String)
    /// By a name of its own, such as `Activity`.
    case named(String)
    case unknown
  }

  /// What kind of day it is.
  package enum Day: Equatable, Sendable {
    /// - Parameter isUsual: nothing need be said of it: it is a day as every other.
    case school(type: String, isUsual: Bool)
    /// There is none, for this reason, such as `Winter Break`.
    case free(String)
    /// It has a name, and nobody knows its times.
    case nameOnly(String)
    /// Nobody has said what the days of this school year are, such as `2026-27`.
    case unpublished(year: String)

    /// The type or the reason; nil: not known.
    var type: String? {
      switch self {
      case .school(let type, _), .free(let type), .nameOnly(let type): type
      case .unpublished: nil
      }
    }
  }

  /// One stretch between two bells.
  package struct Block: Equatable, Sendable {
    package var name: Name
    /// Whoever's day it is eats in it.
    package var isLunch: Bool
    /// As the table has it, which is what a text says, whatever the bells do.
    package var start: Date
    package var end: Date
    /// When the bells ring, which is what is counted down to.
    package var startBell: Date
    package var endBell: Date

    package init(name: Name, isLunch: Bool, start: Date, end: Date, startBell: Date, endBell: Date) {
      self.name = name
      self.isLunch = isLunch
      self.start = start
      self.end = end
      self.startBell = startBell
      self.endBell = endBell
    }
  }

  /// What comes after now's: a stretch of this day, or the next day of school.
  package struct Next: Equatable, Sendable {
    /// Some instant in the middle of its day.
    package var noon: Date
    package var day: Day
    /// nil: its times are not known, only that there is school.
    package var block: Block?

    package init(noon: Date, day: Day, block: Block?) {
      self.noon = noon
      self.day = day
      self.block = block
    }
  }

  /// The lunch of somebody that is not over.
  package struct Lunch: Equatable, Sendable {
    package var block: Block
    package var isNow: Bool

    package init(block: Block, isNow: Bool) {
      self.block = block
      self.isNow = isNow
    }
  }

  /// The day of the school as a whole, or of one pupil, at the instant.
  package struct Moment: Equatable, Sendable {
    package var state: State
    /// In a period it; in passing and after school the one that has ended.
    package var block: Block?
    package var next: Next?
    /// When the state began and when it ends, by the bells; nil: with the day, or not known.
    package var startsAt: Date?
    package var endsAt: Date?
    /// Whole seconds to `endsAt`, a second that has begun counting; nil without it.
    package var secondsLeft: Int?
    package var lunch: Lunch?

    package init(
      state: State, block: Block? = nil, next: Next? = nil, startsAt: Date? = nil, endsAt: Date? = nil,
      secondsLeft: Int? = nil, lunch: Lunch? = nil
    ) {
      self.state = state
      self.block = block
      self.next = next
      self.startsAt = startsAt
      self.endsAt = endsAt
      self.secondsLeft = secondsLeft
      self.lunch = lunch
    }
  }

  /// A pupil of whom there is something to say that the school's line does not say.
  package struct Person: Equatable, Sendable {
    package var id: String
    package var moment: Moment

    package init(id: String, moment: Moment) {
      self.id = id
      self.moment = moment
    }
  }

  /// What is wrong with what the school has published of a day; somebody should mend it.
  package enum Note: Equatable, Sendable {
    /// Several kinds stand for it; the first counts.
    case conflict([String])
    /// A kind with bells stands for a Saturday or Sunday and does not count.
    case ignoredOnWeekend(String)
    /// Which period is when has not been said.
    case noOrder(String)
  }

  /// What there is to eat.
  package struct Menu: Equatable, Sendable {
    package struct Course: Equatable, Sendable {
      /// What is served together.
      package var dishes: [String]
      /// It goes by the weekday: `Tacos Tuesday`.
      package var isOfWeekday: Bool

      package init(dishes: [String], isOfWeekday: Bool) {
        self.dishes = dishes
        self.isOfWeekday = isOfWeekday
      }
    }

    /// Some instant in the middle of its day.
    package var noon: Date
    package var courses: [Course]

    package init(noon: Date, courses: [Course]) {
      self.noon = noon
      self.courses = courses
    }
  }

  package var day: Day
  /// The break that the day lies in, also when the school calls it otherwise.
  package var occasion: String?
  /// The day's name in a school that counts its days, such as `A`.
  package var cycle: String?
  package var source: Source
  package var notes: [Note] = []
  package var school: Moment
  package var people: [Person] = []
  /// Today's, or the next school day's: what stands on the wall.
  package var menu: Menu?
  /// Today's at any hour, for whoever has lunch now.
  package var menuOfToday: Menu?

  package init(day: Day, source: Source, school: Moment) {
    self.day = day
    self.source = source
    self.school = school
  }
}
