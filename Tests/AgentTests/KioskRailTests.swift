import Foundation
import Linux
import Synchronization
import TestSupport
import Testing
import Wall

@testable import Agent

/// The rail's order as the kiosk keeps it: cards change places at most every 10 s (DESIGN 5.5).
@Suite(.timeLimit(.minutes(1))) struct KioskRailTests {
  /// Buses of an hour's time, each with its minute.
  private final class Source: WallSource {
    private let minutes = Mutex<[(name: String, minute: Int)]>([])
    private let hour: Date

    init(_ hour: Date) { self.hour = hour }

    func set(_ buses: [(String, Int)]) { minutes.withLock { $0 = buses.map { (name: $0.0, minute: $0.1) } } }

    func contribute(to input: inout WallInput, at uptime: Duration) -> Duration? {
      input.rail.buses += minutes.withLock { $0 }.map { bus in
        BusFacts(id: bus.name, name: bus.name, route: "1", state: .scheduled(), at: hour + Double(bus.minute) * 60)
      }
      return nil
    }

    func household(_ documents: [String: String]) {}
  }

  private let bench: KioskBench
  private let kiosk: Kiosk
  private let source: Source

  init() async throws {
    bench = try await KioskBench()
    source = Source(KioskBench.start + 1800)
    var parts = await bench.kiosk.parts
    parts.sources = [source]
    kiosk = Kiosk(parts)
  }

  /// The buses in the rail's order.
  private var shown: [String] {
    bench.snapshot?.rail.cards.map(\.title).filter { ["North", "South"].contains($0) } ?? []
  }

  /// Lets the loop look, and come to rest again.
  private func look() async {
    kiosk.changed()
    await bench.time.waitForSleepers()
  }

  @Test func `cards that have just changed places stay, and are put right after 10 s without anything happening`()
    async throws
  {
    source.set([("North", 0), ("South", 1)])
    let running = Task { [kiosk] in try await kiosk.run() }
    defer { running.cancel() }
    await bench.time.waitForSleepers()
    #expect(shown == ["North", "South"])
    source.set([("North", 2), ("South", 1)])
    await look()
    #expect(shown == ["South", "North"])
    let changed = bench.time.uptime()
    source.set([("North", 0), ("South", 1)])
    bench.time.advance(by: .seconds(2))
    await look()
    #expect(shown == ["South", "North"], "two seconds later they stay where they are")
    #expect(bench.time.nextDeadline == changed + .seconds(10))
    bench.time.advance(by: .milliseconds(7999))
    #expect(shown == ["South", "North"])
    bench.time.advance(by: .milliseconds(1))
    while shown != ["North", "South"], !Task.isCancelled { await Task.yield() }
  }
}
