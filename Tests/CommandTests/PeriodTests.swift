import Foundation
import Glibc
import TestSupport
import Testing

/// `period` and its overrides (DESIGN 4.1, 5.4): the built binary and the fixture's school.
@Suite(.timeLimit(.minutes(3))) struct PeriodTests {
  private static let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../Fixtures/bell/stevenson.json5")

  /// A house with Ann, who eats in 5A, and Bob, who eats in 5B, at a school of the fixture.
  private func kitchen(in zone: String = "America/Chicago", _ change: (String) -> String = { $0 }) throws -> Kitchen {
    let kitchen = try Kitchen(
      "{ stateDirectory: 'state', timeZone: '\(zone)', wall: { listen: '127.0.0.1:0' } }")
    try kitchen.write("bell.json5", change(try String(contentsOf: Self.fixture, encoding: .utf8)))
    let file = try kitchen.write(
      "household.json5",
      """
      { people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }],
        bell: { school: 'bell.json5', people: [{ id: 'ann', lunch: '5A' }, { id: 'bob', lunch: '5B' }] } }
      """)
    #expect(try kitchen.agent("import", file).code == 0)
    return kitchen
  }

  /// The same where it is about noon, at a school that has lessons all day, and on each day around now: a test of now does
  /// not depend on when it is.
  private func kitchenOfNow() throws -> Kitchen {
    let year = Calendar(identifier: .gregorian).component(.year, from: Date())
    let years = (year - 1...year + 1).map { "{ first: '\($0)-01-01', last: '\($0)-12-31' }" }.joined(separator: ", ")
    return try kitchen(in: Noon.zone.identifier) { _ in
      """
      { regular: 'Standard', dayTypes: { Standard: { periods: { '1': '5:00-23:59' } },
          'Late Arrival': { periods: { '1': '23:58-23:59' } } }, years: [\(years)] }
      """
    }
  }

  private func period(_ kitchen: Kitchen, at instant: String) throws -> [String: Any] {
    let answer = try kitchen.agent("period", "--json", "--at", instant)
    #expect(answer.code == 0 && answer.err == "" && answer.lines.count == 1, "\(answer)")
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any])
  }

  @Test(
    arguments: [
      ("2025-12-18T08:45:00-06:00", "inPeriod", "Period 6", 1500, "Early Dismissal"),
      ("2025-12-19T08:45:00-06:00", "inPeriod", "Period 5", 1500, "Early Dismissal"),
      ("2026-05-22T10:55:00-05:00", "passing", nil, 300, "Early Dismissal"),
      ("2025-09-19T14:50:00-05:00", "inPeriod", "Assembly", 2100, "PM Assembly"),
      ("2025-08-19T10:30:00-05:00", "inPeriod", "Activity", 1140, "Activity Period"),
      ("2025-08-21T09:26:00-05:00", "beforeSchool", nil, 3840, "Late Arrival"),
      ("2025-09-02T09:21:00-05:00", "passing", nil, 300, "Standard"),
      ("2025-09-02T15:25:00-05:00", "afterSchool", nil, nil, "Standard"),
      ("2026-05-25T12:00:00-05:00", "noSchool", nil, nil, "Summer Break"),
      ("2025-12-29T12:00:00-06:00", "noSchool", nil, nil, "No School"),
      ("2026-09-01T12:00:00-05:00", "unpublished", nil, nil, nil),
    ] as [(String, String, String?, Int?, String?)])
  func `the school day at an instant`(
    instant: String, state: String, name: String?, secondsLeft: Int?, dayType: String?
  ) throws {
    let period = try period(try kitchen(), at: instant)
    #expect(
      Set(period.keys) == [
        "state", "dayType", "name", "startsAt", "endsAt", "secondsLeft", "next", "source", "text", "people",
      ])
    #expect(period["state"] as? String == state)
    #expect(period["name"] as? String == name)
    #expect(period["secondsLeft"] as? Int == secondsLeft)
    #expect(period["dayType"] as? String == dayType)
  }

  @Test func `two pupils with other lunches differ at the same time`() throws {
    let kitchen = try kitchen()
    let people = try period(kitchen, at: "2025-09-02T12:10:00-05:00")["people"] as? [[String: Any]] ?? []
    #expect(people.map { $0["id"] as? String } == ["ann", "bob"])
    #expect(people.map { $0["name"] as? String } == ["Ann", "Bob"])
    #expect(
      people.map { $0["text"] as? String } == [
        "Lunch · 12 min left · ends 12:22", "Period 5A · 12 min left · ends 12:22 · lunch in 19 min",
      ])
    let table = try kitchen.agent("period", "--at", "2025-09-02T12:25:00-05:00")
    #expect(
      table.lines == [
        "12:25  Period 5 · 24 min left · ends 12:49", "Ann    Passing · 4 min left · Period 5B at 12:29",
        "Bob    Passing · 4 min left · Lunch at 12:29",
      ])
  }

  @Test func `the wall of that instant says the same`() throws {
    let kitchen = try kitchen()
    let answer = try kitchen.agent("wall", "--json", "--at", "2025-09-02T09:18:00-05:00")
    let wall = try #require(try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any])
    let shown = try #require(wall["period"] as? [String: Any])
    let asked = try period(kitchen, at: "2025-09-02T09:18:00-05:00")
    #expect(NSDictionary(dictionary: shown) == NSDictionary(dictionary: asked))
    let cards = (wall["rail"] as? [String: Any])?["cards"] as? [[String: Any]] ?? []
    #expect(cards.map { $0["title"] as? String } == ["Period 1 ends"])
    #expect((wall["sources"] as? [[String: Any]])?.map { $0["id"] as? String } == ["bell"])
    let table = try kitchen.agent("wall", "--at", "2025-09-02T09:18:00-05:00")
    #expect(table.lines.contains { $0.contains("Period 1 · 3 min left · ends 9:21") }, "\(table.out)")
  }

  @Test func `a household without a school, or without a ledger, has no period`() throws {
    let kitchen = try Kitchen()
    #expect(try kitchen.agent("period", "--json").out == "null\n")
    #expect(try kitchen.agent("period").out.hasPrefix("the household has no school"))
    #expect(!kitchen.exists("state"))
    _ = try kitchen.agent("period", "override", "No School").problem(65)
    #expect(try kitchen.agent("period", "clear").code == 0)
  }

  @Test func `a file with a mistake is 65 with its line`() throws {
    let kitchen = try kitchen { $0.replacingOccurrences(of: "12:54-13:41", with: "12:54-1:41") }
    let problem = try kitchen.agent("period").problem(65)
    #expect(problem.contains("did you mean 13:41?") && problem.contains("bell.json5"), "\(problem)")
    _ = try kitchen.agent("period", "override", "No School").problem(65)
  }

  // MARK: Overrides

  /// `2026-11-30`, so many days after today, where it is about noon.
  private static func day(_ number: Int) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = Noon.zone
    let day = calendar.date(byAdding: .day, value: number, to: Date()) ?? .distantPast
    let parts = calendar.dateComponents([.year, .month, .day], from: day)
    return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
  }

  @Test func `an override counts for its day, survives an import, and is taken back`() throws {
    let kitchen = try kitchenOfNow()
    let before = try kitchen.agent("export").out
    let answer = try kitchen.agent("period", "override", "no school")
    #expect(answer.code == 0 && answer.out.contains(" is No School until "), "\(answer)")
    func now() throws -> [String: Any] {
      let out = try kitchen.agent("period", "--json").out
      return try JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any] ?? [:]
    }
    #expect(try now()["source"] as? String == "override" && now()["state"] as? String == "noSchool")
    #expect(try kitchen.agent("export").out == before, "it is of this wall and this day alone")
    #expect(try kitchen.agent("import", kitchen.path("household.json5")).out == "nothing changed\n")
    #expect(try now()["source"] as? String == "override")
    // The last one said of a day counts.
    #expect(try kitchen.agent("period", "override", "Late Arrival", "--json").code == 0)
    #expect(try now()["dayType"] as? String == "Late Arrival")
    let tomorrow = Self.day(1)
    #expect(try kitchen.agent("period", "override", "No School", "--day", tomorrow).code == 0)
    #expect(try now()["dayType"] as? String == "Late Arrival", "each day has its own")
    #expect(try period(kitchen, at: tomorrow + "T12:00:00" + Noon.offset)["source"] as? String == "override")
    #expect(try kitchen.agent("period", "clear").out == "cleared\n")
    #expect(try kitchen.agent("period", "clear").out == "there was no override\n")
    #expect(try now()["source"] as? String != "override")
  }

  @Test func `an override ends at its time`() throws {
    let kitchen = try kitchenOfNow()
    let tomorrow = Self.day(1)
    #expect(try kitchen.agent("period", "override", "No School", "--day", tomorrow, "--until", "12:00").code == 0)
    #expect(try period(kitchen, at: tomorrow + "T11:59:59" + Noon.offset)["source"] as? String == "override")
    #expect(try period(kitchen, at: tomorrow + "T12:00:01" + Noon.offset)["source"] as? String != "override")
    let after = Self.day(2)
    #expect(try period(kitchen, at: after + "T09:00:00" + Noon.offset)["source"] as? String != "override")
  }

  @Test func `a day type that is none is 65 and names the nearest`() throws {
    let problem = try kitchen().agent("period", "override", "Late Arival").problem(65)
    #expect(problem == "\"Late Arival\" is no day type of the school: did you mean \"Late Arrival\"?")
  }

  @Test(arguments: [
    ["override"], ["override", "--day", "2026-01-01"], ["override", "Late", "Arrival"], ["clear", "now"],
    ["--day", "2026-01-01"], ["clear", "--until", "12:00"], ["override", "Standard", "--at", "2026-01-01T00:00:00Z"],
    ["--at", "noon"], ["today"], ["override", "Standard", "--day", "2025-09-02"],
    ["override", "Standard", "--day", "tomorrow"], ["override", "Standard", "--until", "25:00"],
    ["override", "Standard", "--until", "2099-01-01T00:00:00Z"],
  ]) func `what cannot be understood is 64 and changes nothing`(words: [String]) throws {
    let kitchen = try kitchen()
    _ = try kitchen.bare(["period"] + words + ["--config", kitchen.configuration]).problem(64)
    #expect(try kitchen.agent("period", "clear").out == "there was no override\n")
  }

  @Test func `an override goes through the running agent and is on its wall at once`() throws {
    let kitchen = try kitchenOfNow()
    let agent = try kitchen.start()
    let sign = "the wall is on http://127.0.0.1:"
    try agent.waitFor(sign)
    let port = agent.text[try #require(agent.text.range(of: sign)).upperBound...].prefix { $0.isNumber }
    let web = HTTPProbe(port: try #require(UInt16(port)))
    func shown() throws -> [String: Any]? {
      let body = try web.get("/api/wall").body
      return (try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])?["period"] as? [String: Any]
    }
    try Waiting.until("the period") { try shown() != nil }
    let answer = try kitchen.agent("period", "override", "No School")
    #expect(answer.code == 0, "\(answer.err)")
    #expect(try shown()?["source"] as? String == "override", "with the answer, and not some time later")
    #expect((try shown()?["text"] as? String)?.hasPrefix("No school · ") == true)
    // A file with a mistake stays on the wall as it was, and is no reason to know nothing by hand.
    try kitchen.write("bell.json5", "{ broken")
    #expect(try kitchen.agent("period", "override", "Late Arrival").code == 0)
    #expect(try shown()?["dayType"] as? String == "Late Arrival")
    #expect(try kitchen.agent("period", "clear").out == "cleared\n")
    #expect(try shown()?["source"] as? String != "override")
    agent.signal(SIGTERM)
    #expect(try agent.waitForExit() == 0)
  }

  // MARK: What the school publishes

  @Test func `wall --refresh fetches map and menu once and stores nothing`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/web-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func publish(_ name: String, _ text: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }
    try publish("dates.json", "{\"Late Arrival\": [\"9/2/2025\"]}")
    let days = "[[\"a\",\"b\",\"c\",\"d\",\"e\"]]"
    for name in ["comfort", "mindful", "sides"] {
      try publish("\(name).json", "{\"cadence\":\"daily\",\"data\":\(days)}")
    }
    for name in ["soup", "international"] {
      try publish("\(name).json", "{\"cadence\":\"weekly\",\"data\":[\"\(name)\"]}")
    }
    try publish(
      "special.json",
      "[[\"Poke\",\"Tacos\",\"Wings\",\"Chili\",\"Sushi\"],[\"Poke\",\"Tacos\",\"Wings\",\"Chili\",\"Sushi\"]]")
    let server = try ChildProgram(
      "/usr/bin/env", ["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder],
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"])
    try server.waitFor("port ")
    let port = server.text[try #require(server.text.range(of: "port ")).upperBound...].prefix { $0.isNumber }
    let kitchen = try kitchen { text in
      text.replacingOccurrences(
        of: "regular: \"Standard\",",
        with: "regular: \"Standard\", exceptionsURL: \"http://127.0.0.1:\(port)/dates.json\","
      ).replacingOccurrences(of: "anchors: [],", with: "anchors: [], stationsURL: \"http://127.0.0.1:\(port)\",")
    }
    let instant = "2025-09-02T10:45:00-05:00"
    #expect(try period(kitchen, at: instant)["dayType"] as? String == "Standard", "nothing was ever fetched")
    let answer = try kitchen.agent("wall", "--json", "--refresh", "--at", instant)
    let wall = try #require(try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any])
    let shown = wall["period"] as? [String: Any]
    #expect(shown?["text"] as? String == "Period 1 · 20 min left · ends 11:05 · Late Arrival")
    #expect(shown?["source"] as? String == "remote")
    #expect(
      (wall["agenda"] as? [[String: Any]])?.map { $0["title"] as? String } == [
        "Tacos Tuesday, b, b, b, soup, international"
      ])
    #expect((wall["sources"] as? [[String: Any]])?.map { $0["id"] as? String } == ["bell", "lunch"])
    try Waiting.until("seven requests: \(server.text)") { server.text.ranges(of: "\"GET /").count >= 7 }
    #expect(server.text.ranges(of: "\"GET /").count == 7, "\(server.text)")
    #expect(!kitchen.exists("state/feeds") && !kitchen.exists("state/bell-last-good.json"))
    #expect(try period(kitchen, at: instant)["dayType"] as? String == "Standard", "nothing was stored")
    server.signal(SIGTERM)
  }
}
