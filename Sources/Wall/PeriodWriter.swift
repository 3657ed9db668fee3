internal import Foundation

/// Puts the school day into words: a line for the school, one for each pupil who differs, the cards before a bell, and the
/// menu. Pure.
///
/// The line counts whole minutes, rounded as on every card of the wall (`Countdown`): seconds would be a new snapshot every
/// second, all day long. `secondsLeft` is of the snapshot's `now`.
struct PeriodWriter {
  /// From so long before it a lunch is counted down to: an hour. Before that its time of day says more.
  private static let lunchSoon: TimeInterval = 3600
  /// So many courses stand beside a lunch that is now, the main dishes: the whole menu stands in the agenda.
  private static let mainCourses = 3

  let now: Date
  let zone: TimeZone
  let words: Words
  /// People's names by id.
  let names: [String: String]

  private var school: PeriodWords { words.school }
  private var times: LocalTimes { LocalTimes(zone: zone, words: words) }

  func period(_ input: PeriodInput) -> Snapshot.Period {
    let moment = input.school
    return Snapshot.Period(
      state: moment.state.rawValue, dayType: input.day.type.map(Self.bounded),
      name: moment.state == .inPeriod ? moment.block.map(name) : nil,
      startsAt: moment.startsAt.map(instant), endsAt: moment.endsAt.map(instant), secondsLeft: moment.secondsLeft,
      next: moment.next.map { next in
        Snapshot.Period.Next(
          name: next.block.map(name), startsAt: next.block.map { instant($0.startBell) },
          dayType: next.day.type.map(Self.bounded))
      },
      source: input.source.rawValue, text: joined(line(input)), people: input.people.map { person($0, input) })
  }

  private func person(_ person: PeriodInput.Person, _ input: PeriodInput) -> Snapshot.Period.Person {
    Snapshot.Period.Person(
      id: TapTextWriter.bounded(person.id), state: person.moment.state.rawValue, name: name(of: person),
      secondsLeft: person.moment.secondsLeft, text: joined(line(person.moment, input)))
  }

  private func name(of person: PeriodInput.Person) -> String {
    TapTextWriter.bounded(names[person.id] ?? person.id)
  }

  // MARK: Lines

  private func line(_ input: PeriodInput) -> [String] {
    var pieces = pieces(input.school, input)
    if case .school(let type, let isUsual) = input.day {
      if !isUsual || input.source == .override { pieces.append(Self.bounded(type)) }
      if let cycle = input.cycle { pieces.append(school.cycle(Self.bounded(cycle))) }
    }
    if input.source == .override { pieces.append(school.byHand) }
    return pieces + input.notes.map(note)
  }

  /// What is so for a pupil and not for the school.
  private func line(_ moment: PeriodInput.Moment, _ input: PeriodInput) -> [String] {
    if let lunch = moment.lunch, lunch.isNow {
      let dishes = input.menuOfToday.map { courses($0).prefix(Self.mainCourses) } ?? []
      return [school.lunch, left(to: lunch.block.endBell), school.ends(times.time(lunch.block.end))] + dishes
    }
    let isAsSchool =
      moment.state == input.school.state && moment.endsAt == input.school.endsAt
      && moment.block?.name == input.school.block?.name
    var own = isAsSchool ? [] : pieces(moment, input)
    // Passing says itself that lunch is next.
    if let lunch = moment.lunch, isAsSchool || moment.state != .passing || moment.next?.block != lunch.block {
      own.append(
        Countdown(to: lunch.block.startBell, at: now).isShown(within: Self.lunchSoon)
          ? school.lunchIn(minutes(to: lunch.block.startBell)) : school.lunchAt(times.time(lunch.block.start)))
    }
    return own.isEmpty ? pieces(moment, input) : own
  }

  private func pieces(_ moment: PeriodInput.Moment, _ input: PeriodInput) -> [String] {
    let left = moment.endsAt.map { self.left(to: $0) }
    let next = moment.next?.block
    let pieces: [String?]
    switch moment.state {
    case .inPeriod:
      pieces = [moment.block.map(name), left, moment.block.map { school.ends(times.time($0.end)) }]
    case .passing:
      pieces = [school.passing, left, next.map { school.at(name($0), times.time($0.start)) }]
    case .beforeSchool:
      pieces = [
        next.map { school.schoolStarts(times.time($0.start)) }, moment.endsAt.map { school.inTime(minutes(to: $0)) },
      ]
    case .afterSchool: pieces = [school.over] + later(moment.next)
    case .noSchool: pieces = [school.noSchool, reason(input)] + later(moment.next)
    case .unpublished: pieces = unknown(input.day)
    }
    return pieces.compactMap { $0 }
  }

  /// Why there is no school; nil when the reason would only say so once more.
  private func reason(_ input: PeriodInput) -> String? {
    if let occasion = input.occasion { return Self.bounded(occasion) }
    guard let type = input.day.type, type.lowercased() != PeriodWords.english.noSchool.lowercased() else { return nil }
    return Self.bounded(type)
  }

  private func unknown(_ day: PeriodInput.Day) -> [String?] {
    switch day {
    case .nameOnly(let type): [Self.bounded(type), school.timesNotKnown]
    case .unpublished(let year) where !year.isEmpty: [school.notKnown, school.notPublished(Self.bounded(year))]
    case .school, .free, .unpublished: [school.notKnown]
    }
  }

  /// When there is school next, today or on another day, and what is not usual about it.
  private func later(_ next: PeriodInput.Next?) -> [String?] {
    guard let next else { return [] }
    let named = next.block.map { times.time($0.start, from: now) } ?? times.day(next.noon, from: now)
    // A morning without school is not a day without it.
    let isToday = next.block.map { times.isSameDay($0.start, now) } ?? false
    var pieces = [isToday ? school.schoolStarts(named) : school.next(named)]
    switch next.day {
    case .school(let type, isUsual: false), .nameOnly(let type): pieces.append(Self.bounded(type))
    case .school, .free, .unpublished: break
    }
    return pieces
  }

  /// What is wrong with another day than today: all kinds are named.
  func remark(_ note: PeriodInput.Note) -> String {
    guard case .conflict(let types) = note, let first = types.first else { return self.note(note) }
    return "\(Self.bounded(first)), \(self.note(note))"
  }

  private func note(_ note: PeriodInput.Note) -> String {
    switch note {
    case .conflict(let types): school.conflict(types.dropFirst().map(Self.bounded).joined(separator: ", "))
    case .ignoredOnWeekend(let type): school.ignored(Self.bounded(type))
    case .noOrder(let type): school.noOrder(Self.bounded(type))
    }
  }

  // MARK: The cards before a bell

  /// The next bell of the school, and of each pupil for whom another one rings, or who goes to lunch or comes from it.
  func changes(_ input: PeriodInput) -> [RailInput.PeriodChange] {
    var changes = [change(input.school).map { change in change.card(id: "school", title: change.title) }]
    for person in input.people {
      guard let change = change(person.moment), change.isLunch || change.bell != input.school.endsAt else { continue }
      changes.append(change.card(id: "person \(person.id)", title: "\(name(of: person)): \(change.title)"))
    }
    return changes.compactMap { $0 }
  }

  private struct Change {
    var title: String
    var bell: Date
    /// As the table has it.
    var told: Date
    /// A lunch begins or ends.
    var isLunch: Bool

    /// Each bell has a card of its own: the one before it has gone.
    func card(id: String, title: String) -> RailInput.PeriodChange {
      RailInput.PeriodChange(id: "\(id) \(Int(bell.timeIntervalSince1970))", title: title, at: bell, told: told)
    }
  }

  private func change(_ moment: PeriodInput.Moment) -> Change? {
    guard let bell = moment.endsAt else { return nil }
    let next = moment.next?.block
    switch moment.state {
    case .inPeriod:
      guard let block = moment.block else { return nil }
      let isLunch = block.isLunch || next?.isLunch == true && next?.startBell == bell
      // What begins at once is said; where a break comes first, and at the end of the day, what ends.
      let title =
        next.map { $0.startBell == bell ? name($0) : school.endOf(name(block)) }
        ?? (block.isLunch ? school.endOf(name(block)) : school.schoolEnds)
      return Change(title: title, bell: bell, told: block.end, isLunch: isLunch)
    case .passing, .beforeSchool:
      guard let next else { return nil }
      let title = moment.state == .beforeSchool && !next.isLunch ? school.schoolBegins : name(next)
      return Change(title: title, bell: bell, told: next.start, isLunch: next.isLunch)
    case .afterSchool, .noSchool, .unpublished: return nil
    }
  }

  /// When a line next counts down by the passing of time alone; the bells themselves are known to who gives the facts.
  func nextChange(_ input: PeriodInput) -> Date? {
    let moments = [input.school] + input.people.map(\.moment)
    let bells = moments.flatMap { [$0.endsAt, $0.lunch?.block.startBell, $0.lunch?.block.endBell] }.compactMap { $0 }
    let soon = moments.compactMap { $0.lunch.map { $0.block.startBell - Self.lunchSoon } }
    return (bells.compactMap { Countdown(to: $0, at: now).nextChange(shownWithin: .infinity) } + soon)
      .filter { $0 > now }.min()
  }

  // MARK: The menu

  /// The menu as a line of the agenda, which has room for what it is and for many words beside it: for all of its day.
  func entry(_ input: PeriodInput) -> Snapshot.AgendaEntry? {
    guard let menu = input.menu, !menu.courses.isEmpty else { return nil }
    let isToday = times.isSameDay(menu.noon, now)
    let isNow = isToday && input.people.contains { $0.moment.lunch?.isNow == true }
    return Snapshot.AgendaEntry(
      start: times.isoDay(menu.noon), end: times.isoDay(menu.noon, plus: 1), allDay: true,
      title: TapTextWriter.bounded(courses(menu).joined(separator: ", "), characters: 200, bytes: 400),
      note: "", state: isNow ? "now" : isToday ? "next" : "later",
      text: isToday ? words.school.lunch : "\(words.school.lunch) \(times.shortDay(menu.noon, from: now))")
  }

  private func courses(_ menu: PeriodInput.Menu) -> [String] {
    menu.courses.map { course in
      let dishes = TapTextWriter.bounded(course.dishes.joined(separator: " + "))
      return course.isOfWeekday ? "\(dishes) \(times.weekdayName(menu.noon))" : dishes
    }
  }

  // MARK: Parts

  private func name(_ block: PeriodInput.Block) -> String {
    if block.isLunch { return school.lunch }
    return switch block.name {
    case .numbered(let number): school.period(Self.bounded(number))
    case .named(let name): Self.bounded(name)
    case .unknown: school.unknown
    }
  }

  private func left(to bell: Date) -> String { school.left(minutes(to: bell)) }

  private func minutes(to bell: Date) -> String {
    let minutes = Countdown(to: bell, at: now).minutes
    return school.minutes(minutes / 60, minutes % 60)
  }

  private func instant(_ date: Date) -> String { InstantText.text(date, in: zone) }

  private func joined(_ pieces: [String]) -> String {
    TapTextWriter.bounded(pieces.joined(separator: " · "), characters: 300, bytes: 600)
  }

  /// Names of days and periods are data.
  private static func bounded(_ name: String) -> String { TapTextWriter.bounded(name, characters: 40, bytes: 80) }
}
