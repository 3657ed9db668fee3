import Foundation
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

struct ClockTests {
  private func ledger() async throws -> Ledger {
    let ledger = Ledger(inMemory: .none)
    try await ledger.furnish()
    return ledger
  }

  @Test func `the newest trusted instant knows taps, opened and ended doses, and no tap of a wrong clock`() async throws
  {
    let ledger = try await ledger()
    #expect(try await ledger.newestTrustedInstant() == nil)
    _ = try await ledger.recordTap(
      Sample.tap(at: Sample.now + 9000, trusted: false), decide: Sample.answering(.pendingTime))
    #expect(try await ledger.newestTrustedInstant() == nil)
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.answering(.wrongWindow))
    #expect(try await ledger.newestTrustedInstant() == Sample.now)
    try await ledger.write([.open(Sample.dose())], at: Sample.now + 60)
    #expect(try await ledger.newestTrustedInstant() == Sample.now + 60)
    try await ledger.write([.end(Sample.dose().key, .skipped(.ruleEnded))], at: Sample.now + 120)
    #expect(try await ledger.newestTrustedInstant() == Sample.now + 120)
  }

  @Test func `pending taps are those of this boot that nobody has decided, oldest first`() async throws {
    let ledger = try await ledger()
    let boots = ["boot-1", "boot-2", "boot-1"]
    var ids: [Int64] = []
    for (index, boot) in boots.enumerated() {
      let entry = Sample.tap(
        at: Date(timeIntervalSince1970: 50), uptime: .seconds(10 + index), boot: boot, trusted: false)
      ids.append(try await ledger.recordTap(entry, decide: Sample.answering(.pendingTime)).id)
    }
    let pending = try await ledger.pendingTaps(boot: "boot-1")
    #expect(pending.map(\.id) == [ids[0], ids[2]])
    #expect(pending.map(\.tap.uptime) == [.seconds(10), .seconds(12)])

    let entry = Sample.tap(at: Sample.now - 30, recordedAt: Sample.now, uptime: .seconds(10), resolves: ids[0])
    let decided = try await ledger.recordTap(entry) { view in
      #expect(view.pending == pending)
      return Sample.taking(Sample.dose())(view)
    }
    #expect(decided.decided.verdict.outcome == .taken)
    let log = try await ledger.view(at: Sample.now).log
    #expect(log.credits.map(\.tappedAt) == [Sample.now - 30])
    // The rules were asked up to the instant of the tap; what opened since is still to be asked for.
    #expect(log.advancedUntil == Sample.now - 30)
    #expect(try await ledger.pendingTaps(boot: "boot-1").map(\.id) == [ids[2]])
  }

  @Test func `rows of a clock that was ahead are kept and not believed`() async throws {
    let ledger = try await ledger()
    // The real-time clock keeps local time: eight hours ahead.
    let (wrong, right) = (Sample.now + 8 * 3600, Sample.now)
    let dose = Sample.dose()
    try await ledger.write([.open(dose), .end(dose.key, .unknown(.notRecording))], at: wrong)
    let evening = Sample.dose("ann-iron")
    let tap = try await ledger.recordTap(Sample.tap(at: wrong, uptime: .seconds(7)), decide: Sample.taking(evening))
    try await ledger.keep(DateInterval(start: right - 60, end: wrong))
    try await ledger.keep(DateInterval(start: wrong, duration: 60))
    #expect(try await ledger.newestTrustedInstant() == wrong)

    #expect(try await ledger.correctClock(to: right, boot: "boot-1"))
    #expect(try await ledger.newestTrustedInstant() == nil)
    let log = try await ledger.view(at: right).log
    #expect(log.rows.map(\.ending) == [nil, nil])
    #expect(log.credits == [])
    #expect(log.advancedUntil == right)
    #expect(try await ledger.recordingSpans(since: right - 3600) == [DateInterval(start: right - 60, end: right)])
    #expect(try await ledger.pendingTaps(boot: "boot-1").map(\.id) == [tap.id])
    #expect(try await ledger.number("SELECT count(*) FROM tap") == 1)

    // Both doses live on: the one is ended by its own clock, the other credited at the true instant of the tap.
    let entry = Sample.tap(at: right - 5, recordedAt: right, uptime: .seconds(7), resolves: tap.id)
    #expect(try await ledger.recordTap(entry, decide: Sample.taking(evening)).decided.verdict.outcome == .taken)
    try await ledger.write([.end(dose.key, .missed)], at: dose.closesAt)
    let after = try await ledger.view(at: dose.closesAt).log
    #expect(after.rows.first { $0.occurrence == dose }?.ending == .missed)
    #expect(after.credits == [Credit(key: evening.key, tappedAt: right - 5)])
    #expect(try await ledger.pendingTaps(boot: "boot-1") == [])
    #expect(try await ledger.newestTrustedInstant() == dose.closesAt)
  }

  @Test func `rows from before the wrong clock stay believed`() async throws {
    let ledger = try await ledger()
    let dose = Sample.dose()
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(dose))
    _ = try await ledger.recordTap(
      Sample.tap(at: Sample.now + 9 * 86_400), decide: Sample.answering(.wrongWindow))
    #expect(try await ledger.correctClock(to: Sample.now + 60, boot: "boot-1"))
    #expect(try await ledger.newestTrustedInstant() == Sample.now)
    #expect(try await ledger.view(at: Sample.now + 60).log.credits.map(\.key) == [dose.key])
    #expect(try await ledger.correctClock(to: Sample.now + 60, boot: "boot-1") == false)
  }

  @Test func `an ending that a wrong clock wrote for a window that had truly closed is asked for again`() async throws {
    let ledger = try await ledger()
    let yesterday = Sample.dose(day: Sample.today - 1)
    try await ledger.write([.open(yesterday)], at: yesterday.opensAt)
    try await ledger.write([.end(yesterday.key, .unknown(.notRecording))], at: Sample.now + 30 * 86_400)
    #expect(try await ledger.correctClock(to: Sample.now, boot: "boot-1"))
    let log = try await ledger.view(at: Sample.now).log
    #expect(log.rows == [DoseLog.Row(occurrence: yesterday)])
    #expect((log.advancedUntil ?? .distantFuture) < yesterday.closesAt)
  }
}
