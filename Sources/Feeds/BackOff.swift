/// When the next try may come after failures: each wait twice the one before, up to a cap, shortened at random so that
/// many walls do not come back in the same second.
package struct BackOff: Equatable, Sendable {
  /// The wait after the first failure and the longest, before chance.
  package struct Range: Equatable, Sendable {
    package var first: Duration
    package var cap: Duration

    package init(first: Duration, cap: Duration) {
      self.first = first
      self.cap = cap
    }
  }

  private(set) var failures = 0
  /// Nothing before this uptime.
  private(set) var notBefore: Duration?

  /// - Parameters:
  ///   - retryAfter: what the provider asks for; never less than that.
  ///   - chance: 0 to 1. The wait is 50 to 100 % of its step; on what the provider asks for 0 to 10 % are added.
  mutating func failed(at uptime: Duration, retryAfter: Duration?, range: Range, chance: Double) {
    failures = min(failures + 1, 30)
    let step = min(range.first * (1 << (failures - 1)), range.cap)
    var wait = step * (0.5 + 0.5 * chance)
    if let retryAfter { wait = max(wait, retryAfter * (1 + 0.1 * chance)) }
    notBefore = uptime + wait
  }

  mutating func succeeded() { self = BackOff() }
}
