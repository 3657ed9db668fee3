internal import BellSchedule
internal import Foundation
internal import Testing

/// When the wall is to look again.
@Suite struct ChangeTests {
  @Test(arguments: [
    ("2025-09-02 00:00", "2025-09-02 08:30"), ("2025-09-02 08:30", "2025-09-02 09:21"),
    ("2025-09-02 09:20:59", "2025-09-02 09:21"), ("2025-09-02 09:21", "2025-09-02 09:26"),
    ("2025-09-02 09:26", "2025-09-02 10:00"), ("2025-09-02 12:02", "2025-09-02 12:22"),
    ("2025-09-02 12:22", "2025-09-02 12:29"), ("2025-09-02 15:25", "2025-09-03 00:00"),
    ("2025-09-06 11:00", "2025-09-07 00:00"), ("2025-12-18 11:00", "2025-12-18 11:40"),
  ])
  func `the next change is the next bell of anybody, the menu, or midnight`(now: String, next: String) throws {
    #expect(try calendar().nextChange(after: at(now), pupils: [Pupil(id: "ann", lunch: "5A")]) == at(next))
  }

  @Test func `the end of an override of any day, and the day on which a map grows old, are changes`() throws {
    var calendar = try calendar(BellOverride(day: day("2025-09-05"), type: "No School", until: at("2025-09-02 20:00")))
    #expect(calendar.nextChange(after: at("2025-09-02 16:00"), pupils: []) == at("2025-09-02 20:00"))
    calendar.remote = RemoteExceptions(map: calendar.school.exceptions, checkedAt: at("2025-09-01 18:00"))
    let old = calendar.nextChange(after: at("2025-09-02 16:00"), pupils: [])
    #expect(!calendar.board(at: old.addingTimeInterval(-0.01), pupils: []).isStale)
    #expect(calendar.board(at: old, pupils: []).isStale)
  }

  @Test func `with a bell offset the change is the bell`() throws {
    var calendar = try calendar()
    calendar.school.bellOffset = -15
    #expect(calendar.nextChange(after: at("2025-09-02 09:00"), pupils: []) == at("2025-09-02 09:20:45"))
    #expect(calendar.nextChange(after: at("2025-09-02 09:20:45"), pupils: []) == at("2025-09-02 09:25:45"))
  }

  @Test(arguments: [
    // On school days every 10 min from 05:00 to 10:00.
    ("2025-09-02 05:00", "2025-09-02 05:10"), ("2025-09-02 09:49:59", "2025-09-02 09:59:59"),
    ("2025-09-02 04:10", "2025-09-02 05:00"), ("2025-09-02 04:55", "2025-09-02 05:05"),
    ("2025-09-02 03:30", "2025-09-02 04:30"),
    // Hourly otherwise, also from the last one before 10:00.
    ("2025-09-02 09:50", "2025-09-02 10:50"), ("2025-09-02 12:00", "2025-09-02 13:00"),
    ("2025-09-02 23:30", "2025-09-03 00:30"), ("2025-09-06 06:00", "2025-09-06 07:00"),
    ("2025-12-27 06:00", "2025-12-27 07:00"), ("2026-07-15 06:00", "2026-07-15 07:00"),
    // A year that is not published yet is when news matter.
    ("2026-09-01 06:00", "2026-09-01 06:10"),
  ])
  func `the exceptions are asked for as their news come`(asked: String, next: String) throws {
    #expect(try calendar().nextPoll(after: at(asked)) == at(next))
  }
}
