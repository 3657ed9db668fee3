package import Foundation

/// The clock of a provider, carried on by our clock that never steps: what "in 5 min" is counted against, because the
/// clock on the wall may be wrong (transit.md 0.1).
package struct ServerClock: Equatable, Sendable {
  /// An answer that comes out of a cache tells a time that is past. So a later estimate is believed for this long.
  private static let memory: Duration = .seconds(600)

  private var time: Date
  private var uptime: Duration

  /// - Parameters:
  ///   - told: the time in the answer.
  ///   - roundTrip: from the request to the answer; the server looked at its clock half way.
  ///   - uptime: when the answer came, by a clock that never steps.
  package init(told: Date, roundTrip: Duration, at uptime: Duration) {
    time = told.addingTimeInterval(Self.seconds(roundTrip) / 2)
    self.uptime = uptime
  }

  /// Takes another answer's time.
  package mutating func heard(_ told: Date, roundTrip: Duration, at uptime: Duration) {
    let new = ServerClock(told: told, roundTrip: roundTrip, at: uptime)
    let isOld = uptime - self.uptime > Self.memory
    if isOld || new.time >= now(at: uptime) { self = new }
  }

  /// The server's time now.
  package func now(at uptime: Duration) -> Date { time.addingTimeInterval(Self.seconds(uptime - self.uptime)) }

  /// Seconds by which the server is ahead of the local clock.
  package func skew(local: Date, at uptime: Duration) -> TimeInterval { now(at: uptime).timeIntervalSince(local) }

  private static func seconds(_ duration: Duration) -> TimeInterval {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }
}

/// An instant by both clocks, to the millisecond like all that providers tell.
package struct BoardTime: Equatable, Sendable {
  /// The provider's clock: what arrivals are counted against.
  package let server: Date
  /// The clock on the wall: what windows are held against.
  package let local: Date

  package init(server: Date, local: Date) {
    self.server = server.wholeMilliseconds
    self.local = local.wholeMilliseconds
  }
}
