internal import Foundation
internal import Testing

@testable internal import Wall

/// A stretch of Monday, 2 November 2026.
func block(
  _ name: PeriodInput.Name, _ start: String, _ end: String, on day: Int = 2, isLunch: Bool = false, bell: Double = 0
) -> PeriodInput.Block {
  PeriodInput.Block(
    name: name, isLunch: isLunch, start: at(day, start), end: at(day, end), startBell: at(day, start) + bell,
    endBell: at(day, end) + bell)
}

func next(_ block: PeriodInput.Block?, on day: Int = 2, _ kind: PeriodInput.Day = usual) -> PeriodInput.Next {
  PeriodInput.Next(noon: at(day, "12:00"), day: kind, block: block)
}

let usual = PeriodInput.Day.school(type: "Standard", isUsual: true)
let second = block(.numbered("2"), "7:30", "8:19")
let third = block(.numbered("3"), "8:24", "9:11")

/// In a period, with the seconds that the engine counts.
func during(_ block: PeriodInput.Block, _ next: PeriodInput.Next?, now: Date) -> PeriodInput.Moment {
  .init(
    state: .inPeriod, block: block, next: next, startsAt: block.startBell, endsAt: block.endBell,
    secondsLeft: Int(block.endBell.timeIntervalSince(now).rounded(.up)))
}

func passing(from: PeriodInput.Block, to: PeriodInput.Block, now: Date) -> PeriodInput.Moment {
  .init(
    state: .passing, block: from, next: next(to), startsAt: from.endBell, endsAt: to.startBell,
    secondsLeft: Int(to.startBell.timeIntervalSince(now).rounded(.up)))
}

/// The school day in words (DESIGN 4.4 "period", 5.4).
@Suite struct PeriodTests {
  private static func text(_ period: PeriodInput, now: Date = at(2, "8:07"), language: String = "en") -> String? {
    var input = input(now: now, language: language)
    input.period = period
    return input.snapshot(v: 1).period?.text
  }

  private static func day(
    _ state: PeriodInput.State, _ kind: PeriodInput.Day, next: PeriodInput.Next? = nil,
    source: PeriodInput.Source = .default
  ) -> PeriodInput {
    PeriodInput(day: kind, source: source, school: .init(state: state, next: next))
  }

  @Test(
    arguments: [
      ("8:07", 0, "Period 2 · 12 min left · ends 8:19", "Stunde 2 · noch 12 Min. · bis 8:19"),
      ("7:30", 0, "Period 2 · 49 min left · ends 8:19", "Stunde 2 · noch 49 Min. · bis 8:19"),
      // Rounded down, as on the cards: never more time than there is.
      ("8:07", 30, "Period 2 · 11 min left · ends 8:19", "Stunde 2 · noch 11 Min. · bis 8:19"),
      ("8:18", 30, "Period 2 · less than 1 min left · ends 8:19", "Stunde 2 · noch unter 1 Min. · bis 8:19"),
      ("7:04", 0, "Period 2 · 1 h 15 min left · ends 8:19", "Stunde 2 · noch 1 Std. 15 Min. · bis 8:19"),
      ("7:19", 0, "Period 2 · 1 h left · ends 8:19", "Stunde 2 · noch 1 Std. · bis 8:19"),
    ] as [(String, Double, String, String)])
  func `a period says what is left of it and when it ends`(
    time: String, seconds: Double, english: String, german: String
  ) {
    let now = at(2, time) + seconds
    let period = PeriodInput(day: usual, source: .default, school: during(second, next(third), now: now))
    #expect(Self.text(period, now: now) == english)
    #expect(Self.text(period, now: now, language: "de") == german)
  }

  @Test(
    arguments: [
      (PeriodInput.Name.named("Activity"), "Activity", "Activity"), (.unknown, "Period ?", "Stunde ?"),
      (.numbered("5A"), "Period 5A", "Stunde 5A"),
    ])
  func `a period is called by its number, a block by its name`(name: PeriodInput.Name, english: String, german: String)
  {
    let now = at(2, "8:07")
    let period = PeriodInput(
      day: usual, source: .default, school: during(block(name, "8:00", "8:19"), nil, now: now))
    #expect(Self.text(period) == "\(english) · 12 min left · ends 8:19")
    #expect(Self.text(period, language: "de") == "\(german) · noch 12 Min. · bis 8:19")
  }

  @Test func `between two periods the next one is named`() {
    let now = at(2, "8:20")
    let period = PeriodInput(day: usual, source: .default, school: passing(from: second, to: third, now: now))
    #expect(Self.text(period, now: now) == "Passing · 4 min left · Period 3 at 8:24")
    #expect(Self.text(period, now: now, language: "de") == "Pause · noch 4 Min. · Stunde 3 um 8:24")
  }

  @Test func `before school it says when it starts`() {
    let moment = PeriodInput.Moment(
      state: .beforeSchool, next: next(block(.numbered("1"), "9:11", "10:00")), endsAt: at(2, "9:11"), secondsLeft: 3840
    )
    let late = PeriodInput.Day.school(type: "Late Arrival", isUsual: false)
    let period = PeriodInput(day: late, source: .remote, school: moment)
    #expect(Self.text(period) == "School starts at 9:11 · in 1 h 4 min · Late Arrival")
    #expect(Self.text(period, language: "de") == "Schulbeginn um 9:11 · in 1 Std. 4 Min. · Late Arrival")
  }

  @Test(
    arguments: [
      (
        .afterSchool, usual, next(block(.numbered("1"), "8:30", "9:21", on: 3), on: 3),
        "School is out · next school day tomorrow 8:30"
      ),
      (
        .afterSchool, usual,
        next(block(.numbered("1"), "10:30", "11:05", on: 4), on: 4, .school(type: "Late Arrival", isUsual: false)),
        "School is out · next school day Wed 10:30 · Late Arrival"
      ),
      (.afterSchool, usual, nil, "School is out"),
      // Its times are not known, only that there is school.
      (
        .afterSchool, usual, next(nil, on: 3, .nameOnly("Asynchronous")),
        "School is out · next school day tomorrow · Asynchronous"
      ),
      (
        .noSchool, .free("No School"), next(block(.numbered("1"), "8:30", "9:21", on: 24), on: 24),
        "No school · next school day 24 Nov 8:30"
      ),
      (.noSchool, .free("Winter Break"), nil, "No school · Winter Break"),
      (.noSchool, .free("Weekend"), next(nil, on: 5), "No school · Weekend · next school day Thu"),
      (.unpublished, .unpublished(year: "2026-27"), nil, "School day not known · schedule for 2026-27 not published"),
      (.unpublished, .unpublished(year: ""), nil, "School day not known"),
      (.unpublished, .nameOnly("Asynchronous"), nil, "Asynchronous · times not known"),
    ] as [(PeriodInput.State, PeriodInput.Day, PeriodInput.Next?, String)])
  func `a day without lessons now says why, and when the next one is`(
    state: PeriodInput.State, kind: PeriodInput.Day, next: PeriodInput.Next?, text: String
  ) {
    #expect(Self.text(Self.day(state, kind, next: next)) == text)
  }

  @Test func `a break is the reason, also when the school only says that there is none`() {
    var period = Self.day(.noSchool, .free("No School"), source: .remote)
    period.occasion = "Winter Break"
    #expect(Self.text(period) == "No school · Winter Break")
    #expect(Self.text(period, language: "de") == "Schulfrei · Winter Break")
  }

  @Test func `what somebody has said by hand is told as such`() {
    let now = at(2, "8:07")
    var period = PeriodInput(day: usual, source: .override, school: during(second, nil, now: now))
    #expect(Self.text(period) == "Period 2 · 12 min left · ends 8:19 · Standard · set by hand")
    period = Self.day(.noSchool, .free("No School"), source: .override)
    #expect(Self.text(period) == "No school · set by hand")
    #expect(Self.text(period, language: "de") == "Schulfrei · von Hand gesetzt")
  }

  @Test(
    arguments: [
      (
        .conflict(["Late Arrival", "Activity Period"]), "also marked Activity Period",
        "auch als Activity Period eingetragen"
      ),
      (
        .ignoredOnWeekend("Late Arrival"), "Late Arrival on a weekend is ignored",
        "Late Arrival am Wochenende zählt nicht"
      ),
      (
        .noOrder("Early Dismissal"), "the periods of Early Dismissal are not known",
        "die Stunden von Early Dismissal sind nicht bekannt"
      ),
    ] as [(PeriodInput.Note, String, String)])
  func `what the school has published wrongly is said`(note: PeriodInput.Note, english: String, german: String) {
    var period = Self.day(.afterSchool, usual)
    period.notes = [note]
    #expect(Self.text(period) == "School is out · \(english)")
    #expect(Self.text(period, language: "de") == "Schule aus · \(german)")
  }

  @Test func `the name of a day is said in a school that counts its days`() {
    var period = PeriodInput(day: usual, source: .default, school: during(second, nil, now: at(2, "8:07")))
    period.cycle = "A"
    #expect(Self.text(period) == "Period 2 · 12 min left · ends 8:19 · A day")
  }

  @Test func `every key of the contract is there`() throws {
    let now = at(2, "8:07")
    var full = input(now: now)
    full.period = PeriodInput(day: usual, source: .remote, school: during(second, next(third), now: now))
    full.period?.people = [.init(id: "ann", moment: during(second, next(third), now: now))]
    full.names = ["ann": "Ann"]
    let json = try #require(full.snapshot(v: 1).period?.json)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(
      Set(object.keys) == [
        "state", "dayType", "name", "startsAt", "endsAt", "secondsLeft", "next", "source", "text", "people",
      ])
    #expect(object["state"] as? String == "inPeriod" && object["name"] as? String == "Period 2")
    #expect(object["dayType"] as? String == "Standard" && object["source"] as? String == "remote")
    #expect(object["startsAt"] as? String == "2026-11-02T07:30:00-08:00")
    #expect(object["endsAt"] as? String == "2026-11-02T08:19:00-08:00")
    #expect(object["secondsLeft"] as? Int == 720)
    #expect(
      object["next"] as? [String: String] == [
        "name": "Period 3", "startsAt": "2026-11-02T08:24:00-08:00", "dayType": "Standard",
      ])
    let person = try #require((object["people"] as? [[String: Any]])?.first)
    #expect(Set(person.keys) == ["id", "state", "name", "secondsLeft", "text"])
    #expect(person["id"] as? String == "ann" && person["name"] as? String == "Ann")
    // Nothing is known of a day that nobody has published.
    var empty = input(now: now)
    empty.period = Self.day(.unpublished, .unpublished(year: "2026-27"))
    let none = try #require(empty.snapshot(v: 1).period?.json)
    let nulls = try #require(try JSONSerialization.jsonObject(with: Data(none.utf8)) as? [String: Any])
    for key in ["dayType", "name", "startsAt", "endsAt", "secondsLeft", "next"] {
      #expect(nulls[key] is NSNull, "\(key)")
    }
  }

  @Test func `with a clock that is wrong there is no school day`() {
    var wall = input(trusted: false)
    wall.period = Self.day(.noSchool, .free("Weekend"))
    #expect(wall.snapshot(v: 1).period == nil)
  }

  @Test func `the seconds alone are no new look, the minute is, and the wall knows when it comes`() {
    for start in [0.0, 20.25, 59.75] {
      var input = input(now: at(2, "7:50") + start)
      func put() {
        let now = input.now
        input.period = PeriodInput(day: usual, source: .default, school: during(second, next(third), now: now))
        input.period?.people = [.init(id: "ann", moment: during(third, nil, now: now))]
      }
      for _ in 0..<40 {
        put()
        let before = input.snapshot(v: 1)
        let change = input.nextTextChange
        #expect(change > input.now && change.timeIntervalSince(input.now) <= 60)
        input.now = change - 0.001
        put()
        #expect(input.snapshot(v: 2).looksLike(before))
        input.now = change
        put()
        #expect(!input.snapshot(v: 2).looksLike(before))
      }
    }
  }

  @Test(arguments: ["\"", "王", "👩‍👩‍👧‍👦", "x"]) func `a snapshot with a school never weighs more than 16 KiB`(letter: String)
  {
    let name = String(repeating: letter, count: 1000)
    let now = at(2, "8:07")
    let odd = block(.named(name), "8:00", "8:19", isLunch: false)
    var wall = input(now: now)
    wall.period = PeriodInput(
      day: .school(type: name, isUsual: false), source: .override,
      school: during(odd, next(odd, .school(type: name, isUsual: false)), now: now))
    wall.period?.notes = [.conflict([name, name, name])]
    wall.period?.cycle = name
    wall.period?.people = (0..<50).map { .init(id: "\($0)\(name)", moment: during(odd, next(odd), now: now)) }
    wall.period?.menu = .init(noon: now, courses: [.init(dishes: [name, name], isOfWeekday: true)])
    wall.late = Array(repeating: dose(at(1, "8:00"), person: name, name, dose: name), count: 200)
    wall.sources = [
      SourceFacts(id: "bell", state: .stale, problem: .badFile, detail: name, failingSince: at(1, "8:00"))
    ]
    #expect(wall.snapshot(v: 1).json.utf8.count <= 16_384)
    #expect(wall.snapshot(v: 1).late.count >= 4, "doses come before pupils")
    wall.late = []
    #expect(wall.snapshot(v: 1).json.utf8.count <= 16_384)
    #expect(wall.snapshot(v: 1).period?.people.isEmpty == false)
  }
}
