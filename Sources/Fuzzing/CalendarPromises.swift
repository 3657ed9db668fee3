internal import Agenda
internal import Foundation

/// What the reader of calendars and the expansion of what they hold promise.
enum CalendarPromises {
  /// Days of one window, more than a wall shows.
  private static let length = 8

  /// Those in which Foundation counts as calendars do, and in which a window ends in a year of four digits.
  private static let days = "1584-01-01"..."9999-12-01"

  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let feed: CalendarFeed
    do throws(CalendarError) { feed = try CalendarFeed.parse(bytes, owners: ["ann@example.org"]) } catch {
      try DocumentPromises.check(shown: error.sentence, "a sentence")
      return
    }
    try check(feed, lines: bytes.count { $0 == 0x0A } + 1)
    try expect(
      (try? CalendarFeed.parse(withCarriageReturns(bytes), owners: ["ann@example.org"])) == feed, "CRLF matters")
    guard let west = TimeZone(identifier: "America/Los_Angeles"),
      let south = TimeZone(identifier: "Australia/Lord_Howe")
    else { throw BrokenPromise("there are no time zones here") }
    // Where the first event is, and where the clocks are put back.
    if let day = firstStart(bytes) { try check(feed, from: day.advanced(by: -1), in: south) }
    if let day = CalendarDay("2026-10-29") { try check(feed, from: day, in: west) }
  }

  private static func check(_ feed: CalendarFeed, lines: Int) throws(BrokenPromise) {
    try expect(feed.eventCount <= CalendarFeed.mostEvents, "\(feed.eventCount) events")
    try expect((feed.eventCount + feed.droppedCount) <= lines, "more events than lines")
    try expect(feed.droppedCount <= feed.problemCount, "an event is left out and nobody is told")
    try expect(feed.problems.count == min(feed.problemCount, 100), "\(feed.problems.count) problems")
    try expect(zip(feed.problems, feed.problems.dropFirst()).allSatisfy { $0.line <= $1.line }, "problems in disorder")
    for problem in feed.problems { try check(problem, lines: lines) }
    if let name = feed.name { try check(text: name, "the calendar's name", limit: 100) }
    if let interval = feed.refreshInterval {
      try expect((300...86_400).contains(interval), "asked for in \(interval) s")
    }
  }

  private static func check(_ problem: EventProblem, lines: Int) throws(BrokenPromise) {
    try expect((1...lines).contains(problem.line), "a problem at line \(problem.line)")
    try expect(problem.sentence.utf8.count < 3000, "a problem of \(problem.sentence.utf8.count) bytes")
    try DocumentPromises.check(shown: problem.sentence, "a problem's sentence")
  }

  private static func check(text: String, _ what: String, limit: Int) throws(BrokenPromise) {
    try expect(text.count <= limit && text.utf8.count <= 16 * limit, "\(what) has \(text.utf8.count) bytes")
    try DocumentPromises.check(shown: text, what)
  }

  /// What is shown of some days, and that it is what is shown of the parts of these days.
  private static func check(_ feed: CalendarFeed, from day: CalendarDay, in zone: TimeZone) throws(BrokenPromise) {
    let from = day.start(in: zone)
    let to = day.advanced(by: length).start(in: zone)
    let middle = day.advanced(by: length / 2).start(in: zone)
    let whole = feed.instances(from: from, to: to, in: zone)
    try check(whole, from, to, zone)
    try expect(whole.problems.count <= feed.eventCount, "more problems than events")
    for problem in whole.problems { try DocumentPromises.check(shown: problem.sentence, "a problem's sentence") }
    let parts = [feed.instances(from: from, to: middle, in: zone), feed.instances(from: middle, to: to, in: zone)]
    if whole.problems.isEmpty, parts.allSatisfy(\.problems.isEmpty) {
      try expect(Set(parts.flatMap(\.instances)) == Set(whole.instances), "in two parts they are other instances")
    }
    try PlannerPromises.check(whole.instances, from: from, in: zone)
  }

  private static func check(
    _ found: AgendaExpansion, _ from: Date, _ to: Date, _ zone: TimeZone
  ) throws(BrokenPromise) {
    try expect(found.instances.count <= 20_000, "\(found.instances.count) instances")
    for instance in found.instances {
      let (start, end) = (instance.start(in: zone), instance.end(in: zone))
      try expect(start <= end && (start < end || !instance.isAllDay), "an instance ends before it begins")
      try expect(start < to && (end > from || start == end && start >= from), "an instance outside the window")
      try check(text: instance.title, "a title", limit: 500)
      try check(text: instance.location ?? "", "a location", limit: 500)
    }
    let keys = found.instances.map { ($0.start(in: zone), $0.isAllDay ? 0 : 1, $0.uid, $0.title) }
    try expect(zip(keys, keys.dropFirst()).allSatisfy { $0 <= $1 }, "instances in disorder")
  }

  /// Every line ended by CRLF, which some programs insist on.
  private static func withCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.split(separator: 0x0A, omittingEmptySubsequences: false).joined(separator: [0x0D, 0x0A]))
  }

  /// The day of the first event's DTSTART, so that there is something in the window; nil outside `days`.
  private static func firstStart(_ bytes: [UInt8]) -> CalendarDay? {
    guard let event = bytes.firstRange(of: Array("VEVENT".utf8)),
      let name = bytes[event.upperBound...].firstRange(of: Array("DTSTART".utf8))
    else { return nil }
    let digits = bytes[name.upperBound...].prefix { $0 != 0x0A }.drop { $0 != 0x3A }.dropFirst().prefix(8)
    guard digits.count == 8,
      let day = CalendarDay(
        String(decoding: digits.prefix(4), as: UTF8.self)
          + "-" + String(decoding: digits.dropFirst(4).prefix(2), as: UTF8.self)
          + "-" + String(decoding: digits.suffix(2), as: UTF8.self))
    else { return nil }
    return days.contains(day.description) ? day : nil
  }
}
