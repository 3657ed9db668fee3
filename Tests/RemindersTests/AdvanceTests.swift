import Foundation
import Testing

@testable import Reminders

/// What the passing of time writes.
struct AdvanceTests {
  /// One dose at 08:00, [06:00, 12:00): its last quarter is 10:30 to 12:00.
  private func ended(_ recording: [(String, String)], person: Person = ann, restart: Bool = false) -> Ending? {
    var wall = TestWall([medication("levo", time("08:00"))], people: [person])
    wall.recording = recording.map {
      DateInterval(start: at("2026-11-02T\($0)-08:00"), end: at("2026-11-02T\($1)-08:00"))
    }
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    wall.advance(to: at("2026-11-02T12:00:00-08:00"))
    return wall.ending("levo", "2026-11-02", "08:00")
  }

  @Test func `missed needs the last quarter, and only it`() {
    #expect(ended([("10:30:00", "12:00:00")]) == .missed)
    #expect(ended([("06:00:00", "12:00:00")]) == .missed)
    #expect(ended([("06:00:00", "10:30:00")]) == .unknown(.notRecording))
    #expect(ended([]) == .unknown(.notRecording))
    #expect(ended([("11:00:00", "12:00:00")]) == .unknown(.notRecording))
  }

  @Test func `a gap of 30 seconds is forgiven wherever it lies, one of 31 is not`() {
    #expect(ended([("10:30:30", "12:00:00")]) == .missed)
    #expect(ended([("10:30:31", "12:00:00")]) == .unknown(.notRecording))
    #expect(ended([("10:00:00", "11:00:00"), ("11:00:30", "12:00:00")]) == .missed)
    #expect(ended([("10:00:00", "11:00:00"), ("11:00:31", "12:00:00")]) == .unknown(.notRecording))
    #expect(ended([("10:00:00", "11:59:30")]) == .missed)
    #expect(ended([("10:00:00", "11:59:29")]) == .unknown(.notRecording))
  }

  @Test func `a window of two minutes that nobody could record is unknown, not missed`() {
    var wall = TestWall([medication("levo", time("08:00", opens: 1, closes: 1))])
    wall.recording = []
    wall.advance(to: at("2026-11-02T07:59:00-08:00"))
    wall.advance(to: at("2026-11-02T08:01:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == .unknown(.notRecording))
  }

  @Test func `advancing twice writes once`() {
    var wall = TestWall([medication("levo", time("08:00"), time("20:00"))])
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    #expect(!wall.advance(to: at("2026-11-05T07:00:00-08:00")).isEmpty)
    #expect(wall.advance(to: at("2026-11-05T07:00:00-08:00")).isEmpty)
  }

  @Test func `days without the wall are unknown, each dose by its name, and at most 31 days are asked for`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.recording = [DateInterval(start: at("2026-08-01T00:00:00-07:00"), end: at("2026-09-01T09:00:00-07:00"))]
    wall.tap("2026-09-01T08:00:00-07:00")
    wall.advance(to: at("2026-09-05T13:00:00-07:00"))
    let unknown = wall.log.rows.filter { $0.ending == .unknown(.notRecording) }.map(\.occurrence.key.day.day)
    #expect(unknown == [2, 3, 4, 5])
    wall.advance(to: at("2027-09-05T13:00:00-07:00"))
    #expect(wall.log.rows.count == 5 + 31)
  }

  @Test func `a wall that is new asks for nothing that was over before`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    #expect(wall.advance(to: at("2026-11-02T12:00:00-08:00")).isEmpty)
  }

  @Test func `a row never changes when its rule does`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    let before = wall.log.rows
    wall.household.medications[0].times[0].closesAfter = 30
    wall.advance(to: at("2026-11-02T08:40:00-08:00"))
    #expect(wall.log.rows == before)
    wall.advance(to: at("2026-11-03T08:00:00-08:00"))
    #expect(wall.log.rows.last?.occurrence.closesAt == at("2026-11-03T08:30:00-08:00"))
  }

  @Test func `a time moved within its window ends the old dose and does not ask twice`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.tap("2026-11-02T08:10:00-08:00")
    wall.household.medications[0].times = [time("09:00", since: "2026-11-02T08:30:00-08:00")]
    wall.advance(to: at("2026-11-02T08:30:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "09:00") == .skipped(.alreadyTaken))
    #expect(wall.status("2026-11-02T09:30:00-08:00").late.isEmpty)
    let verdict = wall.tap("2026-11-02T12:30:00-08:00")
    #expect(verdict.outcome == .alreadyTaken, "its own window still holds, and what was taken was taken for it")
    #expect(verdict.notCredited.map(\.at) == [at("2026-11-02T08:10:00-08:00")])
  }

  @Test func `an untaken time moved within its window is asked for once`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T08:00:00-08:00"))
    wall.household.medications[0].times = [time("09:00", since: "2026-11-02T08:30:00-08:00")]
    wall.advance(to: at("2026-11-02T08:30:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == .skipped(.ruleEnded))
    #expect(wall.status("2026-11-02T09:00:00-08:00").late.map(\.occurrence.key.at.description) == ["09:00"])
    #expect(wall.tap("2026-11-02T09:00:00-08:00").credited.map(\.key.at.description) == ["09:00"])
  }

  @Test func `a time taken away by mistake and entered again can be credited`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T08:00:00-08:00"))
    wall.household.medications[0].times = []
    wall.advance(to: at("2026-11-02T08:10:00-08:00"))
    #expect(wall.tap("2026-11-02T08:11:00-08:00").outcome == .wrongWindow)
    wall.household.medications[0].times = [time("08:00", since: "2026-11-02T08:20:00-08:00")]
    wall.advance(to: at("2026-11-02T08:20:00-08:00"))
    #expect(wall.tap("2026-11-02T08:21:00-08:00").outcome == .taken)
  }

  @Test func `a window made longer does not make a second row of an old dose`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    for hour in 0..<80 { wall.advance(to: at("2026-11-02T07:00:00-08:00") + Double(hour) * 3600) }
    wall.household.medications[0].times[0].closesAfter = 7 * 24 * 60
    wall.household.medications[0].times[0].since = at("2026-11-05T15:00:00-08:00")
    wall.advance(to: at("2026-11-05T15:00:00-08:00"))
    let keys = wall.log.rows.map(\.occurrence.key)
    #expect(Set(keys).count == keys.count)
  }

  @Test func `what is taken out of the household ends now`() {
    var wall = TestWall([medication("a", time("08:00")), medication("b", of: bob, time("08:00"))])
    wall.advance(to: at("2026-11-02T08:00:00-08:00"))
    wall.household.medications.removeFirst()
    wall.household.people.removeLast()
    wall.advance(to: at("2026-11-02T08:01:00-08:00"))
    #expect(wall.log.rows.map(\.ending) == [.skipped(.ruleEnded), .skipped(.ruleEnded)])
  }

  @Test func `pausing and resuming: what counts is how the window closes`() {
    let paused = Person(id: "ann", name: "Ann", remindersEnabled: false)
    #expect(ended([("06:00:00", "12:00:00")], person: paused) == .skipped(.paused))
    var wall = TestWall([medication("levo", time("08:00"))], people: [paused])
    wall.advance(to: at("2026-11-02T09:00:00-08:00"))
    wall.household.people[0].remindersEnabled = true
    #expect(wall.status("2026-11-02T09:00:01-08:00").late.count == 1)
    wall.advance(to: at("2026-11-02T12:00:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == .missed)
  }

  @Test func `an older dose is over when its window is, however many are open`() {
    var wall = TestWall([medication("levo", time("08:00"), time("12:00"), time("16:00"))])
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    wall.advance(to: at("2026-11-02T12:30:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == .missed)
    #expect(wall.status("2026-11-02T12:30:00-08:00").open.count == 1)
  }

  @Test(arguments: [
    // Once daily -2 h ... +4 h; four a day by the neighbours; explicit values win.
    ([time("08:00")], -120, 240, 720),
    ([time("08:00"), time("12:00"), time("16:00"), time("20:00")], -120, 120, 360),
    ([time("04:00"), time("08:00"), time("12:00")], -60, 120, 120),
    ([time("08:00", opens: 5, closes: 600), time("12:00")], -5, 600, 600),
  ])
  func `windows come from the neighbours`(times: [DoseTime], opens: Int, closes: Int, spacing: Int) throws {
    let medication = Medication(id: "m", person: "ann", name: "m", times: times)
    let due = at("2026-06-10T08:00:00-07:00")
    let found = Schedule(zone: losAngeles).occurrences(of: medication, from: due, to: due)
      .map(\.occurrence).first { $0.dueAt == due }
    let occurrence = try #require(found)
    #expect(occurrence.opensAt == due + Double(opens) * 60)
    #expect(occurrence.closesAt == due + Double(closes) * 60)
    #expect(occurrence.spacing == Double(spacing) * 60)
    #expect(occurrence.lateAt == due)
  }
}
