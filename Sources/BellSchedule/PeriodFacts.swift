package import Foundation

/// What the wall can say of the school day at one instant, for the school or for one pupil; the words are the wall's.
package struct PeriodFacts: Equatable, Sendable {
  /// Spelled as in the snapshot (DESIGN 4.4).
  package enum State: String, Equatable, Sendable {
    case inPeriod, passing, beforeSchool, afterSchool, noSchool, unpublished
  }

  /// What comes after this: a stretch of this day, or the next day of school.
  package struct Next: Equatable, Sendable {
    package var day: DayKey
    /// Days from now's to it, by the calendar: 0 today, 1 tomorrow.
    package var daysAhead: Int
    package var kind: DayKind
    /// nil: its times are not known, only that there is school.
    package var block: Block?
  }

  /// A pupil's lunch of today that is not over.
  package struct Lunch: Equatable, Sendable {
    package var block: Block
    package var isNow: Bool
    /// To its end when it is now, else to its beginning.
    package var secondsLeft: Int
  }

  package var state: State
  package var day: DayKey
  package var kind: DayKind
  package var source: DaySource
  package var notes: [DayNote]
  package var occasion: String?
  package var cycle: String?
  /// In a period: it. In passing and after school: the one that has ended. Before school and without: nil.
  package var block: Block?
  package var next: Next?
  /// When this state began, by the bells; nil: with the day.
  package var startsAt: Date?
  /// When this state ends, by the bells; nil: with the day or not known.
  package var endsAt: Date?
  /// Whole seconds to the end of the period, the next start, the first bell: a second that has begun counts, so that it is
  /// never 0. nil otherwise.
  package var secondsLeft: Int?
  package var lunch: Lunch?
}

/// The school's facts and everybody's, of the same instant.
package struct PeriodBoard: Equatable, Sendable {
  package struct Person: Equatable, Sendable {
    package var id: String
    package var facts: PeriodFacts
    /// Whether there is something to say of the person that the school's line does not say.
    package var differs: Bool
  }

  package var school: PeriodFacts
  package var people: [Person]
  /// When the source of the exceptions last answered, if a fetched map is in use.
  package var checkedAt: Date?
  /// It has not for more than a day, and there may be school: the wall says since when.
  package var isStale: Bool
}

extension SchoolCalendar {
  /// Seconds after which a fetched map that was not confirmed is old.
  static let stale: TimeInterval = 86_400

  /// The facts of the school and of each pupil at an instant.
  package func board(at now: Date, pupils: [Pupil]) -> PeriodBoard {
    let school = facts(at: now)
    let people = pupils.map { pupil in
      let facts = facts(at: now, for: pupil)
      let isElsewhere =
        switch facts.state {
        case .inPeriod: facts.block?.id != school.block?.id
        case .passing, .beforeSchool: facts.next?.block?.id != school.next?.block?.id
        case .afterSchool, .noSchool, .unpublished: false
        }
      let differs =
        facts.lunch != nil || facts.state != school.state || facts.endsAt != school.endsAt || isElsewhere
      return PeriodBoard.Person(id: pupil.id, facts: facts, differs: differs)
    }
    let isStale = remote.map { now.timeIntervalSince($0.checkedAt) > Self.stale } ?? false
    return PeriodBoard(
      school: school, people: people, checkedAt: remote?.checkedAt, isStale: isStale && !school.kind.isFree)
  }

  /// - Parameter pupil: nil: the school as a whole.
  package func facts(at now: Date, for pupil: Pupil? = nil) -> PeriodFacts {
    let timeline = resolveDay(clock.day(of: now), for: pupil, at: now)
    var facts = PeriodFacts(
      state: .noSchool, day: timeline.day, kind: timeline.kind, source: timeline.source, notes: timeline.notes,
      occasion: timeline.occasion, cycle: timeline.cycle, lunch: Self.lunch(of: timeline, at: now))
    switch timeline.momentState(at: now) {
    case .noSchool: facts.next = nextSchoolDay(after: timeline.day, for: pupil, at: now)
    case .unpublished: facts.state = .unpublished
    case .beforeSchool(let first):
      facts.state = .beforeSchool
      facts.endsAt = first.startsAt
      facts.next = Self.next(first, of: timeline)
    case .inPeriod(let block, let next):
      facts.state = .inPeriod
      facts.block = block
      (facts.startsAt, facts.endsAt) = (block.startsAt, block.endsAt)
      facts.next = next.map { Self.next($0, of: timeline) }
    case .passing(let from, let to):
      facts.state = .passing
      facts.block = from
      (facts.startsAt, facts.endsAt) = (from.endsAt, to.startsAt)
      facts.next = Self.next(to, of: timeline)
    case .afterSchool(let last):
      facts.state = .afterSchool
      facts.block = last
      facts.startsAt = last.endsAt
      facts.next = nextSchoolDay(after: timeline.day, for: pupil, at: now)
    }
    facts.secondsLeft = facts.endsAt.map { Self.seconds(from: now, to: $0) }
    return facts
  }

  private static func next(_ block: Block, of timeline: DayTimeline) -> PeriodFacts.Next {
    PeriodFacts.Next(day: timeline.day, daysAhead: 0, kind: timeline.kind, block: block)
  }

  private static func lunch(of timeline: DayTimeline, at now: Date) -> PeriodFacts.Lunch? {
    guard let block = timeline.blocks.first(where: { $0.isLunch && now < $0.endsAt }) else { return nil }
    let isNow = block.startsAt <= now
    return PeriodFacts.Lunch(
      block: block, isNow: isNow, secondsLeft: seconds(from: now, to: isNow ? block.endsAt : block.startsAt))
  }

  /// A second that has begun counts.
  static func seconds(from now: Date, to end: Date) -> Int {
    Int(exactly: end.timeIntervalSince(now).rounded(.up)) ?? 0
  }

  /// The next day on which there is school, as far as anybody knows, with its first bell by its own table.
  ///
  /// - Returns: nil when the days until then are not known: what lies behind the last school year of the file.
  package func nextSchoolDay(after day: DayKey, for pupil: Pupil? = nil, at now: Date) -> PeriodFacts.Next? {
    for ahead in 1...ExceptionMap.longestRange {
      let kind = decide(day.advanced(by: ahead), at: now).kind
      if kind.isFree { continue }
      if case .unknownYear = kind { return nil }
      let timeline = resolveDay(day.advanced(by: ahead), for: pupil, at: now)
      let daysAhead = timeline.day.number - clock.day(of: now).number
      return PeriodFacts.Next(
        day: timeline.day, daysAhead: daysAhead, kind: timeline.kind, block: timeline.blocks.first)
    }
    return nil
  }
}
