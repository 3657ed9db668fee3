package import Foundation
internal import Linux

/// How old something is, as far as it can be known.
package enum Age: Equatable, Sendable {
  case known(Duration)
  /// It is from before the last start of this machine, whose clock does not fit it.
  case atLeast(Duration)
}

/// From when a server's answer is, in the clocks that can measure its age.
package struct Origin: Equatable, Sendable {
  /// The uptime of the boot that fetched it.
  package var uptime: Duration
  /// Which boot that was (/proc/sys/kernel/random/boot_id).
  package var boot: String
  /// True time: the server's clock, or this machine's when the server did not tell.
  package var instant: Date
  /// Whether `instant` is the server's.
  package var isServers: Bool
  /// How old it was already when it came, in a cache on the way.
  package var cachedFor: Duration

  /// Within one boot the uptime tells it, whatever the wall clock does. Afterwards the server's clock against ours, but
  /// never less than this boot is old; when ours is behind that, only the latter is known.
  func age(at uptime: Duration, now: Date, boot: String) -> Age {
    if boot == self.boot, uptime >= self.uptime { return .known(uptime - self.uptime + cachedFor) }
    let elapsed = now.timeIntervalSince(instant)
    // A minute: two clocks are never quite the same.
    guard elapsed > uptime.inSeconds - 60, elapsed < 1e10 else { return .atLeast(uptime) }
    return .known(max(.seconds(elapsed), uptime) + cachedFor)
  }
}

/// How long what was fetched may be shown as what.
package struct Freshness: Equatable, Sendable {
  /// How often it is fetched. Twice that is fresh.
  package var interval: Duration
  /// Older than this it is stale; between fresh and stale it is aging.
  package var staleAfter: Duration
  /// Older than this, and failing, its source is down. nil: the last good copy stays useful however old it is.
  package var downAfter: Duration?

  /// - Parameter staleAfter: nil: four intervals.
  package init(interval: Duration, staleAfter: Duration? = nil, downAfter: Duration? = nil) {
    self.interval = interval
    self.staleAfter = staleAfter ?? interval * 4
    self.downAfter = downAfter
  }
}

/// How a fetched document stands: how old its last good copy is, what the last try said, when the next one may come.
package struct Standing: Equatable, Sendable {
  /// As on the wall (DESIGN 4.4).
  package enum State: String, Sendable, CaseIterable {
    /// At most two intervals old.
    case fresh
    case aging
    case stale
    /// Failing, with nothing that could still be shown.
    case down
    /// It is not fetched: no key, or nobody has asked yet.
    case off
  }

  /// Of the last good copy; nil: there is none.
  package let origin: Origin?
  package let freshness: Freshness
  /// Why the last try gave nothing; nil: it was good, or there was none yet and a copy from before the start serves.
  package let fault: Fault?
  /// Since when it fails without a good answer between, in true time as far as known.
  package let failingSince: Date?
  /// What is wrong with this document, whatever else is wrong with its source; nil: nothing that is known.
  package var ownFault: Fault?
  /// What is wrong with its source as a whole, such as that it is silent.
  package var sourceFault: Fault?
  /// Since when there is a `sourceFault` without a word of the provider's between, in true time as far as known.
  package var sourceFailingSince: Date?
  /// `fault` in one sentence, what is wrong and what to do.
  package let message: String?
  /// The uptime before which `fetch` does not ask again.
  package let nextAttempt: Duration
  let boot: String

  /// When the last good answer came, in uptime; nil: before this boot, or never.
  package var receivedAt: Duration? { origin.flatMap { $0.boot == boot ? $0.uptime : nil } }

  package func age(at uptime: Duration, now: Date) -> Age? { origin?.age(at: uptime, now: now, boot: boot) }

  /// When the last good answer came, in true time.
  package var fetchedAt: Date? { origin?.instant }

  /// A failing document is fresh as long as its data is.
  package func state(at uptime: Duration, now: Date) -> State {
    if let fault, fault.isBeforeAsking { return .off }
    switch age(at: uptime, now: now) {
    case nil: return .down
    case .known(let age) where age <= freshness.interval * 2: return .fresh
    case .known(let age) where age <= freshness.staleAfter: return .aging
    case .known(let age), .atLeast(let age):
      guard fault != nil, let downAfter = freshness.downAfter, age > downAfter else { return .stale }
      return .down
    }
  }

  /// The uptime at which `state` next becomes another by age alone; nil: never.
  package func nextChange(after uptime: Duration, now: Date) -> Duration? {
    guard case .known(let age) = age(at: uptime, now: now) else { return nil }
    let current = state(at: uptime, now: now)
    return [freshness.interval * 2, freshness.staleAfter, freshness.downAfter].compactMap(\.self)
      // A threshold itself still belongs to the state before it.
      .map { uptime + ($0 - age) + .milliseconds(1) }
      .filter { $0 > uptime && state(at: $0, now: now + ($0 - uptime).inSeconds) != current }
      .min()
  }

  /// The server's clock, carried on by ours; nil: unknown (another boot fetched it, or the server did not tell).
  package func serverNow(at uptime: Duration) -> Date? {
    guard let origin, origin.isServers, origin.boot == boot, uptime >= origin.uptime else { return nil }
    return origin.instant + (uptime - origin.uptime).inSeconds
  }
}
