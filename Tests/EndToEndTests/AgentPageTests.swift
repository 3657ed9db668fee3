import Foundation
import Linux
import TestSupport
import Testing

/// The wall of the built agent in a real browser, at instants at which there is something to see: ledger, school's file,
/// calendar, feeds and clock are real, the picture is looked at by `audit.py` and kept for people.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct AgentPageTests {
  /// Seconds that the clock of the agent, and of its provider of buses, is ahead of the machine's.
  private struct ShiftedTime: TimeSource {
    var offset: Int64

    func now() -> Date { SystemTime().now() + Double(offset) }
    func uptime() -> Duration { SystemTime().uptime() }
    func sleep(untilUptime deadline: Duration) async throws { try await SystemTime().sleep(untilUptime: deadline) }
  }

  struct State: Sendable {
    var name: String
    /// The wall's clock, in UTC.
    var at: String
    /// What the page must say, wherever.
    var says: [String]
    var language = "en"
    var overridden: String?
  }

  private static let states = [
    State(name: "period", at: "2026-12-01T09:40:00Z", says: ["Period 2", "min left", "ends 10:13"]),
    State(name: "passing", at: "2026-12-01T10:14:30Z", says: ["Period 3", "10:18"]),
    State(name: "lunch", at: "2026-12-01T12:10:00Z", says: ["Lunch", "Ann", "Bob", "Period 5"]),
    State(name: "weekend", at: "2026-12-05T10:00:00Z", says: ["Weekend", "Mon"]),
    State(name: "override", at: "2026-12-01T09:40:00Z", says: ["Late Arrival", "10:30"], overridden: "Late Arrival"),
    State(name: "agenda", at: "2026-12-01T15:50:00Z", says: ["Dentist", "16:00", "Choir"]),
    State(name: "bus", at: "2026-12-01T07:01:00Z", says: ["45", "To school", "4 min late"]),
    State(name: "night", at: "2026-12-01T23:10:00Z", says: ["23:10"]),
    State(name: "german", at: "2026-12-01T09:40:00Z", says: ["Dienstag"], language: "de"),
    State(name: "unset", at: "2020-01-01T00:00:00Z", says: ["--:--"]),
  ]

  @Test(arguments: states)
  func `what the agent shows is readable on every panel`(state: State) throws {
    let instant = try #require(ISO8601DateFormatter().date(from: state.at))
    let offset = Int64(instant.timeIntervalSince(Date()))
    var line = SimulatedBuses.Line(
      stop: "1_75403", route: "1_100225", shortName: "45", headsign: "Loyal Heights", first: 360, last: 600, every: 10)
    line.late = [240]
    let server = try FakeOneBusAway(
      SimulatedBuses([line], zone: .gmt), key: "TEST", time: ShiftedTime(offset: offset))
    defer { server.stop() }
    let agent = try Self.agent(offset, server.address, language: state.language)
    if let type = state.overridden {
      let answer = try agent.command("period", "override", type)
      try #require(answer.code == 0, "\(answer.output)")
    }
    try agent.start()
    try Waiting.until("\(state.says) in \((try? agent.web.get("/api/wall").body) ?? "")", within: 20) {
      let wall = try agent.web.get("/api/wall").body
      return state.says.allSatisfy(wall.contains)
    }
    let views = try ServedPage.audit(
      [("agent-\(state.name)", "http://127.0.0.1:\(agent.web.port)/?live=0")],
      sizes: ["1080x1920", "1920x1080", "810x1080", "600x1024"])
    #expect(views.count == 4)
    for view in views {
      #expect(view.faults == [], "\(state.name) \(view.size), see \(view.screenshot ?? "-")")
      let said = view.said.joined(separator: " ")
      for word in state.says { #expect(said.contains(word), "\(state.name) \(view.size): \(word) in \(said)") }
    }
  }

  private static func agent(_ offset: Int64, _ buses: String, language: String) throws -> AgentUnderTest {
    let agent = try AgentUnderTest(clockOffset: offset)
    agent.variables = ["KIOSK_AGENT_ONEBUSAWAY_KEY": "TEST"]
    try agent.write(
      "kiosk-agent.json5",
      """
      { stateDirectory: '\(agent.state)', timeZone: 'UTC', wall: { listen: '127.0.0.1:0', language: '\(language)' },
        sources: { onebusaway: { baseURL: '\(buses)' },
                   calendars: [{ id: 'family', name: 'Family', file: 'family.ics', picks: {} }] } }
      """)
    try agent.write("bell.json5", school)
    try agent.write("family.ics", calendar)
    try agent.write(
      "household.json5",
      """
      { people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }], medications: [], tags: [],
        watches: [{ id: 'school', label: 'To school', source: 'onebusaway', stop: '1_75403', route: '1_100225',
                    walkMinutes: 2 }],
        bell: { school: 'bell.json5', people: [{ id: 'ann', lunch: '5A', halfPeriods: true },
                                               { id: 'bob', lunch: '5B', halfPeriods: true }] } }
      """)
    let imported = try agent.command("import", agent.folder + "/household.json5")
    try #require(imported.code == 0, "\(imported.output)")
    return agent
  }

  private static let school = """
    { name: 'Hillside School', timeZone: 'UTC', regular: 'Standard',
      dayTypes: {
        'Standard': {
          periods: { '1': '8:30-9:21', '2': '9:26-10:13', '3': '10:18-11:05', '4': '11:10-11:57', '5': '12:02-12:49',
                     '6': '12:54-13:41' },
          halves: { '1A': '8:30-8:54', '1B': '9:01-9:21', '2A': '9:26-9:46', '2B': '9:53-10:13', '3A': '10:18-10:38',
                    '3B': '10:45-11:05', '4A': '11:10-11:30', '4B': '11:37-11:57', '5A': '12:02-12:22',
                    '5B': '12:29-12:49', '6A': '12:54-13:14', '6B': '13:21-13:41' } },
        'Late Arrival': { periods: { '1': '10:30-11:05', '2': '11:10-11:40', '3': '11:45-12:15', '4': '12:20-12:55' } },
        'No School': { periods: {} } },
      exceptions: { 'No School': ['2026-11-26'] },
      years: [{ first: '2026-08-12', last: '2027-05-27', breaks: [] }] }
    """

  /// Two at once for one person, one after the other, and one of all day.
  private static let calendar = """
    BEGIN:VCALENDAR\r
    VERSION:2.0\r
    PRODID:-//kiosk-agent//test//EN\r
    BEGIN:VEVENT\r
    UID:1\r
    DTSTART:20261201T160000Z\r
    DTEND:20261201T170000Z\r
    SUMMARY:Dentist\r
    LOCATION:Mill Road 12\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:2\r
    DTSTART:20261201T163000Z\r
    DTEND:20261201T180000Z\r
    SUMMARY:Choir\r
    LOCATION:Town Hall\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:3\r
    DTSTART;VALUE=DATE:20261201\r
    SUMMARY:Bins out\r
    END:VEVENT\r
    BEGIN:VEVENT\r
    UID:4\r
    DTSTART:20261201T190000Z\r
    DTEND:20261201T200000Z\r
    SUMMARY:Dinner with the neighbours from number twelve\r
    END:VEVENT\r
    END:VCALENDAR\r

    """
}
