import Foundation
import Linux
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

  @Test func `a look that gave way for a tap which was none is made all the same`() async {
    bench.time.advance(by: .seconds(600))
    source.once { [kiosk] in kiosk.turns.claim() }
    let look = Task { [kiosk] in await kiosk.refresh() }
    while !kiosk.turns.isClaimed { await Task.yield() }
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
    while let deadline = bench.time.nextDeadline, deadline <= bench.time.uptime() { await Task.yield() }
    let since = bench.time.uptime()
    func report(_ state: ReaderReport.State) -> ReaderReport {
      ReaderReport(state: state, name: "ACR122U", since: since)
    }
    let looks = source.count
    await kiosk.note(report(.ready))
    #expect(bench.time.sleeperCount == 1)
    #expect(source.count == looks)
    await kiosk.note(report(.absent))
    while bench.snapshot?.reader.state != "absent" { await Task.yield() }
  }
}
