import Foundation
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent

/// Calendars with more than a wall looks at, and calendars that have the same. It is Monday 2 November 2026.
@Suite(.timeLimit(.minutes(2))) struct AgendaCrowdTests {
  private static let everyMinute =
    "BEGIN:VEVENT\r\nUID:bomb@example.org\r\nSUMMARY:Secret\r\nDTSTART:20200101T000000Z\r\n"
    + "RRULE:FREQ=HOURLY;BYMINUTE=\((0...59).map(String.init).joined(separator: ","))\r\nEND:VEVENT"

  /// A talk of three minutes that begins so many minutes after 8:00.
  private static func talk(_ minute: Int) -> String {
    func time(_ minute: Int) -> String { String(format: "02T%02d%02d", 8 + minute / 60, minute % 60) }
    return eventText("T\(minute)", time(minute), time(minute + 3))
  }

  private static func programme(_ count: Int) -> [String: String] {
    ["talks.ics": calendarText((0..<count).map(talk).joined(separator: "\r\n"))]
  }

  // MARK: More than five hundred

  @Test func `what is chosen of a long programme is shown, wherever it stands in it`() async throws {
    var files = Self.programme(900)
    files["ann.json"] = #"["T2", "T777", "T899"]"#
    let bench = try AgendaBench(
      "[{ id: 'talks', file: 'talks.ics', picks: { files: ['ann.json'] } }]", at: AgendaBench.at(2, "7:58"),
      files: files)
    await bench.running {
      await bench.until { bench.titles == ["T2", "T777", "T899"] }
    }
  }

  @Test func `of more than five hundred that are chosen none is lost`()
    async throws
  {
    // Five of them begin together, every minute for two hours.
    let talks = (0..<600).map { number in
      Self.talk(number / 5).replacingOccurrences(of: "T\(number / 5)", with: "N\(number)")
    }
    let bench = try AgendaBench(
      "[{ id: 'talks', file: 'talks.ics', picks: { remind: 0, sound: true } }]", at: AgendaBench.at(2, "7:58"),
      files: ["talks.ics": calendarText(talks.joined(separator: "\r\n"))])
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      for minute in [0, 30, 90, 118] {
        await bench.pass(
          .seconds(AgendaBench.at(2, "8:00").timeIntervalSince(bench.time.now()) + Double(minute * 60 + 29)))
        let next = bench.look().agenda.filter { $0.state == "next" }
        #expect(next.count == 5 && next.first?.title.hasPrefix("N\(minute * 5 + 5)") == true, "\(minute): \(next)")
      }
      // Five are one sound, and so may those of two minutes be, when the plan is made in between.
      #expect(bench.sounds.count > 110, "\(bench.sounds.count)")
    }
  }

  @Test func `an event of every minute hides no other, and is said once, without its name`() async throws {
    let bench = try AgendaBench(
      "[{ id: 'family', name: 'Family', file: 'family.ics' }]",
      files: ["family.ics": calendarText(Self.everyMinute, eventText("Dentist", "02T2000", "02T2100"))])
    try await bench.running {
      await bench.until { !bench.titles.isEmpty }
      #expect(bench.message == "Family: 1 event repeats too often, not every time is shown")
      #expect(bench.look().sources.map(\.state) == ["fresh"])
      bench.time.step(by: .seconds(AgendaBench.at(2, "20:02").timeIntervalSince(bench.time.now())))
      // Also those of this minute.
      await bench.until { bench.titles.contains("Dentist") && bench.titles.contains("Secret") }
      #expect(
        bench.lines == [
          "calendar:family: 1 event repeats too often, and not every time of it is shown: let it repeat less, or give it an end"
        ])
      try bench.write("family.ics", calendarText(eventText("Dentist", "02T2000", "02T2100")))
      await bench.pass(.seconds(61))
      await bench.until { bench.message == nil }
    }
    #expect(bench.lines.count == 1, "\(bench.lines)")
  }

  @Test func `what is cut of two events is said in the plural, of a calendar that is fetched too`() async throws {
    let bench = try AgendaBench("[{ id: 'web', url: 'https://example.org/secret/a.ics' }]")
    bench.serve(
      calendarText(Self.everyMinute, Self.everyMinute.replacingOccurrences(of: "UID:bomb", with: "UID:other")))
    await bench.running {
      await bench.until { bench.message != nil }
      #expect(bench.message == "web: 2 events repeat too often, not every time is shown")
      await bench.pass(.seconds(3600))
    }
    #expect(
      bench.lines == [
        "calendar:web: 2 events repeat too often, and not every time of them is shown: let them repeat less, or give them an end"
      ])
  }

  // MARK: The same in two calendars

  private static let both = [
    "family.ics": calendarText(eventText("Swim", "02T1500", "02T1600"), eventText("Tea", "02T1700", "02T1800")),
    "school.ics": calendarText(
      eventText("Swim", "02T1500", "02T1600"), eventText("Tea", "02T1730", "02T1800"),
      eventText("Choir", "02T1900", "02T2000")),
  ]

  @Test func `an event that stands in two calendars is one, at another time it is another`() async throws {
    let bench = try AgendaBench(
      "[{ id: 'family', file: 'family.ics' }, { id: 'school', file: 'school.ics' }]", files: Self.both)
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      #expect(bench.titles == ["Swim", "Tea", "Tea", "Choir"])
    }
  }

  @Test(arguments: [["family", "school"], ["school", "family"]])
  func `chosen in one of them it is chosen, and does not clash with itself`(_ order: [String]) async throws {
    for picks in ["{}", "{ files: ['ann.json'] }"] {
      let calendars = order.map { "{ id: '\($0)', file: '\($0).ics'\($0 == "school" ? ", picks: \(picks)" : "") }" }
      let bench = try AgendaBench(
        "[\(calendars.joined(separator: ", "))]",
        files: Self.both.merging(["ann.json": #"["Swim", "Choir"]"#]) { $1 })
      await bench.running {
        await bench.until { !bench.titles.isEmpty }
        #expect(bench.titles.filter { $0.hasPrefix("Swim") } == ["Swim"], "\(picks) \(bench.titles)")
      }
    }
    let twice = order.map { "{ id: '\($0)', file: '\($0).ics', picks: {} }" }
    let bench = try AgendaBench("[\(twice.joined(separator: ", "))]", files: Self.both)
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      #expect(bench.titles == ["Swim", "Tea", "Tea", "Choir"])
      #expect(bench.look().agenda.map(\.note) == ["", "clashes with Tea", "clashes with Tea", ""])
    }
  }

  /// Whoever asked to hear of it hears of it, in whichever calendar they did.
  @Test(arguments: [["family", "school"], ["school", "family"]])
  func `what is chosen in two calendars is heard once, as the one that is to be heard wants it`(_ order: [String])
    async throws
  {
    let calendars = order.map { id in
      "{ id: '\(id)', file: '\(id).ics', picks: \(id == "family" ? "{ remind: 5 }" : "{ remind: 15, sound: true }") }"
    }
    let swim = calendarText(eventText("Swim", "02T1500", "02T1600"))
    let bench = try AgendaBench(
      "[\(calendars.joined(separator: ", "))]", at: AgendaBench.at(2, "14:30"),
      files: ["family.ics": swim, "school.ics": swim])
    try await bench.running {
      await bench.until { !bench.titles.isEmpty }
      await bench.pass(.seconds(1000))
      #expect(bench.sounds == [AgendaBench.at(2, "14:45")])
      // A new plan does not say it once more.
      try bench.write(
        "family.ics", calendarText(eventText("Swim", "02T1500", "02T1600"), eventText("Tea", "02T1800", "02T1900")))
      await bench.pass(.seconds(600))
      #expect(bench.sounds.count == 1)
    }
  }

  @Test func `what another calendar shows is not offered as something to choose`() async throws {
    let bench = try AgendaBench(
      "[{ id: 'family', file: 'family.ics' }, { id: 'school', file: 'school.ics', picks: { files: ['ann.json'] } }]",
      at: AgendaBench.at(2, "14:30"), files: Self.both.merging(["ann.json": "[]"]) { $1 })
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      let offered = bench.look().rail.cards.map(\.detail)
      #expect(
        offered.contains { $0.contains("17:30 Tea") } && !offered.contains { $0.contains("15:00 Swim") }, "\(offered)")
    }
  }
}
