import Foundation
import Glibc
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds

@Suite(.timeLimit(.minutes(2))) struct AgendaServiceTests {
  private static let family = "[{ id: 'family', name: 'Family', file: 'family.ics' }]"
  private static let web = "[{ id: 'web', name: 'Web', url: 'https://example.org/secret/a.ics' }]"
  private static let day = calendarText(
    eventText("Breakfast", "02T0800", "02T0900"), eventText("Dentist", "02T0900", "02T1000"),
    eventText("Swim", "02T1500", "02T1600"), eventText("School", "03T0800", "03T1500"),
    "BEGIN:VEVENT\r\nUID:h\r\nSUMMARY:Holiday\r\nDTSTART;VALUE=DATE:20261102\r\nDTEND;VALUE=DATE:20261105\r\nEND:VEVENT"
  )

  // MARK: Files

  @Test func `a file's events are on the wall: all day, now, next, later and tomorrow, and the next in the rail`()
    async throws
  {
    let bench = try AgendaBench(Self.family, files: ["family.ics": Self.day])
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      let snapshot = bench.look()
      #expect(snapshot.agenda.map(\.title) == ["Holiday", "Breakfast", "Dentist", "Swim", "School"])
      #expect(snapshot.agenda.map(\.text) == ["day 1/3", "until 9:00", "9:00", "15:00", "Tue 8:00"])
      #expect(snapshot.agenda.map(\.state) == ["now", "now", "next", "later", "later"])
      #expect(snapshot.rail.cards.map(\.title) == ["Dentist"] && snapshot.rail.cards.first?.value == "52")
      #expect(snapshot.sources.map(\.id) == ["calendar:family"])
      #expect(snapshot.sources.map(\.state) == ["fresh"] && snapshot.sources.first?.message == nil)
    }
  }

  @Test func `a file that is written anew is read within a minute`() async throws {
    let bench = try AgendaBench(Self.family, files: ["family.ics": Self.day])
    try await bench.running {
      await bench.until { !bench.titles.isEmpty }
      try bench.write("family.ics", calendarText(eventText("Concert", "02T2000", "02T2200")))
      await bench.pass(.seconds(61))
      await bench.until { bench.titles == ["Concert"] }
    }
    #expect(bench.lines.isEmpty)
  }

  /// Bytes, and what the wall and the log say of them.
  private static let mistakes: [(name: String, text: String, sentence: String)] = [
    ("a web page", "<!doctype html><html><body>Log in</body></html>", "web page"), ("nothing", "", "empty"),
    ("half of one", String(day.prefix(300)), "cut off"), ("JSON", "{\"a\":1}", "not a calendar"),
    ("no UTF-8", "\u{FF}\u{FE}\u{0}", "not a calendar"),
  ]

  @Test(arguments: mistakes.indices)
  func `a broken file leaves the old events with their age, one sentence on the wall and one in the log`(index: Int)
    async throws
  {
    let (name, text, sentence) = Self.mistakes[index]
    let bench = try AgendaBench(Self.family, files: ["family.ics": Self.day])
    try await bench.running {
      await bench.until { !bench.titles.isEmpty }
      let titles = bench.titles
      try bench.write("family.ics", text)
      await bench.pass(.seconds(61))
      await bench.until { bench.message != nil }
      #expect(bench.titles == titles, "\(name)")
      let message = bench.message ?? ""
      #expect(message.hasPrefix("Family: as of 8:08 · its file has a mistake · "), "\(name): \(message)")
      #expect(message.contains(sentence), "\(name): \(message)")
      #expect(bench.look().sources.map(\.state) == ["stale"])
      await bench.pass(.seconds(900))
      #expect(bench.look().rail.cards.last?.kind == "fault", "\(name): for a quarter of an hour")
      #expect(bench.lines.count == 1 && bench.lines.first?.contains(sentence) == true, "\(name): \(bench.lines)")
      try bench.write("family.ics", Self.day)
      await bench.pass(.seconds(61))
      await bench.until { bench.message == nil }
      #expect(bench.lines.count == 2 && bench.lines.last?.hasSuffix("is well again") == true, "\(bench.lines)")
    }
  }

  @Test func `one bad event drops no other, and is said once`() async throws {
    let bad = "BEGIN:VEVENT\r\nUID:bad\r\nSUMMARY:Bad\r\nDTSTART:soon\r\nEND:VEVENT"
    let bench = try AgendaBench(Self.web)
    bench.serve(calendarText(bad, eventText("Swim", "02T1500", "02T1600"), bad))
    await bench.running {
      await bench.until { bench.titles == ["Swim"] }
      await bench.pass(.seconds(3600))
    }
    #expect(bench.message == nil)
    #expect(bench.lines.count == 1, "\(bench.lines)")
    #expect(
      bench.lines.first?.hasPrefix("calendar:web: the event at line 3 (bad) is left out: ") == true, "\(bench.lines)")
    #expect(bench.lines.first?.hasSuffix("; and 1 more") == true)
  }

  @Test(arguments: ["missing", "a pipe", "a folder", "200 MB", "unreadable words"])
  func `what is no file of a calendar holds nobody up`(kind: String) async throws {
    let bench = try AgendaBench(
      "[{ id: 'a', file: 'a.ics' }, { id: 'family', file: 'family.ics' }]", files: ["family.ics": Self.day])
    let path = bench.folder + "/a.ics"
    switch kind {
    case "a pipe": #expect(unsafe mkfifo(path, 0o600) == 0)
    case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "200 MB":
      try bench.write("a.ics", "")
      #expect(unsafe truncate(path, 200 << 20) == 0)
    case "unreadable words": try bench.write("a.ics", String(repeating: "x", count: 1 << 20))
    default: break
    }
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      #expect(bench.titles.first == "Holiday", "the other calendar is shown")
      let source = bench.look().sources.first
      #expect(source?.state == "down" && source?.message?.hasPrefix("a: no data · its file ") == true, "\(kind)")
    }
    #expect(bench.lines.count == 1, "\(bench.lines)")
  }

  @Test func `a file that is broken at the start shows what an earlier run has read`() async throws {
    let first = try AgendaBench(Self.family, files: ["family.ics": Self.day])
    await first.running { await first.until { !first.titles.isEmpty } }
    try first.write("family.ics", "BEGIN:VCALENDAR")
    let second = try AgendaBench(Self.family, folder: first.folder)
    await second.running {
      await second.until { !second.titles.isEmpty }
      #expect(second.titles == first.titles)
      #expect(second.look().sources.map(\.state) == ["stale"])
    }
  }

  // MARK: Addresses

  @Test func `an address is asked every 15 minutes, with the tag of what is known`() async throws {
    let bench = try AgendaBench(Self.web)
    bench.serve(Self.day, tag: "\"1\"")
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      await bench.pass(.seconds(3600))
      #expect(bench.requests.map(\.tag) == [nil] + Array(repeating: "\"1\"", count: bench.requests.count - 1))
      #expect((4...5).contains(bench.requests.count), "\(bench.requests.count) in an hour")
      #expect(bench.look().sources.map(\.state) == ["fresh"])
      bench.serve(calendarText(eventText("Concert", "02T2000", "02T2200")), tag: "\"2\"")
      await bench.pass(.seconds(901))
      await bench.until { bench.titles == ["Concert"] }
    }
    #expect(bench.lines.isEmpty)
  }

  @Test func `a publisher who wants to be asked less often is`() async throws {
    let bench = try AgendaBench(Self.web)
    bench.serve(calendarText("REFRESH-INTERVAL;VALUE=DURATION:PT6H", eventText("Swim", "02T1500", "02T1600")))
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      await bench.pass(.seconds(4 * 3600))
      #expect(bench.requests.count <= 2, "\(bench.requests.map(\.at))")
    }
  }

  @Test(arguments: mistakes.indices)
  func `a bad answer leaves the last good copy with its age, and is said once`(index: Int) async throws {
    let (name, text, _) = Self.mistakes[index]
    let bench = try AgendaBench(Self.web)
    bench.serve(Self.day)
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      bench.serve(text)
      await bench.pass(.seconds(3 * 900))
      #expect(bench.titles.contains("Swim"), "\(name)")
      let message = bench.message ?? ""
      #expect(message.hasPrefix("Web: as of 8:08 · "), "\(name): \(message)")
      await bench.pass(.seconds(2 * 900))
      #expect(bench.titles.contains("Swim"), "\(name)")
      #expect(bench.message?.hasPrefix("Web: no data since 8:08 · ") == true, "\(name): \(bench.message ?? "")")
    }
    #expect(bench.lines.count == 1, "\(name): \(bench.lines)")
    #expect(!bench.lines.contains { $0.contains("secret") }, "an address is a key")
  }

  @Test func `after a restart the last good copy is shown before anybody answers`() async throws {
    let first = try AgendaBench(Self.web)
    first.serve(Self.day)
    await first.running { await first.until { !first.titles.isEmpty } }
    let second = try AgendaBench(Self.web, folder: first.folder)
    second.serve(nil)
    await second.running {
      await second.until { second.titles == first.titles }
      #expect(second.message == nil, "it is fresh")
    }
  }

  // MARK: Clocks

  @Test func `while the clock is wrong nothing is shown and nobody is asked`() async throws {
    let bench = try AgendaBench(
      "[{ id: 'family', file: 'family.ics' }, { id: 'web', url: 'https://example.org/a.ics' }]",
      files: ["family.ics": Self.day])
    bench.serve(Self.day)
    bench.trust(false)
    await bench.running {
      await bench.pass(.seconds(300))
      #expect(bench.titles.isEmpty && bench.requests.isEmpty && bench.look().rail.cards.isEmpty)
      bench.trust(true)
      await bench.until { !bench.titles.isEmpty && bench.requests.count == 1 }
    }
  }

  @Test func `at midnight tomorrow becomes today, and the day after is known`() async throws {
    let bench = try AgendaBench(
      Self.family, at: AgendaBench.at(2, "23:50"),
      files: [
        "family.ics": calendarText(eventText("School", "03T0800", "03T1500"), eventText("Trip", "04T0900", "04T1000"))
      ])
    await bench.running {
      await bench.until { bench.titles == ["School"] }
      #expect(bench.look().agenda.map(\.text) == ["Tue 8:00"])
      await bench.pass(.seconds(601))
      #expect(bench.titles == ["School", "Trip"], "the plan of yesterday reaches so far")
      #expect(bench.look().agenda.map(\.text) == ["8:00", "Wed 9:00"])
      await bench.pass(.seconds(86_400))
      await bench.until { bench.titles == ["Trip"] }
    }
  }

  @Test func `another zone moves what has no zone of its own`() async throws {
    let floating = "BEGIN:VEVENT\r\nUID:f\r\nSUMMARY:Tea\r\nDTSTART:20261102T170000\r\nEND:VEVENT"
    let bench = try AgendaBench(Self.family, files: ["family.ics": calendarText(floating)])
    await bench.running {
      await bench.until { bench.look().agenda.map(\.start) == ["2026-11-02T17:00:00-08:00"] }
      bench.move(to: TimeZone(identifier: "America/New_York") ?? .gmt)
      await bench.until { bench.look().agenda.map(\.start) == ["2026-11-02T17:00:00-05:00"] }
    }
  }
}
