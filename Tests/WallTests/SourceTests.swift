internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct SourceTests {
  private static func snapshot(_ facts: SourceFacts, language: String = "en") -> Snapshot {
    var input = input(language: language)
    input.sources = [facts]
    return input.snapshot(v: 1)
  }

  @Test(
    arguments: [
      (.fresh, at(2, "8:07"), nil, nil), (.fresh, at(2, "8:07"), .notConnected, nil),
      (.aging, at(2, "8:06"), nil, "Buses: as of 8:06"),
      (.aging, at(2, "8:06"), .notConnected, "Buses: as of 8:06 · no connection"),
      (.stale, at(2, "8:03"), nil, "Buses: no data since 8:03"),
      (.stale, at(1, "20:03"), .broken, "Buses: no data since yesterday 20:03 · the server is out of order"),
      (.down, nil, .slow, "Buses: no data · the server does not answer"), (.down, nil, nil, "Buses: no data"),
      (.off, nil, nil, nil), (.off, nil, .noKey, "Buses: no key: ask oba_api_key@soundtransit.org for a key"),
    ] as [(SourceFacts.State, Date?, SourceFacts.Problem?, String?)])
  func `a source says its age, then what is wrong and what to do`(
    state: SourceFacts.State, fetchedAt: Date?, problem: SourceFacts.Problem?, message: String?
  ) {
    let facts = SourceFacts(id: "onebusaway", state: state, fetchedAt: fetchedAt, problem: problem)
    let source = Self.snapshot(facts).sources.first
    #expect(source?.state == state.rawValue && source?.message == message)
    #expect(source?.fetchedAt == fetchedAt.map { InstantText.text($0, in: losAngeles) })
  }

  @Test(arguments: ["en", "de"], SourceFacts.Problem.allCases)
  func `every problem has its own words in every language`(language: String, problem: SourceFacts.Problem) {
    let message = { (problem: SourceFacts.Problem) in
      Self.snapshot(SourceFacts(id: "onebusaway", state: .down, problem: problem), language: language).sources.first?
        .message
    }
    let others = SourceFacts.Problem.allCases.filter { $0 != problem }.map(message)
    #expect(message(problem) != nil && !others.contains(message(problem)))
  }

  @Test func `a failing source is a card after fifteen minutes, and one that merely waits is none`() {
    var facts = SourceFacts(
      id: "onebusaway", state: .down, problem: .notConnected, failingSince: at(2, "7:53") + 1)
    #expect(Self.snapshot(facts).rail.cards.isEmpty)
    facts.failingSince = at(2, "7:53")
    let card = Self.snapshot(facts).rail.cards.first
    #expect(card?.id == "fault:onebusaway" && card?.title == "Buses" && card?.detail == "no data · no connection")
    facts.failingSince = nil
    #expect(Self.snapshot(facts).rail.cards.isEmpty)
  }

  @Test func `what a source cannot give is named, in its line and on its card`() {
    var facts = SourceFacts(id: "onebusaway", state: .down, problem: .notFound, failingSince: at(2, "7:00"))
    facts.parts = ["Work", "School"]
    let snapshot = Self.snapshot(facts, language: "de")
    #expect(snapshot.sources.first?.message?.hasPrefix("Busse (Work, School): keine Daten · ") == true)
    #expect(snapshot.rail.cards.first?.title == "Busse (Work, School)")
    #expect(snapshot.rail.cards.first?.id == "fault:onebusaway", "it does not become another card with its words")
  }

  @Test func `a calendar goes by the name that the household gave it`() {
    let facts = SourceFacts(id: "calendar:family", name: "Family", state: .down)
    #expect(Self.snapshot(facts).sources.first?.message == "Family: no data")
  }

  @Test(
    arguments: [
      ("21:59", NightHours.usual, "day"), ("22:00", .usual, "night"), ("0:00", .usual, "night"),
      ("5:59", .usual, "night"), ("6:00", .usual, "day"), ("12:00", NightHours(from: 720, to: 780), "night"),
      ("13:00", NightHours(from: 720, to: 780), "day"), ("12:00", NightHours(from: 720, to: 720), "day"),
    ])
  func `night is from one time to the other, over midnight too`(time: String, night: NightHours, mode: String) {
    var input = input(now: at(3, time))
    input.night = night
    #expect(input.snapshot(v: 1).mode == mode)
    input.clockTrusted = false
    #expect(input.snapshot(v: 1).mode == "day", "what time it is is not known")
  }

  @Test func `a notice stands behind the buses, and is cut by us`() {
    var input = input()
    input.rail.buses = [BusFacts(id: "a", name: "School", route: "45", state: .silent(.noServiceToday))]
    input.rail.notices = [.init(id: "1", name: "School", text: String(repeating: "Detour. ", count: 90))]
    let cards = input.snapshot(v: 1).rail.cards
    #expect(cards.map(\.id) == ["bus:a", "bus:notice 1"])
    #expect(cards.last.map { $0.detail.count <= 121 && $0.detail.hasPrefix("Detour. ") } ?? false)
  }

  @Test func `a program gets every arrival, a page those that fit`() {
    var input = input()
    input.arrivals = (0..<300).map { number in
      ArrivalFacts(
        watch: "school", trip: "1_\(number)", route: "1_100225", headsign: "Loyal Heights", at: at(2, "8:14"),
        scheduledAt: at(2, "8:08"), predictedAt: at(2, "8:14"), state: .live, minutes: 6, lateSeconds: 360.001,
        updatedAt: at(2, "8:07"))
    }
    let page = input.snapshot(v: 1)
    #expect(page.json.utf8.count <= 16_384 && (10..<300).contains(page.arrivals.count))
    input.isForPage = false
    #expect(input.snapshot(v: 1).arrivals.count == 300)
    #expect(
      input.snapshot(v: 1).json.contains(
        #"{"at":"2026-11-02T08:14:00-08:00","headsign":"Loyal Heights","lateSeconds":360.001,"minutes":6,"#
          + #""predictedAt":"2026-11-02T08:14:00-08:00","route":"1_100225","scheduledAt":"2026-11-02T08:08:00-08:00","#
          + #""state":"live","trip":"1_0","updatedAt":"2026-11-02T08:07:00-08:00","watch":"school"}"#))
  }
}
