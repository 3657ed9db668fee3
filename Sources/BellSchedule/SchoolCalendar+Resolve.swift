package import Foundation

extension SchoolCalendar {
  /// What a day is and when its bells ring: manual override → exceptions → outside the school year → breaks → weekend →
  /// regular (DESIGN 5.4).
  ///
  /// - Parameters:
  ///   - pupil: nil: the school's day, in whole periods and without a lunch.
  ///   - now: which overrides still count.
  package func resolveDay(_ day: DayKey, for pupil: Pupil? = nil, at now: Date) -> DayTimeline {
    let decision = decide(day, at: now)
    let place = place(of: day, decision)
    var blocks: [Block] = []
    if case .school(let name) = decision.kind, let type = school.dayType(name) {
      blocks = self.blocks(of: type, place: place ?? 1, on: day, for: pupil)
    }
    return DayTimeline(
      day: day, kind: decision.kind, source: decision.source, notes: notes(on: day, decision.kind, place: place),
      occasion: year(of: day)?.breaks.first { $0.first <= day && day <= $0.last }?.name,
      cycle: cycleName(of: day, decision.kind),
      blocks: blocks)
  }

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

  /// - Parameter now: nil: without overrides, which are gone the day after: what is counted over many days must not jump.
  func decide(_ day: DayKey, at now: Date?) -> Decision {
    let winner = winner(among: exceptions.entries(on: day), on: day)
    if let now, let said = overrides.last(where: { $0.day == day && now < $0.until }) {
      let type = school.dayType(named: said.type)?.name ?? said.type
      return Decision(
        kind: kind(of: type), source: .override, rotation: said.rotation, entry: winner?.type == type ? winner : nil)
    }
    if let winner {
      return Decision(kind: kind(of: winner.type), source: remote == nil ? .bundled : .remote, entry: winner)
    }
    return unlisted(day)
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
    return exceptions.touches(year.first, year.last)
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

  private func notes(on day: DayKey, _ kind: DayKind, place: Int?) -> [DayNote] {
    let entries = exceptions.entries(on: day)
    // A range over a weekend means its school days; a day that is all weekend was meant to be another.
    var notes = entries.filter { !counts($0, on: day) && (0...1).contains($0.last.number - $0.first.number) }
      .filter { $0.first.isWeekend && $0.last.isWeekend }.map { DayNote.ignoredOnWeekend(type: $0.type) }
    let types = Set(entries.filter { counts($0, on: day) }.map(\.type))
    if types.count > 1 {
      let ranked = types.map { (rank: school.rank(of: $0), type: $0) }.sorted { $0 < $1 }
      notes.append(.conflict(types: ranked.map(\.type)))
    }
    if case .school(let name) = kind, case .rotating(_, let orders)? = school.dayType(name)?.plan,
      DayType.order(place ?? 1, of: orders) == nil
    {
      notes.append(.noOrder(type: name, place: place ?? 1))
    }
    return notes
  }

  private func place(of day: DayKey, _ decision: Decision) -> Int? {
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

  private func cycleName(of day: DayKey, _ kind: DayKind) -> String? {
    guard case .school = kind, !school.cycle.isEmpty, let year = year(of: day) else { return nil }
    let before = (year.first.number..<day.number).count { isSchoolDay(DayKey(number: $0)) }
    return school.cycle[before % school.cycle.count]
  }

  /// Whether there is school on a day, overrides left aside. A day whose type has no times here is one.
  package func isSchoolDay(_ day: DayKey) -> Bool {
    switch decide(day, at: nil).kind {
    case .school, .nameOnly: true
    case .free, .outsideYear, .schoolBreak, .weekend, .unpublished, .unknownYear: false
    }
  }

  /// Everything about the exceptions that a person should mend, in the order of the days; for `--diagnose` and for the
  /// source's state on the wall.
  package var notes: [(day: DayKey, note: DayNote)] {
    exceptions.days.flatMap { day in
      let decision = decide(day, at: .distantFuture)
      return notes(on: day, decision.kind, place: place(of: day, decision)).map { (day, $0) }
    }
  }
}
