import Foundation
import Testing

@testable import Reminders

struct DebounceTests {
  private let tag = TagUID([4, 1, 2, 3, 4, 5, 6])
  private let other = TagUID([4, 9, 9, 9, 9, 9, 9])

  @Test(arguments: [(0.1, true), (2.9, true), (3.0, true), (3.001, false), (60, false)])
  func `within three seconds of when it was last seen a tag is the same tap`(later: Double, isBounce: Bool) {
    var debounce = Debounce()
    debounce.answered(tag, .taken, at: .seconds(100))
    let result = debounce.isBounce(tag, presentAt: .seconds(100 + later), seenBefore: .seconds(100))
    #expect(result == isBounce)
  }

  @Test func `each sight starts the three seconds again`() {
    var debounce = Debounce()
    debounce.answered(tag, .taken, at: .seconds(100))
    for second in [102, 104, 106, 109] {
      let result = debounce.isBounce(tag, presentAt: .seconds(second), seenBefore: nil)
      #expect(result)
    }
    let after = debounce.isBounce(tag, presentAt: .seconds(113), seenBefore: nil)
    #expect(!after)
  }

  @Test(arguments: [10, 59, 61, 3600, 90_000])
  func `a tag that lies on the reader is the same tap however long`(seconds: Int) {
    var debounce = Debounce()
    debounce.answered(tag, .taken, at: .seconds(100))
    let now = Duration.seconds(100 + seconds)
    let never = debounce.isBounce(tag, presentAt: now, seenBefore: now)
    #expect(never)
    let flicker = debounce.isBounce(tag, presentAt: now + .milliseconds(400), seenBefore: now)
    #expect(flicker)
  }

  @Test func `another tag is never suppressed`() {
    var debounce = Debounce()
    debounce.answered(tag, .taken, at: .seconds(100))
    let result = debounce.isBounce(other, presentAt: .seconds(100), seenBefore: nil)
    #expect(!result)
  }

  @Test(arguments: TapOutcome.allCases)
  func `an answer that stored nothing never suppresses the next tap`(outcome: TapOutcome) {
    var debounce = Debounce()
    debounce.answered(tag, outcome, at: .seconds(100))
    let result = debounce.isBounce(tag, presentAt: .seconds(101), seenBefore: .seconds(100))
    #expect(result == ![.unreadable, .notRecorded, .ignored].contains(outcome))
  }

  @Test func `not recorded undoes an answer before it`() {
    var debounce = Debounce()
    debounce.answered(tag, .taken, at: .seconds(100))
    debounce.answered(tag, .notRecorded, at: .seconds(101))
    let result = debounce.isBounce(tag, presentAt: .seconds(102), seenBefore: .seconds(101))
    #expect(!result)
  }

  @Test func `a thousand tags are not all remembered, and the last ones are`() {
    var debounce = Debounce()
    for number in 0..<1000 {
      debounce.answered(TagUID([1, 2, UInt8(number / 256), UInt8(number % 256)]), .unknownTag, at: .seconds(number))
    }
    let remembered = (0..<1000).count { number in
      var copy = debounce
      let uid = TagUID([1, 2, UInt8(number / 256), UInt8(number % 256)])
      return copy.isBounce(uid, presentAt: .seconds(2000), seenBefore: .seconds(2000))
    }
    #expect(remembered == Debounce.capacity)
    let last = debounce.isBounce(TagUID([1, 2, 3, 231]), presentAt: .seconds(1000), seenBefore: nil)
    #expect(last)
  }
}

struct PendingTapTests {
  private func decide(_ medications: [Medication], after seconds: Double, now: String = "1970-01-01T00:10:00Z")
    -> TapVerdict
  {
    let household = TestWall(medications).household
    return TapDecision(household: household, zone: losAngeles).decideUntrusted(
      annTag, uptime: .seconds(500 + seconds), pending: [PendingTap(uid: annTag, uptime: .seconds(500))], now: at(now))
  }

  @Test func `the first tap waits and an unknown tag is unknown`() {
    let decision = TapDecision(household: TestWall([medication("a", time("08:00"))]).household, zone: losAngeles)
    let now = Date(timeIntervalSince1970: 600)
    #expect(decision.decideUntrusted(annTag, uptime: .seconds(1), pending: [], now: now).outcome == .pendingTime)
    #expect(
      decision.decideUntrusted(TagUID([1, 2, 3, 4]), uptime: .seconds(1), pending: [], now: now).outcome == .unknownTag)
  }

  @Test(arguments: [(1.0, TapOutcome.alreadyTaken), (3599.9, .alreadyTaken), (3600, .pendingTime)])
  func `a second tap within the spacing is already taken`(seconds: Double, outcome: TapOutcome) {
    #expect(decide([medication("a", time("08:00"), spacing: 60)], after: seconds).outcome == outcome)
    // Half of two hours.
    #expect(decide([medication("a", time("08:00"), time("10:00"))], after: seconds).outcome == outcome)
    // The smallest of the tag's medications, whichever it is.
    let both = [medication("a", time("08:00")), medication("b", time("08:00"), spacing: 60), medication("c")]
    #expect(decide(both, after: seconds).outcome == outcome)
  }

  @Test func `a rule that a wrong clock says is not yet in force has its spacing all the same`() {
    let new = medication("a", time("08:00", since: "2026-11-02T00:00:00-08:00"))
    #expect(decide([new], after: 60).outcome == .alreadyTaken)
  }

  @Test func `no time is told by a clock that is not believed`() {
    #expect(decide([medication("a", time("08:00"))], after: 60).notCredited.map(\.at) == [nil])
  }

  @Test func `taps from before the clock was set are decided at their own instants, in order`() {
    var wall = TestWall([medication("levo", time("08:00"), time("14:00"))])
    let now = at("2026-11-02T15:00:00-08:00")
    let uptime = Duration.seconds(9 * 3600)
    let taps = [2, 3, 8].map { PendingTap(uid: annTag, uptime: .seconds($0 * 3600)) }
    let outcomes = taps.map { wall.tap($0.uid, $0.instant(now: now, uptime: uptime)).outcome }
    #expect(outcomes == [.taken, .alreadyTaken, .taken])
    #expect(
      wall.log.credits.map(\.tappedAt) == [at("2026-11-02T08:00:00-08:00"), at("2026-11-02T14:00:00-08:00")])
  }
}

struct ClockTrustTests {
  private static let sane = ClockTrust.releaseDate + 86_400

  private func trusts(
    _ trust: inout ClockTrust, _ now: Date = sane, at uptime: Int = 100, newest: Date? = nil,
    synchronised: Bool? = false,
    hardware: Bool = false, service: Bool = true
  ) -> Bool {
    trust.evaluate(
      now: now, uptime: .seconds(uptime), newestTrustedRow: newest, synchronised: synchronised,
      hasHardwareClock: hardware, timeServiceRuns: service)
  }

  @Test(arguments: [
    // synchronised, hardware clock, time service, trusted
    (Bool?.some(true), false, true, true), (false, false, true, false), (nil, false, true, false),
    (false, true, true, true), (false, false, false, true), (nil, true, true, true), (nil, false, false, true),
  ])
  func `a sane clock is trusted when something keeps it or nothing ever will`(
    synchronised: Bool?, hardware: Bool, service: Bool, expected: Bool
  ) {
    var trust = ClockTrust()
    let result = trusts(&trust, synchronised: synchronised, hardware: hardware, service: service)
    #expect(result == expected)
  }

  @Test func `sane is not before the release and at most five minutes behind the newest row`() {
    var trust = ClockTrust()
    let old = trusts(&trust, ClockTrust.releaseDate - 1, hardware: true)
    #expect(!old)
    trust = ClockTrust()
    let justSane = trusts(&trust, ClockTrust.releaseDate, hardware: true)
    #expect(justSane)
    trust = ClockTrust()
    let close = trusts(&trust, newest: Self.sane + 300, hardware: true)
    #expect(close)
    trust = ClockTrust()
    let behind = trusts(&trust, newest: Self.sane + 301, hardware: true)
    #expect(!behind)
    trust = ClockTrust()
    let synchronised = trusts(&trust, newest: Self.sane + 90_000, synchronised: true)
    #expect(synchronised, "rows from a synchronised clock's future are not believed")
  }

  @Test(arguments: [60, -60, 61, -61, 86_400])
  func `an unsynchronised step of more than a minute ends trust until it is synchronised`(step: Int) {
    var trust = ClockTrust()
    let before = trusts(&trust, hardware: true)
    #expect(before)
    let after = trusts(&trust, Self.sane + 10 + Double(step), at: 110, hardware: true)
    #expect(after == (abs(step) <= 60))
    let later = trusts(&trust, Self.sane + 20 + Double(step), at: 120, hardware: true)
    #expect(later == (abs(step) <= 60), "it does not come back by itself")
    let synchronised = trusts(&trust, Self.sane + 30, at: 130, synchronised: true, hardware: true)
    #expect(synchronised)
    let kept = trusts(&trust, Self.sane + 40, at: 140, hardware: true)
    #expect(kept)
  }

  @Test func `once synchronised since boot is enough`() {
    var trust = ClockTrust()
    let first = trusts(&trust, synchronised: true)
    let second = trusts(&trust, Self.sane + 10, at: 110, synchronised: false)
    #expect(first && second)
  }
}

struct DoseStatusTests {
  @Test func `nothing is late, missed or next while the clock is wrong`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T09:00:00-08:00"))
    let status = DoseStatus.of(
      wall.household, log: wall.log, now: at("2026-11-02T09:00:00-08:00"), zone: losAngeles, clockTrusted: false)
    #expect(status.late.isEmpty && status.open.isEmpty && status.ended.isEmpty && status.next.isEmpty)
  }

  @Test func `late begins where the rule says`() {
    var slow = time("08:00")
    slow.lateAfter = 30
    let wall = TestWall([medication("levo", slow)])
    #expect(wall.status("2026-11-02T08:29:59-08:00").late.isEmpty)
    #expect(wall.status("2026-11-02T08:30:00-08:00").late.map(\.medication.id) == ["levo"])
  }

  @Test func `next is each person's own next dose`() {
    let wall = TestWall([
      medication("a", time("08:00"), time("20:00")), medication("c", time("07:00")),
      medication("b", of: bob, time("12:00")),
    ])
    let next = wall.status("2026-11-02T07:00:00-08:00").next
    #expect(next.map(\.person.id) == ["ann", "bob"])
    #expect(next.map(\.occurrence.key.at.description) == ["08:00", "12:00"])
  }

  @Test func `the next change is told for every boundary of a day`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T00:00:00-08:00"))
    var now = at("2026-11-02T00:00:00-08:00")
    var changes: [Date] = []
    while let next = wall.status(now).nextChange, next < at("2026-11-03T12:00:00-08:00") {
      wall.advance(to: next)
      changes.append(next)
      now = next
    }
    #expect(
      changes
        == [
          "2026-11-02T06:00:00-08:00", "2026-11-02T08:00:00-08:00", "2026-11-02T12:00:00-08:00",
          "2026-11-03T06:00:00-08:00", "2026-11-03T08:00:00-08:00",
        ].map(at))
  }

  @Test func `a window that opens before nearer doses are due is a change too`() {
    let wall = TestWall([
      medication("levo", time("08:00", opens: 30), time("10:00", opens: 30), time("12:00", opens: 270, closes: 60))
    ])
    #expect(wall.status("2026-11-02T07:10:00-08:00").nextChange == at("2026-11-02T07:30:00-08:00"))
  }

  @Test func `a household without doses never changes`() {
    #expect(TestWall([medication("levo")]).status("2026-11-02T08:00:00-08:00").nextChange == nil)
  }
}
