import Foundation
import Testing

@testable import Reminders

/// The dangers D1 to D17 that concern the rules, each named after what must not happen.
struct DangerTests {
  /// 08:00 and 12:00 with windows wide enough that both are open at 10:30.
  private let twoDoses = medication(
    "levo", time("08:00", opens: 120, closes: 240), time("12:00", opens: 120, closes: 240))

  @Test func `D1 a double tap does not credit the next dose`() {
    var wall = TestWall([twoDoses])
    #expect(wall.tap("2026-11-02T10:30:00-08:00").credited.map(\.key.at.description) == ["08:00"])
    let second = wall.tap("2026-11-02T10:30:03-08:00")
    #expect(second.outcome == .alreadyTaken)
    #expect(second.credited.isEmpty)
    #expect(second.lastTakenAt == at("2026-11-02T10:30:00-08:00"))
    #expect(wall.status("2026-11-02T12:30:00-08:00").late.map(\.occurrence.key.at.description) == ["12:00"])
  }

  @Test func `D2 what was missed last week does not choose the dose`() {
    var wall = TestWall([twoDoses])
    wall.tap("2026-10-26T08:00:00-07:00")
    wall.advance(to: at("2026-11-02T10:29:00-08:00"))
    #expect(wall.tap("2026-11-02T10:30:00-08:00").credited.map(\.dueAt) == [at("2026-11-02T08:00:00-08:00")])
  }

  @Test func `D3 a late dose does not eat the next one`() {
    var wall = TestWall([
      medication("levo", time("08:00", closes: 240), time("14:00", opens: 120), spacing: 180)
    ])
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    let tap = wall.tap("2026-11-02T11:59:00-08:00")
    #expect(tap.credited.map(\.dueAt) == [at("2026-11-02T08:00:00-08:00")])
    #expect(wall.tap("2026-11-02T12:05:00-08:00").outcome == .alreadyTaken)
    #expect(wall.status("2026-11-02T14:00:00-08:00").late.map(\.occurrence.dueAt) == [at("2026-11-02T14:00:00-08:00")])
  }

  @Test func `D4 a repeated tap is no second thank-you and does not overwrite the first`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    #expect(wall.tap("2026-11-02T07:00:00-08:00").outcome == .taken)
    for later in ["2026-11-02T08:10:00-08:00", "2026-11-02T11:59:00-08:00"] {
      let verdict = wall.tap(later)
      #expect(verdict.outcome == .alreadyTaken)
      #expect(verdict.notCredited.map(\.at) == [at("2026-11-02T07:00:00-08:00")])
    }
    #expect(wall.log.credits.map(\.tappedAt) == [at("2026-11-02T07:00:00-08:00")])
  }

  @Test(arguments: [
    ("01:30", "2026-10-31T23:35:00-07:00"), ("23:00", "2026-10-31T21:05:00-07:00"),
  ])
  func `D5 a credited dose is not late again in the repeated hour`(dose: String, tap: String) {
    var wall = TestWall([medication("levo", time(dose))])
    #expect(wall.tap(tap).outcome == .taken)
    for minutes in stride(from: 0, to: 8 * 60, by: 1) {
      let now = at("2026-10-31T23:40:00-07:00") + Double(minutes) * 60
      #expect(wall.status(now).late.filter { $0.occurrence.dueAt < at("2026-11-01T06:00:00-08:00") }.isEmpty, "\(now)")
    }
  }

  @Test func `D6 a dose in the repeated hour is due once and late without flicker`() {
    let wall = TestWall([medication("levo", time("01:30"))])
    let due = at("2026-11-01T01:30:00-07:00")
    for minutes in 0..<(4 * 60) {
      #expect(wall.status(due + Double(minutes) * 60).late.map(\.occurrence.dueAt) == [due])
    }
    #expect(wall.status(due + 4 * 3600).late.isEmpty)
    #expect(wall.status(due - 1).late.isEmpty)
  }

  @Test func `D7 a dose in the gap is due after it and late for all of its window`() {
    let wall = TestWall([medication("levo", time("02:30"))])
    let due = at("2026-03-08T03:30:00-07:00")
    #expect(wall.status(due - 1).late.isEmpty)
    #expect(wall.status(due).late.map(\.occurrence.dueAt) == [due])
    #expect(wall.status(due + 4 * 3600 - 1).late.count == 1)
  }

  @Test func `D8 a missed dose does not vanish`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    wall.advance(to: at("2026-11-02T12:00:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == .missed)
    #expect(wall.status("2026-11-02T12:00:00-08:00").ended.map(\.ending) == [.missed])
    #expect(wall.status("2026-11-03T11:59:59-08:00").ended.count == 1)
    #expect(!wall.status("2026-11-03T12:00:00-08:00").ended.contains { $0.dose.occurrence.key.day.day == 2 })
  }

  @Test func `D11 a dose after midnight keeps the day it belongs to`() {
    var wall = TestWall([medication("levo", time("22:00", days: [.sat]))])
    let verdict = wall.tap("2026-11-15T00:30:00-08:00")
    #expect(verdict.credited.map(\.key.day.description) == ["2026-11-14"])
  }

  @Test func `D12 a new time is not late for what was due before it was entered`() {
    var wall = TestWall([medication("levo", time("08:00", since: "2026-11-02T09:00:00-08:00"))])
    #expect(wall.status("2026-11-02T09:00:00-08:00").late.isEmpty)
    #expect(wall.status("2026-11-02T09:00:00-08:00").open.count == 1)
    wall.advance(to: at("2026-11-02T09:00:00-08:00"))
    wall.advance(to: at("2026-11-02T12:00:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == .skipped(.enteredLate))
    #expect(wall.status("2026-11-02T12:00:00-08:00").ended.isEmpty)
    #expect(wall.status("2026-11-03T08:00:00-08:00").late.count == 1)
  }

  @Test func `D12 a time that was over when it was entered does not exist`() {
    var wall = TestWall([medication("levo", time("08:00", since: "2026-11-02T12:00:00-08:00"))])
    #expect(wall.advance(to: at("2026-11-02T12:00:00-08:00")).isEmpty)
    #expect(wall.tap("2026-11-02T12:00:01-08:00").outcome == .wrongWindow)
  }

  @Test func `D13 a paused person is credited, told so, and not nagged`() {
    var wall = TestWall(
      [medication("levo", time("08:00"))], people: [Person(id: "ann", name: "Ann", remindersEnabled: false)])
    #expect(wall.status("2026-11-02T09:00:00-08:00").late.isEmpty)
    let verdict = wall.tap("2026-11-02T09:00:00-08:00")
    #expect(verdict.outcome == .taken)
    #expect(verdict.paused)
    wall.advance(to: at("2026-11-03T07:00:00-08:00"))
    wall.advance(to: at("2026-11-03T12:00:00-08:00"))
    #expect(wall.ending("levo", "2026-11-03", "08:00") == .skipped(.paused))
  }

  @Test func `a tap on a dose that was skipped for the pause credits it`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    wall.log.rows[0].ending = .skipped(.paused)
    #expect(wall.tap("2026-11-02T08:30:00-08:00").outcome == .taken)
  }

  @Test func `D14 a medication without a person is no thank-you`() {
    var wall = TestWall(
      [medication("levo", of: Person(id: "gone", name: "Gone"), time("08:00"))],
      tags: [Tag(uid: annTag, medications: ["levo", "never-was"])])
    #expect(wall.tap("2026-11-02T08:00:00-08:00").outcome == .unknownTag)
    #expect(wall.status("2026-11-02T09:00:00-08:00").late.isEmpty)
  }

  @Test func `D15 four doses a day do not accept two within two hours`() {
    var wall = TestWall([medication("levo", time("08:00"), time("12:00"), time("16:00"), time("20:00"))])
    #expect(wall.tap("2026-11-02T09:59:00-08:00").credited.map(\.key.at.description) == ["08:00"])
    #expect(wall.tap("2026-11-02T11:00:00-08:00").outcome == .alreadyTaken, "61 minutes later, spacing is 2 h")
    #expect(wall.tap("2026-11-02T11:59:00-08:00").credited.map(\.key.at.description) == ["12:00"], "exactly 2 h passes")
  }

  @Test func `D17 a random UID is known as one`() {
    #expect(TagUID(hex: "0824A937")?.isRandom == true)
    #expect(TagUID(hex: "0824A937000000")?.isRandom == false)
    #expect(TagUID(hex: "1824A937")?.isRandom == false)
  }
}
