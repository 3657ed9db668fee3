internal import Linux
internal import Synchronization

/// Where callers leave orders for the sound thread: one place, the newest result wins.
final class Desk: Sendable {
  enum Order: Equatable {
    /// With the uptime at which it was asked for.
    case play(Chime, askedAt: Duration)
    /// With the result that now is never heard.
    case stop(abandoned: Chime?)
  }

  private struct State {
    var wanted: (chime: Chime, askedAt: Duration)?
    var isStopping = false
    /// The thread waits for an order.
    var isParked = false
    /// When the thread last showed that it lives.
    var beat: Duration
    /// Since when an order lies here that nobody took.
    var orderedAt: Duration?
  }

  private let state: Mutex<State>
  private let wake = WakeSignal()

  init(now: Duration) { state = Mutex(State(beat: now)) }

  /// What the thread's waits end for.
  var descriptor: Int32 { wake.descriptor }

  /// Leaves a result to be heard; returns the one whose place it takes, which then is never begun. A reminder takes nobody's
  /// place and cuts nothing off: while the thread does anything else it is itself the one that is never begun.
  func play(_ chime: Chime, at now: Duration) -> Chime? {
    if chime == .reminder, state.withLock({ !$0.isParked || $0.wanted != nil }) { return chime }
    let replaced = state.withLock { state in
      state.orderedAt = state.orderedAt ?? now
      defer { state.wanted = (chime, now) }
      return state.wanted?.chime
    }
    wake.signal()
    return replaced
  }

  func stop(at now: Duration) {
    state.withLock { state in
      state.orderedAt = state.orderedAt ?? now
      state.isStopping = true
    }
    wake.signal()
  }

  /// The next order, the most urgent first. Also a sign of life.
  func take(at now: Duration) -> Order? {
    wake.drain()
    return state.withLock { state in
      state.beat = now
      state.orderedAt = nil
      let wanted = state.wanted.take()
      if state.isStopping { return .stop(abandoned: wanted?.chime) }
      return wanted.map { .play($0.chime, askedAt: $0.askedAt) }
    }
  }

  /// Whether a sound that plays must give way.
  var interrupts: Bool { state.withLock { $0.wanted != nil || $0.isStopping } }

  func beat(at now: Duration) { state.withLock { $0.beat = now } }

  /// Around the wait for an order.
  func park(_ wait: () -> ALSALibrary.WaitResult) -> ALSALibrary.WaitResult {
    state.withLock { $0.isParked = true }
    defer { state.withLock { $0.isParked = false } }
    return wait()
  }

  /// When the thread last showed that it lives. One that waits for orders lives for as long as none waits for it: it need
  /// not wake up only to say so. One that is in any other call has to beat.
  func lastBeat(at now: Duration) -> Duration {
    state.withLock { state in state.isParked ? max(state.orderedAt ?? now, state.beat) : state.beat }
  }
}
