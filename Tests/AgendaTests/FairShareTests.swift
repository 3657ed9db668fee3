import Foundation
import Testing

@testable import Agenda

/// One event that asks for too much costs no other its place.
struct FairShareTests {
  private static let all = (0...59).map(String.init).joined(separator: ",")

  /// Rules of people's calendars that need few steps, and the start of one event of each on Tuesday 5 May 2026.
  private static let modest = [
    "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=TU", "FREQ=MONTHLY;BYDAY=1TU", "FREQ=YEARLY", "FREQ=YEARLY;BYDAY=18TU",
    "FREQ=WEEKLY;INTERVAL=1;COUNT=400", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=200", "FREQ=MONTHLY;BYMONTHDAY=5,-1",
  ]

  /// Rules that take all the steps they may, or all the instances.
  private static let bombs = [
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=9223372036854775807", "FREQ=HOURLY;BYMINUTE=\(all)",
    "FREQ=HOURLY;COUNT=2000000000;BYMONTH=2;BYMONTHDAY=30",
  ]

  @Test(arguments: bombs) func `behind a hundred bombs a modest rule has all it needs`(_ rule: String) throws {
    let bombs = (0..<100).map { event("bomb\($0)", "DTSTART:15830101T000000Z", "RRULE:\(rule)") }
    let good = Self.modest.enumerated().map {
      event("good\($0)", "DTSTART;TZID=America/Chicago:20251104T090000", "RRULE:\($1)")
    }
    let plain = event("plain", "DTSTART;TZID=America/Chicago:20260505T100000")
    let feed = try CalendarFeed.parse(calendar((bombs + good + [plain]).joined(separator: "\r\n")))
    var found = AgendaExpansion(instances: [], problems: [])
    let took = processorSeconds {
      found = feed.instances(
        from: day("2026-05-05").start(in: chicago), to: day("2026-05-08").start(in: chicago), in: chicago)
    }
    let alone = try CalendarFeed.parse(calendar((good + [plain]).joined(separator: "\r\n")))
    #expect(
      found.instances.filter { !$0.uid.hasPrefix("bomb") }
        == alone.instances(
          from: day("2026-05-05").start(in: chicago), to: day("2026-05-08").start(in: chicago), in: chicago
        ).instances)
    #expect(Set(found.problems.map(\.uid)) == Set((0..<100).map { "bomb\($0)" }))
    #expect(found.cutEventCount == 100)
    #expect(took < 20)
  }

  /// Not a budget, but the size of the work: beyond what all share, each of them has what any may have.
  @Test(arguments: ["FREQ=HOURLY;BYMINUTE=0,1,2,3", "FREQ=HOURLY;COUNT=2000000000;BYMONTH=2;BYMONTHDAY=30"])
  func `thousands of bombs are bounded as a whole`(_ rule: String) throws {
    let count = 3000
    let bombs = (0..<count).map { event("\($0)", "DTSTART:15830101T000000Z", "RRULE:\(rule)") }
    let feed = try CalendarFeed.parse(calendar(bombs.joined(separator: "\r\n")))
    var found = AgendaExpansion(instances: [], problems: [])
    let took = processorSeconds {
      found = feed.instances(
        from: day("2026-05-05").start(in: chicago), to: day("2026-05-08").start(in: chicago), in: chicago)
    }
    #expect(found.instances.count <= 20_000 + 4 * count)
    #expect(found.cutEventCount > count * 9 / 10)
    #expect(took < 30)
  }

  @Test func `an event that is cut is counted once, however many of its parts are`() throws {
    let bomb = event("a", "DTSTART:20000101T000000Z", "RRULE:FREQ=HOURLY;BYMINUTE=\(Self.all)", "RRULE:FREQ=HOURLY")
    let feed = try CalendarFeed.parse(calendar(bomb, event("b", "DTSTART:20260505T150000Z")))
    let found = feed.instances(from: instant("2026-05-01T00:00:00Z"), to: instant("2026-07-01T00:00:00Z"), in: chicago)
    #expect(found.cutEventCount == 1)
    let quiet = feed.instances(from: instant("1999-05-01T00:00:00Z"), to: instant("1999-07-01T00:00:00Z"), in: chicago)
    #expect(quiet.cutEventCount == 0)
  }
}
