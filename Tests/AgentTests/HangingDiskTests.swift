import Configuration
import Feeds
import Foundation
import Ledger
import Linux
import Synchronization
import TestSupport
import Testing
import Wall

@testable import Agent

/// A disk that does not answer: the wall is there all the same, and says so.
@Suite(.timeLimit(.minutes(1))) struct HangingDiskTests {
  /// A wall over a ledger that holds Ann's and Bob's doses and answers nothing for the moment.
  private static func bench(_ holder: LedgerHolder) async throws -> KioskBench {
    let bench = try await KioskBench(directory: holder.path, busyTimeout: 60_000)
    try holder.hold()
    return bench
  }

  @Test func `the first wall is there after 6 s, and whole when the disk answers`() async throws {
    let holder = LedgerHolder()
    let bench = try await Self.bench(holder)
    let kiosk = Kiosk(await bench.kiosk.parts)
    await kiosk.note(ReaderReport(state: .absent, since: bench.time.uptime()))
    bench.forgetSnapshots()
    let before = bench.snapshots.count
    let looking = Task { await kiosk.firstLook() }
    await bench.time.waitForSleepers()
    bench.time.advance(by: Kiosk.patience - .milliseconds(1))
    #expect(bench.snapshots.count == before)
    bench.time.advance(by: .milliseconds(1))
    await looking.value
    #expect(Set(bench.banners) == ["ledger", "reader"], "the clock is no part of it")
    #expect(bench.health?.ledger != nil && bench.health?.clockTrusted == true)
    #expect(bench.snapshot?.late == [] && bench.snapshot?.missed == [])
    holder.letGo()
    while bench.banners != ["reader"], !Task.isCancelled { await Task.yield() }
    #expect(bench.snapshot?.late.map(\.medication) == ["Levo"])
  }

  @Test func `a wall whose disk stops answering says so and goes on with what it knows`() async throws {
    let holder = LedgerHolder()
    let bench = try await Self.bench(holder)
    let running = Task { [kiosk = bench.kiosk] in try await kiosk.run() }
    defer { running.cancel() }
    while bench.kiosk.heartbeat() == bench.time.uptime(), !Task.isCancelled {
      await Task.yield()
      bench.time.advance(by: .milliseconds(1))
    }
    bench.time.advance(by: .seconds(5))
    await bench.kiosk.tellWhenStuck()
    #expect(bench.banners == [])
    bench.time.advance(by: .seconds(3600))
    await bench.kiosk.tellWhenStuck()
    #expect(bench.banners == ["ledger"])
    #expect(bench.health?.ledger != nil)
    #expect(bench.snapshot?.late.first?.minutesLate == 60)
    holder.letGo()
    while bench.banners != [], !Task.isCancelled { await Task.yield() }
    #expect(bench.health?.ledger == nil)
  }

  @Test func `systemd is told READY and the page is served though the disk hangs`() async throws {
    let holder = LedgerHolder()
    let bench = try await Self.bench(holder)
    let manager = FakeManager()
    let port = Mutex<UInt16>(0)
    var configuration = Configuration(stateDirectory: holder.path)
    configuration.wall.port = 0
    let agent = AgentRun(
      configuration: configuration, configurationFellBack: false, ledger: bench.ledger,
      tapSource: KioskTapTests.Source([]), speaker: bench.speaker, time: bench.time,
      log: Log { _, line in
        guard let text = line.wholeMatch(of: #/the wall is on http://127.0.0.1:(\d+)//#)?.1 else { return }
        port.withLock { $0 = UInt16(text) ?? 0 }
      }, notify: NotifySocket(environment: ["NOTIFY_SOCKET": manager.name]),
      ways: WallSources.Ways(exchange: Exchange { _ in throw Fault.noConnection }, environment: [:]),
      runtimeDirectory: nil, version: "t",
      bootID: "boot", clockFacts: { KioskBench.goodClock }, lastResort: { _ in })
    let (signals, arrivals) = AsyncStream<Signal>.makeStream()
    let running = Task { await agent.run(signals: signals) }
    var messages: [String] = []
    while !messages.contains("READY=1"), !Task.isCancelled {
      bench.time.advance(by: .milliseconds(100))
      await Task.yield()
      messages += manager.received()
    }
    let web = HTTPProbe(port: port.withLock { $0 })
    #expect(try web.get("/api/wall").body.contains(#""banners":[{"id":"ledger""#))
    #expect(try web.get("/healthz").status == 503)
    holder.letGo()
    arrivals.yield(.terminate)
    #expect(await running.value == 0)
  }
}
