import Foundation
import Testing

@testable import Transit

/// Whose clock "in 5 min" is counted against, when answers come out of caches and of several servers.
struct ServerClockTests {
  private static let start = Date(timeIntervalSince1970: 1_793_721_600)

  /// Seconds from the first answer, and by how much the clock of each is off.
  @Test(
    arguments: [
      ("one clock", [0, 0, 0], 0),
      ("an estimate may only come later in time: a cache of 20 s", [0, -20, -20], 0),
      ("a round trip that was slow once", [-3, 0], 0),
      ("one backend an hour ahead, once", [0, 3600, 0], 0),
      ("the first answer came from it", [3600, 0, 0], 0),
      ("it answers in turn with the others", [0, 3600, 0, 3600, 0, 3600, 0], 0),
      ("one backend an hour behind, once", [0, -3600, 0], 0),
      ("a clock that was set", [0, 120, 120], 120),
      ("a clock that was set back", [0, -120, -120], -120),
      ("a cache that keeps an answer for two minutes", [0, -60, -90, -120], 0),
    ] as [(String, [Double], Double)])
  func `a clock that is far from the one before is believed when two answers in a row tell it`(
    name: String, offsets: [Double], believed: Double
  ) {
    var clock = ServerClock(told: Self.start + offsets[0], toldAgo: .zero, at: .zero)
    for (index, offset) in offsets.enumerated().dropFirst() {
      let uptime = Double(index) * 30
      clock.heard(Self.start + uptime + offset, toldAgo: .zero, at: .seconds(uptime))
    }
    let now = Double(offsets.count - 1) * 30 + 10
    #expect(clock.now(at: .seconds(now)) == Self.start + now + believed, "\(name)")
  }

  /// Seconds from the first answer; each is two answers, 0.2 s apart, as of two stops.
  @Test(
    arguments: [
      ("a cache of two minutes", [0, -30, -60, -90], 0), ("the same, renewed", [0, -60, -90, 0, -60], 0),
      ("a clock that was set", [0, 120, 120], 120),
    ] as [(String, [Double], Double)])
  func `two stops that are asked one after the other confirm nothing to each other`(
    name: String, offsets: [Double], believed: Double
  ) {
    var clock = ServerClock(told: Self.start, toldAgo: .zero, at: .zero)
    for (index, offset) in offsets.enumerated() {
      for uptime in [Double(index) * 30, Double(index) * 30 + 0.2] {
        let standing = Self.start + Double(index) * 30 + offset
        clock.heard(
          offset > 0 ? standing + uptime - Double(index) * 30 : standing, toldAgo: .zero, at: .seconds(uptime))
      }
    }
    let now = Double(offsets.count - 1) * 30 + 10
    #expect(abs(clock.now(at: .seconds(now)).timeIntervalSince(Self.start + now + believed)) < 1, "\(name)")
  }

  @Test func `the first answer of another day is doubted like any other`() {
    var clock = ServerClock(told: Self.start, toldAgo: .zero, at: .zero)
    clock.heard(Self.start + 86_400 + 3600, toldAgo: .zero, at: .seconds(86_400))
    #expect(clock.now(at: .seconds(86_400)) == Self.start + 86_400)
    clock.heard(Self.start + 86_400 + 33, toldAgo: .zero, at: .seconds(86_430))
    #expect(clock.now(at: .seconds(86_430)) == Self.start + 86_433, "it may drift in a day")
  }

  @Test func `a clock that nobody has confirmed for ten minutes is believed no longer`() {
    var clock = ServerClock(told: Self.start + 20, toldAgo: .zero, at: .zero)
    for minute in 1...10 {
      clock.heard(Self.start + Double(minute) * 60, toldAgo: .zero, at: .seconds(minute * 60))
      #expect(clock.now(at: .seconds(minute * 60)) == Self.start + Double(minute) * 60 + 20)
    }
    clock.heard(Self.start + 660, toldAgo: .zero, at: .seconds(660))
    #expect(clock.now(at: .seconds(660)) == Self.start + 660)
  }

  @Test func `the server's clock has gone on since it told`() {
    let clock = ServerClock(told: Self.start, toldAgo: .seconds(2), at: .seconds(100))
    #expect(clock.now(at: .seconds(101)) == Self.start + 3)
    #expect(clock.skew(local: Self.start, at: .seconds(100)) == 2)
  }
}
