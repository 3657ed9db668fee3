package import BellSchedule
internal import Feeds
internal import Foundation
package import Linux
internal import Synchronization
package import Wall

/// The school day on the wall: reads the school's file, again when it changes, and fetches what the school publishes.
package final class SchoolService: WallSource {
  /// How often the file is looked at: whoever mends it waits beside the wall.
  static let lookEvery: Duration = .seconds(60)

  private struct State {
    var school = SchoolState()
    var clockTrusted = false
    var zone = TimeZone.gmt
  }

  private let state = Mutex(State())
  private let wake = Wake()
  private let shelf: SchoolShelf
  private let feed: @Sendable (School) -> SchoolFeed
  private let time: any TimeSource
  private let log: Log

  /// - Parameter feed: how to ask for what a school publishes.
  package init(_ shelf: SchoolShelf, feed: @escaping @Sendable (School) -> SchoolFeed, time: any TimeSource, log: Log) {
    self.shelf = shelf
    self.feed = feed
    self.time = time
    self.log = log
  }

  // MARK: The wall

  package func household(_ documents: [String: String]) {
    let plan = SchoolPlan(documents)
    let isOther = state.withLock { state in
      defer { state.school.take(plan) }
      return state.school.plan.path != plan.path
    }
    if isOther { wake.wake() }
  }

  package func contribute(to input: inout WallInput, at uptime: Duration) -> Duration? {
    let (zone, isTrusted) = (input.zone, input.clockTrusted)
    let (school, isNews) = state.withLock { state in
      let isNews = state.clockTrusted != isTrusted || state.zone != zone
      (state.clockTrusted, state.zone) = (isTrusted, zone)
      return (state.school, isNews)
    }
    if isNews { wake.wake() }
    return school.add(to: &input, at: uptime)
  }

  // MARK: The file and the network

  /// Reads and fetches until cancelled.
  ///
  /// - Parameter changed: called when there is something new to show.
  package func run(changed: @Sendable () -> Void) async throws {
    var current: (path: String, feed: SchoolFeed, nextAt: Duration)?
    while true {
      wake.forget()
      let (plan, isTrusted) = state.withLock { ($0.school.plan, $0.clockTrusted) }
      var pause: Duration = .seconds(3600)
      if let path = plan.path {
        pause = Self.lookEvery
        let isNew = try await look(at: path)
        if let school = state.withLock({ $0.school.plan.path == path ? $0.school.school : nil }) {
          if current?.path != path || current?.feed.serves(school) != true {
            current = (path, feed(school), time.uptime())
          }
          if isNew, let feed = current?.feed { await showKept(school, feed, path) }
          // With a wrong clock no certificate is known to be valid, and no morning to be one.
          if isTrusted, let due = current, time.uptime() >= due.nextAt {
            current?.nextAt = try await fetch(school, due.feed, path)
            changed()
          }
        }
        if isNew { changed() }
        if isTrusted, let next = current?.nextAt { pause = min(pause, next - time.uptime()) }
      } else {
        current = nil
      }
      try await time.sleep(max(pause, .milliseconds(1)), orUntil: wake)
    }
  }

  /// - Returns: whether the file is another than at the last look.
  private func look(at path: String) async throws -> Bool {
    let before = state.withLock { $0.school }
    // The household has named it anew since: what the shelf has not told this school, it must tell.
    let look = await shelf.look(path, anew: before.school == nil && before.trouble == nil)
    try Task.checkCancellation()
    guard let look else { return false }
    let now = time.now()
    state.withLock { $0.school.take(look, at: now) }
    if let trouble = look.trouble, trouble != before.trouble {
      let rest = look.school == nil ? "there is no school day on the wall" : "the last good one is used"
      log.warning("bell: \(path): \(trouble.sentence): mend it; \(rest) until then")
    } else if look.trouble == nil, before.trouble != nil {
      log.notice("bell: \(path) is well again")
    }
    return true
  }

  /// What an earlier run left on the disk, and the exceptions as this file understands them.
  private func showKept(_ school: School, _ feed: SchoolFeed, _ path: String) async {
    let exceptions = await feed.keptExceptions(for: school)
    let menu: Menu? = if let url = feed.stationsURL { await shelf.menu(from: url) } else { nil }
    let standings = await feed.menuStandings()
    state.withLock { state in
      guard state.school.plan.path == path else { return }
      state.school.take(exceptions)
      state.school.take(kept: menu, standings: standings)
    }
    noteOdd(path)
  }

  /// - Returns: the uptime of the next request.
  private func fetch(_ school: School, _ feed: SchoolFeed, _ path: String) async throws -> Duration {
    let asked = (at: time.now(), uptime: time.uptime())
    let exceptions = try await feed.fetchExceptions(for: school)
    state.withLock { state in
      if state.school.plan.path == path { state.school.take(exceptions) }
    }
    let dishes = try await feed.fetchMenu()
    if let menu = dishes?.menu, let url = feed.stationsURL { await shelf.keep(menu.bodies, from: url) }
    let now = time.now()
    let calendar = state.withLock { state in
      if state.school.plan.path == path { state.school.take(dishes, at: now) }
      return state.school.calendar(state.zone)
    }
    noteOdd(path)
    let poll = calendar.map { $0.nextPoll(after: asked.at).timeIntervalSince(asked.at) } ?? 3600
    // What failed is tried again as soon as its source allows.
    let retries = ([exceptions?.standing].compactMap { $0 } + (dishes?.standings ?? [])).compactMap { standing in
      standing.fault == nil ? nil : standing.nextAttempt
    }
    let next = ([asked.uptime + .seconds(poll)] + retries).min() ?? asked.uptime + .seconds(3600)
    return max(next, time.uptime() + .seconds(1))
  }

  /// Keeps what is odd about the days to come, and says it once.
  private func noteOdd(_ path: String) {
    let now = time.now()
    let (calendar, known) = state.withLock { ($0.school.calendar($0.zone), $0.school.notes) }
    guard let calendar else { return }
    let today = calendar.day(of: now)
    let notes = calendar.notes.filter { $0.day >= today }
    state.withLock { state in
      if state.school.plan.path == path { state.school.take(notes: notes) }
    }
    for (day, note) in notes.prefix(5) where !known.contains(where: { $0.day == day && $0.note == note }) {
      log.warning("bell: \(day): \(note.sentence)")
    }
  }
}

extension DayNote {
  /// For the log.
  fileprivate var sentence: String {
    switch self {
    case .conflict(let types): "is marked \(types.joined(separator: " and ")): the first counts"
    case .ignoredOnWeekend(let type): "is a weekend: \(type) is ignored; an override can say that it is meant"
    case .noOrder(let type, let place): "is day \(place) of \(type), for which no order of periods is known"
    }
  }
}
