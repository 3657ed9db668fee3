import Foundation
import Testing

@testable import Reminders

/// Where rows may be missing nothing is late and nothing is missed: it is unknown (DESIGN 5.6).
struct RecordsLostTests {
  /// 08:00 [06:00, 12:00), restored at 09:00 of the second of November.
  private func wall(lostSince: String, until: String = "09:00", person: Person = ann) -> TestWall {
    var wall = TestWall([medication("levo", time("08:00"))], people: [person])
    wall.log.recordsLost = [
      DateInterval(start: at("2026-11-02T\(lostSince):00-08:00"), end: at("2026-11-02T\(until):00-08:00"))
    ]
    return wall
  }

  @Test(arguments: [
    ("03:00", "09:00", true), ("06:00", "06:01", true), ("11:59", "14:00", true), ("03:00", "06:00", false),
    ("12:00", "14:00", false), ("09:00", "09:00", true),
  ])
  func `a dose is unknown when its window and the lost span share an instant`(
    since: String, until: String, isUnknown: Bool
  ) {
    var wall = wall(lostSince: since, until: until)
    wall.advance(to: at("2026-11-02T05:00:00-08:00"))
    wall.advance(to: at("2026-11-02T14:00:00-08:00"))
    #expect(wall.ending("levo", "2026-11-02", "08:00") == (isUnknown ? .unknown(.recordsLost) : .missed))
  }

  @Test func `it is said at once and not called late, until a day after its window`() {
    var wall = wall(lostSince: "03:00")
    wall.advance(to: at("2026-11-02T09:00:00-08:00"))
    for now in ["2026-11-02T09:00:00-08:00", "2026-11-02T11:59:00-08:00", "2026-11-03T11:59:00-08:00"] {
      let status = wall.status(now)
      #expect(status.ended.first?.ending == .unknown(.recordsLost), "\(now)")
      #expect(!status.late.contains { $0.occurrence.key.day.day == 2 }, "\(now)")
    }
    #expect(wall.status("2026-11-03T12:01:00-08:00").ended.map(\.dose.occurrence.key.day.day) == [3])
  }

  @Test func `a tap in the rest of its window credits it once`() {
    var wall = wall(lostSince: "03:00")
    #expect(wall.tap("2026-11-02T09:30:00-08:00").outcome == .taken)
    #expect(wall.status("2026-11-02T09:30:00-08:00").ended.isEmpty)
    #expect(wall.tap("2026-11-02T09:40:00-08:00").outcome == .alreadyTaken)
  }

  @Test func `the next day's dose is late and missed as ever`() {
    var wall = wall(lostSince: "03:00")
    wall.advance(to: at("2026-11-02T09:00:00-08:00"))
    #expect(wall.status("2026-11-03T08:01:00-08:00").late.count == 1)
    wall.advance(to: at("2026-11-03T12:00:00-08:00"))
    #expect(wall.ending("levo", "2026-11-03", "08:00") == .missed)
  }

  @Test func `a credited dose stays taken, and a paused person's is skipped`() {
    var credited = wall(lostSince: "03:00")
    credited.log.recordsLost = []
    credited.tap("2026-11-02T08:00:00-08:00")
    credited.log.recordsLost = wall(lostSince: "03:00").log.recordsLost
    credited.advance(to: at("2026-11-02T12:00:00-08:00"))
    #expect(credited.ending("levo", "2026-11-02", "08:00") == nil)

    var paused = wall(lostSince: "03:00", person: Person(id: "ann", name: "Ann", remindersEnabled: false))
    paused.advance(to: at("2026-11-02T09:00:00-08:00"))
    #expect(paused.ending("levo", "2026-11-02", "08:00") == nil)
    paused.advance(to: at("2026-11-02T12:00:00-08:00"))
    #expect(paused.ending("levo", "2026-11-02", "08:00") == .skipped(.paused))
  }
}
