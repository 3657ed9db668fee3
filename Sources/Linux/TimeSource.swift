internal import CLinux
package import Foundation

/// The only place time comes from. Nothing else in the product calls `Date()` or sleeps.
///
/// `now` is the wall clock (may step, may be wrong). `uptime` is CLOCK_BOOTTIME: it never steps and counts suspend, so
/// every deadline, debounce and age is measured with it.
package protocol TimeSource: Sendable {
  /// The wall clock, UTC.
  func now() -> Date

  /// Time since boot, including suspend (CLOCK_BOOTTIME).
  func uptime() -> Duration

  /// Returns when `uptime()` has reached `deadline`, at once if it is past; throws `CancellationError` when cancelled.
  func sleep(untilUptime deadline: Duration) async throws
}

extension TimeSource {
  /// Sleeps for `duration` of uptime.
  package func sleep(for duration: Duration) async throws { try await sleep(untilUptime: uptime() + duration) }
}

/// The machine's clocks.
package struct SystemTime: TimeSource {
  package init() {}

  package func now() -> Date { Date() }

  package func uptime() -> Duration {
    var t = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &t)
    return .seconds(t.tv_sec) + .nanoseconds(t.tv_nsec)
  }

  package func sleep(untilUptime deadline: Duration) async throws {
    let left = deadline - uptime()
    if left > .zero { try await Task.sleep(for: left, tolerance: .zero, clock: .continuous) }
    try Task.checkCancellation()
  }
}

extension Duration {
  /// Seconds with a fraction.
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

  /// Whole milliseconds, rounded down.
  package var inMilliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
