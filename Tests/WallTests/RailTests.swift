internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct RailTests {
  private static func rail(at now: Date = at(2, "8:08"), language: String = "en", _ change: (inout RailInput) -> Void)
    -> Snapshot.Rail
  {
    var input = input(now: now, language: language)
    change(&input.rail)
    return input.snapshot(v: 1).rail
  }

  private static func due(
    _ due: Date, _ person: String = "Ann", _ medication: String = "Levothyroxine", isLate: Bool = false
  ) -> RailInput.Dose {
    .init(personID: person.lowercased(), person: person, medication: medication, dueAt: due, isLate: isLate)
  }

  // MARK: Doses

  @Test(
    arguments: [
      (at(2, "7:59") + 59.4, nil), (at(2, "7:59") + 59.5, nil), (at(2, "8:00"), "30"), (at(2, "8:00") + 0.6, "29"),
      (at(2, "8:28"), "2"), (at(2, "8:29"), "1"), (at(2, "8:29") + 1, "now"), (at(2, "8:29") + 59, "now"),
      (at(2, "8:30"), "now"), (at(2, "8:40"), "now"),
    ] as [(Date, String?)])
  func `a dose has a card from 30 minutes before it is due`(now: Date, value: String?) {
    let cards = Self.rail(at: now) { $0.doses = [Self.due(at(2, "8:30"))] }.cards
    #expect(cards.map(\.value) == [value].compactMap { $0 })
    guard let card = cards.first else { return }
    #expect(card.kind == "dose" && card.title == "Ann" && card.style == "normal")
    #expect(card.detail == "due 8:30 · Levothyroxine")
    #expect(card.unit == (card.value == "now" ? "" : "min"))
    #expect(card.at == "2026-11-02T08:30:00-08:00")
  }

  @Test func `a person has one card, for the earliest, and what is due with it is named`() {
    let cards = Self.rail {
      $0.doses = [
        Self.due(at(2, "8:20"), "Ann", "C"), Self.due(at(2, "8:15"), "Ann", "B"), Self.due(at(2, "8:15"), "Ann", "A"),
        Self.due(at(2, "8:10"), "Bob", "D"),
      ]
    }.cards
    #expect(cards.map(\.id) == ["dose:bob", "dose:ann"])
    #expect(cards.map(\.detail) == ["due 8:10 · D", "due 8:15 · A, B"])
  }

  @Test func `more medications than two are counted`() {
    let cards = Self.rail { rail in rail.doses = ["A", "B", "C", "D"].map { Self.due(at(2, "8:15"), "Ann", $0) } }.cards
    #expect(cards.map(\.detail) == ["due 8:15 · A, B, +2 more"])
  }

  @Test(arguments: [("en", "1 h 8 min late · Levothyroxine"), ("de", "1 Std. 8 Min. überfällig · Levothyroxine")])
  func `a late dose keeps its card and says how late`(language: String, detail: String) {
    let card = Self.rail(language: language) { $0.doses = [Self.due(at(2, "7:00"), isLate: true)] }.cards.first
    #expect(card?.detail == detail)
    #expect(card?.style == "late" && card?.value == "" && card?.unit == "")
  }

  // MARK: School, calendar, faults

  @Test(arguments: [(300.001, false), (300, true), (59, true), (0.5, true), (0, false), (-1, false)])
  func `a change of the school day has a card in its last 5 minutes`(left: Double, isShown: Bool) {
    let change = RailInput.PeriodChange(id: "3", title: "Period 3", at: at(2, "8:15"))
    let cards = Self.rail(at: at(2, "8:15") - left) { $0.periodChanges = [change] }.cards
    #expect(cards.map(\.title) == (isShown ? ["Period 3"] : []))
    #expect(cards.map(\.detail) == (isShown ? ["at 8:15"] : []))
  }

  @Test func `only what begins next has a card, everybody's`() {
    func event(_ id: String, _ start: Date) -> RailInput.Event { .init(id: id, title: id, start: start) }
    let cards = Self.rail {
      $0.events = [
        event("past", at(2, "8:08")), event("b", at(2, "9:00")), event("a", at(2, "9:00")), event("c", at(2, "9:01")),
      ]
    }.cards
    #expect(cards.map(\.title) == ["a", "b"])
    #expect(cards.first?.kind == "agenda" && cards.first?.value == "52" && cards.first?.detail == "at 9:00")
    #expect(Self.rail { $0.events = [event("far", at(2, "9:08") + 1)] }.cards == [])
  }

  @Test func `a source that fails has one quiet card after a quarter of an hour`() {
    func cards(after seconds: Double) -> [Snapshot.Card] {
      Self.rail {
        $0.faults = [.init(source: "lunch", name: "Lunch", message: "no answer", since: at(2, "8:08") - seconds)]
      }.cards
    }
    #expect(cards(after: 899).isEmpty)
    #expect(cards(after: 900).map(\.kind) == ["fault"])
    #expect(cards(after: 900).first?.detail == "no answer")
    #expect(cards(after: 900).first?.value == "")
  }

  /// What three watches of a failing source show, so many seconds after it began.
  private static func silences(
    after seconds: Double, faultAfter: Double? = nil, problem: SourceFacts.Problem? = nil,
    _ silence: (Date) -> BusFacts.Silence, isKnown: Bool = true
  ) -> [String] {
    let since = at(2, "8:08") - seconds
    let faultSince = at(2, "8:08") - (faultAfter ?? seconds)
    let rail = rail {
      $0.buses = (0..<3).map {
        BusFacts(id: "\($0)", source: "onebusaway", name: "To school", route: "", state: .silent(silence(since)))
      }
      $0.buses.append(BusFacts(id: "plan", source: "onebusaway", name: "Home", route: "8", state: .scheduled()))
      if isKnown {
        $0.faults = [
          .init(source: "onebusaway", name: "Buses", message: "no data", since: faultSince, problem: problem)
        ]
      }
    }
    return rail.cards.map(\.id)
  }

  @Test func `that a provider fails is never more than one card, and none before a quarter of an hour`() {
    let failures: [(Date) -> BusFacts.Silence] = [
      { .providerDown(since: $0) }, { .notAvailable(.noKey, since: $0) }, { .notAvailable(.notFound, since: $0) },
    ]
    for failure in failures {
      #expect(Self.silences(after: 0, failure) == ["bus:plan"])
      #expect(Self.silences(after: 899, failure) == ["bus:plan"])
      #expect(Self.silences(after: 900, failure) == ["bus:plan", "fault:onebusaway"])
      #expect(Self.silences(after: 899, failure, isKnown: false) == ["bus:plan"])
      // A provider's clock may be hours ahead: a fault that is not shown says nothing for anybody.
      #expect(Self.silences(after: 900, faultAfter: -6 * 3600, failure).count == 4)
      #expect(Self.silences(after: 900, failure, isKnown: false) == ["bus:0", "bus:1", "bus:2", "bus:plan"])
    }
  }

  @Test func `why there are no buses is said at once, and by each watch`() {
    #expect(Self.silences(after: 0) { _ in .noServiceToday }.count == 4)
    #expect(Self.silences(after: 900) { _ in .noServiceToday }.count == 4)
    #expect(Self.silences(after: 0) { _ in .timetableExpired } == ["bus:0", "bus:1", "bus:2", "bus:plan"])
    #expect(
      Self.silences(after: 900, problem: .timetableExpired) { _ in .timetableExpired } == [
        "bus:plan", "fault:onebusaway",
      ]
    )
    #expect(
      Self.silences(after: 900, problem: .notFound) { _ in .timetableExpired }.contains("bus:0"),
      "what is wrong with another stop does not say it")
  }

  // MARK: All of them

  private static func crowd(_ rail: inout RailInput) {
    func bus(_ id: String, _ state: BusFacts.State) -> BusFacts {
      BusFacts(id: id, name: id, route: "1", state: state, at: at(2, "8:20"), minutes: 12)
    }
    let scheduled = at(2, "8:18")
    rail.doses = [due(at(2, "8:30"))]
    rail.buses = [
      bus("on time", .predicted(lateSeconds: 90, scheduledAt: scheduled, age: nil)),
      bus("scheduled", .scheduled(heard: nil)),
      bus("late", .predicted(lateSeconds: 90.6, scheduledAt: scheduled, age: nil)), bus("canceled", .canceled),
      bus("often", .frequency(every: 10)),
    ]
    rail.periodChanges = [.init(id: "3", title: "Period 3", at: at(2, "8:10"))]
    rail.events = [.init(id: "dentist", title: "Dentist", start: at(2, "8:30"))]
    rail.faults = [.init(source: "lunch", name: "Lunch", message: "no answer", since: at(1, "8:00"))]
  }

  @Test func `the rail has the order of the design, four cards and the number of the others`() {
    var all = input()
    Self.crowd(&all.rail)
    #expect(
      all.railPlaces.sorted().map(\.id) == [
        "bus:canceled", "bus:late", "dose:ann", "bus:often", "bus:on time", "bell:3", "agenda:dentist",
        "bus:scheduled", "fault:lunch",
      ])
    let rail = all.snapshot(v: 1).rail
    #expect(rail.cards.map(\.id) == ["bus:canceled", "bus:late", "dose:ann", "bus:often"])
    #expect(rail.more == 5)
  }

  @Test func `cards stand as they were arranged`() {
    var all = input()
    Self.crowd(&all.rail)
    all.railOrder = ["bus:late", "bus:canceled", "gone", "fault:lunch"]
    #expect(all.snapshot(v: 1).rail.cards.map(\.id) == ["bus:late", "bus:canceled", "fault:lunch", "dose:ann"])
  }

  @Test func `while the clock is wrong only faults are known`() {
    var all = input(trusted: false)
    Self.crowd(&all.rail)
    #expect(all.snapshot(v: 1).rail.cards.map(\.kind) == ["fault"])
  }

  @Test func `between now and the next change no card changes, and then one may`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let now = at(2, "8:00") + Double(Int.random(in: 0...3_600_000, using: &random)) / 1000
      func near() -> Date { now + Double(Int.random(in: -600_000...4_000_000, using: &random)) / 1000 }
      var input = input(now: now)
      let late = near()
      input.rail.doses = [Self.due(near()), Self.due(late, "Bob", isLate: late <= now)]
      input.rail.periodChanges = [.init(id: "3", title: "Period 3", at: near())]
      input.rail.events = [.init(id: "dentist", title: "Dentist", start: near())]
      input.rail.faults = [.init(source: "lunch", name: "Lunch", message: "", since: near() - 1000)]
      input.rail.buses = [
        BusFacts(id: "1", name: "School", route: "", state: .silent(.providerDown(since: near() - 1000)))
      ]
      let before = input.snapshot(v: 1).rail
      guard let next = input.railWriter(.english).nextChange(of: input.rail) else { continue }
      #expect(next > now)
      input.now = next - 0.002
      if input.now > now { #expect(input.snapshot(v: 1).rail == before) }
      #expect(input.nextTextChange <= next)
    }
  }
}
