internal import Linux
internal import Synchronization

/// Wakes one sleeping loop: a wake that comes while nobody sleeps is kept for the next sleep.
///
/// When `wake` returns, the sleep has ended: nobody finds a sleeper who is already called.
final class Wake: Sendable {
  private struct State {
    var isPending = false
    var sleep: Task<Void, any Error>?
  }

  private let state = Mutex(State())

  func wake() {
    let sleep = state.withLock { state -> Task<Void, any Error>? in
      if state.sleep == nil { state.isPending = true }
      return state.sleep.take()
    }
    sleep?.cancel()
  }

  /// A wake that came before counts no more: whoever calls is about to look anyway.
  func forget() { state.withLock { $0.isPending = false } }

  /// nil: there was a wake already.
  fileprivate func begin(_ sleep: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error>? {
    state.withLock { state in
      guard !state.isPending else {
        state.isPending = false
        return nil
      }
      state.sleep = Task { try await sleep() }
      return state.sleep
    }
  }

  /// One that comes between the end of the sleep and this is not kept: the sleeper is up, and about to look.
  fileprivate func end() { state.withLock { $0.sleep = nil } }
}

extension TimeSource {
  /// Sleeps so long, or until somebody wakes it up.
  func sleep(_ pause: Duration, orUntil wake: Wake) async throws {
    let deadline = uptime() + pause
    if let sleep = wake.begin({ try await self.sleep(untilUptime: deadline) }) {
      await withTaskCancellationHandler {
        _ = await sleep.result
      } onCancel: {
        sleep.cancel()
      }
      wake.end()
    }
    try Task.checkCancellation()
  }
}
