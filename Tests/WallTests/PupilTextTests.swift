internal import Foundation
internal import Testing

@testable internal import Wall

/// What is said of the pupils, the cards before a bell, and the menu.
@Suite struct PupilTextTests {
  private static let fifth = block(.numbered("5"), "12:02", "12:49")
  private static let fifthA = block(.numbered("5A"), "12:02", "12:22")
  private static let fifthB = block(.numbered("5B"), "12:29", "12:49")
  private static let sixth = block(.numbered("6"), "12:54", "13:41")

  private static func lunch(_ block: PeriodInput.Block) -> PeriodInput.Block {
    var block = block
    block.isLunch = true
    return block
  }

  private static func wall(_ time: String, _ person: PeriodInput.Moment, school: PeriodInput.Moment? = nil) -> WallInput
  {
    let now = at(2, time)
    var input = input(now: now)
    input.names = ["ann": "Ann"]
    input.period = PeriodInput(
      day: usual, source: .default, school: school ?? during(fifth, next(sixth), now: now))
    input.period?.people = [.init(id: "ann", moment: person)]
    return input
  }

  private static let dishes = PeriodInput.Menu(
    noon: at(2, "12:00"),
    courses: [
      .init(dishes: ["Tacos"], isOfWeekday: true), .init(dishes: ["Chicken", "Rice"], isOfWeekday: false),
      .init(dishes: ["Paella"], isOfWeekday: false), .init(dishes: ["Soup"], isOfWeekday: false),
    ])

  @Test func `lunch says how long it is, and the main dishes`() {
    let now = at(2, "12:10")
    var ann = during(Self.lunch(Self.fifthA), next(Self.fifthB), now: now)
    ann.lunch = .init(block: Self.lunch(Self.fifthA), isNow: true)
    var wall = Self.wall("12:10", ann)
    #expect(wall.snapshot(v: 1).period?.people.first?.text == "Lunch · 12 min left · ends 12:22")
    #expect(wall.snapshot(v: 1).period?.people.first?.name == "Ann")
    wall.period?.menuOfToday = Self.dishes
    #expect(
      wall.snapshot(v: 1).period?.people.first?.text
        == "Lunch · 12 min left · ends 12:22 · Tacos Monday · Chicken + Rice · Paella")
    wall.language = "de"
    #expect(
      wall.snapshot(v: 1).period?.people.first?.text
        == "Mittagspause · noch 12 Min. · bis 12:22 · Tacos Montag · Chicken + Rice · Paella")
  }

  @Test(
    arguments: [
      // In the half before lunch there is a gap of its own.
      ("12:25", "Passing · 4 min left · Lunch at 12:29"),
      ("12:10", "Period 5A · 12 min left · ends 12:22 · lunch in 19 min"),
    ])
  func `before lunch the pupil's own half is said`(time: String, text: String) {
    let now = at(2, time)
    let lunch = Self.lunch(Self.fifthB)
    var bob =
      time == "12:25"
      ? passing(from: Self.fifthA, to: lunch, now: now) : during(Self.fifthA, next(lunch), now: now)
    bob.lunch = .init(block: lunch, isNow: false)
    #expect(Self.wall(time, bob).snapshot(v: 1).period?.people.first?.text == text)
  }

  @Test(arguments: [("8:07", "lunch at 12:02"), ("11:02", "lunch in 1 h"), ("11:50", "lunch in 12 min")])
  func `what is as for the school is not said twice`(time: String, text: String) {
    let now = at(2, time)
    let moment = PeriodInput.Moment(
      state: .inPeriod, block: Self.sixth, startsAt: Self.sixth.startBell, endsAt: Self.sixth.endBell, secondsLeft: 60)
    var ann = moment
    ann.lunch = .init(block: Self.lunch(Self.fifthA), isNow: false)
    let text2 = Self.wall(time, ann, school: moment).snapshot(v: 1).period?.people.first?.text
    #expect(text2 == text, "\(now)")
  }

  // MARK: Cards

  private func cards(_ wall: WallInput) -> [String] {
    wall.snapshot(v: 1).rail.cards.filter { $0.kind == "bell" }.map {
      "\($0.title) | \($0.detail) | \($0.value) \($0.unit)"
    }
  }

  @Test(
    arguments: [
      ("12:43", []), ("12:44", ["Period 5 ends | at 12:49 | 5 min"]), ("12:48", ["Period 5 ends | at 12:49 | 1 min"]),
    ] as [(String, [String])])
  func `within five minutes of a bell there is a card`(time: String, expected: [String]) {
    var wall = input(now: at(2, time))
    wall.period = PeriodInput(day: usual, source: .default, school: during(Self.fifth, next(Self.sixth), now: wall.now))
    #expect(cards(wall) == expected)
  }

  @Test func `a card says what begins, and at the end of the day what ends`() {
    let now = at(2, "12:47")
    func card(_ moment: PeriodInput.Moment) -> String? {
      var wall = input(now: now)
      wall.period = PeriodInput(day: usual, source: .default, school: moment)
      return cards(wall).first?.components(separatedBy: " | ").first
    }
    let touching = block(.named("Makeup"), "12:49", "13:30")
    #expect(card(during(Self.fifth, next(touching), now: now)) == "Makeup", "no passing between two that touch")
    #expect(card(during(Self.fifth, nil, now: now)) == "School ends")
    #expect(card(passing(from: Self.fifthA, to: touching, now: now)) == "Makeup")
    let before = PeriodInput.Moment(
      state: .beforeSchool, next: next(touching), endsAt: at(2, "12:49"), secondsLeft: 120)
    #expect(card(before) == "School starts")
    #expect(card(.init(state: .afterSchool)) == nil)
  }

  @Test func `bells off the table are counted to, the table's time is told`() {
    let now = at(2, "12:47")
    let early = block(.numbered("5"), "12:02", "12:49", bell: -15)
    var wall = input(now: now)
    wall.period = PeriodInput(day: usual, source: .default, school: during(early, nil, now: now))
    #expect(cards(wall) == ["School ends | at 12:49 | 1 min"])
    let period = wall.snapshot(v: 1).period
    #expect(period?.text == "Period 5 · 1 min left · ends 12:49")
    #expect(period?.secondsLeft == 105 && period?.endsAt == "2026-11-02T12:48:45-08:00")
  }

  @Test func `a pupil has a card for a bell of their own and for lunch, not for the school's`() {
    let now = at(2, "12:20")
    var ann = during(Self.lunch(Self.fifthA), next(Self.fifthB), now: now)
    ann.lunch = .init(block: Self.lunch(Self.fifthA), isNow: true)
    #expect(cards(Self.wall("12:20", ann)) == ["Ann: Lunch ends | at 12:22 | 2 min"])
    #expect(
      cards(Self.wall("12:47", during(Self.fifthB, next(Self.sixth), now: at(2, "12:47")))) == [
        "Period 5 ends | at 12:49 | 2 min"
      ])
    let toLunch = passing(from: Self.fifthA, to: Self.lunch(Self.sixth), now: at(2, "12:51"))
    let school = passing(from: Self.fifth, to: Self.sixth, now: at(2, "12:51"))
    #expect(
      cards(Self.wall("12:51", toLunch, school: school)) == [
        "Ann: Lunch | at 12:54 | 3 min", "Period 6 | at 12:54 | 3 min",
      ])
  }

  // MARK: The menu

  @Test func `the menu is a line of the agenda for its day`() {
    var wall = Self.wall("10:30", during(Self.fifthA, nil, now: at(2, "10:30")))
    wall.period?.menu = Self.dishes
    #expect(
      wall.snapshot(v: 1).agenda == [
        .init(
          start: "2026-11-02", end: "2026-11-03", allDay: true, title: "Tacos Monday, Chicken + Rice, Paella, Soup",
          note: "", state: "next", text: "Lunch")
      ])
    wall.now = at(1, "16:00")
    #expect(wall.snapshot(v: 1).agenda.map(\.text) == ["Lunch Mon"])
    #expect(wall.snapshot(v: 1).agenda.map(\.state) == ["later"])
    wall.clockTrusted = false
    #expect(wall.snapshot(v: 1).agenda == [])
  }

  @Test func `the menu is now while somebody eats it`() {
    var ann = during(Self.lunch(Self.fifthA), nil, now: at(2, "12:10"))
    ann.lunch = .init(block: Self.lunch(Self.fifthA), isNow: true)
    var wall = Self.wall("12:10", ann)
    wall.period?.menu = Self.dishes
    #expect(wall.snapshot(v: 1).agenda.map(\.state) == ["now"])
  }

  // MARK: Sources

  @Test(
    arguments: [
      (SourceFacts.State.stale, at(2, "7:00"), "School day: as of 7:00 · its file has a mistake · years is missing"),
      (.down, nil, "School day: no data · its file has a mistake · years is missing"),
    ] as [(SourceFacts.State, Date?, String)])
  func `a wrong file is said with its line`(state: SourceFacts.State, readAt: Date?, message: String) {
    var wall = input()
    wall.sources = [
      SourceFacts(
        id: "bell", state: state, fetchedAt: readAt, problem: .badFile, detail: "years is missing",
        failingSince: at(2, "7:00"))
    ]
    #expect(wall.snapshot(v: 1).sources.first?.message == message)
    #expect(
      wall.snapshot(v: 1).rail.cards.map(\.detail) == [message.replacingOccurrences(of: "School day: ", with: "")])
  }

  @Test(
    arguments: [
      (
        .day(at(4, "12:00"), .conflict(["Late Arrival", "Activity"])),
        "School day: Wed: Late Arrival, also marked Activity"
      ),
      (.day(at(2, "12:00"), .noOrder("Finals")), "School day: the periods of Finals are not known"),
      (.day(at(28, "12:00"), .ignoredOnWeekend("Finals")), "School day: 28 Nov: Finals on a weekend is ignored"),
      (.noSuchLunch(person: "ann", lunch: "9C"), "School day: Ann's lunch 9C is in no bell table"),
      (.repeatsTooOften(events: 1), "School day: 1 event repeats too often, not every time is shown"),
      (.repeatsTooOften(events: 3), "School day: 3 events repeat too often, not every time is shown"),
    ] as [(SourceFacts.Remark, String)])
  func `what is odd makes the source no worse`(remark: SourceFacts.Remark, message: String) {
    var wall = input()
    wall.names = ["ann": "Ann"]
    wall.sources = [SourceFacts(id: "bell", state: .fresh, fetchedAt: at(2, "7:00"))]
    wall.sources[0].remark = remark
    #expect(wall.snapshot(v: 1).sources.map(\.message) == [message])
    #expect(wall.snapshot(v: 1).sources.map(\.state) == ["fresh"])
  }
}
