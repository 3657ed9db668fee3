import Foundation
import Glibc
import TestSupport
import Testing

/// `agenda`, and the agenda of `wall` (DESIGN 4.1, 4.4), on the built binary.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct AgendaTests {
  private static let configuration = """
    { stateDirectory: 'state', timeZone: 'America/Los_Angeles', wall: { listen: '127.0.0.1:0' },
      sources: { calendars: [{ id: 'family', name: 'Family', file: 'family.ics' }, { id: 'work', file: 'work.ics' }] } }
    """

  private static let family = """
    BEGIN:VCALENDAR
    BEGIN:VEVENT
    UID:dentist
    SUMMARY:Dentist
    LOCATION:Main Street 5
    DTSTART;TZID=America/Los_Angeles:20261102T090000
    DTEND;TZID=America/Los_Angeles:20261102T100000
    END:VEVENT
    BEGIN:VEVENT
    UID:night
    SUMMARY:Night shift
    DTSTART;TZID=America/Los_Angeles:20261102T220000
    DTEND;TZID=America/Los_Angeles:20261103T060000
    END:VEVENT
    BEGIN:VEVENT
    UID:holiday
    SUMMARY:Holiday
    DTSTART;VALUE=DATE:20261101
    DTEND;VALUE=DATE:20261104
    END:VEVENT
    END:VCALENDAR

    """

  private static let work = """
    BEGIN:VCALENDAR
    BEGIN:VEVENT
    UID:standup
    SUMMARY:Stand-up
    DTSTART;TZID=America/Los_Angeles:20261030T090000
    RRULE:FREQ=DAILY
    END:VEVENT
    END:VCALENDAR

    """

  private func kitchen() throws -> Kitchen {
    let kitchen = try Kitchen(Self.configuration)
    try kitchen.write("family.ics", Self.family)
    try kitchen.write("work.ics", Self.work)
    return kitchen
  }

  @Test func `one object an instance, by start, whole days as days, and no ledger is made`() throws {
    let kitchen = try kitchen()
    let answer = try kitchen.agent("agenda", "--json", "--from", "2026-11-01", "--to", "2026-11-03")
    #expect(answer.code == 0 && answer.err == "", "\(answer)")
    #expect(
      answer.lines == [
        #"{"calendar":"family","uid":"holiday","start":"2026-11-01","end":"2026-11-04","allDay":true,"title":"Holiday","location":null}"#,
        #"{"calendar":"work","uid":"standup","start":"2026-11-01T09:00:00-08:00","end":"2026-11-01T09:00:00-08:00","allDay":false,"title":"Stand-up","location":null}"#,
        #"{"calendar":"family","uid":"dentist","start":"2026-11-02T09:00:00-08:00","end":"2026-11-02T10:00:00-08:00","allDay":false,"title":"Dentist","location":"Main Street 5"}"#,
        #"{"calendar":"work","uid":"standup","start":"2026-11-02T09:00:00-08:00","end":"2026-11-02T09:00:00-08:00","allDay":false,"title":"Stand-up","location":null}"#,
        #"{"calendar":"family","uid":"night","start":"2026-11-02T22:00:00-08:00","end":"2026-11-03T06:00:00-08:00","allDay":false,"title":"Night shift","location":null}"#,
      ])
    #expect(!kitchen.exists("state"))
  }

  @Test func `for people there is a table`() throws {
    let answer = try kitchen().agent("agenda", "--from", "2026-11-02", "--to", "2026-11-03")
    #expect(
      answer.lines == [
        "2026-11-01  all day, to 2026-11-03  Family  Holiday",
        "2026-11-02  09:00-10:00             Family  Dentist      Main Street 5",
        "2026-11-02  09:00                   work    Stand-up",
        "2026-11-02  22:00-2026-11-03 06:00  Family  Night shift",
      ])
    #expect(try Kitchen().agent("agenda").out == "there is no calendar: see sources.calendars in the configuration\n")
  }

  @Test func `a long stretch has every instance once`() throws {
    let answer = try kitchen().agent("agenda", "--json", "--from", "2026-10-01", "--to", "2027-10-01")
    #expect(answer.lines.filter { $0.contains("standup") }.count == 336)
    #expect(Set(answer.lines).count == answer.lines.count && answer.lines.count == 339)
  }

  @Test func `without days it is today and tomorrow`() throws {
    let kitchen = try kitchen()
    var offset = Int64(try Date("2026-11-02T16:08:00Z", strategy: .iso8601).timeIntervalSinceNow.rounded(.up))
    try unsafe withUnsafeBytes(of: &offset) { unsafe Data($0) }.write(to: URL(filePath: kitchen.path("clock")))
    let answer = try kitchen.bare(
      ["agenda", "--json", "--config", kitchen.configuration],
      environment: [
        "LD_PRELOAD": BuildProducts.path("libFakeClock.so"), "KIOSK_FAKE_CLOCK": kitchen.path("clock"),
      ])
    #expect(answer.lines.filter { $0.contains("standup") }.count == 2, "\(answer)")
    #expect(answer.lines.count == 5)
  }

  @Test(arguments: [
    ["--from", "today"], ["--from", "2026-02-30"], ["--from", "2026-11-2"], ["--to", "1.12.2026"], ["--from", ""],
    ["--from", "2026-11-02", "--to", "2026-11-01"], ["--from", "2026-11-02", "--to", "2046-11-01"],
    ["--from", "9999-12-31"], ["--from"], ["2026-11-02"],
  ]) func `a day that is none is 64`(words: [String]) throws {
    let kitchen = try kitchen()
    _ = try kitchen.bare(["agenda"] + words + ["--config", kitchen.configuration]).problem(64)
  }

  @Test func `a broken file is 65, and the other calendars are there all the same`() throws {
    let kitchen = try kitchen()
    try kitchen.write("work.ics", "<html>")
    let answer = try kitchen.agent("agenda", "--json", "--from", "2026-11-02")
    #expect(answer.code == 65 && answer.lines.count == 3, "\(answer)")
    #expect(answer.err.contains("work.ics: this is a web page and not a calendar: use "), "\(answer.err)")
  }

  // MARK: On the wall

  private func snapshot(_ answer: Kitchen.Answer) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any], "\(answer)")
  }

  @Test func `the wall at an instant has the agenda, with every key`() throws {
    let kitchen = try kitchen()
    let at = ["wall", "--at", "2026-11-02T08:30:00-08:00", "--config", kitchen.configuration]
    let wall = try snapshot(try kitchen.bare(at + ["--json"]))
    let agenda = try #require(wall["agenda"] as? [[String: Any]])
    #expect(agenda.map { $0["title"] as? String } == ["Holiday", "Stand-up", "Dentist", "Night shift", "Stand-up"])
    #expect(agenda.map { $0["state"] as? String } == ["now", "next", "next", "later", "later"])
    #expect(agenda.map { $0["text"] as? String } == ["day 2/3", "9:00", "9:00", "22:00", "Tue 9:00"])
    #expect(agenda.map { $0["allDay"] as? Bool } == [true, false, false, false, false])
    #expect(agenda.first?["start"] as? String == "2026-11-01" && agenda.first?["end"] as? String == "2026-11-04")
    for entry in agenda { #expect(Set(entry.keys) == ["start", "end", "allDay", "title", "note", "state", "text"]) }
    let cards = (wall["rail"] as? [String: Any])?["cards"] as? [[String: Any]] ?? []
    #expect(cards.map { $0["kind"] as? String } == ["agenda", "agenda"])
    let sources = wall["sources"] as? [[String: Any]] ?? []
    #expect(sources.map { $0["id"] as? String } == ["calendar:family", "calendar:work"])
    let table = try kitchen.bare(at)
    #expect(table.lines.contains("  next   9:00      Dentist"), "\(table.out)")
  }

  @Test func `an address is read from the agent's last good copy, and asked anew only by wall --refresh`() throws {
    let kitchen = try kitchen()
    let server = try ChildProgram(
      "/usr/bin/env",
      ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", kitchen.folder],
      environment: kitchen.environment)
    try server.waitFor("127.0.0.1 port ")
    let text = server.text
    let start = try #require(text.range(of: "127.0.0.1 port ")).upperBound
    let port = text[start...].prefix { $0.isNumber }
    try kitchen.write(
      "kiosk-agent.json5",
      Self.configuration.replacingOccurrences(
        of: "file: 'family.ics'", with: "url: 'http://127.0.0.1:\(port)/family.ics'"))
    let words = ["agenda", "--json", "--from", "2026-11-02", "--to", "2026-11-03", "--config", kitchen.configuration]
    let before = try kitchen.bare(words)
    #expect(before.code == 0 && before.lines.count == 1, "\(before)")
    #expect(before.err.contains("the calendar family has no copy"), "\(before.err)")
    let wall = ["wall", "--json", "--at", "2026-11-02T08:30:00-08:00", "--config", kitchen.configuration]
    #expect((try snapshot(try kitchen.bare(wall))["agenda"] as? [Any])?.count == 2)
    #expect((try snapshot(try kitchen.bare(wall + ["--refresh"]))["agenda"] as? [Any])?.count == 5)
    #expect(try kitchen.bare(words).lines.count == 1, "a command stores nothing")
    let agent = try kitchen.start()
    let sign = "the wall is on http://127.0.0.1:"
    try agent.waitFor(sign)
    let told = agent.text
    let address = try #require(told.range(of: sign)).upperBound
    let page = HTTPProbe(port: try #require(UInt16(told[address...].prefix { $0.isNumber })))
    try Waiting.until("the running agent's wall has the agenda", within: 20) {
      try page.get("/api/wall").body.contains("Stand-up")
    }
    try Waiting.until("the agent has fetched it", within: 20) { try kitchen.bare(words).lines.count == 4 }
    try kitchen.write("family.ics", "gone")
    #expect(try kitchen.bare(words).lines.count == 4, "with the agent running, from its copy")
    agent.signal(SIGTERM)
    #expect(try agent.waitForExit(within: 5) == 0)
    #expect(try kitchen.bare(words).lines.count == 4, "and without it")
    server.signal(SIGTERM)
  }
}
