import Foundation
import Ledger
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent

/// The machine sleeps over the times of doses: boot time goes on, and nothing runs.
@Suite(.timeLimit(.minutes(1))) struct KioskSleepTests {
  /// Ann's dose is due at 08:00, now, and closes at 12:00; Bob's is due at 20:00.
  private static let untilEvening = Duration.seconds(13 * 3600)

  @Test func `what became late meanwhile is shown at once on waking, without anything else happening`() async throws {
    let bench = try await KioskBench()
    let running = Task { [kiosk = bench.kiosk] in try await kiosk.run() }
    defer { running.cancel() }
    await bench.time.waitForSleepers()
    #expect(bench.snapshot?.late.map(\.medication) == ["Levo"])
    bench.time.advance(by: Self.untilEvening)
    while bench.snapshot?.late.map(\.medication) != ["Drops"], !Task.isCancelled { await Task.yield() }
    #expect(bench.snapshot?.late.first?.minutesLate == 60)
  }

  @Test(arguments: [true, false])
  func `a dose that closed while the machine slept is unknown; while it was awake, missed`(sleeps: Bool) async throws {
    let bench = try await KioskBench()
    if sleeps {
      bench.time.advance(by: Self.untilEvening)
      await bench.kiosk.refresh()
    } else {
      await bench.pass(Self.untilEvening.inSeconds)
    }
    #expect(bench.snapshot?.missed.map(\.state) == [sleeps ? "unknown" : "missed"])
    #expect(bench.banners == [], "a sleep is no fault of the clock")
  }

  @Test func `a tap that is the first thing after a sleep finds the same`() async throws {
    let bench = try await KioskBench()
    bench.time.advance(by: Self.untilEvening)
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "wrongWindow")
    #expect(bench.snapshot?.missed.map(\.state) == ["unknown"])
    let spans = try await bench.ledger.recordingSpans(since: .distantPast)
    #expect(spans.allSatisfy { $0.end <= KioskBench.start }, "\(spans)")
  }

  @Test func `a wall that looks a little late has not slept`() async throws {
    let bench = try await KioskBench()
    for _ in 0..<(13 * 30) {
      bench.time.advance(by: Kiosk.sleep)
      await bench.kiosk.refresh()
    }
    #expect(bench.snapshot?.missed.map(\.state) == ["missed"])
  }
}
