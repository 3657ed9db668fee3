internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

/// Whatever a school's file says, a look at a day takes a bounded time: the wall looks at every bell and every second.
@Suite struct BoundsTests {
  private static let pupils = (0..<8).map { Pupil(id: "p\($0)") }

  @Test func `thousands of entries for one day cost hardly more than one`() throws {
    let names = (0..<48).map { "Type \($0)" }
    let types = names.map { "'\($0)': { periods: { '1': '8:00-9:00' } }" }
    let entries = names.map { "'\($0)': [\(Array(repeating: "'2/2/2026'", count: 104).joined(separator: ","))]" }
    let calendar = try calendar(types, regular: "Type 0", entries)
    try check(calendar, on: "2026-02-02", type: "Type 1")
  }

  /// The place of a day in such a range and its name in the cycle are both counted from the beginning of the year.
  @Test func `rotating ranges as long as the year cost hardly more than a day`() throws {
    let types = [
      "Day: { periods: { '1': '8:00-9:00' } }", "R: { slots: ['8:00-9:00'], rotation: [['1'], ['2']] }",
    ]
    let ranges = Array(repeating: "'9/1/2025-9/30/2026'", count: 12).joined(separator: ", ")
    try check(try calendar(types, regular: "Day", ["R: [\(ranges)]"]), on: "2026-06-26", type: "R")
  }

  private func calendar(_ types: [String], regular: String, _ exceptions: [String]) throws -> SchoolCalendar {
    let text = """
      { regular: '\(regular)', dayTypes: { \(types.joined(separator: ", ")) },
        exceptions: { \(exceptions.joined(separator: ", ")) }, cycle: ['A', 'B'],
        years: [{ first: '2025-09-01', last: '2026-06-30' }] }
      """
    return SchoolCalendar(school: try BellFile.parse(Array(text.utf8)), zone: chicago)
  }

  private func check(_ calendar: SchoolCalendar, on text: String, type: String) throws {
    let now = at("\(text) 08:30")
    #expect(calendar.resolveDay(day(text), at: now).kind == .school(type: type))
    let look = processorSeconds {
      _ = calendar.board(at: now, pupils: Self.pupils)
      _ = calendar.nextChange(after: now, pupils: Self.pupils)
    }
    #expect(look < 1.5)
    #expect(processorSeconds { _ = calendar.notes } < 15)
  }

  /// Of this thread: on a busy machine that, and not the time of day, is bounded.
  private func processorSeconds(_ work: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    work()
    return now() - start
  }
}
