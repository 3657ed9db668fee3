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
  /// In a period: it. In passing and after school: the one that has ended, if there was one. Before school and without: nil.
  package var block: Block?
  package var next: Next?
  /// When this state began, by the bells; nil: with the day.
  package var startsAt: Date?
  /// When this state ends, by the bells or with what somebody said of the day; nil: with the day or not known.
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
    let today = clock.day(of: now)
    let stretches = stretches(of: today, at: now)
    let timeline = timeline(of: stretches, on: today, for: pupil)
    var facts = PeriodFacts(
      state: .noSchool, day: timeline.day, kind: timeline.kind, source: timeline.source, notes: timeline.notes,
      occasion: timeline.occasion, cycle: timeline.cycle, lunch: Self.lunch(of: timeline, at: now))
    switch timeline.momentState(at: now) {
    case .noSchool:
      // A school day that has lost all its bells to what was said of it is over.
      if timeline.kind.isSchool { facts.state = .afterSchool }
      // What was said of the morning does not hide the afternoon.
      facts.endsAt = timeline.blocks.first?.startsAt
      facts.next = nextSchoolDay(from: today, for: pupil, at: now)
      return facts
    case .unpublished:
      facts.state = .unpublished
      facts.endsAt = timeline.blocks.first?.startsAt
      facts.next = timeline.blocks.first.map { Self.next($0, of: stretches, on: today) }
      return facts
    case .beforeSchool(let first):
      facts.state = .beforeSchool
      facts.endsAt = first.startsAt
      facts.next = Self.next(first, of: stretches, on: today)
    case .inPeriod(let block, let next):
      facts.state = .inPeriod
      facts.block = block
      (facts.startsAt, facts.endsAt) = (block.startsAt, block.endsAt)
      facts.next = next.map { Self.next($0, of: stretches, on: today) }
    case .passing(let from, let to):
      facts.state = .passing
      facts.block = from
      (facts.startsAt, facts.endsAt) = (from.endsAt, to.startsAt)
      facts.next = Self.next(to, of: stretches, on: today)
    case .afterSchool(let last):
      facts.state = .afterSchool
      facts.block = last
      facts.startsAt = last.endsAt
      facts.next = nextSchoolDay(after: today, for: pupil, at: now)
    }
    facts.secondsLeft = facts.endsAt.map { Self.seconds(from: now, to: $0) }
    return facts
  }

  /// A stretch between two bells of today, with what the day is then.
  private static func next(_ block: Block, of stretches: [Stretch], on today: DayKey) -> PeriodFacts.Next {
    let stretch = stretches.first { $0.until.map { block.startsAt < $0 } ?? true }
    return PeriodFacts.Next(
      day: today, daysAhead: 0, kind: (stretch ?? stretches[0]).decision.kind, block: block)
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

  /// The next day on which there is school, with its first bell by its own table: one that the data gives.
  ///
  /// - Returns: nil when the days until then are not known: what lies behind the last school year of the file, or in a year
  ///   whose exceptions nobody has published. Of such a year only its first day is known to be one of school, since the file
  ///   says so; its times are not.
  package func nextSchoolDay(after day: DayKey, for pupil: Pupil? = nil, at now: Date) -> PeriodFacts.Next? {
    nextSchoolDay(from: day.advanced(by: 1), for: pupil, at: now)
  }

  /// - Parameter first: the first day that is looked at; of today what is still to come.
  private func nextSchoolDay(from first: DayKey, for pupil: Pupil?, at now: Date) -> PeriodFacts.Next? {
    let today = clock.day(of: now)
    for ahead in 0..<ExceptionMap.longestRange {
      let day = first.advanced(by: ahead)
      let stretches = stretches(of: day, at: now)
      for index in stretches.indices {
        let kind = stretches[index].decision.kind
        var block: Block?
        switch kind {
        case .free, .outsideYear, .schoolBreak, .weekend: continue
        case .unknownYear: return nil
        case .unpublished: guard year(of: day)?.first == day else { return nil }
        case .nameOnly: break
        case .school:
          block = bells(of: stretches, on: day, for: pupil).first { $0.stretch == index }?.block
          // What was said ends before its first bell, or school is over by then.
          if block == nil, stretches.count > 1 { continue }
        }
        return PeriodFacts.Next(day: day, daysAhead: day.number - today.number, kind: kind, block: block)
      }
    }
    return nil
  }
}
