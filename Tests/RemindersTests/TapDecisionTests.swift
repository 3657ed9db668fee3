import Foundation
import Testing

@testable import Reminders

/// What one tap is answered, in the order of DESIGN 5.2.
struct TapDecisionTests {
  @Test(arguments: [
    // Once daily: [06:00, 12:00).
    ("2026-11-02T05:59:59-08:00", TapOutcome.wrongWindow), ("2026-11-02T06:00:00-08:00", .taken),
    ("2026-11-02T08:00:00-08:00", .taken), ("2026-11-02T11:59:59-08:00", .taken),
    ("2026-11-02T12:00:00-08:00", .wrongWindow),
  ])
  func `a window holds its first instant and not its last`(tap: String, outcome: TapOutcome) {
    var wall = TestWall([medication("levo", time("08:00"))])
    #expect(wall.tap(tap).outcome == outcome)
  }

  @Test func `a tag that nobody knows is unknown and credits nothing`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    #expect(wall.tap("2026-11-02T08:00:00-08:00", TagUID([1, 2, 3, 4])) == TapVerdict(outcome: .unknownTag))
  }

  @Test(arguments: [
    (179 * 60 + 59, TapOutcome.alreadyTaken), (180 * 60, .taken), (180 * 60 + 1, .taken),
  ])
  func `exactly the spacing passes`(seconds: Int, outcome: TapOutcome) {
    var wall = TestWall([
      medication("levo", time("08:00", opens: 120, closes: 240), time("12:00", opens: 240, closes: 240), spacing: 180)
    ])
    let first = at("2026-11-02T08:30:00-08:00")
    #expect(wall.tap(annTag, first).outcome == .taken)
    let verdict = wall.tap(annTag, first + Double(seconds))
    #expect(verdict.outcome == outcome)
    if outcome == .alreadyTaken {
      #expect(verdict.notCredited.map(\.reason) == [.tooSoon])
      #expect(verdict.notCredited.map(\.at) == [first + 180 * 60])
      #expect(verdict.nextFrom == first + 180 * 60)
      #expect(verdict.lastTakenAt == first)
    }
  }

  @Test func `spacing counts towards a later tap too`() {
    // A tap from before the clock was set is decided after one that came later.
    var wall = TestWall([
      medication("levo", time("08:00", opens: 120, closes: 240), time("12:00", opens: 240, closes: 240), spacing: 180)
    ])
    wall.advance(to: at("2026-11-02T09:00:00-08:00"))
    wall.log.credits = [
      Credit(key: wall.log.rows[1].occurrence.key, tappedAt: at("2026-11-02T10:00:00-08:00"))
    ]
    #expect(wall.tap("2026-11-02T09:00:00-08:00").outcome == .alreadyTaken)
  }

  @Test func `the default spacing is half the distance back`() {
    var wall = TestWall([medication("levo", time("08:00"), time("14:00", opens: 180))])
    #expect(wall.tap("2026-11-02T09:00:00-08:00").outcome == .taken)
    // 08:00 was 10 h after 14:00 of the day before... 14:00 is 6 h after 08:00: 3 h.
    #expect(wall.tap("2026-11-02T11:59:59-08:00").outcome == .alreadyTaken)
    #expect(wall.tap("2026-11-02T12:00:00-08:00").outcome == .taken)
  }

  @Test func `one tap credits each medication of the tag at most once and says why the others were not`() {
    var wall = TestWall([
      medication("a", time("08:00", opens: 120, closes: 240), time("08:30", opens: 120, closes: 240), spacing: 0),
      medication("b", time("08:15")), medication("c", time("20:00")),
    ])
    let verdict = wall.tap("2026-11-02T08:20:00-08:00")
    #expect(verdict.outcome == .taken)
    #expect(verdict.credited.map(\.key.medication) == ["a", "b"])
    #expect(verdict.credited.map(\.key.at.description) == ["08:00", "08:15"])
    #expect(verdict.notCredited == [.init(medication: "c", reason: .notDue, at: at("2026-11-02T18:00:00-08:00"))])
    let second = wall.tap("2026-11-02T08:21:00-08:00")
    #expect(second.credited.map(\.key.at.description) == ["08:30"])
    #expect(second.notCredited.map(\.reason) == [.alreadyTaken, .notDue])
    #expect(second.notCredited.map(\.at) == [at("2026-11-02T08:20:00-08:00"), at("2026-11-02T18:00:00-08:00")])
    #expect(wall.tap("2026-11-02T08:22:00-08:00").outcome == .alreadyTaken)
  }

  @Test func `a tag that names a medication twice credits it once`() {
    var wall = TestWall(
      [medication("a", time("08:00"))], tags: [Tag(uid: annTag, medications: ["a", "a"])])
    #expect(wall.tap("2026-11-02T08:00:00-08:00").credited.count == 1)
  }

  @Test func `a tap outside every window says when the next opens and what was missed`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T07:00:00-08:00"))
    wall.advance(to: at("2026-11-02T12:00:00-08:00"))
    let verdict = wall.tap("2026-11-02T13:00:00-08:00")
    #expect(verdict.outcome == .wrongWindow)
    #expect(verdict.nextFrom == at("2026-11-03T06:00:00-08:00"))
    #expect(verdict.missed.map(\.day.description) == ["2026-11-02"])
    wall.log.rows[0].acknowledged = true
    #expect(wall.tap("2026-11-02T13:00:10-08:00").missed.isEmpty)
  }

  @Test func `a tap a minute after midnight belongs to the dose of the evening`() {
    var wall = TestWall([medication("levo", time("23:30"))])
    #expect(wall.tap("2026-11-03T00:20:00-08:00").credited.map(\.key.day.description) == ["2026-11-02"])
  }

  @Test func `tomorrow's dose is never credited today`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    #expect(wall.tap("2026-11-02T08:00:00-08:00").outcome == .taken)
    #expect(wall.tap("2026-11-02T20:00:00-08:00").outcome == .wrongWindow)
    #expect(wall.log.credits.count == 1)
  }

  @Test func `taken early is not asked for`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.tap("2026-11-02T07:55:00-08:00")
    #expect(wall.status("2026-11-02T08:00:00-08:00").late.isEmpty)
  }

  @Test func `a credit that was taken back counts for nothing`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.tap("2026-11-02T08:00:00-08:00")
    wall.log.credits = []
    #expect(wall.status("2026-11-02T08:10:00-08:00").late.count == 1)
    #expect(wall.tap("2026-11-02T08:10:00-08:00").outcome == .taken)
  }

  @Test func `a dose that a fast clock called missed is credited when the clock is right again`() {
    var wall = TestWall([medication("levo", time("08:00"))])
    wall.advance(to: at("2026-11-02T11:59:00-08:00"))
    wall.advance(to: at("2026-11-02T12:00:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == .missed)
    #expect(wall.tap("2026-11-02T11:55:00-08:00").outcome == .taken)
    #expect(wall.status("2026-11-02T12:01:00-08:00").ended.isEmpty)
  }

  @Test func `two tags alternating are two people`() {
    var wall = TestWall([medication("a", time("08:00")), medication("b", of: bob, time("08:00"))])
    #expect(wall.tap("2026-11-02T08:00:00-08:00", bobTag).person == "bob")
    #expect(wall.tap("2026-11-02T08:00:01-08:00", annTag).person == "ann")
    #expect(wall.tap("2026-11-02T08:00:02-08:00", bobTag).outcome == .alreadyTaken)
  }

  @Test func `a tag whose medications belong to two people is the first one's`() {
    var wall = TestWall(
      [medication("a", time("08:00")), medication("b", of: bob, time("08:00"))],
      tags: [Tag(uid: annTag, medications: ["b", "a"])])
    let verdict = wall.tap("2026-11-02T08:00:00-08:00")
    #expect(verdict.person == "bob")
    #expect(verdict.credited.map(\.key.medication) == ["b"])
  }
}
