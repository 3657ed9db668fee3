import Foundation
import Ledger
import Linux
import Reminders
import Testing

@testable import Agent

/// A dose time that is moved by an edited export, which names for every time since when it is in force.
@Suite(.timeLimit(.minutes(2))) struct EditedTimeTests {
  private let zone = TimeZone.gmt
  private let blue = TagUID([0x04, 1, 2, 3, 4, 5, 6])
  private let ledger = Ledger(inMemory: .none)

  private func instant(_ clock: String) throws -> Date { try Date("2026-11-10T\(clock):00Z", strategy: .iso8601) }

  private var rules: TapRules {
    TapRules(zone: zone, language: "en", recording: [DateInterval(start: .distantPast, end: .distantFuture)])
  }

  /// Imports the medication with one time, in force since January.
  private func enter(_ hour: Int, at clock: String) async throws {
    let rules = rules
    let now = try instant(clock)
    let time = DoseTime(
      at: LocalTime(hour: hour, minute: 0), since: try Date("2026-01-01T00:00:00Z", strategy: .iso8601))
    _ = try await ledger.importHousehold(
      RegistryUpdate(
        people: [Person(id: "ann", name: "Ann")],
        medications: [Medication(id: "levo", person: "ann", name: "Levo", times: [time], minimumSpacing: 60)],
        tags: [Tag(uid: blue, medications: ["levo"])]), at: now
    ) { rules.advance($0, to: now) }
  }

  private func tap(at clock: String) async throws -> TapVerdict {
    let rules = rules
    let now = try instant(clock)
    let entry = TapEntry(uid: blue, at: now, zoneOffset: 0, uptime: .seconds(1), boot: "b", clockTrusted: true)
    return try await ledger.recordTap(entry) { [blue] in rules.decide(blue, at: now, view: $0).decided }.decided.verdict
  }

  private func rows(at clock: String) async throws -> [String] {
    let rules = rules
    let now = try instant(clock)
    let view = try await ledger.advance(at: now) { rules.advance($0, to: now) }
    return view.log.rows.filter { $0.occurrence.key.day == Schedule(zone: zone).day(of: now) }.map { row in
      "\(row.occurrence.key.at) \(row.ending == .skipped(.alreadyTaken) ? "already taken" : row.ending == nil ? "open" : "ended")"
    }
  }

  @Test func `a dose that was taken under the old time is neither late nor credited again under the new one`()
    async throws
  {
    try await enter(8, at: "05:00")
    #expect(try await tap(at: "08:05").outcome == .taken)
    try await enter(9, at: "08:30")
    #expect(try await rows(at: "09:05") == ["08:00 open", "09:00 already taken"])
    #expect(try await tap(at: "09:10").outcome == .alreadyTaken)
    #expect(try await rows(at: "14:00") == ["08:00 open", "09:00 already taken"])
  }

  @Test func `a new time whose window was over when it was entered was never due`() async throws {
    try await enter(20, at: "05:00")
    try await enter(9, at: "13:30")
    #expect(try await rows(at: "13:31") == [])
  }

  @Test func `a new time whose window is still open is asked for at once`() async throws {
    try await enter(20, at: "05:00")
    try await enter(9, at: "12:30")
    #expect(try await rows(at: "12:31") == ["09:00 open"])
    #expect(try await tap(at: "12:35").outcome == .taken)
  }

  @Test func `a window that is widened over a credit does not ask for the dose again`() async throws {
    let rules = rules
    let now = try instant("08:30")
    try await enter(8, at: "05:00")
    #expect(try await tap(at: "08:05").outcome == .taken)
    let since = try Date("2026-01-01T00:00:00Z", strategy: .iso8601)
    let times = [
      DoseTime(at: LocalTime(hour: 8, minute: 0), since: since),
      DoseTime(at: LocalTime(hour: 18, minute: 0), opensBefore: 660, since: since),
    ]
    _ = try await ledger.importHousehold(
      RegistryUpdate(medications: [
        Medication(id: "levo", person: "ann", name: "Levo", times: times, minimumSpacing: 60)
      ]),
      at: now
    ) { rules.advance($0, to: now) }
    #expect(try await rows(at: "18:05") == ["08:00 open", "18:00 already taken"])
  }
}
