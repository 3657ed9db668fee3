import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

extension Ledger {
  /// Years of history at once: `count` doses up to yesterday, each with its tap and credit.
  fileprivate func fill(_ count: Int) throws {
    try write("filling") { store in
      for number in 0..<count {
        let dose = Sample.dose(["ann-levo", "ann-iron", "bob-d3"][number % 3], day: Sample.today - 1 - number / 3)
        let entry = Sample.tap(at: dose.dueAt)
        try store.apply([.open(dose)], until: dose.opensAt, at: dose.opensAt)
        _ = try store.insert(entry, Sample.taking(dose)(LedgerView(household: Household(), log: DoseLog())))
      }
    }
  }
}

@Suite(.serialized)
struct SpeedTests {
  private func percentiles(_ durations: [Duration]) -> (p50: Double, p95: Double) {
    let sorted = durations.map { $0.inSeconds * 1000 }.sorted()
    return (sorted[sorted.count / 2], sorted[sorted.count * 95 / 100])
  }

  private func measure(_ count: Int, _ body: (Int) async throws -> Void) async rethrows -> (p50: Double, p95: Double) {
    let time = SystemTime()
    var durations: [Duration] = []
    for number in 0..<count {
      let start = time.uptime()
      try await body(number)
      durations.append(time.uptime() - start)
    }
    return percentiles(durations)
  }

  @Test func `a tap costs the same after 10,000 taps as after none`() async throws {
    let folder = try StateFolder()
    let ledger = try await folder.furnishedLedger()
    func taps() async throws -> (p50: Double, p95: Double) {
      try await measure(200) { number in
        _ = try await ledger.recordTap(
          Sample.tap(at: Sample.now + Double(number)), decide: Sample.taking(Sample.dose()))
      }
    }
    let fresh = try await taps()
    try await ledger.fill(10_000)
    let full = try await taps()
    let descriptor = unsafe open("\(folder.path)/yardstick", O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let page = [UInt8](repeating: 0, count: 4096)
    let flush = await measure(200) { _ in
      _ = unsafe write(descriptor, page, page.count)
      fdatasync(descriptor)
    }
    print(
      String(
        format: "tap on disk, ms: fresh p50 %.2f p95 %.2f; after 10,000 p50 %.2f p95 %.2f; one flush p50 %.2f p95 %.2f",
        fresh.p50, fresh.p95, full.p50, full.p95, flush.p50, flush.p95))
    // What the rules see holds 14 days of doses more than the fresh one, so it is not quite the same; a scan would be 20x.
    #expect(full.p50 < 3 * fresh.p50 + 1)
  }

  @Test func `10,000 taps of history open within the start's budget`() async throws {
    let folder = try StateFolder()
    let ledger = try await folder.furnishedLedger()
    try await ledger.fill(10_000)
    await ledger.close()
    let time = SystemTime()
    let start = time.uptime()
    let again = folder.ledger()
    try await again.open()
    _ = try await again.view(at: Sample.now)
    let took = time.uptime() - start
    print("opening with 10,000 taps: \(took.inMilliseconds) ms")
    #expect(took < .milliseconds(300))
  }
}
