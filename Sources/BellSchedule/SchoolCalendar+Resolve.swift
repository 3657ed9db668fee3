internal import Foundation

extension SchoolCalendar {
  /// What a day is. Its place and its notes are worked out only where they are asked for: hundreds of days are decided to
  /// find the next one with school, or to count them.
  struct Decision {
    var kind: DayKind
    var source: DaySource
    /// Which order of a rotating type somebody said that the day has, from 1.
    var rotation: Int?
    /// The exception that the day's place is counted in.
    var entry: ExceptionMap.Entry?
  }

  /// What a day is without what anybody said of it: overrides are gone the day after, and what is counted over many days must
  /// not jump then.
  func usual(_ day: DayKey) -> Decision {
    guard let winner = winner(among: exceptions.entries(on: day), on: day) else { return unlisted(day) }
    return Decision(kind: kind(of: winner.type), source: remote == nil ? .bundled : .remote, entry: winner)
  }

  /// What somebody said of a day.
  func decision(_ said: BellOverride) -> Decision {
    let type = school.dayType(named: said.type)?.name ?? said.type
    let winner = winner(among: exceptions.entries(on: said.day), on: said.day)
    return Decision(
      kind: kind(of: type), source: .override, rotation: said.rotation, entry: winner?.type == type ? winner : nil)
  }

  /// A day of which no exception says anything.
  private func unlisted(_ day: DayKey) -> Decision {
    guard let year = year(of: day) else { return outside(day) }
    if let pause = year.breaks.first(where: { $0.first <= day && day <= $0.last }) {
      return Decision(kind: .schoolBreak(name: pause.name), source: .bundled)
    }
    if day.isWeekend { return Decision(kind: .weekend(name: school.weekend), source: .default) }
    guard isPublished(year) else {
      return Decision(kind: .unpublished(year: year.label), source: .default)
    }
    return Decision(
      kind: kind(of: school.weekdays[day.weekday] ?? school.regular), source: .default)
  }

  /// An exceptions map that says nothing of a whole year is of another year. A school that has none and fetches none means
  /// that every day is regular.
  private func isPublished(_ year: SchoolYear) -> Bool {
    if remote == nil, school.exceptionsURL == nil, school.exceptions.entries.isEmpty { return true }
    return exceptions.isOf(year.first, year.last)
  }

  /// Between two known years it is summer. Before the first and after the last it is as long as the year of school and the
  /// summer make a year; what lies beyond belongs to years that nobody has entered, and is not called a break.
  private func outside(_ day: DayKey) -> Decision {
    let first = school.years.first
    let last = school.years.last
    let isKnown =
      first.map { day > $0.last.advanced(by: -365) } ?? false && last.map { day < $0.first.advanced(by: 365) } ?? false
    if isKnown { return Decision(kind: .outsideYear(name: school.summer), source: .bundled) }
    if day.isWeekend { return Decision(kind: .weekend(name: school.weekend), source: .default) }
    return Decision(kind: .unknownYear(year: unknownYear(of: day)), source: .default)
  }

  private func unknownYear(of day: DayKey) -> String {
    let parts = day.components
    guard let like = school.years.last, let year = parts.year, let month = parts.month,
      let begins = like.first.components.month, let from = like.first.components.year,
      let to = like.last.components.year
    else { return "" }
    let first = month < begins ? year - 1 : year
    return SchoolYear.label(from: first, to: first + to - from)
  }

  private func kind(of type: String) -> DayKind {
    guard let known = school.dayType(type) else { return .nameOnly(type: type) }
    return known.plan == .free ? .free(type: type) : .school(type: type)
  }

  private func counts(_ entry: ExceptionMap.Entry, on day: DayKey) -> Bool {
    !day.isWeekend || school.dayType(entry.type)?.plan == .free
  }

  private func winner(among entries: [ExceptionMap.Entry], on day: DayKey) -> ExceptionMap.Entry? {
    guard !entries.isEmpty else { return nil }
    // Once for each type: a file may say the same of a day a thousand times.
    var ranks: [String: Int] = [:]
    func rank(_ type: String) -> Int {
      if let rank = ranks[type] { return rank }
      let rank = school.rank(of: type)
      ranks[type] = rank
      return rank
    }
    return entries.filter { counts($0, on: day) }.min { a, b in
      let (one, two) = (rank(a.type), rank(b.type))
      // Of two entries of one type the one that says its order is meant.
      return one == two ? (a.type, a.rotation == nil ? 1 : 0) < (b.type, b.rotation == nil ? 1 : 0) : one < two
    }
  }

  /// What is odd about the day's data. What somebody said of the day answers it: there is nothing to mend.
  func notes(on day: DayKey, _ decision: Decision) -> [DayNote] {
    guard decision.source != .override else { return [] }
    let entries = exceptions.entries(on: day)
    // A range over a weekend means its school days (`schedule.md` 1.3); a weekend with which one begins or ends was named by
    // somebody, who meant another day.
    var notes = entries.filter { !counts($0, on: day) && $0.hasAtEdge(weekend: day) }
      .map { DayNote.ignoredOnWeekend(type: $0.type) }
    let types = Set(entries.filter { counts($0, on: day) }.map(\.type))
    if types.count > 1 {
      let ranked = types.map { (rank: school.rank(of: $0), type: $0) }.sorted { $0 < $1 }
      notes.append(.conflict(types: ranked.map(\.type)))
    }
    return notes
  }

  /// A rotating type whose order of that day is not known.
  func noOrder(on day: DayKey, _ decision: Decision) -> DayNote? {
    guard case .school(let name) = decision.kind, case .rotating(_, let orders)? = school.dayType(name)?.plan,
      let place = place(of: day, decision), DayType.order(place, of: orders) == nil
    else { return nil }
    return .noOrder(type: name, place: place)
  }

  /// Which order of a rotating type a day has, from 1; nil: it is none, or nobody says.
  func place(of day: DayKey, _ decision: Decision) -> Int? {
    decision.rotation ?? decision.entry.flatMap { place(of: day, in: $0) }
  }

  /// The place of a day in its range, among the days on which the range counts: a weekend, and a day that another type has
  /// taken, turn nothing.
  private func place(of day: DayKey, in entry: ExceptionMap.Entry) -> Int? {
    guard case .rotating? = school.dayType(entry.type)?.plan else { return nil }
    let before = (entry.first.number..<day.number).count {
      let day = DayKey(number: $0)
      return winner(among: exceptions.entries(on: day), on: day)?.type == entry.type
    }
    return (entry.rotation ?? 1) + before
  }

  func cycleName(of day: DayKey, _ kind: DayKind) -> String? {
    guard case .school = kind, !school.cycle.isEmpty, let year = year(of: day) else { return nil }
    let before = (year.first.number..<day.number).count { isSchoolDay(DayKey(number: $0)) }
    return school.cycle[before % school.cycle.count]
  }

  /// Whether there is school on a day, overrides left aside. A day whose type has no times here is one.
  package func isSchoolDay(_ day: DayKey) -> Bool {
    let kind = usual(day).kind
    if case .nameOnly = kind { return true }
    return kind.isSchool
  }

  /// Everything about the exceptions that a person should mend, in the order of the days; for `--diagnose` and for the
  /// source's state on the wall.
  package var notes: [(day: DayKey, note: DayNote)] {
    exceptions.days.flatMap { day in
      let decision = usual(day)
      return (notes(on: day, decision) + [noOrder(on: day, decision)].compactMap(\.self)).map { (day, $0) }
    }
  }
}

extension ExceptionMap.Entry {
  /// Whether a Saturday or Sunday belongs to the weekend with which the range begins or ends.
  fileprivate func hasAtEdge(weekend day: DayKey) -> Bool {
    day.number - first.number <= day.weekday - 6 || last.number - day.number <= 7 - day.weekday
  }
}
