import Foundation
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

/// What the rules get to see (`DoseLog`).
struct DoseLogTests {
  private func ledger() async throws -> Ledger {
    let ledger = Ledger(inMemory: .none)
    try await ledger.furnish()
    return ledger
  }

  @Test func `the log holds what closed within nine days and leaves out what ended before`() async throws {
    let ledger = try await ledger()
    let days = Array(-11...0)
    let doses = days.map { Sample.dose(day: Sample.today + $0) }
    for dose in doses { try await ledger.write([.open(dose), .end(dose.key, .missed)], at: dose.closesAt) }
    // That of nine days ago closed at 12:00 (`DoseLog.reachOfRows`).
    let log = try await ledger.view(at: Sample.dose().closesAt + 60).log
    #expect(log.rows.map(\.occurrence) == Array(doses[3...]))
    let earlier = try await ledger.view(at: Sample.dose().closesAt - 60).log
    #expect(earlier.rows.map(\.occurrence) == Array(doses[2...]))
  }

  @Test func `after weeks without the rules the log holds all that they have not ended`() async throws {
    let ledger = try await ledger()
    let dose = Sample.dose(day: Sample.today - 20)
    try await ledger.write([.open(dose)], at: dose.opensAt)
    #expect(try await ledger.view(at: Sample.now).log.rows.map(\.occurrence) == [dose])
  }

  @Test func `an old dose of the log comes with its credit, or it would look missed`() async throws {
    let ledger = try await ledger()
    let dose = Sample.dose(day: Sample.today - 20)
    _ = try await ledger.recordTap(Sample.tap(at: dose.dueAt), decide: Sample.taking(dose))
    let log = try await ledger.view(at: Sample.now).log
    #expect(log.rows.map(\.occurrence) == [dose])
    #expect(log.credits.map(\.key) == [dose.key])
  }

  @Test func `credits matter for 14 days in either direction`() async throws {
    let ledger = try await ledger()
    for day in -15...0 {
      let dose = Sample.dose(day: Sample.today + day)
      _ = try await ledger.recordTap(Sample.tap(at: dose.dueAt), decide: Sample.taking(dose))
    }
    #expect(try await ledger.view(at: Sample.now).log.credits.count == 15)
    #expect(try await ledger.view(at: Sample.now - 20 * 86_400).log.credits.count == 16)
  }

  @Test func `an undone dose is open again, also when its window closed long ago`() async throws {
    let ledger = try await ledger()
    let dose = Sample.dose(day: Sample.today - 12)
    _ = try await ledger.recordTap(Sample.tap(at: dose.dueAt), decide: Sample.taking(dose))
    let last = Sample.dose(day: Sample.today - 1)
    try await ledger.write([.open(last), .end(last.key, .missed)], at: last.closesAt)
    #expect(try await ledger.view(at: Sample.now).log.rows.map(\.occurrence) == [last])

    #expect(try await ledger.undo(dose.key, at: Sample.now))
    #expect(try await ledger.undo(dose.key, at: Sample.now) == false)
    let log = try await ledger.view(at: Sample.now).log
    #expect(log.rows.map(\.occurrence) == [dose, last])
    #expect(log.credits == [])

    try await ledger.write([.end(dose.key, .unknown(.notRecording))], at: Sample.now)
    #expect(try await ledger.view(at: Sample.now).log.rows.map(\.occurrence) == [last])
  }

  @Test(
    arguments: [Ending.missed] + SkipReason.allCases.map(Ending.skipped) + UnknownReason.allCases.map(Ending.unknown))
  func `every ending is read back as it was written`(ending: Ending) async throws {
    let ledger = try await ledger()
    let dose = Sample.dose()
    try await ledger.write([.open(dose), .end(dose.key, ending)], at: dose.closesAt)
    #expect(try await ledger.view(at: dose.closesAt).log.rows.map(\.ending) == [ending])
  }

  @Test func `a missed dose is acknowledged once; others cannot be`() async throws {
    let ledger = try await ledger()
    let missed = Sample.dose()
    let open = Sample.dose("ann-iron")
    let skipped = Sample.dose("bob-d3")
    try await ledger.write(
      [.open(missed), .open(open), .open(skipped), .end(missed.key, .missed), .end(skipped.key, .skipped(.paused))],
      at: missed.closesAt)
    for _ in 1...2 {
      try await ledger.acknowledge([missed.key, open.key, skipped.key], at: missed.closesAt + 60)
    }
    let acknowledged = try await ledger.view(at: missed.closesAt + 60).log.rows.filter(\.acknowledged)
    #expect(acknowledged.map(\.occurrence.key) == [missed.key])
  }

  @Test func `undoing or acknowledging a dose that never opened says so`() async throws {
    let ledger = try await ledger()
    #expect(try await kind { _ = try await ledger.undo(Sample.dose().key, at: Sample.now) } == .notFound)
    #expect(try await kind { try await ledger.acknowledge([Sample.dose().key], at: Sample.now) } == .notFound)
  }

  @Test func `spans of recording move their end and are forgotten after 40 days`() async throws {
    let ledger = try await ledger()
    let start = Sample.now - 50 * 86_400
    try await ledger.keep(DateInterval(start: start, duration: 60))
    try await ledger.keep(DateInterval(start: start, duration: 120))
    #expect(try await ledger.recordingSpans(since: start) == [DateInterval(start: start, duration: 120)])
    #expect(try await ledger.recordingSpans(since: start + 120) == [])
    try await ledger.keep(DateInterval(start: Sample.now, duration: 60))
    #expect(try await ledger.recordingSpans(since: start) == [DateInterval(start: Sample.now, duration: 60)])
  }
}
