internal import Linux
internal import Synchronization

/// Lets one piece of work through at a time, in the order of asking.
///
/// An actor alone does not: wherever one tap waits for the disk, it begins the next piece of work, and a wall that was
/// worked out before a tap could be shown after its answer.
final class Turns: Sendable {
  private struct State {
    /// Uptime at which the running piece began; nil: nothing runs.
    var began: Duration?
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let time: any TimeSource

  init(time: any TimeSource) { self.time = time }

  /// Runs `work` when all that was asked for before has ended.
  func take<T>(_ work: () async throws -> T) async rethrows -> T {
    await begin()
    defer { end() }
    return try await work()
  }

  /// The uptime at which the running piece began, or now when nothing runs: old when something is stuck.
  func heartbeat() -> Duration { state.withLock { $0.began } ?? time.uptime() }

  private func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.began != nil {
          state.waiting.append(continuation)
          return false
        }
        state.began = time.uptime()
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.began = nil
        return nil
      }
      state.began = time.uptime()
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
