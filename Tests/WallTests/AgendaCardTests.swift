internal import Foundation
internal import Testing

@testable internal import Wall

/// The rail's cards of the agenda, on Monday 2 November 2026 in Los Angeles.
@Suite struct AgendaCardTests {
  private static func event(_ title: String, _ start: Date, _ plan: EventPlan? = nil, place: String? = nil)
    -> AgendaFacts
  {
    AgendaFacts(
      id: title, title: title, span: .times(start, until: start + 3600), state: .later, isToday: true, place: place,
      plan: plan)
  }

  private static func cards(
    at now: Date, _ facts: [AgendaFacts], suggestions: [AgendaFacts] = [], language: String = "en"
  ) -> [Snapshot.Card] {
    var input = input(now: now, language: language)
    input.add(agenda: facts, suggestions: suggestions)
    return input.snapshot(v: 1).rail.cards
  }

  @Test func `what begins within an hour has a card with its place`() {
    let facts = [Self.event("Dentist", at(2, "9:00"), place: "Main Street 5")]
    #expect(Self.cards(at: at(2, "7:59"), facts).isEmpty)
    let card = Self.cards(at: at(2, "8:08"), facts).first
    #expect(card?.id == "agenda:Dentist" && card?.kind == "agenda" && card?.title == "Dentist")
    #expect(card?.value == "52" && card?.unit == "min" && card?.at == "2026-11-02T09:00:00-08:00")
    #expect(card?.detail == "at 9:00 · Main Street 5")
    #expect(Self.cards(at: at(2, "9:00"), facts).isEmpty)
  }

  @Test func `a private event says neither its title nor its place`() {
    var facts = Self.event("Doctor", at(2, "9:00"), place: "Clinic")
    facts.isPrivate = true
    let card = Self.cards(at: at(2, "8:08"), [facts]).first
    #expect(card?.title == "Private" && card?.detail == "at 9:00")
  }

  @Test(
    arguments: [
      ("8:24", "at 9:00 · leave at 8:35 · Room 2", "um 9:00 · um 8:35 los · Room 2"),
      ("8:35", "at 9:00 · leave now · Room 2", "um 9:00 · jetzt los · Room 2"),
    ])
  func `a chosen event says when to leave for it`(now: String, english: String, german: String) {
    let plan = EventPlan(
      departure: .init(at: at(2, "8:35"), isGuess: false), freeUntil: at(2, "11:15"), remindFrom: at(2, "8:50"))
    let facts = [Self.event("Talk", at(2, "9:00"), plan, place: "Room 2")]
    #expect(Self.cards(at: at(2, now), facts).map(\.detail) == [english])
    #expect(Self.cards(at: at(2, now), facts, language: "de").map(\.detail) == [german])
  }

  @Test(
    arguments: [
      (
        EventPlan(clashes: [.overlap("Swim")], freeUntil: at(2, "11:15"), remindFrom: at(2, "8:50")),
        "at 9:00 · clashes with Swim · then free until 11:15"
      ),
      (
        EventPlan(
          clashes: [.tight(after: "Swim", missing: 3)], departure: .init(at: at(2, "8:55"), isGuess: true),
          remindFrom: at(2, "8:50")), "at 9:00 · 3 min short after Swim · leave about 8:55"
      ),
    ] as [(EventPlan, String)])
  func `clashes come before the way, the way before what is free`(plan: EventPlan, detail: String) {
    #expect(Self.cards(at: at(2, "8:24"), [Self.event("Talk", at(2, "9:00"), plan)]).map(\.detail) == [detail])
  }

  @Test(
    arguments: [
      ("8:20", ["Soon"]), ("8:45", ["Soon", "Chosen"]), ("8:50", ["Chosen"]), ("9:00", ["Chosen"]),
      ("9:01", ["Chosen"]), ("9:02", []),
    ] as [(String, [String])])
  func `what somebody is reminded of has a card beside what comes next, and a little beyond its start`(
    now: String, titles: [String]
  ) {
    let facts = [
      Self.event("Soon", at(2, "8:50")),
      Self.event("Chosen", at(2, "9:00"), EventPlan(remindFrom: at(2, "8:45"))),
    ]
    #expect(Self.cards(at: at(2, now), facts).map(\.title) == titles)
  }

  @Test func `with nothing chosen what one could go to stands on one card`() {
    let suggestions = [
      Self.event("Talk A", at(2, "9:00")), Self.event("Talk B", at(2, "9:30")), Self.event("Talk C", at(2, "10:00")),
    ]
    let card = Self.cards(at: at(2, "8:08"), [], suggestions: suggestions)
    #expect(card.map(\.title) == ["Next 3 hours"] && card.first?.style == "scheduled")
    #expect(card.first?.detail == "9:00 Talk A · 9:30 Talk B · 10:00 Talk C")
    #expect(
      Self.cards(at: at(2, "8:08"), [], suggestions: suggestions, language: "de").first?.title == "Nächste 3 Stunden")
  }

  @Test func `between now and the next change no card of a chosen event changes`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let now = at(2, "8:00") + Double(Int.random(in: 0...3_600_000, using: &random)) / 1000
      func near() -> Date { now + Double(Int.random(in: -150_000...4_000_000, using: &random)) / 1000 }
      var input = input(now: now)
      input.rail.events = (0..<3).map { number in
        let start = near()
        let lead = [0, 5, 10, 15, 30].randomElement(using: &random) ?? 0
        return RailInput.Event(
          id: "\(number)", title: "\(number)", start: start,
          plan: EventPlan(departure: .init(at: near(), isGuess: false), remindFrom: start - Double(lead * 60)))
      }
      let before = input.snapshot(v: 1).rail
      guard let next = input.railWriter(.english).nextChange(of: input.rail) else { continue }
      #expect(next > now)
      input.now = next - 0.002
      if input.now > now { #expect(input.snapshot(v: 1).rail == before) }
    }
  }

  @Test func `a calendar's broken file says since when it is as it is, and what is wrong`() {
    var input = input()
    input.sources = [
      SourceFacts(
        id: "calendar:family", name: "Family", state: .stale, fetchedAt: at(2, "7:30"), problem: .badFile,
        detail: "the calendar is cut off")
    ]
    #expect(
      input.snapshot(v: 1).sources.first?.message
        == "Family: as of 7:30 · its file has a mistake · the calendar is cut off")
  }
}
