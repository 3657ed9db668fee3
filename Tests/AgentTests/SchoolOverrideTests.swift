import BellSchedule
import Configuration
import Foundation
import Ledger
import Linux
import Testing

@testable import Agent

/// Several things that somebody says of one day (DESIGN 5.4): `period override` and `period clear`.
@Suite(.timeLimit(.minutes(1))) struct SchoolOverrideTests {
  private let ledger = Ledger(inMemory: .none)
  private let zone = TimeZone(identifier: "America/Chicago") ?? .gmt

  private static func at(_ time: String, on date: String = "2025-09-02") -> Date {
    InstantFormat.parse("\(date)T\(time):00-05:00") ?? .distantPast
  }

  private static func said(_ type: String, _ until: String, on date: String = "2025-09-02") throws -> BellOverride {
    BellOverride(day: try #require(DayKey(date)), type: type, until: at(until, on: date))
  }

  private func say(_ said: BellOverride?, at now: String = "07:00") async -> ControlAnswer {
    await OverrideDesk.keep(said, ledger: ledger, zone: zone, now: Self.at(now))
  }

  private func kept() async throws -> [String] {
    BellOverrides.parse(try await ledger.export().documents[BellOverrides.name]).map { said in
      "\(said.day) \(said.type) \(InstantFormat.text(said.until, in: zone).dropFirst(11).prefix(5))"
    }
  }

  @Test func `what was said of the whole day counts again when a word about its morning ends`() async throws {
    let whole = await say(try Self.said("Late Arrival", "23:59"))
    #expect(whole.sentence == "2025-09-02 is Late Arrival until 2025-09-02T23:59:00-05:00")
    let morning = await say(try Self.said("No School", "10:00"))
    #expect(morning.code == 0)
    #expect(morning.sentence == "2025-09-02 is No School until 2025-09-02T10:00:00-05:00, then Late Arrival")
    #expect(try await kept() == ["2025-09-02 Late Arrival 23:59", "2025-09-02 No School 10:00"])
    // Another day has its own, and names nothing of this one.
    let tomorrow = await say(try Self.said("No School", "12:00", on: "2025-09-03"))
    #expect(tomorrow.sentence.hasSuffix("-05:00"), "\(tomorrow.sentence)")
    #expect(await say(nil).sentence == "cleared")
    #expect(try await kept() == [])
    #expect(await say(nil).sentence == "there was no override")
  }

  @Test(arguments: [
    // Until the same time or later: nothing of the one before is left.
    ([("No School", "12:00"), ("Late Arrival", "12:00")], ["Late Arrival 12:00"]),
    ([("No School", "12:00"), ("Late Arrival", "13:00")], ["Late Arrival 13:00"]),
    // The same once more is a correction, also when it ends earlier.
    ([("No School", "12:00"), ("No School", "11:00")], ["No School 11:00"]),
    (
      [("Late Arrival", "23:59"), ("No School", "12:00"), ("No School", "11:00")],
      ["Late Arrival 23:59", "No School 11:00"]
    ),
    // It is none when something else was said in between.
    (
      [("Late Arrival", "23:59"), ("No School", "12:00"), ("Late Arrival", "11:00")],
      ["Late Arrival 23:59", "No School 12:00", "Late Arrival 11:00"]
    ),
    // What ends in between is gone, what ends later stays.
    ([("A", "15:00"), ("B", "12:00"), ("C", "13:00")], ["A 15:00", "C 13:00"]),
  ])
  func `what ends later is kept behind what is said`(_ words: [(String, String)], _ left: [String]) async throws {
    for (type, until) in words { #expect(await say(try Self.said(type, until)).code == 0) }
    #expect(try await kept() == left.map { "2025-09-02 " + $0 })
  }

  @Test func `what has ended is forgotten`() async throws {
    _ = await say(try Self.said("A", "15:00"))
    _ = await say(try Self.said("B", "09:00"))
    _ = await say(try Self.said("C", "12:00"), at: "10:00")
    #expect(try await kept() == ["2025-09-02 A 15:00", "2025-09-02 C 12:00"])
  }

  @Test func `no more than a handful is said of one day, and nothing is forgotten unsaid`() async throws {
    for (type, until) in [("A", "15:00"), ("B", "14:00"), ("C", "13:00"), ("D", "12:00")] {
      #expect(await say(try Self.said(type, until)).code == 0)
    }
    let before = try await kept()
    let answer = await say(try Self.said("E", "11:00"))
    #expect(answer.code == 65 && answer.sentence.contains("period clear"), "\(answer)")
    #expect(try await kept() == before && before.count == OverrideDesk.most)
    // Another day is not concerned, nor what takes the place of some of it.
    #expect(await say(try Self.said("E", "11:00", on: "2025-09-03")).code == 0)
    #expect(await say(try Self.said("E", "12:00")).code == 0)
  }
}
