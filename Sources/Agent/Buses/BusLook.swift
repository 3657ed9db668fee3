internal import Feeds
internal import Foundation
package import Linux
internal import Transit
package import Wall

/// One look at all watches, for a command that shows the wall and ends.
package struct BusLook: Sendable {
  private let list: WatchList
  private let feed: OneBusAwayFeed
  private let time: any TimeSource

  /// - Parameter document: the ledger's section `watches`.
  package init(_ document: String?, feed: OneBusAwayFeed, time: any TimeSource) {
    list = WatchList(document, source: OneBusAwayFeed.id)
    self.feed = feed
    self.time = time
  }

  /// Asks for every watched stop once, whatever its window, and adds what the wall would show then. The fetch takes no
  /// time: the provider's clock is that of its answer.
  package func refresh(_ input: inout WallInput) async throws {
    var sources: [StopKey: SourceFacts] = [:]
    var named = BusBoards()
    named.list = list
    let (now, zone) = (input.now, input.zone)
    let boards = try await each { stop, boards in
      let outcome = try await feed.arrivals(stop.stop, watches: list.enabled)
      switch outcome {
      case .new(let answer, _): boards.received(answer, for: stop, toldAgo: .zero, at: .zero)
      case .old(let answer, _):
        if answer.time <= now + 60 { boards.received(answer, for: stop, server: nil, at: .zero) }
      case .nothing: break
      }
      let problem = outcome.problem
      if problem == .timetableExpired {
        boards.timetableExpired(at: stop)
      } else if let problem {
        boards.failed(stop, since: now, problem)
      }
      // Why there is no bus is known from the timetable.
      if boards.boards(at: now, uptime: .zero, in: zone).contains(where: { $0.board.next == nil }) {
        try await addTimetables(of: stop, to: &boards, at: now, in: zone)
      }
      if let standing = await feed.standing(stop.stop, watches: list.enabled) {
        var facts = SourceFacts(OneBusAwayFeed.id, standing, at: time.now(), uptime: time.uptime())
        facts.problem = problem
        sources[stop] = facts
      }
    } show: {
      $0.boards(at: now, uptime: .zero, in: zone)
    }
    input.add(boards)
    if let worst = SourceFacts(worstOf: sources, of: named, at: now) { input.sources.append(worst) }
  }

  /// Adds what the wall would show from the last good copies that the agent keeps, as far as they are not from after that
  /// instant.
  package func addKept(to input: inout WallInput) async {
    let (now, zone) = (input.now, input.zone)
    var times: [Date] = []
    let boards = try? await each { stop, boards in
      if let kept = await feed.kept(stop.stop, watches: list.enabled), kept.answer.time <= now + 60 {
        boards.received(kept.answer, for: stop, server: nil, at: .zero)
        times.append(kept.answer.time)
      }
      let planner = FetchPlanner(watches: list.enabled, zone: zone)
      for key in planner.timetables(at: now) where key.stop == stop {
        if let timetable = await feed.kept(key) { boards.received(timetable, for: stop) }
      }
    } show: {
      $0.boards(at: now, uptime: .zero, in: zone)
    }
    input.add(boards ?? [])
    if let facts = kept(times, at: now, in: zone) { input.sources.append(facts) }
  }

  private func kept(_ times: [Date], at now: Date, in zone: TimeZone) -> SourceFacts? {
    guard !list.enabled.isEmpty else { return nil }
    let isOpen = list.enabled.contains { $0.window.opening(at: now, in: zone) != nil }
    let oldest = times.min()
    let age = oldest.map { now.timeIntervalSince($0) } ?? .infinity
    let state: SourceFacts.State =
      !isOpen ? .off : oldest == nil ? .down : age <= 60 ? .fresh : age <= 180 ? .aging : .stale
    return SourceFacts(id: OneBusAwayFeed.id, state: state, fetchedAt: oldest)
  }

  /// Today's, and those that the windows need.
  private func addTimetables(of stop: StopKey, to boards: inout BusBoards, at now: Date, in zone: TimeZone) async throws
  {
    let agencyZone = boards.board(of: stop)?.answer?.agencyZone ?? zone
    let today = ServiceDay(of: boards.server(local: now, uptime: .zero), in: agencyZone)
    let wanted = FetchPlanner(watches: list.enabled, zone: zone).timetables(at: now, agencyZones: [stop: agencyZone])
    for key in Set(wanted.filter { $0.stop == stop } + [TimetableKey(stop: stop, day: today)]) {
      switch try await feed.timetable(key) {
      case .new(let timetable, _), .old(let timetable, _): boards.received(timetable, for: stop)
      case .nothing: break
      }
    }
  }

  /// The boards of every stop by itself, since each answer has a clock of its own, in the household's order.
  private func each(
    _ ask: (StopKey, inout BusBoards) async throws -> Void, show: (inout BusBoards) -> [BusBoard]
  ) async throws -> [BusBoard] {
    var shown: [BusBoard] = []
    for stop in FetchPlanner(watches: list.enabled, zone: .gmt).stops {
      var boards = BusBoards()
      boards.list = list.only(stop)
      try await ask(stop, &boards)
      shown += show(&boards)
    }
    let order = Dictionary(list.enabled.enumerated().map { ($1.id, $0) }) { first, _ in first }
    return shown.sorted { order[$0.board.watch] ?? 0 < order[$1.board.watch] ?? 0 }
  }
}

extension OneBusAwayFeed.Outcome {
  /// Why nothing new came; nil: it did.
  fileprivate var problem: SourceFacts.Problem? {
    switch self {
    case .new: nil
    case .old(_, let trouble), .nothing(let trouble):
      trouble.error.map { SourceFacts.Problem($0) } ?? trouble.fault.flatMap(SourceFacts.Problem.init) ?? .other
    }
  }
}

extension WatchList {
  /// The watches of one stop.
  func only(_ stop: StopKey) -> WatchList {
    var list = self
    list.watches.removeAll { $0.stopKey != stop }
    return list
  }
}
