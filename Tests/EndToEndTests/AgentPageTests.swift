import Foundation
import Linux
import TestSupport
import Testing
import VirtualTag

/// The wall of the built agent in a real browser, at instants at which there is something to see: ledger, school's file,
/// calendar, feeds and clock are real, the picture is looked at by `audit.py` and kept for people. The answers to taps are
/// looked at in the same way by OutcomeTests.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct AgentPageTests {
  static let panels = ["1080x1920", "1920x1080", "810x1080", "600x1024"]

  /// Seconds that the clock of the agent, and of its provider of buses, is ahead of the machine's.
  private struct ShiftedTime: TimeSource {
    var offset: Int64

    func now() -> Date { SystemTime().now() + Double(offset) }
    func uptime() -> Duration { SystemTime().uptime() }
    func sleep(untilUptime deadline: Duration) async throws { try await SystemTime().sleep(untilUptime: deadline) }
  }

  private static func lines(late: Int) -> [SimulatedBuses.Line] {
    ["1_75403": "45", "1_75404": "1172", "1_75405": "7"].map { stop, name in
      SimulatedBuses.Line(
        stop: stop, route: "1_10022\(stop.last == "3" ? 5 : stop.last == "4" ? 6 : 7)", shortName: name,
        headsign: "Loyal Heights", first: 360, last: 700, every: 10, late: [late])
    }
  }

  @Test(arguments: AgentPageState.all)
  func `what the agent shows is readable on every panel`(state: AgentPageState) throws {
    let instant = try #require(ISO8601DateFormatter().date(from: state.at))
    let offset = Int64(instant.timeIntervalSince(Date()))
    let server = try FakeOneBusAway(
      SimulatedBuses(Self.lines(late: state.busesLate), zone: .gmt), key: "TEST", time: ShiftedTime(offset: offset))
    defer { server.stop() }
    let agent = try Self.agent(offset, server.address, state)
    if let type = state.overridden {
      let answer = try agent.command("period", "override", type)
      try #require(answer.code == 0, "\(answer.output)")
    }
    // What was done so far took its time.
    agent.setClock(offset: Int64(instant.timeIntervalSince(Date()).rounded(.down)))
    let set = SystemTime().uptime()
    /// The whole minutes by which the agent's clock is beyond the instant, at most.
    func minutesLater() -> Int { Int((SystemTime().uptime() - set).components.seconds / 60) }
    try agent.start()
    let silentFor = try Self.cause(state.trouble, agent, server, offset)
    let expected = state.says.filter { silentFor == nil || !["The wall", "--:--"].contains(where: $0.hasPrefix) }
    try Waiting.until("\(expected) in \((try? agent.web.get("/api/wall").body) ?? "")") {
      let wall = try agent.web.get("/api/wall").body
      return expected.allSatisfy { AgentPageState.isSaid($0, in: wall, minutesLater: minutesLater()) }
    }
    let query = silentFor == nil ? "?live=0" : ""
    let views = try ServedPage.audit(
      [("agent-\(state.name)", "http://127.0.0.1:\(agent.web.port)/\(query)")], sizes: Self.panels,
      silentFor: silentFor)
    let later = minutesLater()
    #expect(views.count == 4)
    for view in views {
      #expect(view.faults == [], "\(state.name) \(view.size), see \(view.screenshot ?? "-")")
      #expect(view.mode == state.mode, "\(state.name) \(view.size)")
      let said = view.said.joined(separator: " ")
      for words in state.says {
        #expect(
          AgentPageState.isSaid(words, in: said, minutesLater: later), "\(state.name) \(view.size): \(words) in \(said)"
        )
      }
    }
  }

  /// - Returns: the seconds for which the page is to have heard nothing.
  private static func cause(
    _ trouble: AgentPageState.Trouble?, _ agent: AgentUnderTest, _ server: FakeOneBusAway, _ offset: Int64
  ) throws -> Int? {
    switch trouble {
    case nil: return nil
    case .silent(let seconds): return seconds
    case .noReader:
      try agent.waitForReader("ready")
      agent.pcscd.kill()
    case .staleBuses(let seconds):
      try Waiting.until("buses") { try agent.web.get("/api/wall").body.contains(" min late") }
      agent.process?.signal(SIGKILL)
      _ = try agent.process?.waitForExit()
      server.say(Array("<html>Bad Gateway</html>".utf8), status: 502)
      agent.setClock(offset: offset + seconds, asleep: seconds)
      try agent.start()
    }
    return nil
  }

  static func agent(_ offset: Int64, _ buses: String, _ state: AgentPageState) throws -> AgentUnderTest {
    let agent = try AgentUnderTest(clockOffset: offset - state.importedBefore)
    agent.variables = ["KIOSK_AGENT_ONEBUSAWAY_KEY": "TEST"]
    try agent.write(
      "kiosk-agent.json5",
      """
      { stateDirectory: '\(agent.state)', timeZone: 'UTC',
        wall: { listen: '127.0.0.1:0', language: '\(state.language)' },
        sources: { onebusaway: { baseURL: '\(buses)' },
                   calendars: [{ id: 'family', name: 'Family', file: 'family.ics', picks: {} }] } }
      """)
    try agent.write("bell.json5", AgentPageState.school)
    try agent.write("family.ics", AgentPageState.calendar)
    try agent.write("household.json5", state.household)
    let imported = try agent.command("import", agent.folder + "/household.json5")
    try #require(imported.code == 0, "\(imported.output)")
    return agent
  }
}
