import Agent
import Foundation
import Ledger
import Linux
import Reminders
import TestSupport
import Testing

/// A state directory with two days of everything that can happen, made with the ledger and the rules of the agent, and a
/// clock for the commands that read it: 10 November 2026, noon, in Los Angeles.
///
/// - 9 November: Ann takes her morning dose, Bob's drops end while the wall was off, Eve is paused, Ann misses the evening.
/// - 10 November: a mute tag at 08:09, Ann's dose at 08:10, the dose of the day before is undone at 09:00.
struct LedgerOfTwoDays {
  let kitchen: Kitchen
  private let zone: TimeZone
  private let ledger: Ledger

  static let household = """
    { people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }, { id: 'eve', name: 'Eve', remindersEnabled: false }],
      medications: [
        { id: 'levo', person: 'ann', name: 'Levothyroxine', dose: '1 tablet', times: [
          { at: '08:00', since: '2026-11-01T00:00:00-07:00' }, { at: '20:00', since: '2026-11-01T00:00:00-07:00' }] },
        { id: 'drops', person: 'bob', name: 'Eye drops', times: [
          { at: '09:30', days: ['mon'], since: '2026-11-01T00:00:00-07:00' }] },
        { id: 'statin', person: 'eve', name: 'Statin', times: [
          { at: '10:00', days: ['mon'], since: '2026-11-01T00:00:00-07:00' }] } ],
      tags: [{ uid: '04A1B2C3D4E5F6', medications: ['levo'] }] }
    """

  static func at(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

  init() async throws {
    kitchen = try Kitchen()
    zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
    ledger = Ledger(directory: kitchen.state, log: .none)
    let noon = try Self.at("2026-11-10T20:00:00Z")
    let start = try Self.at("2026-11-08T20:00:00Z")
    let imported = await HouseholdImport.run(
      Array(Self.household.utf8), folder: kitchen.folder, ledger: ledger, zone: zone, now: start, clockTrusted: true)
    precondition(imported.code == 0, imported.sentence)
    for (from, to) in [
      ("2026-11-08T20:00:00Z", "2026-11-09T19:00:00Z"), ("2026-11-09T21:45:00Z", "2026-11-10T20:00:00Z"),
    ] {
      try await ledger.keep(DateInterval(start: try Self.at(from), end: try Self.at(to)))
    }
    try await tap([0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6], at: "2026-11-09T16:05:00Z")
    for instant in ["2026-11-09T22:00:00Z", "2026-11-10T08:00:01Z"] { try await advance(to: instant) }
    try await tap(nil, at: "2026-11-10T16:09:00Z")
    try await tap([0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6], at: "2026-11-10T16:10:00Z")
    let key = OccurrenceKey(
      medication: "levo", day: LocalDay(year: 2026, month: 11, day: 9), at: LocalTime(hour: 8, minute: 0))
    let undone = try await ledger.undo(key, at: try Self.at("2026-11-10T17:00:00Z"))
    precondition(undone)
    await ledger.close()
    try setClock(to: noon)
  }

  private var rules: TapRules {
    get async throws {
      TapRules(zone: zone, language: "en", recording: try await ledger.recordingSpans(since: .distantPast))
    }
  }

  private func advance(to instant: String) async throws {
    let now = try Self.at(instant)
    let rules = try await rules
    _ = try await ledger.advance(at: now) { rules.advance($0, to: now) }
  }

  private func tap(_ uid: [UInt8]?, at instant: String) async throws {
    let at = try Self.at(instant)
    let rules = try await rules
    let entry = TapEntry(
      uid: uid.map { TagUID($0) }, at: at, zoneOffset: zone.secondsFromGMT(for: at), uptime: .seconds(1), boot: "b",
      clockTrusted: true, unreadable: uid == nil ? "mute" : nil)
    _ = try await ledger.recordTap(entry) { view in
      if let uid {
        rules.decide(TagUID(uid), at: at, view: view).decided
      } else {
        rules.unreadable("mute", at: at).decided
      }
    }
  }

  /// Commands see this instant as now, going on from it.
  private func setClock(to instant: Date) throws {
    var offset = Int64(instant.timeIntervalSinceNow.rounded(.up))
    try unsafe withUnsafeBytes(of: &offset) { unsafe Data($0) }.write(to: URL(filePath: kitchen.path("clock")))
  }

  func agent(_ words: String...) throws -> Kitchen.Answer {
    try kitchen.bare(
      words + ["--config", kitchen.configuration],
      environment: [
        "LD_PRELOAD": BuildProducts.path("libFakeClock.so"), "KIOSK_FAKE_CLOCK": kitchen.path("clock"),
      ])
  }
}
