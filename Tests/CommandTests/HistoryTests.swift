import Foundation
import Ledger
import Linux
import Reminders
import Testing

/// `history` (DESIGN 4.1): what happened, newest last.
struct HistoryTests {
  private static let monday = [
    #"{"kind":"tap","at":"2026-11-09T08:05:00-08:00","uid":"04A1B2C3D4E5F6","outcome":"taken","credited":[{"medication":"levo","dueAt":"2026-11-09T08:00:00-08:00"}],"notCredited":[],"message":"Thank you, Ann: Levothyroxine, 1 tablet (due 8:00)","sound":"success","resolves":null}"#,
    #"{"kind":"unknown","at":"2026-11-09T13:30:00-08:00","medication":"drops","dueAt":"2026-11-09T09:30:00-08:00","reason":"notRecording"}"#,
    #"{"kind":"skip","at":"2026-11-09T14:00:00-08:00","medication":"statin","dueAt":"2026-11-09T10:00:00-08:00","reason":"paused"}"#,
  ]

  private static let tuesday = [
    #"{"kind":"missed","at":"2026-11-10T00:00:00-08:00","medication":"levo","dueAt":"2026-11-09T20:00:00-08:00","reason":null}"#,
    #"{"kind":"tap","at":"2026-11-10T08:09:00-08:00","uid":null,"outcome":"unreadable","credited":[],"notCredited":[],"message":"Not read: the tag did not answer: tap again and hold","sound":"failure","resolves":null}"#,
    #"{"kind":"tap","at":"2026-11-10T08:10:00-08:00","uid":"04A1B2C3D4E5F6","outcome":"taken","credited":[{"medication":"levo","dueAt":"2026-11-10T08:00:00-08:00"}],"notCredited":[],"message":"Thank you, Ann: Levothyroxine, 1 tablet (due 8:00)","sound":"success","resolves":null}"#,
    #"{"kind":"undo","at":"2026-11-10T09:00:00-08:00","medication":"levo","dueAt":"2026-11-09T08:00:00-08:00","reason":null}"#,
  ]

  @Test func `every kind is one object a line, in order, newest last`() async throws {
    let ledger = try await LedgerOfTwoDays()
    let answer = try ledger.agent("history", "--json")
    #expect(answer.code == 0 && answer.err == "", "\(answer.err)")
    #expect(answer.lines == Self.monday + Self.tuesday)
  }

  @Test func `N local days include today`() async throws {
    let ledger = try await LedgerOfTwoDays()
    #expect(try ledger.agent("history", "--json", "--days", "1").lines == Self.tuesday)
    #expect(try ledger.agent("history", "--json", "--days=2").lines == Self.monday + Self.tuesday)
    #expect(try ledger.agent("history", "--days", "3660", "--json").lines == Self.monday + Self.tuesday)
  }

  @Test func `without --json it is a table in the wall's time`() async throws {
    let answer = try await LedgerOfTwoDays().agent("history")
    #expect(
      answer.lines == [
        "2026-11-09 08:05:00  taken         Thank you, Ann: Levothyroxine, 1 tablet (due 8:00)",
        "2026-11-09 13:30:00  unknown       drops of 2026-11-09 09:30 (notRecording)",
        "2026-11-09 14:00:00  skip          statin of 2026-11-09 10:00 (paused)",
        "2026-11-10 00:00:00  missed        levo of 2026-11-09 20:00",
        "2026-11-10 08:09:00  unreadable    Not read: the tag did not answer: tap again and hold",
        "2026-11-10 08:10:00  taken         Thank you, Ann: Levothyroxine, 1 tablet (due 8:00)",
        "2026-11-10 09:00:00  undo          levo of 2026-11-09 08:00",
      ])
  }

  @Test func `whoever reads only the beginning ends nothing in an error`() async throws {
    let ledger = try await LedgerOfTwoDays()
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let answer = try ledger.kitchen.bare(
      ["history", "--config", ledger.kitchen.configuration, "--days", "3660"],
      out: pipe.fileHandleForWriting.fileDescriptor)
    #expect(answer.code == 0 && answer.err == "", "\(answer)")
  }

  @Test
  func `a tap of an ended boot that was never decided is at an unknown time, one of this boot may still be decided`()
    async throws
  {
    let kitchen = try Kitchen()
    let ledger = Ledger(directory: kitchen.state, log: .none)
    for (uptime, boot) in [(1, "an ended boot"), (2, BootID.current())] {
      let entry = TapEntry(
        uid: TagUID([4, 1, 2, 3, 4, 5, 6]), at: Date() - 3600 + Double(uptime), zoneOffset: 0,
        uptime: .seconds(uptime), boot: boot, clockTrusted: false)
      _ = try await ledger.recordTap(entry) { _ in
        DecidedTap(verdict: TapVerdict(outcome: .pendingTime), message: "Recorded", sound: .success)
      }
    }
    await ledger.close()
    let lines = try kitchen.agent("history").lines
    try #require(lines.count == 2)
    #expect(lines[0] == "-------------------  pendingTime   tap at unknown time")
    #expect(lines[1].hasSuffix("pendingTime   Recorded"))
  }
}
