internal import Linux
internal import Synchronization

/// Several calendars within one limit, a few of them at one time.
enum CalendarTurns {
  typealias State = CalendarCheck.State

  /// For all of them. The agent gives a calendar 30 s, which nobody who looks for a fault waits.
  static let limit: Duration = .seconds(15)

  /// After it a calendar makes room for one that waits: those that never come must not take the time of all others.
  static let turn: Duration = .seconds(6)

  /// How many are looked at at one time: the longest takes 100 MB of memory, of which a small machine has few.
  static let lanes = 3

  /// Whose turn is next.
  private final class Queue: Sendable {
    private let next = Mutex(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// nil: nobody waits any more.
    func take() -> Int? {
      next.withLock { next in
        guard next < count else { return nil }
        defer { next += 1 }
        return next
      }
    }
  }

  private enum Event: Sendable {
    case seen(State)
    /// The time is over. `next`: for whom room is made.
    case over(next: Int?)
  }

  /// How each of them is, in their order.
  ///
  /// - Parameter look: at one of them, by its place; it ends soon when it is cancelled.
  static func states(
    _ count: Int, _ time: any TimeSource, look: @escaping @Sendable (Int) async -> State
  ) async -> [State] {
    let deadline = time.uptime() + limit
    let queue = Queue(count)
    return await withTaskGroup(of: [(Int, State)].self) { group in
      for _ in 0..<min(lanes, count) {
        group.addTask {
          var states: [(Int, State)] = []
          var waiting = queue.take()
          while let index = waiting, time.uptime() < deadline {
            let (state, next) = await take(until: deadline, queue, time) { await look(index) }
            states.append((index, state))
            waiting = next ?? queue.take()
          }
          return states
        }
      }
      var states = [State](repeating: .unseen, count: count)
      for await lane in group { for (index, state) in lane { states[index] = state } }
      return states
    }
  }

  /// One turn, and who has been taken from the queue meanwhile.
  private static func take(
    until deadline: Duration, _ queue: Queue, _ time: any TimeSource, look: @escaping @Sendable () async -> State
  ) async -> (state: State, next: Int?) {
    let started = time.uptime()
    return await withTaskGroup(of: Event.self) { group in
      group.addTask { .seen(await look()) }
      group.addTask {
        do {
          try await time.sleep(untilUptime: min(started + turn, deadline))
          // One makes room for one: as many go on as nobody waits for.
          if let next = queue.take() { return .over(next: next) }
          try await time.sleep(untilUptime: deadline)
        } catch {}
        return .over(next: nil)
      }
      guard let first = await group.next() else { return (.unseen, nil) }
      let took = time.uptime() - started
      group.cancelAll()
      var next: Int?
      var state = took >= turn ? State.late(after: took) : .unseen
      switch first {
      case .seen(let seen): state = seen
      case .over(let waiting): next = waiting
      }
      // Room that was made in the same instant is not made for nobody.
      for await case .over(let waiting?) in group { next = waiting }
      return (state, next)
    }
  }
}
