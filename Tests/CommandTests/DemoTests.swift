import Foundation
import TestSupport
import Testing

/// `make run` asks nobody on the network: its buses come from `Fixtures/demo`, moved to now.
@Suite(.timeLimit(.minutes(1))) struct DemoTests {
  private static let folder = AgentUnderTest.root + "/Fixtures/demo"

  private struct Watch: Hashable {
    var stop: String
    var route: String
  }

  /// The buses do not run all night.
  private static let zone = Noon.zone.identifier

  /// What the demo's household watches.
  private static func watches() throws -> Set<Watch> {
    let household = try String(contentsOfFile: folder + "/household.json5.in", encoding: .utf8)
    return Set(
      household.matches(of: #/stop: "([^"]+)", route: "([^"]+)"/#).map { Watch(stop: "\($0.1)", route: "\($0.2)") })
  }

  @Test func `every watch of the demo has a live or a timetabled bus now, without a network`() throws {
    let watches = try Self.watches()
    try #require(watches.count == 2)
    let feeds = try ChildProgram(
      BuildProducts.path("demo-feeds"), [Self.folder], environment: ["TZ": Self.zone])
    defer { feeds.signal(SIGTERM) }
    let address = try Waiting.value("the demo's feeds: \(feeds.text)") {
      feeds.text.firstMatch(of: #/onebusaway (http://127\.0\.0\.1:\d+\S*)/#).map { String($0.1) }
    }
    let kitchen = try Kitchen(
      """
      { stateDirectory: 'state', timeZone: '\(Self.zone)', sources: { onebusaway: { baseURL: '\(address)' } } }
      """)
    let list = watches.map { watch in
      "{ id: '\(watch.route)', source: 'onebusaway', stop: '\(watch.stop)', route: '\(watch.route)', "
        + "window: { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '23:59' } }"
    }
    let file = try kitchen.write("household.json5", "{ people: [], watches: [\(list.joined(separator: ", "))] }")
    #expect(try kitchen.agent("import", file).code == 0)
    let answer = try kitchen.agent(
      "wall", "--refresh", "--json", environment: ["KIOSK_AGENT_ONEBUSAWAY_KEY": "DEMO", "TZ": Self.zone])
    let snapshot = try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any]
    let cards = (snapshot?["rail"] as? [String: Any])?["cards"] as? [[String: Any]] ?? []
    #expect(
      cards.count == 2
        && cards.allSatisfy { ($0["value"] as? String).flatMap { Int($0) } != nil || $0["value"] as? String == "now" },
      "\(answer.out)\(answer.err)")
    let arrivals = snapshot?["arrivals"] as? [[String: Any]] ?? []
    #expect(Set(arrivals.compactMap { $0["watch"] as? String }) == Set(watches.map(\.route)))
  }
}
