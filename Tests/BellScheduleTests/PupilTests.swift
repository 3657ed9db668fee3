internal import BellSchedule
internal import Foundation
internal import Testing

/// Half periods and lunches (`schedule.md` 1.3).
@Suite struct PupilTests {
  private func table(_ date: String, lunch: String?, halves: Bool = false) throws -> [String] {
    try calendar().resolveDay(day(date), for: Pupil(id: "ann", lunch: lunch, halfPeriods: halves), at: .distantPast)
      .table()
  }

  @Test func `half periods are the table's halves where it has some`() throws {
    let activity = try table("2025-08-19", lunch: nil, halves: true)
    #expect(activity.count == 17)
    #expect(activity[3...6] == ["2B 9:44-10:01", "Activity 10:06-10:49", "3A 10:54-11:11", "3B 11:18-11:35"])
    #expect(try table("2025-08-21", lunch: nil, halves: true).first == "1 10:30-11:05")
    #expect(try table("2025-12-18", lunch: nil, halves: true).first == "6 8:30-9:10")
  }

  @Test(arguments: [
    // Lunch in half a period cuts that period only; with half periods it is one of them.
    ("2025-09-02", "5A", false, ["4 11:10-11:57", "5A 12:02-12:22 lunch", "5B 12:29-12:49", "6 12:54-13:41"]),
    ("2025-09-02", "5b", false, ["4 11:10-11:57", "5A 12:02-12:22", "5B 12:29-12:49 lunch", "6 12:54-13:41"]),
    ("2025-09-02", "5A", true, ["4B 11:37-11:57", "5A 12:02-12:22 lunch", "5B 12:29-12:49", "6A 12:54-13:14"]),
    // Lunch in a whole period keeps it whole.
    ("2025-09-02", "5", false, ["4 11:10-11:57", "5 12:02-12:49 lunch", "6 12:54-13:41"]),
    ("2025-09-02", "5", true, ["4B 11:37-11:57", "5 12:02-12:49 lunch", "6A 12:54-13:14"]),
    // On a day without halves the whole period is the lunch.
    ("2025-08-21", "5A", true, ["4 12:20-12:55", "5 13:00-13:35 lunch", "6 13:40-14:15"]),
  ])
  func `lunch is where the pupil has it`(date: String, lunch: String, halves: Bool, around: [String]) throws {
    let all = try table(date, lunch: lunch, halves: halves)
    let first = try #require(all.firstIndex(of: around[0]))
    #expect(Array(all[first..<min(all.count, first + around.count)]) == around)
    #expect(all.count { $0.hasSuffix("lunch") } == 1)
  }

  @Test(arguments: [
    // Period 5 does not meet on the first short day, and lunch never moves into a block with a name.
    ("2025-12-18", "5A"), ("2025-12-18", "5"), ("2025-12-18", "Makeup"), ("2025-08-19", "Activity"),
    ("2025-09-02", "9"),
  ])
  func `a period that does not meet is no lunch`(date: String, lunch: String) throws {
    #expect(try table(date, lunch: lunch).allSatisfy { !$0.hasSuffix("lunch") })
  }

  @Test func `lunch is told before, counted down in it, and over after it`() throws {
    let calendar = try calendar()
    let ann = Pupil(id: "ann", lunch: "5A")
    let before = try #require(calendar.facts(at: at("2025-09-02 11:02"), for: ann).lunch)
    #expect(!before.isNow && before.secondsLeft == 3600)
    let during = try #require(calendar.facts(at: at("2025-09-02 12:02"), for: ann).lunch)
    #expect(during.isNow && during.secondsLeft == 1200)
    #expect(calendar.facts(at: at("2025-09-02 12:22"), for: ann).lunch == nil)
    #expect(calendar.facts(at: at("2025-09-06 12:10"), for: ann).lunch == nil)
  }

  @Test func `people differ only where there is something else to say`() throws {
    let pupils = [Pupil(id: "ann", lunch: "5A", halfPeriods: true), Pupil(id: "bob")]
    func differs(_ time: String) throws -> [Bool] {
      try calendar().board(at: at(time), pupils: pupils).people.map(\.differs)
    }
    #expect(try differs("2025-09-02 08:00") == [true, false])
    #expect(try differs("2025-09-02 14:40") == [true, false])
    #expect(try differs("2025-09-02 15:30") == [false, false])
    #expect(try differs("2025-09-06 12:00") == [false, false])
  }

  @Test(arguments: [
    ("5", true), ("5A", true), ("5b", true), ("8B", true), ("9", false), ("5C", false), ("Activity", false),
    ("", false),
  ])
  func `a lunch that is no period can be told`(lunch: String, isPeriod: Bool) throws {
    #expect(try stevenson().hasPeriod(lunch) == isPeriod)
  }
}
