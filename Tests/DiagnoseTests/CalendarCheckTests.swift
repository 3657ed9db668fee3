import Configuration
import Foundation
import Linux
import TestSupport
import Testing

@testable import Diagnose

/// F3: what is said of a calendar, read by what the wall reads it with.
@Suite(.timeLimit(.minutes(5))) struct CalendarCheckTests {
  /// 2026-09-08T10:00:00-07:00, a Tuesday.
  static let now = Date(timeIntervalSince1970: 1_788_886_800)

  /// Runs the check over calendars of a configuration, in JSON5.
  private func look(at calendars: String) async throws -> Finding {
    let plant = try Plant()
    let text = "{ timeZone: 'America/Los_Angeles', sources: { calendars: [\(calendars)] } }"
    return try await plant.run(
      "F3",
      plant.surroundings(try Configuration.parse(Array(text.utf8), folder: plant.root), time: ManualTime(now: Self.now))
    )
  }

  private static func event(_ lines: String..., uid: String = "1") -> String {
    (["BEGIN:VEVENT", "UID:\(uid)", "SUMMARY:Custody hearing"] + lines + ["END:VEVENT", ""]).joined(separator: "\r\n")
  }

  // MARK: Good ones

  @Test(arguments: [
    ("", "0 today, no other in 8 days"),
    (event("DTSTART:20260908T180000Z", "DURATION:PT1H"), "1 today, the next on 2026-09-08 at 11:00"),
    // What is over and what goes on are today's; the next is what begins.
    (event("DTSTART:20260908T150000Z", "DURATION:PT8H"), "1 today, no other in 8 days"),
    (
      event("DTSTART;VALUE=DATE:20260908") + event("DTSTART;VALUE=DATE:20260911", uid: "2"),
      "1 today, the next on 2026-09-11"
    ),
    (
      event("DTSTART;TZID=America/Los_Angeles:20260101T083000", "DURATION:PT5M", "RRULE:FREQ=DAILY"),
      "1 today, the next on 2026-09-09 at 08:30"
    ),
    (event("DTSTART:20250908T180000Z", "DURATION:PT1H"), "0 today, no other in 8 days"),
    // Folded inside a character (RFC 5545 3.1).
    (
      event("DTSTART:20260908T180000Z", "DURATION:PT1H", "LOCATION:Caf\u{C3}"),
      "1 today, the next on 2026-09-08 at 11:00"
    ),
  ])
  func `of a calendar that is well the events of today are counted and the next one's start is told`(
    events: String, words: String
  ) async throws {
    let server = try FakeCalendar()
    server.say(FakeCalendar.text(of: events))
    let found = try await look(at: "{ id: 'ann', url: '\(server.url)' }")
    #expect(found.status == .pass, "\(found)")
    let seen = found.seen.first?.value ?? ""
    #expect(seen.hasPrefix("127.0.0.1, after ") && seen.hasSuffix(" ms, " + words), "\(seen)")
    #expect(!seen.contains("Custody"))
  }

  @Test func `a file is looked at as it is, and the fold of a line may stand inside a character`() async throws {
    let plant = try Plant()
    let folded =
      Array("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260908T180000Z\r\nSUMMARY:Caf".utf8)
      + [0xC3, 0x0D, 0x0A, 0x20, 0xA9] + Array("\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".utf8)
    let path = plant.root + "/family.ics"
    try Data(folded).write(to: URL(filePath: path))
    let found = try await look(at: "{ id: 'ann', file: '\(path)' }")
    #expect(found.status == .pass, "\(found)")
    #expect(found.seen.first?.value == "a file, 1 today, the next on 2026-09-08 at 11:00")
  }

  // MARK: Bad ones

  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var body = ""
    var http = 200
    var status = Finding.Status.fail
    let means: String
  }

  static let start = "DTSTART:20260908T180000Z"
  static let bombs = (0..<300).map { index in
    event("DTSTART:15830101T000000Z", "RRULE:FREQ=HOURLY;COUNT=2000000000;BYMONTH=2;BYMONTHDAY=30", uid: "\(index)")
  }.joined()

  static let bad = [
    Bad(
      testDescription: "a log-in page", body: "<!DOCTYPE html><title>icsCanary2Vb5nM8qW1eR4</title>",
      means: "127.0.0.1 sends a web page in place of data."),
    Bad(testDescription: "nothing", means: "127.0.0.1 sends an empty answer."),
    Bad(
      testDescription: "another document", body: #"{"kind":"calendar#events"}"#,
      means: "this is not a calendar, it does not begin with BEGIN:VCALENDAR."),
    Bad(
      testDescription: "cut off", body: String(FakeCalendar.text(of: event(start)).dropLast(20)),
      means: "the calendar is cut off, END:VCALENDAR is missing."),
    Bad(
      testDescription: "more than 16 MB",
      body: FakeCalendar.text(of: String(repeating: "X-CANARY:1234567890123456789\r\n", count: 600_000)),
      means: "the calendar has more than 16 MB."),
    Bad(
      testDescription: "more events than anybody has",
      body: FakeCalendar.text(of: String(repeating: event(start), count: 20_001)),
      means: "the calendar has more than 20000 events."),
    Bad(testDescription: "no longer shared", http: 404, means: "127.0.0.1 does not have it."),
    Bad(testDescription: "not for us", body: "no", http: 403, means: "127.0.0.1 refuses access (403)."),
    Bad(testDescription: "broken", body: "no", http: 500, means: "127.0.0.1 is broken (500)."),
    Bad(
      testDescription: "an event without a start, of nobody knows when",
      body: FakeCalendar.text(of: event("DURATION:PT1H") + event(start, uid: "2")), status: .pass, means: ""),
    Bad(
      testDescription: "a start that is no date, of nobody knows when",
      body: FakeCalendar.text(of: event("DTSTART:20260931T180000Z")), status: .pass, means: ""),
    Bad(
      testDescription: "a time of a series that goes on, moved to no date",
      body: FakeCalendar.text(
        of: event(start, "RRULE:FREQ=DAILY") + event("RECURRENCE-ID:20260909T180000Z", "DTSTART:20260931T180000Z")),
      status: .warn, means: "the event at line 10 has a start that is no date and is not shown."),
    Bad(
      testDescription: "a zone that nobody knows, of a meeting of 2014",
      body: FakeCalendar.text(of: event("DTSTART;TZID=Annabelle's:20140908T110000")), status: .pass, means: ""),
    Bad(
      testDescription: "a zone that nobody knows, of a meeting every day since 2014",
      body: FakeCalendar.text(of: event("DTSTART;TZID=Annabelle's:20140908T110000", "RRULE:FREQ=DAILY")),
      status: .warn, means: "the event at line 4 is of a zone that is not known and shown at the wall's time."),
    Bad(
      testDescription: "an event without an end, between two",
      body: FakeCalendar.text(of: event(start) + "BEGIN:VEVENT\r\nUID:2\r\n\(start)\r\n" + event(start, uid: "3")),
      status: .warn, means: "the event at line 9 has no end (END:VEVENT) and is not shown."),
    Bad(
      testDescription: "a zone that nobody knows",
      body: FakeCalendar.text(of: event("DTSTART;TZID=Annabelle's:20260908T110000")), status: .warn,
      means: "the event at line 4 is of a zone that is not known and shown at the wall's time."),
    Bad(
      testDescription: "a rule that is none", body: FakeCalendar.text(of: event(start, "RRULE:FREQ=FORTNIGHTLY")),
      status: .warn, means: "the event at line 4 repeats in a way that is not understood and is shown once."),
    Bad(
      testDescription: "a rule that is none, of 1970",
      body: FakeCalendar.text(of: event("DTSTART:19700101T000000Z", "RRULE:FREQ=SECONDLY")), status: .pass, means: ""),
    Bad(
      testDescription: "rules that never end", body: FakeCalendar.text(of: bombs), status: .warn,
      means: "the event at line 4 repeats too often, and only a part of it is shown"),
    Bad(
      testDescription: "a part that is not understood, which is no fault of the wall's",
      body: FakeCalendar.text(of: event(start, "DURATION:an hour")), status: .pass, means: ""),
  ]

  @Test(arguments: bad) func `what is no calendar, or not all of one, has its own sentence`(bad: Bad) async throws {
    let server = try FakeCalendar()
    server.say(bad.body, status: bad.http)
    let found = try await look(at: "{ id: 'ann', url: '\(server.url)' }")
    #expect(found.status == bad.status, "\(found)")
    let means = found.means ?? ""
    #expect(bad.means.isEmpty ? found.means == nil : means.hasPrefix("Calendar 1: " + bad.means), "\(means)")
    #expect(found.remedies.isEmpty == (bad.status == .pass))
    #expect(Secrets.found(in: "\(found)").isEmpty, "\(found)")
    #expect(!"\(found)".contains("Custody"))
  }

  @Test func `a calendar of 200 MB is given up at 16`() async throws {
    let server = try ChildProgram("/usr/bin/python3", ["-c", Script.longCalendar])
    defer { server.signal(SIGKILL) }
    try server.waitFor("\n")
    let port = server.text.filter(\.isNumber)
    // It comes at the pace of all that is fetched, which on a busy machine is slower than the time of this check allows:
    // on a clock that stands still only the fetch's own deadline counts.
    let found = try await look(at: "{ id: 'ann', url: 'http://127.0.0.1:\(port)/x' }")
    #expect(found.means == "Calendar 1: the calendar has more than 16 MB.", "\(found)")
  }

  @Test(arguments: [
    ("", "the agent cannot read its file."), ("<html>", "this is a web page and not a calendar."),
    ("BEGIN:VCALENDAR\r\n", "the calendar is cut off, END:VCALENDAR is missing."),
  ])
  func `a file that is not there or no calendar is told`(text: String, means: String) async throws {
    let plant = try Plant()
    let path = plant.root + "/ann-canary.ics"
    if !text.isEmpty { try plant.write("/ann-canary.ics", text) }
    let found = try await look(at: "{ id: 'ann', file: '\(path)' }")
    #expect(found.status == .fail && found.means == "Calendar 1: " + means, "\(found)")
    #expect(!"\(found)".contains("canary"))
  }

  @Test func `chosen events that cannot be read are told, and the calendar's own fault comes first`() async throws {
    let plant = try Plant()
    try plant.write("/con.ics", FakeCalendar.text(of: Self.event(Self.start)))
    try plant.write("/picks.json", "[")
    let calendar = { (file: String) in
      "{ id: 'con', file: '\(plant.root)/\(file)', picks: { files: ['\(plant.root)/picks.json'] } }"
    }
    let found = try await look(at: calendar("con.ics"))
    #expect(found.status == .fail && found.seen.first?.value.contains("its file of chosen events is wrong") == true)
    #expect(try await look(at: calendar("none.ics")).means == "Calendar 1: the agent cannot read its file.")
  }

  @Test func `what is not shown is told before what is shown wrongly, and how many others there are`() async throws {
    let server = try FakeCalendar()
    server.say(
      FakeCalendar.text(
        of: Self.event("DTSTART;TZID=Foo:20260908T110000") + Self.event("DURATION:PT1H")
          + Self.event("DTSTART;TZID=Foo:20260908T110000", uid: "3")))
    let found = try await look(at: "{ id: 'ann', url: '\(server.url)' }")
    #expect(found.means == "Calendar 1: the event at line 9 has no start and is not shown, and 2 more.", "\(found)")
    #expect(found.seen.first?.value.contains("3 problems, 1 not shown: the event at line 9") == true, "\(found)")
  }

  @Test func `what is of other days is told as a fact, and not counted among what is missed`() async throws {
    let server = try FakeCalendar()
    let old = Self.event("DTSTART;TZID=Foo:20140908T110000") + Self.event("DURATION:PT1H", uid: "2")
    server.say(FakeCalendar.text(of: old))
    let found = try await look(at: "{ id: 'ann', url: '\(server.url)' }")
    #expect(found.status == .pass, "\(found)")
    let told = "2 problems, 1 not shown: the event at line 9 has no start and is not shown"
    #expect(found.seen.first?.value.hasSuffix(told) == true, "\(found)")
    server.say(FakeCalendar.text(of: old + Self.event("DTSTART;TZID=Foo:20260908T110000", uid: "3")))
    let missed = try await look(at: "{ id: 'ann', url: '\(server.url)' }")
    #expect(
      missed.means == "Calendar 1: the event at line 14 is of a zone that is not known and shown at the wall's time.",
      "\(missed)")
  }

  // MARK: Several

  @Test func `every one of many calendars is looked at, and each is told by its place`() async throws {
    let server = try FakeCalendar()
    let well = (1...4).map { "{ id: 'w\($0)', url: '\(server.url)' }" }
    let found = try await look(
      at: (well + ["{ id: 'gone', url: '\(server.address)/none' }"] + ["{ id: 'last', url: '\(server.url)' }"])
        .joined(separator: ", "))
    #expect(found.means == "Calendar 5: 127.0.0.1 does not have it.", "\(found)")
    #expect(found.seen.map(\.name) == (1...6).map { "calendar \($0)" })
    #expect(found.seen.count { $0.value.contains(" today, the next on ") } == 5, "\(found)")
  }

  @Test(arguments: [
    // Nobody waits: each has all of the time.
    (3, [15, 15, 15], 0), (4, [6, 9, 15, 15], 0), (6, [6, 6, 6, 9, 9, 9], 0), (10, [6, 6, 6, 6, 6, 6], 4),
  ])
  func `calendars that never come make room for those that wait, and one without a whole turn is not judged`(
    count: Int, seconds: [Int], unseen: Int
  ) async throws {
    let time = ManualTime(now: Self.now)
    let looked = Task {
      await CalendarTurns.states(count, time) { _ in
        try? await time.sleep(for: .seconds(1000))
        return CalendarCheck.State(words: "came")
      }
    }
    for step in [6, 6, 3] {
      // A look and its clock in each lane.
      await time.waitForSleepers(2 * CalendarTurns.lanes)
      time.advance(by: .seconds(step))
    }
    let states = await looked.value
    let late = states.filter { $0.problem != nil }.map(\.words).sorted()
    #expect(late == seconds.map { "not there after \($0) s" }.sorted(), "\(states.map(\.words))")
    #expect(states.count { $0.words == CalendarCheck.State.unseen.words } == unseen)
    #expect(late.count + unseen == count)
  }

  @Test func `a calendar that was not looked at is told and not judged`() {
    let found = CalendarCheck.finding([.unseen, CalendarCheck.State(words: "host")], ages: [nil, nil])
    #expect(found.status == .pass)
    #expect(found.seen.first?.value == "not looked at: the others took the time")
  }

  @Test(
    arguments: [
      ([nil], Finding.Status.pass), ([3599], .pass), ([3600], .warn), ([60, 90_000], .fail), ([nil, nil], .pass),
    ] as [([Int?], Finding.Status)])
  func `what the wall has of a calendar is a warning after an hour and a fault after a day`(
    ages: [Int?], status: Finding.Status
  ) {
    let states = ages.map { _ in CalendarCheck.State(words: "host") }
    let found = CalendarCheck.finding(states, ages: ages.map { $0.map { .seconds($0) } })
    #expect(found.status == status)
  }

  @Test func `the first calendar that fails is told by its place, and a failure before a warning`() {
    let shown = CalendarCheck.State(words: "a", problem: ("it is odd.", "Mend it."), isShown: true)
    let gone = CalendarCheck.State(words: "b", problem: ("it is gone.", "Put it back."))
    let found = CalendarCheck.finding([shown, gone], ages: [nil, nil])
    #expect(found.status == .fail)
    #expect(found.means == "Calendar 2: it is gone." && found.remedies == ["Put it back."])
    #expect(CalendarCheck.finding([shown], ages: [nil]).status == .warn)
    // A copy that is a day old is worse than an odd event.
    #expect(CalendarCheck.finding([shown], ages: [.seconds(86_400)]).status == .fail)
  }

  @Test(arguments: [(nil as Int?, Finding.Status.fail), (60, .warn), (3600, .fail)])
  func `a calendar that comes slowly is a fault unless the agent has waited for it`(age: Int?, status: Finding.Status) {
    let slow = CalendarCheck.State(words: "not there", problem: ("it is slow.", "Wait."), isSlow: true)
    #expect(CalendarCheck.finding([slow], ages: [age.map { .seconds($0) }]).status == status)
  }
}
