import Foundation
import Testing

/// `wall` (DESIGN 4.1, 4.4): what the wall would show at an instant.
struct WallTests {
  private func wall(_ words: String, of ledger: LedgerOfTwoDays) throws -> [String: Any] {
    let answer = try ledger.agent("wall", "--json", "--at", words)
    #expect(answer.code == 0 && answer.err == "" && answer.lines.count == 1, "\(answer)")
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any])
  }

  private func rows(_ section: String, _ snapshot: [String: Any], _ keys: String...) -> [[String]] {
    (snapshot[section] as? [[String: Any]] ?? []).map { row in keys.map { "\(row[$0] ?? "-")" } }
  }

  @Test func `every key of a snapshot is there, in an empty house as well`() throws {
    let kitchen = try Kitchen()
    let answer = try kitchen.agent("wall", "--json", "--at", "2026-11-10T08:30:00.75-08:00")
    let snapshot = try #require(try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any])
    #expect(
      Set(snapshot.keys).isSuperset(of: [
        "schema", "agent", "boot", "v", "now", "timeZone", "clock", "reader", "overlay", "late", "missed", "banners",
        "rail", "arrivals", "period", "agenda", "sources", "mode",
      ]))
    #expect(snapshot["schema"] as? Int == 1)
    #expect(snapshot["now"] as? String == "2026-11-10T08:30:00-08:00")
    #expect(snapshot["timeZone"] as? String == "America/Los_Angeles")
    #expect(snapshot["overlay"] is NSNull && snapshot["period"] is NSNull)
    for key in ["late", "missed", "banners", "arrivals", "agenda", "sources"] {
      #expect((snapshot[key] as? [Any])?.isEmpty == true, "\(key)")
    }
    let reader = try #require(snapshot["reader"] as? [String: Any])
    #expect(Set(reader.keys).isSuperset(of: ["state", "name", "since", "message"]))
    #expect(reader["state"] as? String == "unknown", "no reader is asked, and none is blamed in a banner")
    #expect((snapshot["clock"] as? [String: Any])?["trusted"] as? Bool == true)
    #expect(((snapshot["rail"] as? [String: Any])?["cards"] as? [Any])?.isEmpty == true)
    #expect((snapshot["rail"] as? [String: Any])?["more"] as? Int == 0)
  }

  @Test func `a past instant shows the rows recorded up to it`() async throws {
    let ledger = try await LedgerOfTwoDays()
    let before = try wall("2026-11-10T08:05:00-08:00", of: ledger)
    #expect(
      rows("late", before, "person", "medication", "dose", "dueAt", "minutesLate") == [
        ["Ann", "Levothyroxine", "1 tablet", "2026-11-10T08:00:00-08:00", "5"]
      ])
    #expect(
      rows("missed", before, "medication", "state", "closedAt") == [
        ["Eye drops", "unknown", "2026-11-09T13:30:00-08:00"],
        ["Levothyroxine", "missed", "2026-11-10T00:00:00-08:00"],
      ])
    let after = try wall("2026-11-10T16:10:00Z", of: ledger)
    #expect(rows("late", after, "medication") == [])
    let monday = try wall("2026-11-09T08:04:00-08:00", of: ledger)
    #expect(rows("late", monday, "medication", "minutesLate") == [["Levothyroxine", "4"]])
    #expect(rows("missed", monday, "medication") == [])
    let taken = try wall("2026-11-09T08:06:00-08:00", of: ledger)
    #expect(rows("late", taken, "medication") == [], "the undo came a day later")
  }

  @Test func `without an instant it is now, and the table says the same`() async throws {
    let ledger = try await LedgerOfTwoDays()
    let answer = try ledger.agent("wall")
    #expect(answer.code == 0)
    #expect(answer.lines.first?.contains("12:00") == true, "\(answer.out)")
    #expect(answer.lines.contains { $0.hasPrefix("MISSED  Ann: Levothyroxine") }, "\(answer.out)")
    let late = try ledger.agent("wall", "--at", "2026-11-10T08:05:00-08:00")
    #expect(
      late.lines.contains { $0.hasPrefix("LATE    Ann: Levothyroxine, 1 tablet  due 8:00 · 5 min late") }, "\(late.out)"
    )
    #expect(try Kitchen().agent("wall").lines.last == "nothing is late or missed")
  }
}
