internal import BellSchedule
internal import Foundation
internal import Wall

extension PeriodInput {
  /// What a school's calendar says of an instant, as the wall takes it.
  init(_ calendar: SchoolCalendar, menu: BellSchedule.Menu?, pupils: [Pupil], at now: Date) {
    let board = calendar.board(at: now, pupils: pupils)
    let facts = board.school
    self.init(
      day: Day(facts.kind, on: facts.day, calendar), source: Source(facts.source), school: Moment(facts, calendar))
    occasion = facts.occasion
    cycle = facts.cycle
    notes = facts.notes.map(Note.init)
    people = board.people.filter(\.differs).map { Person(id: $0.id, moment: Moment($0.facts, calendar)) }
    guard let menu else { return }
    self.menu = calendar.menuOnWall(menu, at: now).map { Self.Menu($0, calendar) }
    menuOfToday = calendar.menu(menu, of: facts.day, at: now).map { Self.Menu($0, calendar) }
  }
}

extension PeriodInput.Source {
  fileprivate init(_ source: DaySource) {
    switch source {
    case .override: self = .override
    case .remote: self = .remote
    case .bundled: self = .bundled
    case .default: self = .default
    }
  }
}

extension PeriodInput.Day {
  fileprivate init(_ kind: DayKind, on day: DayKey, _ calendar: SchoolCalendar) {
    switch kind {
    case .school(let type):
      let usual = calendar.school.weekdays[day.weekday] ?? calendar.school.regular
      self = .school(type: type, isUsual: type == usual)
    case .free(let name), .outsideYear(let name), .schoolBreak(let name), .weekend(let name): self = .free(name)
    case .nameOnly(let name): self = .nameOnly(name)
    case .unpublished(let year), .unknownYear(let year): self = .unpublished(year: year)
    }
  }
}

extension PeriodInput.Moment {
  fileprivate init(_ facts: PeriodFacts, _ calendar: SchoolCalendar) {
    self.init(
      state: PeriodInput.State(facts.state), block: facts.block.map(PeriodInput.Block.init),
      next: facts.next.map { next in
        PeriodInput.Next(
          noon: calendar.noon(of: next.day), day: PeriodInput.Day(next.kind, on: next.day, calendar),
          block: next.block.map(PeriodInput.Block.init))
      }, startsAt: facts.startsAt, endsAt: facts.endsAt, secondsLeft: facts.secondsLeft,
      lunch: facts.lunch.map { PeriodInput.Lunch(block: PeriodInput.Block($0.block), isNow: $0.isNow) })
  }
}

extension PeriodInput.State {
  fileprivate init(_ state: PeriodFacts.State) {
    switch state {
    case .inPeriod: self = .inPeriod
    case .passing: self = .passing
    case .beforeSchool: self = .beforeSchool
    case .afterSchool: self = .afterSchool
    case .noSchool: self = .noSchool
    case .unpublished: self = .unpublished
    }
  }
}

extension PeriodInput.Block {
  fileprivate init(_ block: Block) {
    let name: PeriodInput.Name =
      switch block.id {
      case .numbered(let number): .numbered(number)
      case .named(let name): .named(name)
      case .unknown: .unknown
      }
    self.init(
      name: name, isLunch: block.isLunch, start: block.tableStart, end: block.tableEnd, startBell: block.startsAt,
      endBell: block.endsAt)
  }
}

extension PeriodInput.Note {
  init(_ note: DayNote) {
    switch note {
    case .conflict(let types): self = .conflict(types)
    case .ignoredOnWeekend(let type): self = .ignoredOnWeekend(type)
    case .noOrder(let type, _): self = .noOrder(type)
    }
  }
}

extension PeriodInput.Menu {
  fileprivate init(_ facts: MenuFacts, _ calendar: SchoolCalendar) {
    self.init(
      noon: calendar.noon(of: facts.day),
      courses: facts.courses.map { Course(dishes: $0.dishes, isOfWeekday: $0.station == .special) })
  }
}

extension SchoolCalendar {
  /// Some instant in the middle of a day, which names the day in a zone near the school's.
  func noon(of day: DayKey) -> Date { endOfDay(day) - 43_200 }
}
