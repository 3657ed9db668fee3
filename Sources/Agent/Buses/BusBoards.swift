package import Foundation
package import Transit
package import Wall

/// The boards of one provider's watches, as far as its answers reach.
package struct BusBoards: Sendable {
  package var list = WatchList()
  private var stops: [StopKey: StopBoard] = [:]
  /// By stop: why nothing new came at last.
  private var problems: [StopKey: SourceFacts.Problem] = [:]
  /// nil: no answer has come since the start.
  private var clock: ServerClock?
  /// By watch: advice when to leave is not given up for a few seconds.
  private var shown: [String: WatchBoard] = [:]

  package init() {}

  package func board(of stop: StopKey) -> StopBoard? { stops[stop] }

  /// The provider's clock, as far as it is known.
  package func server(local: Date, uptime: Duration) -> Date { clock?.now(at: uptime) ?? local }

  /// What the wall calls these stops: the names of their watches, in the household's order.
  func names(of stops: Set<StopKey>) -> [String] {
    var seen: Set<String> = []
    return list.enabled.filter { stops.contains($0.stopKey) }.map(name).filter { seen.insert($0).inserted }
  }

  private func name(_ watch: Watch) -> String { list.labels[watch.id] ?? stopName(watch) }

  /// Until the provider has told it: what the household calls the watch itself.
  private func stopName(_ watch: Watch) -> String { stops[watch.stopKey]?.answer?.stopName ?? watch.id }

  /// An answer has come.
  ///
  /// - Parameters:
  ///   - toldAgo: how long before it came the provider looked at its clock.
  ///   - uptime: when it came.
  package mutating func received(_ answer: StopAnswer, for stop: StopKey, toldAgo: Duration, at uptime: Duration) {
    if clock == nil {
      clock = ServerClock(told: answer.time, toldAgo: toldAgo, at: uptime)
    } else {
      clock?.heard(answer.time, toldAgo: toldAgo, at: uptime)
    }
    stops[stop, default: StopBoard()].received(answer)
    problems[stop] = nil
  }

  /// Takes an answer of an earlier run.
  ///
  /// - Parameter server: the provider's clock at `uptime`; nil: not known, ours must do.
  package mutating func received(_ answer: StopAnswer, for stop: StopKey, server: Date?, at uptime: Duration) {
    if clock == nil, let server { clock = ServerClock(told: server, toldAgo: .zero, at: uptime) }
    stops[stop, default: StopBoard()].received(answer)
  }

  package mutating func received(_ timetable: StopTimetable, for stop: StopKey) {
    stops[stop, default: StopBoard()].received(timetable)
  }

  /// - Parameters:
  ///   - since: the local clock.
  ///   - problem: why nothing new came.
  package mutating func failed(_ stop: StopKey, since: Date, _ problem: SourceFacts.Problem) {
    stops[stop, default: StopBoard()].failed(since: since)
    problems[stop] = problem
  }

  package mutating func timetableExpired(at stop: StopKey) {
    stops[stop, default: StopBoard()].failedAsTimetableExpired()
  }

  /// Drops what no watch looks at any more.
  package mutating func forgetOthers() {
    let wanted = Set(list.enabled.map(\.stopKey))
    stops = stops.filter { wanted.contains($0.key) }
    problems = problems.filter { wanted.contains($0.key) }
  }

  /// The boards of the watches that are switched on, in the household's order.
  ///
  /// - Parameter zone: the household's.
  package mutating func boards(at local: Date, uptime: Duration, in zone: TimeZone) -> [BusBoard] {
    let now = BoardTime(server: server(local: local, uptime: uptime), local: local)
    let boards = list.enabled.map { watch in
      let stop = stops[watch.stopKey] ?? StopBoard()
      return BusBoard(
        board: stop.board(for: watch, at: now, in: zone, previous: shown[watch.id]), walks: watch.walkMinutes != nil,
        label: list.labels[watch.id], stopName: stopName(watch),
        problem: problems[watch.stopKey], now: now)
    }
    shown = Dictionary(boards.map { ($0.board.watch, $0.board) }) { first, _ in first }
    return boards
  }
}
