import Foundation
import Ledger
import Linux
import Reminders
import TestSupport
import Testing
import Wall

@testable import Agent

/// What the wall shows of a ledger that had to be restored (DESIGN 5.6).
@Suite(.timeLimit(.minutes(2))) struct KioskRecoveryTests {
  private let folder = NSTemporaryDirectory() + "kiosk-recovery-\(UUID().uuidString.prefix(8))"
  private let time = ManualTime(now: Date(timeIntervalSince1970: 1_793_588_400))  // 2026-11-02T03:00:00Z

  private func kiosk(_ ledger: Ledger) async -> Kiosk {
    let kiosk = Kiosk(
      Kiosk.Parts(
        ledger: ledger, time: time, log: .none, speaker: KioskZoneTests.Silent(), agent: "t", run: "r", boot: "b",
        zone: { .gmt }, keepZone: { _ in }, language: "en",
        clockFacts: { ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true) },
        publish: { _ in }, report: { _, _ in }, configurationFellBack: false))
    await kiosk.note(ReaderReport(state: .ready, since: time.uptime()))
    await kiosk.refresh()
    return kiosk
  }

  private func tap(_ byte: UInt8, presence: UInt64) -> TapSighting {
    TapSighting(
      content: .uid([4, 0, 0, byte]), presence: presence, presentAt: time.uptime(), readAt: time.uptime())
  }

  @Test func `a ledger damaged overnight: taps are there, other open doses are unknown, and the wall says since when`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let medications = [("levo", "8:00"), ("iron", "8:30")].map { id, at in
      Medication(
        id: id, person: "ann", name: id,
        times: [DoseTime(at: LocalTime(at) ?? LocalTime(hour: 0, minute: 0), opensBefore: 120, closesAfter: 240)])
    }
    let update = RegistryUpdate(
      people: [Person(id: "ann", name: "Ann")], medications: medications,
      tags: [
        Tag(uid: TagUID([4, 0, 0, 1]), medications: ["levo"]), Tag(uid: TagUID([4, 0, 0, 2]), medications: ["iron"]),
      ])
    let first = Ledger(directory: folder, log: .none)
    _ = try await first.importHousehold(update, at: time.now() - 90 * 86_400) { _ in [] }
    _ = try await first.backupDaily(LocalDay(year: 2026, month: 11, day: 2), at: time.now())
    time.advance(by: .seconds(4 * 3600))
    let before = await kiosk(first)
    await before.answer(tap(1, presence: 1))
    #expect(await before.lastSnapshot?.overlay?.kind == "taken")
    await first.close()

    // Found at 9:00, when both doses are late by the rules.
    try Data().write(to: URL(filePath: folder + "/ledger.sqlite"))
    time.advance(by: .seconds(2 * 3600))
    let after = await kiosk(Ledger(directory: folder, log: .none))
    var wall = try #require(await after.lastSnapshot)
    #expect(wall.late.isEmpty)
    #expect(wall.missed.map(\.medication) == ["iron"])
    #expect(wall.missed.first?.state == "unknown")
    #expect(wall.missed.first?.text == "8:30 not known: the record may be lost")
    let banner = "Records since 3:00 may be lost: doses of that time are not known"
    #expect(wall.banners.map(\.text) == [banner])
    await after.answer(tap(1, presence: 2))
    #expect(await after.lastSnapshot?.overlay?.kind == "alreadyTaken")
    await after.answer(tap(2, presence: 3))
    #expect(await after.lastSnapshot?.overlay?.kind == "taken")
    #expect(await after.lastSnapshot?.missed.isEmpty == true)

    time.advance(by: .seconds(23 * 3600))
    await after.refresh()
    wall = try #require(await after.lastSnapshot)
    #expect(wall.banners.map(\.text) == ["Records since Mon 3:00 may be lost: doses of that time are not known"])
    #expect(wall.late.count == 1)
    time.advance(by: .seconds(2 * 3600))
    await after.refresh()
    #expect(await after.lastSnapshot?.banners.isEmpty == true)
  }
}
