internal import Linux
internal import Synchronization

/// Wakes one sleeping loop: a wake that comes while nobody waits is kept for the next wait.
final class Wake: Sendable {
  private struct State {
    var pending = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func wake() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting == nil { state.pending = true }
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// A wake that came before counts no more: whoever calls is about to look anyway.
  func forget() { state.withLock { $0.pending = false } }

  /// Returns at the next wake, or when the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          if state.pending || Task.isCancelled {
            state.pending = false
            return true
          }
          state.waiting = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.take() }?.resume()
    }
  }
}

extension TimeSource {
  /// Sleeps so long, or until somebody wakes it up.
  func sleep(_ pause: Duration, orUntil wake: Wake) async throws {
    let deadline = uptime() + pause
    await withTaskGroup(of: Void.self) { group in
      group.addTask { try? await sleep(untilUptime: deadline) }
      group.addTask { await wake.wait() }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }
}
