import Foundation
import Testing

@testable import Feeds

/// How old what we show is, and what it may then be called.
struct StandingTests {
  static let noon = Date(timeIntervalSince1970: 1_793_548_800)

  private func origin(cachedFor: Duration = .zero) -> Origin {
    Origin(uptime: .seconds(1000), boot: "this", instant: Self.noon, isServers: true, cachedFor: cachedFor)
  }

  @Test func `within a boot the wall clock does not matter`() {
    for step in [-1e9, -3600, 0, 3600, 1e9] {
      #expect(origin().age(at: .seconds(1042), now: Self.noon + step, boot: "this") == .known(.seconds(42)))
    }
    #expect(
      origin(cachedFor: .seconds(300)).age(at: .seconds(1042), now: Self.noon, boot: "this") == .known(.seconds(342)))
  }

  @Test(
    arguments: [
      // Seconds of uptime and of wall clock after the fetch; known, or at least.
      (20, 500, .known(.seconds(500))), (600, 600, .known(.seconds(600))),
      // Two clocks that differ a little: never younger than this boot.
      (600, 560, .known(.seconds(600))), (30, -20, .known(.seconds(30))),
      // A machine without a clock starts in the past.
      (600, -1e6, .atLeast(.seconds(600))), (600, 500, .atLeast(.seconds(600))), (20, -1.7e9, .atLeast(.seconds(20))),
      (20, 1e11, .atLeast(.seconds(20))),
    ] as [(Double, Double, Age)]) func `after another start the server's clock tells, as far as ours can be right`(
      uptime: Double, elapsed: Double, age: Age
    )
  {
    #expect(origin().age(at: .seconds(uptime), now: Self.noon + elapsed, boot: "next") == age)
  }

  @Test func `an uptime before the fetch is another start, whatever the boot is called`() {
    #expect(origin().age(at: .seconds(10), now: Self.noon + 500, boot: "this") == .known(.seconds(500)))
  }

  private func standing(_ fault: Fault? = nil, origin: Origin?, downAfter: Duration? = .seconds(900)) -> Standing {
    Standing(
      origin: origin, freshness: Freshness(interval: .seconds(30), staleAfter: .seconds(180), downAfter: downAfter),
      fault: fault, failingSince: nil, message: nil, nextAttempt: .zero, boot: "this")
  }

  @Test(
    arguments: [
      (0, .fresh, .fresh), (60, .fresh, .fresh), (60.001, .aging, .aging), (180, .aging, .aging),
      (180.001, .stale, .stale), (900, .stale, .stale), (900.001, .stale, .down), (1e6, .stale, .down),
    ] as [(Double, Standing.State, Standing.State)]) func `states follow the age, and only a failing source is down`(
      age: Double, good: Standing.State, failing: Standing.State
    )
  {
    let uptime = Duration.seconds(1000) + .milliseconds(Int((age * 1000).rounded()))
    #expect(standing(origin: origin()).state(at: uptime, now: Self.noon) == good)
    #expect(standing(.noConnection, origin: origin()).state(at: uptime, now: Self.noon) == failing)
    let forever = standing(.noConnection, origin: origin(), downAfter: nil)
    #expect(forever.state(at: uptime, now: Self.noon) == good)
  }

  @Test func `without data a failing source is down, one that is not asked is off`() {
    #expect(standing(.noSuchName, origin: nil).state(at: .zero, now: Self.noon) == .down)
    #expect(standing(.notAsked, origin: nil).state(at: .zero, now: Self.noon) == .off)
    let noKey = Fault.noKey(.missing(source: "onebusaway", variable: "X"))
    #expect(standing(noKey, origin: nil).state(at: .zero, now: Self.noon) == .off)
    #expect(standing(noKey, origin: origin()).state(at: .seconds(1001), now: Self.noon) == .off)
  }

  @Test func `an age that is not known is never fresh`() {
    let standing = standing(
      origin: Origin(uptime: .seconds(9), boot: "last", instant: Self.noon, isServers: true, cachedFor: .zero))
    #expect(standing.state(at: .seconds(2), now: Self.noon - 1e7) == .stale)
    #expect(standing.receivedAt == nil)
  }

  @Test(arguments: [nil, Fault.noConnection]) func `the next change is the next instant at which the state is another`(
    fault: Fault?
  ) throws {
    let standing = standing(fault, origin: origin())
    var uptime = Duration.seconds(1000)
    var seen: [Standing.State] = [standing.state(at: uptime, now: Self.noon)]
    while let next = standing.nextChange(after: uptime, now: Self.noon) {
      #expect(standing.state(at: next - .milliseconds(1), now: Self.noon) == seen.last)
      uptime = next
      seen.append(standing.state(at: uptime, now: Self.noon))
      try #require(seen.count < 10)
    }
    #expect(seen == [.fresh, .aging, .stale] + (fault == nil ? [] : [.down]))
  }

  @Test func `the server's clock goes on with ours, within this boot only`() {
    let standing = standing(origin: origin())
    #expect(standing.serverNow(at: .seconds(1090)) == Self.noon + 90)
    #expect(standing.serverNow(at: .seconds(10)) == nil)
    var own = origin()
    own.isServers = false
    #expect(self.standing(origin: own).serverNow(at: .seconds(1090)) == nil)
    own = origin()
    own.boot = "last"
    #expect(self.standing(origin: own).serverNow(at: .seconds(1090)) == nil)
  }
}

struct BackOffTests {
  private let range = BackOff.Range(first: .seconds(15), cap: .seconds(300))

  @Test func `waits double up to the cap, and chance takes at most half`() {
    for (chance, factor) in [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)] {
      var backOff = BackOff()
      for step in [15.0, 30, 60, 120, 240, 300, 300, 300] {
        backOff.failed(at: .seconds(7), retryAfter: nil, range: range, chance: chance)
        #expect(backOff.notBefore == .seconds(7 + step * factor))
      }
    }
  }

  @Test func `a thousand failures are no overflow and a success ends them`() {
    var backOff = BackOff()
    for _ in 0..<1000 { backOff.failed(at: .zero, retryAfter: nil, range: range, chance: 1) }
    #expect(backOff.notBefore == .seconds(300))
    backOff.succeeded()
    #expect(backOff == BackOff())
    #expect(backOff.notBefore == nil)
  }

  @Test func `what the provider asks for is the least, with a little chance on top`() {
    for (chance, wait) in [(0.0, 1200.0), (1.0, 1320.0)] {
      var backOff = BackOff()
      backOff.failed(at: .zero, retryAfter: .seconds(1200), range: range, chance: chance)
      #expect(backOff.notBefore == .seconds(wait))
    }
    var backOff = BackOff()
    backOff.failed(at: .zero, retryAfter: .seconds(1), range: range, chance: 1)
    #expect(backOff.notBefore == .seconds(15))
  }
}
