import Foundation
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent

/// Events that people chose, on Monday 2 November 2026 in Los Angeles.
@Suite(.timeLimit(.minutes(2))) struct AgendaPickTests {
  private static let talks = calendarText(
    eventText("A", "02T0900", "02T0930", "LOCATION:Room 1"), eventText("B", "02T0915", "02T1000", "LOCATION:Room 1"),
    eventText("C", "02T1002", "02T1030", "LOCATION:Room 2"), eventText("D", "02T1100", "02T1130", "LOCATION:Castle"),
    eventText("E", "02T1400", "02T1430", "LOCATION:Room 1"))

  private static func calendars(_ picks: String) -> String { "[{ id: 'talks', file: 'talks.ics', picks: \(picks) }]" }

  private static func bench(_ picks: String, _ files: [String: String] = [:], at time: String = "8:30") throws
    -> AgendaBench
  {
    try AgendaBench(
      calendars(picks), at: AgendaBench.at(2, time), files: files.merging(["talks.ics": talks]) { $1 })
  }

  @Test func `only what is chosen is shown, by a list of ids`() async throws {
    let bench = try Self.bench("{ files: ['ann.json'] }", ["ann.json": #"["A", "D@example.org", "gone"]"#])
    await bench.running {
      await bench.until { bench.titles == ["A", "D"] }
    }
  }

  @Test func `of two places the last word counts`() async throws {
    let bench = try Self.bench(
      "{ files: ['ann.json', 'bob.json'] }",
      [
        "ann.json":
          #"{"picks":[{"id":"A","at":"2026-10-01T10:00:00.000Z"},{"id":"C","at":"2026-10-03T10:00:00.000Z"}]}"#,
        "bob.json":
          #"{"picks":["E"],"removed":[{"id":"A","at":"2026-10-02T10:00:00.000Z"},{"id":"C","at":"2026-10-02T10:00:00.000Z"}]}"#,
      ])
    await bench.running {
      await bench.until { bench.titles == ["C", "E"] }
    }
  }

  @Test func `clashes, the way and free time are in words`() async throws {
    let bench = try Self.bench(
      "{ files: ['ann.json'] }", ["ann.json": #"{"picks":["A","B","C","D"],"venue":["Room 1","Room 2"]}"#])
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      #expect(bench.titles == ["A", "B", "C", "D"])
      #expect(bench.look().agenda.map(\.note) == ["clashes with B", "clashes with A", "3 min short after B", ""])
      #expect(bench.look().rail.cards.map(\.detail) == ["at 9:00 · clashes with B · Room 1"])
      await bench.pass(.seconds(31 * 60))
      #expect(bench.look().rail.cards.first?.title == "A", "a reminder stays a little")
      await bench.pass(.seconds(61 * 60))
      #expect(bench.look().rail.cards.map(\.title) == ["C", "D"])
      await bench.pass(.seconds(3 * 60))
      let card = bench.look().rail.cards.first
      #expect(card?.title == "D" && card?.detail == "at 11:00 · leave at 10:35 · Castle")
    }
  }

  @Test func `with nothing chosen for three hours there is something to choose`() async throws {
    let bench = try Self.bench("{ files: ['ann.json'] }", ["ann.json": "[]"])
    await bench.running {
      await bench.until { !bench.look().rail.cards.isEmpty }
      #expect(bench.look().agenda.isEmpty)
      #expect(bench.look().rail.cards.map(\.detail) == ["9:00 A · 9:15 B · 10:02 C"])
    }
  }

  @Test func `picks that cannot be read leave the old ones, and are said`() async throws {
    let bench = try Self.bench("{ files: ['ann.json'] }", ["ann.json": #"["A"]"#])
    try await bench.running {
      await bench.until { bench.titles == ["A"] }
      try bench.write("ann.json", #"["A", 7]"#)
      await bench.pass(.seconds(61))
      await bench.until { bench.message != nil }
      #expect(bench.titles == ["A"])
      #expect(bench.message?.hasPrefix("talks: as of 8:30 · its file has a mistake · pick 2 has no id") == true)
    }
    #expect(bench.lines.count == 1, "\(bench.lines)")
  }

  // MARK: Reminders

  @Test func `reminders are heard once, so long before each start as was asked`() async throws {
    let bench = try Self.bench("{ sound: true }")
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      await bench.pass(.seconds(6 * 3600))
      #expect(
        bench.sounds.map { $0.timeIntervalSince(AgendaBench.at(2, "8:30")) / 60 }.map { $0.rounded() } == [
          20, 35, 82, 140, 320,
        ])
    }
  }

  @Test func `at the start means at the start, and not asked for means silent`() async throws {
    let bench = try Self.bench("{ remind: 0, sound: true }", at: "13:50")
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      await bench.pass(.seconds(3600))
      #expect(bench.sounds.map { $0.timeIntervalSince(AgendaBench.at(2, "14:00")).rounded() } == [0])
    }
    let silent = try Self.bench("{ remind: 5 }", at: "13:50")
    await silent.running {
      await silent.until { !silent.titles.isEmpty }
      await silent.pass(.seconds(3600))
      #expect(silent.sounds.isEmpty)
    }
  }

  @Test func `what the run before has sounded is not sounded again`() async throws {
    let first = try Self.bench("{ remind: 10, sound: true }", at: "13:45")
    await first.running {
      await first.until { !first.titles.isEmpty }
      await first.pass(.seconds(540))
      #expect(first.sounds.count == 1)
    }
    let second = try Self.bench("{ remind: 10, sound: true }", at: "13:54")
    await second.running {
      await second.until { !second.titles.isEmpty }
      await second.pass(.seconds(540))
      #expect(second.sounds.isEmpty)
    }
  }

  @Test func `sixty that were heard keep no place from the next`() async throws {
    let events = (0..<60).map { eventText("S\($0)", "02T1400", "02T1500") } + [eventText("Last", "02T1415", "02T1500")]
    let bench = try AgendaBench(
      "[{ id: 'talks', name: 'Talks', file: 'talks.ics', picks: { remind: 30, sound: true } }]",
      at: AgendaBench.at(2, "13:20"),
      files: [
        "talks.ics": (["BEGIN:VCALENDAR", "VERSION:2.0"] + events + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
      ])
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      await bench.pass(.seconds(3600))
      #expect(bench.sounds.map { $0.timeIntervalSince(AgendaBench.at(2, "13:30")).rounded() / 60 } == [0, 15])
    }
  }

  @Test func `what is chosen late is heard at once, and what was moved once more`() async throws {
    let bench = try Self.bench("{ files: ['ann.json'], remind: 30, sound: true }", ["ann.json": "[]"], at: "13:40")
    try await bench.running {
      await bench.until { !bench.look().rail.cards.isEmpty }
      try bench.write("ann.json", #"["E"]"#)
      await bench.pass(.seconds(120))
      await bench.until { bench.sounds.count == 1 }
      try bench.write("talks.ics", Self.talks.replacingOccurrences(of: "02T1400", with: "02T1405"))
      await bench.pass(.seconds(120))
      await bench.until { bench.sounds.count == 2 }
      await bench.pass(.seconds(3600))
      #expect(bench.sounds.count == 2)
    }
  }
}
