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
    /// Of this order alone: the end of an earlier one that came too late is not this one's.
    var done = TimedSemaphore()
  }

  private let time: any TimeSource
  private let state = Mutex(State())

  package init(time: any TimeSource) { self.time = time }

  /// To be told everything that becomes of the player's sounds.
  package func note(_ event: PlayEvent) {
    let now = time.uptime()
    state.withLock { state in
      guard state.ordered != nil, state.ended == nil else { return }
      switch event {
      case .started(.success, let at): return state.started = at
      case .finished(.success): break
      case .failed(.success, _), .cut(.success), .expired(.success): state.started = nil
      default: return
      }
      state.ended = now
      state.done.signal()
    }
  }

  /// Blocks until the sound of success has ended, at most for `deadline`. One at a time.
  package func play(on player: Player, within deadline: Duration) -> Outcome {
    let order = State(ordered: time.uptime())
    state.withLock { $0 = order }
    player.play(.success)
    _ = order.done.wait(atMost: deadline)
    return state.withLock { state in
      defer { state = State() }
      guard let ordered = state.ordered, let started = state.started else { return Outcome() }
      return Outcome(started: started - ordered, lasted: state.ended.map { $0 - started })
    }
  }
}
