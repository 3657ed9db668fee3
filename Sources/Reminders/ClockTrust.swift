package import Foundation

/// Whether the wall clock may be believed (DESIGN 5.2 "Clock"). A box without a battery boots into some other day.
package struct ClockTrust: Equatable, Sendable {
  /// No version before this one existed before this instant, so no honest clock shows an earlier time.
  package static let releaseDate = Date(timeIntervalSince1970: 1_792_540_800)  // 2026-10-21T00:00:00Z

  /// A clock that lags this much behind a row written under a trusted clock is wrong.
  package static let backStep: TimeInterval = 5 * 60

  /// An unsynchronised step of more than this against the monotonic clock ends trust.
  package static let step: TimeInterval = 60

  /// What was seen at the last evaluation: the wall clock's distance from the boot clock.
  private var offset: TimeInterval?
  /// An unsynchronised clock stepped: only synchronisation brings trust back.
  private var stepped = false
  /// It was synchronised since boot; a time service that loses its servers later leaves a good clock behind.
  private var wasSynchronised = false

  /// What was answered last: only a trust that there was can end. Setting a clock that was wrong makes it right.
  private var wasTrusted = false

  package init() {}

  /// - Parameters:
  ///   - now: the wall clock.
  ///   - uptime: the boot clock at the same moment.
  ///   - newestTrustedRow: the newest instant recorded under a trusted clock; nil: none.
  ///   - synchronised: whether it is now; nil when the kernel would not say.
  package mutating func evaluate(
    now: Date, uptime: Duration, newestTrustedRow: Date?, synchronised: Bool?, hasHardwareClock: Bool,
    timeServiceRuns: Bool
  ) -> Bool {
    let parts = uptime.components
    let offset = now.timeIntervalSince1970 - (Double(parts.seconds) + Double(parts.attoseconds) * 1e-18)
    defer { self.offset = offset }
    if synchronised == true {
      stepped = false
      wasSynchronised = true
      wasTrusted = true
      return true
    }
    if wasTrusted, let before = self.offset, abs(offset - before) > Self.step { stepped = true }
    let isSane = now >= Self.releaseDate && newestTrustedRow.map { now >= $0 - Self.backStep } ?? true
    wasTrusted = isSane && !stepped && (wasSynchronised || hasHardwareClock || !timeServiceRuns)
    return wasTrusted
  }
}
