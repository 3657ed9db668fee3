package import Foundation
internal import Linux
internal import Synchronization

/// Clocks that move only when a test says so.
///
/// `advance` moves both clocks; `step` moves the wall clock alone, like a wrong NTP answer. Sleepers whose deadline has
/// come are resumed in the order of their deadlines, which is not always the order in which they run. A cancel that arrives before the sleep is remembered by the task.
package final class ManualTime: TimeSource {
  fileprivate struct Sleeper {
    let id: UInt64
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  fileprivate struct State {
    var now: Date
    var uptime: Duration
    var nextID: UInt64 = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<UInt64> = []
    var arrivals: [(id: UInt64, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - now: the wall clock's first answer.
  ///   - uptime: the boot clock's first answer.
  package init(now: Date = Date(timeIntervalSince1970: 1_793_520_000), uptime: Duration = .seconds(1000)) {
    state = Mutex(State(now: now, uptime: uptime))
  }

  package func now() -> Date { state.withLock { $0.now } }
  package func uptime() -> Duration { state.withLock { $0.uptime } }

  package func sleep(untilUptime deadline: Duration) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let (now, waiting) = state.withLock { state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
          if state.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
          if deadline <= state.uptime { return (.success(()), []) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return (nil, state.takeArrivals())
        }
        if let now { continuation.resume(with: now) }
        for waiter in waiting { waiter.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    _ = state.withLock { $0.cancelled.remove(id) }
    try Task.checkCancellation()
  }

  /// Moves both clocks forward and wakes the sleepers that are due, earliest first.
  package func advance(by duration: Duration) {
    let due = state.withLock { state -> [Sleeper] in
      state.uptime += duration
      state.now += duration.inSeconds
      let due = state.sleepers.filter { $0.deadline <= state.uptime }.sorted { $0.deadline < $1.deadline }
      state.sleepers.removeAll { $0.deadline <= state.uptime }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Steps the wall clock; uptime and sleepers do not notice.
  package func step(by duration: Duration) { state.withLock { $0.now += duration.inSeconds } }

  /// How many tasks sleep on this clock now.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The earliest deadline anyone sleeps for, in uptime.
  package var nextDeadline: Duration? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  /// Returns once at least `count` tasks sleep on this clock: the way a test knows that the code has come to rest. It also
  /// returns when the test's time is over, which would otherwise hang the run instead of failing it.
  package func waitForSleepers(_ count: Int = 1) async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.sleepers.count >= count || Task.isCancelled { return true }
          state.arrivals.append((id, count, continuation))
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.arrivals.firstIndex { $0.id == id }.map { state.arrivals.remove(at: $0).continuation }
      }
      waiter?.resume()
    }
  }
}

extension ManualTime.State {
  fileprivate mutating func takeArrivals() -> [CheckedContinuation<Void, Never>] {
    let ready = arrivals.filter { $0.count <= sleepers.count }
    arrivals.removeAll { $0.count <= sleepers.count }
    return ready.map(\.continuation)
  }
}
