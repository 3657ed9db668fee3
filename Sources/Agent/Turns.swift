internal import Linux
internal import Synchronization

/// Lets one piece of work through at a time: taps before everything else, and each in the order of asking.
///
/// An actor alone does not: wherever one tap waits for the disk, it begins the next piece of work, and a wall that was
/// worked out before a tap could be shown after its answer.
final class Turns: Sendable {
  private struct State {
    /// Uptime at which the running piece began; nil: nothing runs.
    var began: Duration?
    /// Turns that were claimed and have not begun.
    var claims = 0
    /// Uptime of the last claim, or of the last piece's end.
    var moved: Duration = .zero
    var claimed: [CheckedContinuation<Void, Never>] = []
    var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whose turn begins now that nothing runs; nil: nobody's, or it is claimed by one who has yet to ask for it.
    mutating func next() -> CheckedContinuation<Void, Never>? {
      if !claimed.isEmpty {
        claims = max(0, claims - 1)
        return claimed.removeFirst()
      }
      return claims > 0 || waiting.isEmpty ? nil : waiting.removeFirst()
    }
  }

  private let state = Mutex(State())
  private let time: any TimeSource

  init(time: any TimeSource) { self.time = time }

  /// Whether somebody who goes before everything else waits for the running piece: it may end early for them.
  var isClaimed: Bool { state.withLock { $0.claims > 0 } }

  /// From now on no turn begins before `takeClaimed` has had its own, or `release` gives the claim up.
  func claim() {
    state.withLock {
      $0.claims += 1
      $0.moved = time.uptime()
    }
  }

  /// Gives so many claims up, or as many as have not asked for their turn.
  func release(_ count: Int = 1) {
    state.withLock { $0.claims -= min(count, max(0, $0.claims - $0.claimed.count)) }
    passOn()
  }

  /// Runs `work` when all that was asked for before has ended.
  func take<T>(_ work: () async throws -> T) async rethrows -> T {
    await begin(isClaimed: false)
    defer { end() }
    return try await work()
  }

  /// Runs `work`, which was claimed, when what runs now has ended, and the claims before it.
  func takeClaimed<T>(_ work: () async throws -> T) async rethrows -> T {
    await begin(isClaimed: true)
    defer { end() }
    return try await work()
  }

  /// The uptime at which the running piece began, or now when there is nothing to do: old when something is stuck.
  func heartbeat() -> Duration {
    state.withLock { $0.began ?? ($0.claims > 0 ? $0.moved : nil) } ?? time.uptime()
  }

  private func begin(isClaimed: Bool) async {
    await withCheckedContinuation { continuation in
      state.withLock { if isClaimed { $0.claimed.append(continuation) } else { $0.waiting.append(continuation) } }
      passOn()
    }
  }

  private func end() {
    state.withLock {
      $0.began = nil
      $0.moved = time.uptime()
    }
    passOn()
  }

  private func passOn() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.began == nil, let next = state.next() else { return nil }
      state.began = time.uptime()
      return next
    }
    next?.resume()
  }
}
