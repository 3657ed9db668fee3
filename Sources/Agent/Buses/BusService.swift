internal import Configuration
internal import Feeds
internal import Foundation
package import Linux
internal import Synchronization
internal import Transit
package import Wall

/// Keeps the boards of the household's watches current: asks when a window is open or about to be, and never otherwise
/// (DESIGN 5.3).
package final class BusService: WallSource, Sendable {
  struct State {
    var boards = BusBoards()
    /// By stop: how its last request ended.
    var standings: [StopKey: Standing] = [:]
    /// The one of them that is the newest, for what it says of the provider as a whole.
    var newest: Standing?
    /// What the provider's objections mean, by their sentences: one that it makes for one stop can stand for all.
    var meanings: [String: SourceFacts.Problem] = [:]
    var clockTrusted = false
    var zone = TimeZone.gmt
    /// The wall clock without the boot clock: another one after a step.
    var clockOffset = 0.0
  }

  private let state = Mutex(State())
  private let wake = Wake()
  private let feed: OneBusAwayFeed
  private let time: any TimeSource

  package init(_ feed: OneBusAwayFeed, time: any TimeSource) {
    self.feed = feed
    self.time = time
  }

  // MARK: The wall

  package func household(_ documents: [String: String]) {
    let list = WatchList(documents["watches"], source: OneBusAwayFeed.id)
    let isNew = state.withLock { state in
      guard state.boards.list != list else { return false }
      state.boards.list = list
      state.boards.forgetOthers()
      let wanted = Set(list.enabled.map(\.stopKey))
      state.standings = state.standings.filter { wanted.contains($0.key) }
      return true
    }
    if isNew { wake.wake() }
  }

  package func contribute(to input: inout WallInput, at uptime: Duration) -> Duration? {
    let (now, zone, isTrusted) = (input.now, input.zone, input.clockTrusted)
    let (boards, source, changesAt, isNews) = state.withLock { state in
      let offset = now.timeIntervalSince1970 - uptime.inSeconds
      let isNews = state.clockTrusted != isTrusted || state.zone != zone || abs(state.clockOffset - offset) > 1
      (state.clockTrusted, state.zone, state.clockOffset) = (isTrusted, zone, offset)
      let boards = isTrusted ? state.boards.boards(at: now, uptime: uptime, in: zone) : []
      let source = state.source(at: now, uptime: uptime)
      return (boards, source?.facts, source?.changesAt, isNews)
    }
    if isNews { wake.wake() }
    input.add(boards)
    if let source { input.sources.append(source) }
    let changes = boards.compactMap(\.board.changesIn).map { uptime + .seconds($0) }
    return (changes + [changesAt].compactMap { $0 }).min()
  }

  // MARK: The network

  /// Fetches until cancelled.
  ///
  /// - Parameter changed: called when there is something new to show.
  package func run(changed: @Sendable () -> Void) async throws {
    var attempts: [StopKey: Duration] = [:]
    var turn = 0
    while true {
      let (list, zone, isTrusted) = state.withLock { ($0.boards.list, $0.zone, $0.clockTrusted) }
      let planner = FetchPlanner(watches: list.enabled, zone: zone)
      try await showKept(planner, list, changed)
      var pause: Duration?
      // With a wrong clock no window is known to be open, and no certificate to be valid.
      if isTrusted {
        let now = time.now()
        let uptime = time.uptime()
        let plan = planner.plan(at: now, sinceAttempt: attempts.mapValues { (uptime - $0).inSeconds })
        // In turn: one stop that fails and holds up its source must not hold up the others for good.
        turn += 1
        let first = plan.due.isEmpty ? 0 : turn % plan.due.count
        for stop in plan.due[first...] + plan.due[..<first] {
          attempts[stop] = time.uptime()
          try await fetch(stop, list)
          changed()
        }
        try await fetchTimetables(planner, changed)
        pause = plan.nextIn.map { uptime + .seconds($0) - time.uptime() }
      }
      try await time.sleep(min(pause ?? .seconds(3600), .seconds(3600)), orUntil: wake)
    }
  }

  private func fetch(_ stop: StopKey, _ list: WatchList) async throws {
    let outcome = try await feed.arrivals(stop.stop, watches: list.enabled)
    let standing = await feed.standing(stop.stop, watches: list.enabled)
    let (now, uptime) = (time.now(), time.uptime())
    state.withLock { state in
      state.standings[stop] = standing
      state.newest = standing
      switch outcome {
      case .new(let answer, let toldAgo):
        state.boards.received(answer, for: stop, toldAgo: toldAgo, at: uptime)
      case .old(_, let trouble), .nothing(let trouble):
        state.understand(trouble)
        // What was not asked for because it was too early is no failure. What could not be asked, because another stop's
        // request was refused, is one.
        switch standing?.fault.flatMap(state.problem) {
        case .timetableExpired?: state.boards.timetableExpired(at: stop)
        case let problem?: state.boards.failed(stop, since: now, problem)
        case nil: break
        }
      }
    }
  }

  /// The timetables that the windows need and that are not here yet; one a stop and day.
  private func fetchTimetables(_ planner: FetchPlanner, _ changed: @Sendable () -> Void) async throws {
    for key in planner.timetables(at: time.now(), agencyZones: agencyZones(planner)) where !has(key) {
      switch try await feed.timetable(key) {
      case .new(let timetable, _), .old(let timetable, _):
        state.withLock { $0.boards.received(timetable, for: key.stop) }
        changed()
      case .nothing(let trouble): state.withLock { $0.understand(trouble) }
      }
    }
  }

  /// What an earlier run left on the disk, for stops of which nothing is known yet.
  private func showKept(_ planner: FetchPlanner, _ list: WatchList, _ changed: @Sendable () -> Void) async throws {
    for stop in planner.stops where state.withLock({ $0.boards.board(of: stop) == nil }) {
      let kept = await feed.kept(stop.stop, watches: list.enabled)
      let (now, uptime) = (time.now(), time.uptime())
      let isShown = state.withLock { state in
        // By no clock that we have it is from the future.
        guard let kept, state.boards.board(of: stop) == nil, kept.answer.time <= (kept.server ?? now) + 60 else {
          return false
        }
        state.boards.received(kept.answer, for: stop, server: kept.server, at: uptime)
        return true
      }
      // A server that is mute keeps the next news back for 15 s.
      if isShown { changed() }
    }
  }

  private func has(_ key: TimetableKey) -> Bool {
    state.withLock { $0.boards.board(of: key.stop)?.timetableDays.contains(key.day) ?? false }
  }

  private func agencyZones(_ planner: FetchPlanner) -> [StopKey: TimeZone] {
    state.withLock { state in
      Dictionary(
        planner.stops.compactMap { stop in state.boards.board(of: stop)?.answer?.agencyZone.map { (stop, $0) } }
      ) { first, _ in first }
    }
  }
}

extension BusService.State {
  /// How the provider stands: as the worst of the stops that are wanted now. With no window open it is off, which is no
  /// fault, unless somebody must do something before the next one opens.
  func source(at now: Date, uptime: Duration) -> (facts: SourceFacts, changesAt: Duration?)? {
    let watches = boards.list.enabled
    guard !watches.isEmpty else { return nil }
    let wanted = Set(watches.filter { isWanted($0, at: now) }.map(\.stopKey))
    let stands = standings.filter { wanted.contains($0.key) }
    var all: [StopKey: SourceFacts] = [:]
    for (stop, standing) in stands {
      var facts = SourceFacts(OneBusAwayFeed.id, standing, at: now, uptime: uptime)
      facts.problem = standing.ownFault.flatMap(problem)
      if boards.board(of: stop)?.trouble == .timetableExpired { facts.problem = .timetableExpired }
      all[stop] = facts
    }
    if let worst = SourceFacts(worstOf: all, outage: outage, of: boards, at: now) {
      let begins = all.values.compactMap(\.failingSince) + [newest?.sourceFailingSince].compactMap(\.self)
      let lasting = begins.map { ($0 + RailInput.Fault.grace).timeIntervalSince(now) }.filter { $0 > 0 }
      let changes = stands.values.compactMap { $0.nextChange(after: uptime, now: now) }
      return (worst, (changes + lasting.map { uptime + .seconds($0) }).min())
    }
    var off = SourceFacts(id: OneBusAwayFeed.id, state: .off, fetchedAt: standings.values.compactMap(\.fetchedAt).max())
    // The newest request tells how it is with the key, whichever stop it was for.
    off.problem = outage.map(\.problem).flatMap { [.noKey, .badKeyFile, .keyRejected].contains($0) ? $0 : nil }
    return (off, nil)
  }

  private var outage: SourceFacts.Outage? {
    newest?.sourceFault.flatMap(problem).map { SourceFacts.Outage(problem: $0, since: newest?.sourceFailingSince) }
  }

  /// Remembers what the provider meant.
  mutating func understand(_ trouble: OneBusAwayFeed.Trouble) {
    guard let error = trouble.error, case .objection(let objection)? = trouble.fault,
      // What is said of an old copy is no word of the provider's.
      objection.sentence == String(describing: error)
    else { return }
    meanings[objection.sentence] = SourceFacts.Problem(error)
  }

  /// nil: nothing is wrong.
  func problem(_ fault: Fault) -> SourceFacts.Problem? {
    if case .objection(let objection) = fault, let known = meanings[objection.sentence] { return known }
    return SourceFacts.Problem(fault)
  }

  private func isWanted(_ watch: Watch, at now: Date) -> Bool {
    watch.window.opening(at: now, in: zone) != nil
      || watch.window.opening(at: now + FetchPlanner.ahead, in: zone) != nil
  }
}
