import Foundation
import Linux
import TestSupport
import Testing

/// `bus` and `wall --refresh`, with the real curl(1) against a server that has OneBusAway's rules.
@Suite struct BusTests {
  /// Tuesday 2026-11-03, 08:01 in Los Angeles.
  private static let instant = "2026-11-03T08:01:00-08:00"
  private static let key = "SECRETKEY77"

  /// The clocks of a provider: its time stands, so that what it says is known.
  private struct Clocks: TimeSource {
    func now() -> Date { Date(timeIntervalSince1970: 1_793_721_660) }
    func uptime() -> Duration { SystemTime().uptime() }
    func sleep(untilUptime deadline: Duration) async throws { try await SystemTime().sleep(untilUptime: deadline) }
  }

  private static let line = SimulatedBuses.Line(
    stop: "1_75403", stopName: "E Stevens Way NE & Benton Ln", route: "1_100225", shortName: "45",
    longName: "Loyal Heights - U-District", headsign: "Loyal Heights", first: 360, last: 600, every: 10, late: [240])

  private static func server() throws -> FakeOneBusAway {
    try FakeOneBusAway(
      SimulatedBuses([line], zone: TimeZone(identifier: "America/Los_Angeles") ?? .gmt), key: key, time: Clocks())
  }

  private static func kitchen(_ server: FakeOneBusAway, watches: String? = nil, key: String = key) throws -> Kitchen {
    let kitchen = try Kitchen(
      """
      { stateDirectory: 'state', timeZone: 'America/Los_Angeles',
        sources: { onebusaway: { baseURL: '\(server.address)', keyFile: 'key' } } }
      """)
    try kitchen.write("key", key + "\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: kitchen.path("key"))
    let watches =
      watches
      ?? "[{ id: 'school', label: 'To school', source: 'onebusaway', stop: '1_75403', route: '1_100225', walkMinutes: 2 }]"
    let file = try kitchen.write("household.json5", "{ people: [], watches: \(watches) }")
    let answer = try kitchen.agent("import", file)
    try #require(answer.code == 0, "\(answer.err)")
    return kitchen
  }

  private static func objects(_ answer: Kitchen.Answer) throws -> [[String: Any]] {
    try answer.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
  }

  @Test func `wall --refresh asks once for every watched stop and shows what the wall would`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let kitchen = try Self.kitchen(server)
    let answer = try kitchen.agent("wall", "--at", Self.instant, "--refresh", "--json")
    let snapshot = try #require(try Self.objects(answer).first)
    let arrivals = snapshot["arrivals"] as? [[String: Any]] ?? []
    #expect(arrivals.count == 7, "an hour of buses, one every ten minutes")
    let first = arrivals.first ?? [:]
    #expect(first["watch"] as? String == "school" && first["trip"] as? String == "1_100225_20261103_12")
    #expect(first["at"] as? String == "2026-11-03T08:04:00-08:00" && first["minutes"] as? Int == 3)
    #expect(first["state"] as? String == "live" && first["lateSeconds"] as? Double == 240)
    let card = ((snapshot["rail"] as? [String: Any])?["cards"] as? [[String: Any]])?.first ?? [:]
    #expect(card["style"] as? String == "late" && card["title"] as? String == "To school")
    #expect(card["detail"] as? String == "4 min late · leave in 1 min · then 8:14")
    let source = (snapshot["sources"] as? [[String: Any]])?.first ?? [:]
    #expect(source["id"] as? String == "onebusaway" && source["state"] as? String == "fresh")
    #expect(server.requests == ["arrivals-and-departures-for-stop": 1])
    #expect(!kitchen.exists("state/feeds"), "nothing is stored")
    let table = try kitchen.agent("wall", "--at", Self.instant, "--refresh")
    #expect(table.out.contains("bus  45  To school  3 min  4 min late · leave in 1 min · then 8:14"), "\(table.out)")
  }

  @Test func `outside its window a watch has rows for programs and no card for people`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let kitchen = try Self.kitchen(server)
    let answer = try kitchen.agent("wall", "--at", "2026-11-03T05:00:00-08:00", "--refresh", "--json")
    let snapshot = try #require(try Self.objects(answer).first)
    #expect((snapshot["arrivals"] as? [Any])?.count == 7, "the provider's clock says 8:01")
    #expect(((snapshot["rail"] as? [String: Any])?["cards"] as? [Any])?.isEmpty ?? false)
  }

  @Test func `wall without --refresh asks nobody`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let kitchen = try Self.kitchen(server)
    let answer = try kitchen.agent("wall", "--at", Self.instant, "--json")
    #expect(answer.code == 0 && server.requests.isEmpty)
    let source = (try Self.objects(answer).first?["sources"] as? [[String: Any]])?.first
    #expect(source?["state"] as? String == "down")
  }

  @Test func `a stop is found by the number on its sign, with its routes`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let kitchen = try Self.kitchen(server)
    for code in ["75403", "1_75403"] {
      let answer = try kitchen.agent("bus", "stop", code, "--json")
      let stop = try Self.objects(answer).first ?? [:]
      #expect(stop["id"] as? String == "1_75403" && stop["name"] as? String == "E Stevens Way NE & Benton Ln")
      let route = (stop["routes"] as? [[String: Any]])?.first ?? [:]
      #expect(route["id"] as? String == "1_100225" && route["shortName"] as? String == "45")
      #expect(route["longName"] as? String == "Loyal Heights - U-District")
    }
    let table = try kitchen.agent("bus", "stop", "75403")
    #expect(
      table.lines == [
        "1_75403  E Stevens Way NE & Benton Ln (S), King County Metro", "  1_100225  45  Loyal Heights - U-District",
      ])
    #expect(try kitchen.agent("bus", "stop", "999").problem(65).contains("no agency knows a stop \"999\""))
    #expect(try kitchen.agent("bus", "stop", "1_999").problem(65).contains("knows no stop 1_999"))
    #expect(server.refused == 0)
  }

  /// Of the Puget Sound (issue 4).
  private static let agencies = [
    ("1", "King County Metro"), ("3", "Pierce Transit"), ("19", "Intercity Transit"), ("20", "Kitsap Transit"),
    ("23", "City of Seattle"), ("29", "Community Transit"), ("40", "Sound Transit"), ("95", "Washington State Ferries"),
    ("97", "Everett Transit"),
  ]

  @Test func `a number that several agencies know finds the stop of each, with the agency's name`() throws {
    let lines = Self.agencies.map { agency, name in
      SimulatedBuses.Line(
        stop: "\(agency)_4242", stopName: "Stop of \(name)", route: "\(agency)_7", shortName: "7\(agency)",
        longName: "Route of \(name)", first: 360, last: 600, every: 10)
    }
    let server = try FakeOneBusAway(
      SimulatedBuses(lines, zone: TimeZone(identifier: "America/Los_Angeles") ?? .gmt), key: Self.key, time: Clocks())
    defer { server.stop() }
    let answer = try Self.kitchen(server, watches: "[]").agent("bus", "stop", "4242")
    #expect(
      answer.lines
        == Self.agencies.flatMap { agency, name in
          ["\(agency)_4242  Stop of \(name) (S), \(name)", "  \(agency)_7  7\(agency)  Route of \(name)"]
        })
    #expect(server.requests == ["stop": 9] && server.refused == 0)
  }

  @Test func `bus test says of each watch what is wrong with it, for people and for programs`() throws {
    let elsewhere = SimulatedBuses.Line(
      stop: "1_10020", stopName: "Mill Road", route: "1_100055", shortName: "55", longName: "Mill Road - Midway",
      first: 360, last: 600, every: 10)
    let server = try FakeOneBusAway(
      SimulatedBuses([Self.line, elsewhere], zone: TimeZone(identifier: "America/Los_Angeles") ?? .gmt), key: Self.key,
      time: Clocks())
    defer { server.stop() }
    let kitchen = try Self.kitchen(
      server,
      watches: """
        [{ id: 'good', source: 'onebusaway', stop: '1_75403', route: '1_100225' },
         { id: 'elsewhere', source: 'onebusaway', stop: '1_75403', route: '1_100055' },
         { id: 'route', source: 'onebusaway', stop: '1_75403', route: '1_1' },
         { id: 'stop', source: 'onebusaway', stop: '1_1', route: '1_100225' }]
        """)
    let causes = [
      "elsewhere": "route 1_100055 does not stop at 1_75403, where 45 stop: correct the watch",
      "route": "the server knows no route 1_1", "stop": "the server knows no stop 1_1",
    ]
    let people = try kitchen.agent("bus", "test")
    #expect(people.code == 65)
    #expect(people.lines.contains("watch good: 45 Loyal Heights - U-District from E Stevens Way NE & Benton Ln"))
    let programs = try kitchen.agent("bus", "test", "--json")
    let watches = try Self.objects(programs).filter { $0["kind"] as? String == "watch" }
    #expect(watches.map { $0["watch"] as? String } == ["good", "elsewhere", "route", "stop"])
    #expect(
      watches.first?["problem"] is NSNull && watches.first?["routeName"] as? String == "45 Loyal Heights - U-District")
    for (id, cause) in causes {
      #expect(people.lines.contains { $0.hasPrefix("watch \(id): WRONG: ") && $0.contains(cause) }, "\(people.out)")
      let told = watches.first { $0["watch"] as? String == id }?["problem"] as? String ?? ""
      #expect(told.contains(cause), "\(told)")
    }
    #expect(server.refused == 0)
  }

  @Test func `bus test names the agencies and each watch, and says what is wrong with one`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let good = try Self.kitchen(server).agent("bus", "test")
    #expect(good.code == 0)
    #expect(
      good.lines == [
        "the server answers, and has 1 agencies:", "  1  Metro Transit",
        "watch school: 45 Loyal Heights - U-District from E Stevens Way NE & Benton Ln",
      ])
    let wrong = try Self.kitchen(
      server, watches: "[{ id: 'a', source: 'onebusaway', stop: '1_1', route: '1_100225' }]"
    ).agent("bus", "test")
    #expect(wrong.code == 65)
    #expect(wrong.out.contains("watch a: WRONG: OneBusAway: the server knows no stop 1_1"))
    #expect(server.refused == 0)
  }

  @Test func `a wrong or missing key says what to do, and no command shows it`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let wrong = try Self.kitchen(server, key: "WRONGKEY55")
    for words in [["bus", "test"], ["bus", "stop", "75403"]] {
      let problem = try wrong.bare(words + ["--config", wrong.configuration]).problem(78)
      #expect(problem.contains("ask oba_api_key@soundtransit.org for a key") && !problem.contains("WRONGKEY55"))
    }
    let wall = try wrong.agent("wall", "--at", Self.instant, "--refresh", "--json")
    #expect(wall.code == 0 && wall.out.contains("ask oba_api_key@soundtransit.org for a key"))
    #expect(!wall.out.contains("WRONGKEY55") && !wall.err.contains("WRONGKEY55"))
    try FileManager.default.removeItem(atPath: wrong.path("key"))
    #expect(try wrong.agent("bus", "test").problem(78).contains("key"))
  }

  @Test func `a key file that others can read is refused`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let kitchen = try Self.kitchen(server)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: kitchen.path("key"))
    let problem = try kitchen.agent("bus", "test").problem(78)
    #expect(problem.contains("is open to other users: chmod o= "))
    #expect(server.requests.isEmpty)
  }

  @Test func `a server that is not there is a passing trouble`() throws {
    let server = try Self.server()
    let kitchen = try Self.kitchen(server)
    server.stop()
    #expect(try kitchen.agent("bus", "test").problem(75).contains("no connection to 127.0.0.1"))
    let wall = try kitchen.agent("wall", "--at", Self.instant, "--refresh", "--json")
    #expect(wall.code == 0)
    let cards = (try Self.objects(wall).first?["rail"] as? [String: Any])?["cards"] as? [[String: Any]] ?? []
    #expect(cards.map { $0["kind"] as? String } == ["fault"], "said at once, and once: \(wall.out)")
  }

  @Test func `bus lists the watches, and without a ledger none`() throws {
    let server = try Self.server()
    defer { server.stop() }
    let kitchen = try Self.kitchen(server)
    #expect(
      try kitchen.agent("bus").lines == ["school  To school  1_75403  1_100225  mon-fri 06:30-09:00  on"])
    #expect(try Self.objects(kitchen.agent("bus", "--json")).first?["id"] as? String == "school")
    #expect(try Kitchen().agent("bus", "--json").out == "")
    #expect(try kitchen.agent("bus", "stop").problem(64).contains("needs a stop"))
    #expect(try kitchen.agent("bus", "wash").problem(64).contains("bus does not take"))
  }
}
