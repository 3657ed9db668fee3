package import Foundation

/// The clock of a provider, carried on by our clock that never steps: what "in 5 min" is counted against, because the
/// clock on the wall may be wrong (transit.md 0.1).
package struct ServerClock: Equatable, Sendable {
  /// What an answer told, carried on by our clock.
  private struct Reading: Equatable {
    var time: Date
    var uptime: Duration

    func now(at uptime: Duration) -> Date { time.addingTimeInterval(ServerClock.seconds(uptime - self.uptime)) }
  }

  /// An answer that comes out of a cache tells a time that is a little past. So a later estimate is believed for this long.
  private static let memory: Duration = .seconds(600)
  /// Seconds: what differs by more is another clock, of one backend of several, and is believed when two answers in a row
  /// tell it that are some time apart. Those of a cache do not, since their clock stands still.
  private static let tolerance: TimeInterval = 30
  /// Seconds by which two answers of one clock may differ.
  private static let agreement: TimeInterval = 5
  /// In less than this a clock that stands still cannot be told from one that goes: stops are asked one after the other.
  private static let apart: Duration = .seconds(15)

  private var believed: Reading
  private var doubted: Reading?

  /// - Parameters:
  ///   - told: the time in the answer.
  ///   - toldAgo: how long before the answer came the server told it.
  ///   - uptime: when the answer came, by a clock that never steps.
  package init(told: Date, toldAgo: Duration, at uptime: Duration) {
    believed = Self.reading(told, toldAgo, uptime)
  }

  /// Takes another answer's time.
  package mutating func heard(_ told: Date, toldAgo: Duration, at uptime: Duration) {
    let new = Self.reading(told, toldAgo, uptime)
    let ahead = new.time.timeIntervalSince(now(at: uptime))
    guard abs(ahead) > Self.tolerance else {
      doubted = nil
      if ahead >= 0 || uptime - believed.uptime > Self.memory { believed = new }
      return
    }
    guard let before = doubted, abs(new.time.timeIntervalSince(before.now(at: uptime))) <= Self.agreement else {
      doubted = new
      return
    }
    guard uptime - before.uptime >= Self.apart else { return }
    believed = new
    doubted = nil
  }

  private static func reading(_ told: Date, _ toldAgo: Duration, _ uptime: Duration) -> Reading {
    Reading(time: told.addingTimeInterval(seconds(toldAgo)), uptime: uptime)
  }

  /// The server's time now.
  package func now(at uptime: Duration) -> Date { believed.now(at: uptime) }

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
