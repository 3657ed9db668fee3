import Foundation
import Ledger
import Linux
import Reminders
import TestSupport
import Testing
import Wall

@testable import Agent

/// The kiosk over the real ledger, with time in the test's hand.
@Suite(.timeLimit(.minutes(2))) struct KioskZoneTests {
  struct Silent: Speaker {
    func play(_ chime: Chime) {}
    func reports() -> AsyncStream<SpeakerReport> { AsyncStream { $0.finish() } }
    func checkMixer() async {}
    func heartbeats() -> [String: Duration] { [:] }
  }

  enum LastZone: CaseIterable { case known, forgotten }

  /// With the last zone forgotten the dose is asked for after the fact: the control that shows that knowing it matters.
  @Test(arguments: LastZone.allCases)
  func `a zone that changed between two runs makes no dose missed that nobody was asked for`(last: LastZone)
    async throws
  {
    let losAngeles = try #require(TimeZone(identifier: "America/Los_Angeles"))
    let paris = try #require(TimeZone(identifier: "Europe/Paris"))
    let ledger = Ledger(inMemory: .none)
    let time = ManualTime(now: try Date("2026-11-10T16:00:00Z", strategy: .iso8601))
    let dose = Medication(
      id: "levo", person: "ann", name: "Levo",
      times: [DoseTime(at: LocalTime(hour: 17, minute: 30), opensBefore: 60, closesAfter: 60)])
    let update = RegistryUpdate(people: [Person(id: "ann", name: "Ann")], medications: [dose])
    _ = try await ledger.importHousehold(update, at: time.now() - 90 * 86_400) { _ in [] }

    func kiosk(_ zone: TimeZone, last: TimeZone?) -> Kiosk {
      Kiosk(
        Kiosk.Parts(
          ledger: ledger, time: time, log: .none, speaker: Silent(), agent: "t", run: "r", boot: "b", zone: { zone },
          keepZone: { _ in }, language: "en",
          clockFacts: { ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true) },
          publish: { _ in }, report: { _, _ in }, configurationFellBack: false), zone: last)
    }

    let before = kiosk(losAngeles, last: nil)
    await before.note(ReaderReport(state: .ready, since: time.uptime()))
    await before.refresh()
    // 17:30 in Paris is 16:30Z, and its window is over at 17:30Z; in Los Angeles it opens at 00:30Z.
    time.advance(by: .seconds(2 * 3600))
    await kiosk(paris, last: last == .known ? losAngeles : nil).refresh()
    let view = try await ledger.view(at: time.now())
    #expect(view.log.rows.count == (last == .known ? 0 : 1), "\(view.log.rows)")
  }
}
