package import Foundation

/// Whether the wall clock may be believed (DESIGN 5.2 "Clock"). A box without a battery boots into some other day.
package struct ClockTrust: Equatable, Sendable {
  /// No version before this one existed before this instant, so no honest clock shows an earlier time.
  package static let releaseDate = Date(timeIntervalSince1970: 1_792_540_800)  // 2026-10-21T00:00:00Z

  /// A clock that lags this much behind a row written under a trusted clock is wrong.
  package static let backStep: TimeInterval = 5 * 60

  /// An unsynchronised step of more than this against the monotonic clock ends trust.
  package static let step: TimeInterval = 60

  /// What is known of the clock of this boot: a restart of the agent forgets nothing of it.
  package struct Memory: Codable, Equatable, Sendable {
    /// The wall clock's distance from the boot clock at the last evaluation, s; nil: there was none.
    package var offset: TimeInterval?
    /// An unsynchronised clock stepped: only synchronisation brings trust back.
    package var stepped = false
    /// It was synchronised since boot; a time service that loses its servers later leaves a good clock behind.
    package var wasSynchronised = false
    /// What was answered last: only a trust that there was can end. Setting a clock that was wrong makes it right.
    package var wasTrusted = false

    package init() {}

    /// Whether it says something else than `other`; a clock that is slewed moves by less than a second.
    package func differs(from other: Memory?) -> Bool {
      guard let other, let offset, let known = other.offset, abs(offset - known) < 1 else { return true }
      return (stepped, wasSynchronised, wasTrusted) != (other.stepped, other.wasSynchronised, other.wasTrusted)
    }
  }

  package private(set) var memory: Memory
  /// Whether the last evaluation saw a step, of a synchronised clock too.
  package private(set) var didStep = false

  /// - Parameter memory: of an earlier run in the same boot.
  package init(_ memory: Memory = Memory()) { self.memory = memory }

  /// - Parameters:
  ///   - now: the wall clock.
  ///   - uptime: the boot clock at the same moment.
  ///   - newestTrustedRow: the newest instant recorded under a trusted clock; nil: none.
  ///   - synchronised: whether it is now; nil when the kernel would not say.
  ///   - wasSynchronised: whether a time service says that it was since boot.
  package mutating func evaluate(
    now: Date, uptime: Duration, newestTrustedRow: Date?, synchronised: Bool?, wasSynchronised: Bool = false,
    hasHardwareClock: Bool, timeServiceRuns: Bool
  ) -> Bool {
    let parts = uptime.components
    let offset = now.timeIntervalSince1970 - (Double(parts.seconds) + Double(parts.attoseconds) * 1e-18)
    didStep = memory.offset.map { abs(offset - $0) > Self.step } ?? false
    memory.offset = offset
    if wasSynchronised { memory.wasSynchronised = true }
    if synchronised == true {
      memory.stepped = false
      memory.wasSynchronised = true
      memory.wasTrusted = true
      return true
    }
    if memory.wasTrusted, didStep { memory.stepped = true }
    let isSane = now >= Self.releaseDate && newestTrustedRow.map { now >= $0 - Self.backStep } ?? true
    memory.wasTrusted =
      isSane && !memory.stepped && (memory.wasSynchronised || hasHardwareClock || !timeServiceRuns)
    return memory.wasTrusted
  }
}
