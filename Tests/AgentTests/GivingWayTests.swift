import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Synchronization
import TestSupport
import Testing
import Wall

@testable import Agent

/// A tap waits for no look at the wall: one that has begun ends early, and begins anew after the tap.
@Suite(.timeLimit(.minutes(1))) struct GivingWayTests {
  /// Something happens while the wall is being put together.
  private final class Source: WallSource {
    private let next = Mutex<(@Sendable () -> Void)?>(nil)
    private let asked = Atomic(0)

    func once(_ body: @escaping @Sendable () -> Void) { next.withLock { $0 = body } }

    var count: Int { asked.load(ordering: .relaxed) }

    func contribute(to input: inout WallInput, at uptime: Duration) -> Duration? {
      asked.wrappingAdd(1, ordering: .relaxed)
      next.withLock { $0.take() }?()
      return nil
    }

    func household(_ documents: [String: String]) {}
  }

  private let bench: KioskBench
  private let kiosk: Kiosk
  private let source = Source()

  init() async throws {
    bench = try await KioskBench()
    var parts = await bench.kiosk.parts
    parts.sources = [source]
    kiosk = Kiosk(parts)
    await kiosk.note(ReaderReport(state: .ready, name: "ACR122U", since: bench.time.uptime()))
    await kiosk.refresh()
    bench.forgetSnapshots()
  }

  @Test func `a look that a tap comes into shows nothing before the tap's answer, and everything after it`()
    async throws
  {
    bench.time.advance(by: .seconds(600))
    let answered = Mutex<Task<Void, Never>?>(nil)
    source.once { [kiosk, bench] in
      kiosk.turns.claim()
      answered.withLock { $0 = Task { await kiosk.answerClaimed(bench.sighting(KioskBench.ann)) } }
    }
    await kiosk.refresh()
    await answered.withLock { $0 }?.value
    let shown = bench.snapshots.dropFirst()
    #expect(shown.first?.overlay?.kind == "taken", "the wall of ten minutes later was not shown before")
    #expect(shown.last?.now == shown.first?.now && shown.last?.late == [])
    #expect(try await bench.outcomes() == ["taken"])
  }

  /// Taps that the test lets come.
  private final class Taps: TapSource {
    private let (stream, continuation) = AsyncStream<TapSighting>.makeStream()

    func come(_ tap: TapSighting) { continuation.yield(tap) }

    func run() async throws {}
    func taps() -> AsyncStream<TapSighting> { stream }
    func reports() -> AsyncStream<ReaderReport> { AsyncStream { $0.finish() } }
    func fault() -> TapSourceFault? { nil }
    func heartbeats() -> [String: Duration] { [:] }
  }

  @Test func `a tap claims its turn as soon as it comes, while the wall is being put together`() async throws {
    let taps = Taps()
    let answering = Task { [kiosk] in try await kiosk.answerTaps(from: taps) }
    defer { answering.cancel() }
    bench.time.advance(by: .seconds(600))
    source.once { [kiosk, bench] in
      taps.come(bench.sighting(KioskBench.ann))
      let limit = ContinuousClock.now + .seconds(20)
      // The kiosk is busy with this very look: who claims needs nothing of it.
      while !kiosk.turns.isClaimed, ContinuousClock.now < limit { sched_yield() }
    }
    await kiosk.refresh()
    while try await bench.outcomes() != ["taken"], !Task.isCancelled { await Task.yield() }
    #expect(bench.snapshots.dropFirst().first?.overlay?.kind == "taken")
  }

  @Test func `an answer that is not on the wall yet is shown before a tap that waits`() async {
    // The first answer of a kiosk that has shown nothing yet.
    let fresh = Kiosk(await kiosk.parts)
    fresh.turns.claim()
    let tap = Task { [bench] in await fresh.answerClaimed(bench.sighting(KioskBench.ann)) }
    fresh.turns.claim()
    await tap.value
    #expect(bench.overlay == "taken")
    fresh.turns.release()
  }

  @Test func `what a tap has written is known before the next one begins, though the wall waits for that`() async {
    kiosk.turns.claim()
    kiosk.turns.claim()
    await kiosk.answerClaimed(bench.sighting(KioskBench.ann))
    let credits = await kiosk.lastView.log.credits.count
    #expect(credits == 1)
    kiosk.turns.release()
  }

  @Test func `a look that gave way for a tap which was none is made all the same`() async {
    bench.time.advance(by: .seconds(600))
    source.once { [kiosk] in kiosk.turns.claim() }
    let look = Task { [kiosk] in await kiosk.refresh() }
    while !kiosk.turns.isClaimed, !Task.isCancelled { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    #expect(bench.snapshots.count == 1)
    kiosk.turns.release()
    await look.value
    #expect(bench.snapshots.count == 2)
  }

  @Test func `taps that are left when the tap loop ends keep no look waiting`() async {
    let taps = KioskTapTests.Source([])
    kiosk.turns.claim()
    let answering = Task { [kiosk] in try await kiosk.answerTaps(from: taps) }
    answering.cancel()
    _ = await answering.result
    bench.time.advance(by: .seconds(600))
    await kiosk.refresh()
    #expect(bench.snapshots.count == 2)
  }

  @Test func `what the readers report at a tap is no reason for a look, unless it is news`() async {
    let running = Task { [kiosk] in try await kiosk.run() }
    defer { running.cancel() }
    await bench.time.waitForSleepers()
    while let deadline = bench.time.nextDeadline, deadline <= bench.time.uptime(), !Task.isCancelled {
      await Task.yield()
    }
    let since = bench.time.uptime()
    func report(_ state: ReaderReport.State) -> ReaderReport {
      ReaderReport(state: state, name: "ACR122U", since: since)
    }
    let looks = source.count
    await kiosk.note(report(.ready))
    #expect(bench.time.sleeperCount == 1)
    #expect(source.count == looks)
    await kiosk.note(report(.absent))
    while bench.snapshot?.reader.state != "absent", !Task.isCancelled { await Task.yield() }
  }
}
