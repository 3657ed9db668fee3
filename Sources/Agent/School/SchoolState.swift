internal import BellSchedule
internal import Feeds
internal import Foundation
internal import Linux
internal import Wall

/// All that is known of the household's school: what the service and a command show.
struct SchoolState: Sendable {
  var plan = SchoolPlan()
  /// By the last good file.
  private(set) var school: School?
  /// When that file was read.
  private var readAt: Date?
  private(set) var trouble: SchoolShelf.Trouble?
  private var troubleSince: Date?
  private var remote: RemoteExceptions?
  /// nil: the school publishes no exceptions.
  private var exceptions: Standing?
  private var menu: Menu?
  /// Empty: the school publishes no menu.
  private var stations: [Standing] = []
  private var mismatch: String?
  private var mismatchSince: Date?
  /// What is odd about the days to come.
  private(set) var notes: [(day: DayKey, note: DayNote)] = []

  // MARK: What comes in

  /// Another school is another day: nothing of the old one may be shown for it.
  mutating func take(_ plan: SchoolPlan) {
    if plan.path != self.plan.path { self = SchoolState() }
    self.plan = plan
  }

  mutating func take(_ look: SchoolShelf.Look, at now: Date) {
    guard look.path == plan.path else { return }
    if look.trouble == nil { readAt = now }
    troubleSince = look.trouble == nil ? nil : troubleSince ?? now
    trouble = look.trouble
    if school?.exceptionsURL != look.school?.exceptionsURL { (remote, exceptions) = (nil, nil) }
    if school?.lunch?.stationsURL != look.school?.lunch?.stationsURL {
      (menu, stations, mismatch, mismatchSince) = (nil, [], nil, nil)
    }
    school = look.school
  }

  mutating func take(_ answer: SchoolFeed.Exceptions?) {
    exceptions = answer?.standing
    remote = answer?.remote ?? remote
  }

  mutating func take(_ answer: SchoolFeed.Dishes?, at now: Date) {
    stations = answer?.standings ?? []
    menu = answer?.menu?.menu ?? menu
    mismatchSince = answer?.mismatch == nil ? nil : mismatchSince ?? now
    mismatch = answer?.mismatch
  }

  mutating func take(kept menu: Menu?, standings: [Standing]) {
    self.menu = self.menu ?? menu
    if stations.isEmpty { stations = standings }
  }

  /// - Parameter notes: of `calendar`, which takes too long under a lock.
  mutating func take(notes: [(day: DayKey, note: DayNote)]) { self.notes = notes }

  // MARK: What goes out

  func calendar(_ zone: TimeZone) -> SchoolCalendar? {
    school.map { SchoolCalendar(school: $0, remote: remote, overrides: plan.overrides, zone: zone) }
  }

  /// Adds what the wall shows.
  ///
  /// - Returns: the uptime at which that is something else by the passing of time alone; nil: never.
  func add(to input: inout WallInput, at uptime: Duration) -> Duration? {
    guard plan.path != nil else { return nil }
    let now = input.now
    var changes = ([exceptions].compactMap { $0 } + stations).compactMap { $0.nextChange(after: uptime, now: now) }
    let calendar = calendar(input.zone)
    if input.clockTrusted, let calendar {
      input.period = PeriodInput(calendar, menu: menu, pupils: plan.pupils, at: now)
      let next = calendar.nextChange(after: now, pupils: plan.pupils)
      changes.append(uptime + .seconds(next.timeIntervalSince(now)))
    }
    input.sources.append(bellSource(calendar, at: now, uptime: uptime))
    if let lunch = lunchSource(at: now, uptime: uptime) { input.sources.append(lunch) }
    return changes.min()
  }

  private func bellSource(_ calendar: SchoolCalendar?, at now: Date, uptime: Duration) -> SourceFacts {
    var facts: SourceFacts
    if let trouble {
      facts = SourceFacts(
        id: SchoolFeed.bell, state: school == nil ? .down : .stale, fetchedAt: readAt, problem: .init(trouble),
        detail: trouble.sentence, failingSince: troubleSince)
    } else if let exceptions {
      facts = SourceFacts(SchoolFeed.bell, exceptions, at: now, uptime: uptime)
      // Without a map of its own the school has what its file says.
      if facts.state == .down { facts.state = .stale }
    } else {
      // A file that has not been read yet is read in a moment.
      facts = SourceFacts(id: SchoolFeed.bell, state: school == nil ? .off : .fresh, fetchedAt: readAt)
    }
    facts.remark = remark(calendar, at: now)
    return facts
  }

  private func remark(_ calendar: SchoolCalendar?, at now: Date) -> SourceFacts.Remark? {
    guard let calendar else { return nil }
    if let pupil = plan.pupils.first(where: { $0.lunch.map { !calendar.school.hasPeriod($0) } ?? false }) {
      return .noSuchLunch(person: pupil.id, lunch: pupil.lunch ?? "")
    }
    let today = calendar.day(of: now)
    // Of a day of which somebody has spoken the data says nothing any more.
    let open = notes.first { note in
      note.day >= today && !plan.overrides.contains { $0.day == note.day && now < $0.until }
    }
    return open.map { .day(calendar.noon(of: $0.day), PeriodInput.Note($0.note)) }
  }

  private func lunchSource(at now: Date, uptime: Duration) -> SourceFacts? {
    let all = stations.map { SourceFacts(SchoolFeed.lunch, $0, at: now, uptime: uptime) }
    guard var worst = all.max(by: { $1.isWorse(than: $0) }) else { return nil }
    if let mismatch {
      worst.problem = .unreadable
      worst.detail = mismatch
      worst.failingSince = mismatchSince
      worst.state = .stale
    }
    // The last good menu is of use, however old it is.
    if worst.state == .down, menu != nil { worst.state = .stale }
    return worst
  }
}

extension SourceFacts.Problem {
  fileprivate init(_ trouble: SchoolShelf.Trouble) {
    switch trouble {
    case .unreadable: self = .noFile
    case .wrong: self = .badFile
    }
  }
}
