internal import Foundation
package import Transit
package import Wall

/// A watch's board, and what of it stands on the wall.
package struct BusBoard: Sendable {
  package var board: WatchBoard
  /// The household wants to know when to leave.
  package var walks: Bool
  package var label: String?
  /// For a watch without a label that has no bus to name it by.
  package var stopName: String
  /// Why nothing new came at last; nil: it did.
  package var problem: SourceFacts.Problem?
  package var now: BoardTime

  /// More of them would leave no room for the one that runs.
  private static let mostCanceled = 2

  /// In the rail: the next bus or why there is none, and the buses before it that do not run. Nothing outside the window.
  var cards: [BusFacts] {
    guard board.isOpen else { return [] }
    let until = board.next?.at ?? .distantFuture
    let canceled = board.arrivals.filter { $0.state == .canceled && $0.at <= until }.prefix(Self.mostCanceled)
    return canceled.map(struck) + [board.next.map(running) ?? silent].compactMap { $0 }
  }

  /// For programs: all that was asked for and is not older than 180 s, and in the window whatever there is.
  var arrivals: [ArrivalFacts] {
    guard board.isOpen || board.basis == .answer else { return [] }
    return board.arrivals.map { row in
      ArrivalFacts(
        watch: board.watch, trip: row.trip.text, route: row.route.text, headsign: row.headsign, at: row.at,
        scheduledAt: row.scheduledAt, predictedAt: row.predictedAt, state: state(row.state), minutes: row.minutes,
        lateSeconds: row.lateness, updatedAt: row.updatedAt)
    }
  }

  var notices: [RailInput.Notice] {
    guard board.isOpen else { return [] }
    return board.notices.map { RailInput.Notice(id: $0.id.text, name: label ?? stopName, text: $0.summary) }
  }

  private func state(_ state: Arrival.State) -> ArrivalFacts.State {
    switch state {
    case .live: .live
    case .aging: .aging
    case .scheduled: .scheduled
    case .canceled: .canceled
    case .frequency: .frequency
    }
  }

  private func facts(_ row: Arrival, _ state: BusFacts.State) -> BusFacts {
    let key = [row.trip.text, row.key.serviceDate.map(String.init), row.key.stopSequence.map(String.init)]
    return BusFacts(
      id: "\(board.watch) \(key.compactMap { $0 }.joined(separator: " "))", source: OneBusAwayFeed.id,
      name: label ?? row.headsign,
      route: row.routeName, state: state, at: row.at, minutes: row.minutes)
  }

  private func struck(_ row: Arrival) -> BusFacts { facts(row, .canceled) }

  private func running(_ row: Arrival) -> BusFacts {
    var bus = facts(row, known(row))
    bus.then = board.after?.at
    bus.last = board.last.map { $0 == .ofDay ? .ofDay : .ofWindow }
    guard walks, row.minutes != nil, isVouchedFor(bus.state) else { return bus }
    bus.advice = board.leave.map { $0.key == row.key ? advice($0.advice) : .missed } ?? .missed
    return bus
  }

  /// Whether its time is one to leave the house for.
  private func isVouchedFor(_ state: BusFacts.State) -> Bool {
    switch state {
    case .stale, .unconfirmed: false
    default: true
    }
  }

  private func known(_ row: Arrival) -> BusFacts.State {
    switch row.state {
    case .live: return .predicted(lateSeconds: row.lateness, scheduledAt: row.scheduledAt, age: nil)
    case .aging:
      return .predicted(lateSeconds: row.lateness, scheduledAt: row.scheduledAt, age: row.updatedAt.map(minutesSince))
    case .canceled: return .canceled
    case .frequency: return .frequency(every: max(1, Int(((row.headway ?? 60) / 60).rounded())), heard: heard(row))
    case .scheduled:
      if row.predictedAt != nil, let updatedAt = row.updatedAt {
        return .stale(minutes: minutesSince(updatedAt), was: row.at)
      }
      return row.isUnconfirmed ? .unconfirmed : .scheduled(heard: heard(row))
    }
  }

  /// Minutes since anything was heard of a bus that is shown by its timetable only; nil: nothing is missing.
  private func heard(_ row: Arrival) -> Int? {
    let last = row.updatedAt ?? (board.basis == .answer ? nil : board.answeredAt)
    return last.map(minutesSince).flatMap { (1...60).contains($0) ? $0 : nil }
  }

  private func minutesSince(_ instant: Date) -> Int {
    max(0, Int((min(now.server.timeIntervalSince(instant), 1e9) / 60).rounded(.down)))
  }

  private func advice(_ advice: LeaveAdvice) -> BusFacts.Advice {
    switch advice {
    case .leave(let minutes): .leave(inMinutes: minutes)
    case .leaveNow: .leaveNow
    case .run: .run
    case .missed: .missed
    }
  }

  private func failing(since: Date) -> BusFacts.Silence {
    guard let problem, !problem.isSilence else { return .providerDown(since: since) }
    return .notAvailable(problem, since: since)
  }

  /// nil: nothing has been asked yet, and there is nothing to say.
  private var silent: BusFacts? {
    let silence: BusFacts.Silence? =
      switch board.silence {
      case .later(let row): .later(row.at)
      case .noServiceToday: .noServiceToday
      case .noMoreToday(let next): .noMoreToday(next: next)
      case .timetableExpired: .timetableExpired
      case .providerDown(let since): failing(since: since)
      case .noneUntil(let at): .noneUntil(at)
      case .notAsked, nil: nil
      }
    return silence.map {
      BusFacts(
        id: board.watch, source: OneBusAwayFeed.id, name: label ?? stopName, route: "", state: .silent($0))
    }
  }
}

extension WallInput {
  /// Adds what the boards show.
  package mutating func add(_ boards: [BusBoard]) {
    rail.buses += boards.flatMap(\.cards)
    arrivals = (arrivals + boards.flatMap(\.arrivals)).sorted { a, b in
      (a.at, a.watch, a.trip) < (b.at, b.watch, b.trip)
    }
    var told: Set<String> = []
    rail.notices += boards.flatMap(\.notices).filter { told.insert($0.text).inserted }
  }
}
