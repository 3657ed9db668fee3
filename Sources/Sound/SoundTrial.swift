internal import Dispatch
package import Linux
internal import Synchronization

/// Plays one sound to its end and says how long that took: what a technician hears, and what could not be heard.
package final class SoundTrial: Sendable {
  package struct Outcome: Equatable, Sendable {
    /// From the order to the first sample; nil: nothing was played.
    package var started: Duration?
    /// From the first sample to the end of the last; nil: it did not come to its end.
    package var lasted: Duration?
  }

  private struct State {
    var ordered: Duration?
    var started: Duration?
    var ended: Duration?
  }

  private let time: any TimeSource
  private let state = Mutex(State())
  private let done = DispatchSemaphore(value: 0)

  package init(time: any TimeSource) { self.time = time }

  /// To be told everything that becomes of the player's sounds.
  package func note(_ event: PlayEvent) {
    let now = time.uptime()
    let isOver = state.withLock { state -> Bool in
      guard state.ordered != nil, state.ended == nil else { return false }
      switch event {
      case .started(.success, let at): state.started = at
      case .finished(.success): state.ended = now
      case .failed, .cut: state.ended = now
      default: return false
      }
      if case .finished = event { return true }
      if case .started = event { return false }
      state.started = nil
      return true
    }
    if isOver { done.signal() }
  }

  /// Blocks until the sound of success has ended, at most for `deadline`. One at a time.
  package func play(on player: Player, within deadline: Duration) -> Outcome {
    let ordered = time.uptime()
    state.withLock { $0 = State(ordered: ordered) }
    player.play(.success)
    _ = done.wait(timeout: .now() + .milliseconds(deadline.inMilliseconds))
    return state.withLock { state in
      defer { state = State() }
      guard let started = state.started else { return Outcome() }
      return Outcome(started: started - ordered, lasted: state.ended.map { $0 - started })
    }
  }
}
