internal import Synchronization

/// Who is told how the readers are. Each gets the newest and misses what came in between.
///
/// One that has gone is found out when it is told, and not by `onTermination`: that runs under the lock of the task that is
/// cancelled, which a `yield` under our lock waits for. The two together would never end.
final class Listeners: Sendable {
  private struct State {
    var continuations: [AsyncStream<ReaderSummary>.Continuation] = []
    var last: ReaderSummary?
  }

  private let state = Mutex(State())

  /// - Parameter summary: made under the lock: what changes between its making and the listener's being here would be told
  ///   to the others only, and to this one never, since nothing is told twice.
  func stream(beginningWith summary: () -> ReaderSummary) -> AsyncStream<ReaderSummary> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ReaderSummary.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      state.continuations.append(continuation)
      continuation.yield(summary())
    }
    return stream
  }

  /// - Parameter summary: made under the lock, so that an older one is never told after a newer one.
  func tell(_ summary: () -> ReaderSummary) {
    state.withLock { state in
      let summary = summary()
      guard state.last != summary else { return }
      state.last = summary
      state.continuations.removeAll { continuation in
        if case .terminated = continuation.yield(summary) { true } else { false }
      }
    }
  }
}
