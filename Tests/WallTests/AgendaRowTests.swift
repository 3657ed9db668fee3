internal import Foundation
internal import Testing

@testable internal import Wall

/// The rows of the agenda, on Monday 2 November 2026, 8:08 in Los Angeles.
@Suite struct AgendaRowTests {
  /// Of 2026-11-02, in days since 1970.
  static let monday = 20_759

  static func timed(
    _ id: String, _ start: Date, _ end: Date, _ state: AgendaFacts.State = .later, isToday: Bool = true,
    position: (Int, Int)? = nil
  ) -> AgendaFacts {
    AgendaFacts(
      id: id, title: id, span: .times(start, until: end), state: state, isToday: isToday,
      position: position.map { .init(number: $0.0, count: $0.1) })
  }

  static func whole(_ id: String, _ first: Int, until end: Int, isToday: Bool = true, position: (Int, Int)? = nil)
    -> AgendaFacts
  {
    AgendaFacts(
      id: id, title: id, span: .days(first, until: end), state: isToday ? .now : .later, isToday: isToday,
      position: position.map { .init(number: $0.0, count: $0.1) })
  }

  static func rows(_ facts: [AgendaFacts], language: String = "en", isForPage: Bool = true) -> [Snapshot.AgendaEntry] {
    var input = input(language: language)
    input.isForPage = isForPage
    input.add(agenda: facts)
    return input.snapshot(v: 1).agenda
  }

  @Test(
    arguments: [
      (timed("a", at(2, "14:00"), at(2, "15:00"), .next), "14:00", "14:00"),
      (timed("a", at(3, "8:00"), at(3, "9:00"), .later, isToday: false), "Tue 8:00", "Di 8:00"),
      (timed("a", at(2, "8:00"), at(2, "10:30"), .now), "until 10:30", "bis 10:30"),
      (timed("a", at(1, "22:00"), at(2, "9:00"), .now, position: (2, 2)), "until 9:00", "bis 9:00"),
      (timed("a", at(2, "8:00"), at(3, "6:00"), .now, position: (1, 2)), "until Tue 6:00", "bis Di 6:00"),
      (timed("a", at(1, "8:00"), at(3, "18:00"), .now, position: (2, 3)), "day 2/3", "Tag 2/3"),
      (whole("a", monday, until: monday + 1), "all day", "ganztägig"),
      (whole("a", monday - 2, until: monday + 4, position: (3, 6)), "day 3/6", "Tag 3/6"),
      (whole("a", monday + 1, until: monday + 2, isToday: false), "Tue", "Di"),
      (whole("a", monday + 1, until: monday + 4, isToday: false, position: (1, 3)), "Tue", "Di"),
    ] as [(AgendaFacts, String, String)])
  func `a row says when it is, in a few letters`(facts: AgendaFacts, english: String, german: String) {
    #expect(Self.rows([facts]).map(\.text) == [english])
    #expect(Self.rows([facts], language: "de").map(\.text) == [german])
  }

  @Test func `instants are in the wall's zone, whole days are days, and no end is included`() {
    let rows = Self.rows([
      Self.whole("a", Self.monday - 1, until: Self.monday + 2, position: (2, 3)),
      Self.timed("b", at(2, "14:00"), at(2, "15:00"), .next),
    ])
    #expect(rows.map(\.start) == ["2026-11-01", "2026-11-02T14:00:00-08:00"])
    #expect(rows.map(\.end) == ["2026-11-04", "2026-11-02T15:00:00-08:00"])
    #expect(rows.map(\.allDay) == [true, false])
    #expect(rows.map(\.state) == ["now", "next"])
    #expect(
      Self.rows([Self.timed("b", at(2, "14:00"), at(2, "15:00"), .next)]) == [
        Snapshot.AgendaEntry(
          start: "2026-11-02T14:00:00-08:00", end: "2026-11-02T15:00:00-08:00", allDay: false, title: "b",
          note: "", state: "next", text: "14:00")
      ])
  }

  private static func marked(_ change: (inout AgendaFacts) -> Void) -> AgendaFacts {
    var facts = timed("Dentist", at(2, "14:00"), at(2, "15:00"))
    change(&facts)
    return facts
  }

  private static func planned(_ clashes: [EventPlan.Clash]) -> AgendaFacts {
    marked { $0.plan = EventPlan(clashes: clashes, remindFrom: at(2, "13:50")) }
  }

  @Test(
    arguments: [
      (marked { _ in }, "Dentist", "Dentist", "", ""),
      (marked { $0.title = "" }, "No title", "Ohne Titel", "", ""),
      (marked { $0.isPrivate = true }, "Private", "Privat", "", ""),
      (marked { $0.isTentative = true }, "Dentist", "Dentist", "maybe", "vielleicht"),
      (
        marked { $0.repeatsUnknown = true }, "Dentist", "Dentist", "repeats, not known when",
        "wiederholt sich, unklar wann"
      ),
      (planned([]), "Dentist", "Dentist", "", ""),
      (planned([.overlap("Swim")]), "Dentist", "Dentist", "clashes with Swim", "gleichzeitig mit Swim"),
      (
        planned([.tight(after: "Swim", missing: 5)]), "Dentist", "Dentist", "5 min short after Swim",
        "5 Min. zu knapp nach Swim"
      ),
      (
        planned([.overlap("A"), .tight(after: "", missing: 1), .overlap("C"), .overlap("D")]), "Dentist", "Dentist",
        "clashes with A, 1 min short after another event, +2 more",
        "gleichzeitig mit A, 1 Min. zu knapp nach einem anderen Termin, +2 weitere"
      ),
    ] as [(AgendaFacts, String, String, String, String)])
  func `what one must know of an event stands beside its title`(
    facts: AgendaFacts, title: String, germanTitle: String, note: String, germanNote: String
  ) {
    #expect(Self.rows([facts]).map { [$0.title, $0.note] } == [[title, note]])
    #expect(Self.rows([facts], language: "de").map { [$0.title, $0.note] } == [[germanTitle, germanNote]])
  }

  @Test func `all day first, then now, next, later today, and then tomorrow`() {
    let rows = Self.rows([
      Self.whole("holiday", Self.monday, until: Self.monday + 1),
      Self.whole("trip", Self.monday + 1, until: Self.monday + 2, isToday: false),
      Self.timed("meeting", at(2, "8:00"), at(2, "9:00"), .now),
      Self.timed("next", at(2, "10:00"), at(2, "11:00"), .next), Self.timed("later", at(2, "12:00"), at(2, "13:00")),
      Self.timed("tomorrow", at(3, "8:00"), at(3, "9:00"), isToday: false),
    ])
    #expect(rows.map(\.title) == ["holiday", "meeting", "next", "later", "trip", "tomorrow"])
  }

  @Test func `however much is all day or now, what is now and next is among the six rows of a page`() {
    let facts =
      (0..<9).map { Self.whole("day \($0)", Self.monday, until: Self.monday + 1) }
      + (0..<9).map { Self.timed("now \($0)", at(2, "8:00"), at(2, "9:00"), .now) }
      + [Self.timed("next", at(3, "8:00"), at(3, "9:00"), .next, isToday: false)]
    let rows = Self.rows(facts, isForPage: false)
    #expect(rows.prefix(6).map(\.title) == ["day 0", "day 1", "now 0", "now 1", "next", "now 2"])
    #expect(Set(rows.map(\.title)).count == 19, "nothing is lost, nothing twice")
  }

  @Test func `a page gets a few rows more than it paints, a program all of them`() {
    let facts = (0..<300).map { Self.timed("\($0)", at(2, "14:00"), at(2, "15:00")) }
    #expect(Self.rows(facts).count == 12)
    #expect(Self.rows(facts, isForPage: false).count == 300)
  }

  @Test func `while the clock is wrong nobody knows what day it is`() {
    var input = input(trusted: false)
    input.add(agenda: [Self.timed("a", at(2, "14:00"), at(2, "15:00"))])
    #expect(input.snapshot(v: 1).agenda.isEmpty)
  }

  @Test(arguments: [
    String(repeating: "x", count: 1000), String(repeating: "\"", count: 1000), String(repeating: "王", count: 1000),
    String(repeating: "👩‍👩‍👧‍👦", count: 1000), String(repeating: "\u{1}", count: 1000),
  ])
  func `with any titles a snapshot weighs no more than 16 KiB, and late doses come first`(title: String) {
    var input = input()
    input.late = Array(repeating: dose(at(2, "8:00"), person: title, title, dose: title), count: 200)
    let facts = (0..<50).map { number in
      var facts = Self.timed(title, at(2, "8:20"), at(2, "15:00"), .next)
      facts.id = "\(number)"
      facts.place = title
      facts.plan = EventPlan(
        clashes: Array(repeating: .tight(after: title, missing: 5), count: 9),
        departure: .init(at: at(2, "8:15"), isGuess: true), freeUntil: at(2, "15:30"), remindFrom: at(2, "8:00"))
      return facts
    }
    input.add(agenda: facts, suggestions: facts)
    #expect(input.snapshot(v: .max).json.utf8.count <= 16_384)
    #expect(input.snapshot(v: 1).late.count >= 4)
    input.late = []
    let snapshot = input.snapshot(v: .max)
    #expect(snapshot.json.utf8.count <= 16_384)
    #expect(snapshot.agenda.count >= 6, "the page has its rows")
  }
}
