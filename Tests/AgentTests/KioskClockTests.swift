import Foundation
import Ledger
import Linux
import Reminders
import TestSupport
import Testing
import Wall

@testable import Agent

/// A clock that is wrong, becomes right, or was believed and should not have been (DESIGN 5.2 "Clock").
@Suite(.timeLimit(.minutes(2))) struct KioskClockTests {
  /// A battery-backed clock, and a time service without an answer yet.
  private static let ownClock = ClockFacts(synchronised: false, hasHardwareClock: true, timeServiceRuns: true)

  @Test func `under a wrong clock taps are kept and nothing is late, missed or credited`() async throws {
    let bench = try await KioskBench(now: Date(timeIntervalSince1970: 1_000_000_000), facts: KioskBench.noClock)
    #expect(bench.banners == ["clock"])
    #expect(bench.snapshot?.clock.trusted == false)
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "pendingTime")
    await bench.pass(3600)
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "alreadyTaken", "within the spacing by boot time")
    await bench.tap(KioskBench.stranger)
    #expect(try await bench.outcomes() == ["pendingTime", "alreadyTaken", "unknownTag"])
    #expect(bench.snapshots.allSatisfy { $0.late.isEmpty && $0.missed.isEmpty })
    #expect(try await bench.taps().allSatisfy { $0.credited.isEmpty && !$0.clockTrusted })
    #expect(bench.health?.clockTrusted == false)
  }

  @Test func `once the clock is right the tap that waited is decided first, at the instant it happened`() async throws {
    let bench = try await KioskBench(now: Date(timeIntervalSince1970: 1_000_000_000), facts: KioskBench.noClock)
    await bench.tap(KioskBench.ann)
    await bench.pass(600)
    // It is 09:00 now, so that tap was at 08:50, an hour before which nothing is credited.
    bench.time.step(by: .seconds(KioskBench.start.timeIntervalSince(bench.time.now()) + 3600))
    bench.setClock(KioskBench.goodClock)
    // Asked by a tap: what waited must come before it.
    await bench.tap(KioskBench.ann)
    let taps = try await bench.taps()
    #expect(Set(taps.map(\.outcome)) == [.pendingTime, .taken, .alreadyTaken])
    let taken = try #require(taps.first { $0.outcome == .taken })
    #expect(taken.resolves != nil)
    #expect(taken.credited.map(\.dueAt) == [KioskBench.start])
    let item = try await bench.ledger.history(from: .distantPast, to: .distantFuture).first {
      if case .tap(let tap) = $0.kind { tap.outcome == .taken } else { false }
    }
    #expect(item?.at == KioskBench.start + 3000)
    #expect(bench.snapshots.allSatisfy { $0.late.isEmpty })
    #expect(bench.speaker.chimes == [.success, .failure], "nobody hears it again")
    #expect(bench.banners == [])
  }

  @Test func `a tap that waits is decided even when the ledger fails at the moment the clock becomes right`()
    async throws
  {
    let holder = LedgerHolder()
    let bench = try await KioskBench(facts: KioskBench.noClock, directory: holder.path)
    await bench.tap(KioskBench.ann)
    await bench.pass(60)
    try holder.hold()
    bench.setClock(KioskBench.goodClock)
    await bench.pass(5)
    #expect(bench.banners.contains("ledger"))
    #expect(try await bench.outcomes() == ["pendingTime"])
    holder.letGo()
    await bench.pass(5)
    #expect(try await bench.outcomes().contains("taken"))
    #expect(bench.banners == [])
    #expect(bench.snapshot?.late == [])
  }

  @Test func `a believed clock that was ahead is corrected: its credit moves to the true instant, once`() async throws {
    // The battery's clock keeps another zone's time: it says 10:30 at 08:30.
    let bench = try await KioskBench(now: KioskBench.start + 9000, facts: Self.ownClock)
    #expect(bench.snapshot?.clock.trusted == true)
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "taken")
    await bench.pass(60)
    bench.time.step(by: .seconds(-7200))
    bench.setClock(KioskBench.goodClock)
    await bench.kiosk.refresh()
    let items = try await bench.ledger.history(from: .distantPast, to: .distantFuture)
    let kinds = items.map { item -> String in
      switch item.kind {
      case .tap(let tap): "\(tap.outcome.rawValue) \(Int(item.at.timeIntervalSince(KioskBench.start)))"
      case .undo: "undo"
      default: "other"
      }
    }
    #expect(kinds.sorted() == ["taken 1800", "taken 9000", "undo"], "\(kinds)")
    let view = try await bench.ledger.view(at: bench.time.now())
    #expect(view.log.credits.map(\.tappedAt) == [KioskBench.start + 1800])
    #expect(bench.snapshot?.late == [])
    await bench.pass(10)
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "alreadyTaken")
  }

  @Test func `after such a correction the clock stays believed when its servers are lost`() async throws {
    let bench = try await KioskBench(now: KioskBench.start + 9000, facts: Self.ownClock)
    await bench.tap(KioskBench.ann)
    bench.time.step(by: .seconds(-7200))
    bench.setClock(KioskBench.goodClock)
    await bench.pass(60)
    bench.setClock(Self.ownClock)
    await bench.pass(60)
    #expect(bench.snapshot?.clock.trusted == true)
    #expect(bench.banners == [])
  }

  @Test(arguments: [-3600, -61, 61, 3600])
  func `an unsynchronised step of more than a minute ends trust, and nothing is late until a server has answered`(
    seconds: Int
  ) async throws {
    let bench = try await KioskBench(facts: Self.ownClock)
    await bench.pass(60)
    bench.forgetSnapshots()
    bench.time.step(by: .seconds(seconds))
    await bench.kiosk.refresh()
    #expect(bench.banners == ["clock"])
    #expect(bench.snapshot?.late == [])
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "pendingTime")
    bench.time.step(by: .seconds(-seconds))
    bench.setClock(KioskBench.goodClock)
    await bench.pass(10)
    #expect(bench.banners == [])
    #expect(try await bench.outcomes().contains("taken"))
  }

  @Test(arguments: [-60, -1, 1, 60]) func `a small step ends nothing`(seconds: Int) async throws {
    let bench = try await KioskBench(facts: Self.ownClock)
    bench.time.step(by: .seconds(seconds))
    await bench.kiosk.refresh()
    #expect(bench.banners == [])
  }

  @Test func `two looks at a clock that has just become right decide a waiting tap once`() async throws {
    let bench = try await KioskBench(facts: KioskBench.noClock)
    for uid in [KioskBench.ann, KioskBench.bob] { await bench.tap(uid) }
    await bench.pass(30)
    bench.setClock(KioskBench.goodClock)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { await bench.kiosk.refresh() } }
    }
    #expect(try await bench.outcomes().sorted() == ["pendingTime", "pendingTime", "taken", "wrongWindow"])
    #expect(bench.banners == [], "no row was refused")
  }

  @Test func `a restart of the agent does not bring back the trust that a step has ended`() async throws {
    let first = try await KioskBench(facts: Self.ownClock)
    first.time.step(by: .seconds(3 * 3600))
    await first.kiosk.refresh()
    #expect(first.banners == ["clock"])
    let memory = try #require(first.keptClock)
    let second = try await KioskBench(now: first.time.now(), facts: Self.ownClock, clock: memory)
    #expect(second.banners == ["clock"])
    // The control: who knows nothing believes it.
    #expect(try await KioskBench(now: first.time.now(), facts: Self.ownClock).banners == [])
  }

  @Test func `a step while the agent was down is seen by the next run`() async throws {
    let first = try await KioskBench(facts: Self.ownClock)
    let memory = try #require(first.keptClock)
    let second = try await KioskBench(now: KioskBench.start + 3 * 3600, facts: Self.ownClock, clock: memory)
    #expect(second.banners == ["clock"])
  }

  @Test func `once synchronised in this boot is enough for the next run, which finds no server`() async throws {
    let first = try await KioskBench()
    let memory = try #require(first.keptClock)
    #expect(try await KioskBench(facts: KioskBench.noClock, clock: memory).banners == [])
    #expect(try await KioskBench(facts: KioskBench.noClock).banners == ["clock"])
  }

  /// As timesyncd sets a clock that has drifted.
  @Test(arguments: [-5, -1, 1, 5])
  func `seconds by which the clock is set right do not make a missed dose one that the wall was off for`(seconds: Int)
    async throws
  {
    let bench = try await KioskBench()
    // Until shortly before Levo's window closes.
    await bench.pass(3 * 3600 + 1800)
    bench.time.step(by: .seconds(seconds))
    await bench.kiosk.refresh()
    await bench.pass(3600)
    #expect(bench.snapshot?.missed.map(\.state) == ["missed"])
  }

  @Test func `a window in hours that the clock jumped over is unknown, not missed`() async throws {
    let bench = try await KioskBench()
    // It was 17 hours slow, and believed. Bob's window of 18:00 to 24:00 was never there for anyone to tap in.
    bench.time.step(by: .seconds(17 * 3600))
    await bench.kiosk.refresh()
    #expect(bench.snapshot?.missed.map(\.state) == ["unknown", "unknown"])
  }

  @Test func `a tap of a boot that ended before its clock was set is shown for a day, and credits nothing`()
    async throws
  {
    let holder = LedgerHolder()
    let before = try await KioskBench(facts: KioskBench.noClock, directory: holder.path)
    await before.tap(KioskBench.ann)
    await before.ledger.close()
    let bench = try await KioskBench(now: KioskBench.start + 600, directory: holder.path, boot: "the next boot")
    #expect(bench.banners == ["unknownTime"])
    #expect(bench.snapshot?.banners.first?.text == "Ann: a tap at unknown time, from before the restart")
    #expect(bench.snapshot?.late.map(\.medication) == ["Levo"])
    await bench.pass(86_399)
    #expect(bench.banners == ["unknownTime"])
    await bench.pass(1)
    #expect(bench.banners == [])
  }

  @Test func `a dose taken just before the clock was lost is not taken again by boot time`() async throws {
    let bench = try await KioskBench(facts: Self.ownClock)
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "taken")
    bench.time.step(by: .seconds(3 * 3600))
    await bench.pass(60)
    #expect(bench.banners == ["clock"])
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "alreadyTaken")
  }

  @Test func `a household entered under a clock that was ahead is in force once the clock is right`() async throws {
    let bench = try await KioskBench(now: KioskBench.start + 4 * 365 * 86_400, facts: KioskBench.noClock)
    let eleven = LocalTime(hour: 9, minute: 0)
    let named = Date(timeIntervalSince1970: 1_800_000_000)
    let medication = Medication(
      id: "new", person: "ann", name: "New",
      times: [DoseTime(at: eleven), DoseTime(at: LocalTime(hour: 21, minute: 0), since: named)])
    _ = try await bench.ledger.importHousehold(
      RegistryUpdate(medications: [medication]), at: bench.time.now(), advance: { _ in [] })
    bench.time.step(by: .seconds(-4 * 365 * 86_400))
    bench.setClock(KioskBench.goodClock)
    await bench.kiosk.refresh()
    let times = try await bench.ledger.export().household.medications.first?.times ?? []
    #expect(times.map { $0.since ?? .distantFuture } == [bench.time.now(), named], "what was named stays")
    await bench.pass(3700)
    #expect(bench.snapshot?.late.map(\.medication) == ["New"])
  }
}
