internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/bell")

/// A file of `Fixtures/bell`.
func fixture(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: fixtures.appending(path: name))) }

/// The school of the fixture.
func stevenson() throws -> School { try BellFile.parse(try fixture("stevenson.json5")) }

let chicago = TimeZone(identifier: "America/Chicago") ?? .gmt

/// The school of the fixture on a wall in another zone, with the exceptions of its file.
func calendar(_ overrides: BellOverride...) throws -> SchoolCalendar {
  SchoolCalendar(
    school: try stevenson(), overrides: overrides, zone: try #require(TimeZone(identifier: "America/Los_Angeles")))
}

/// The same after the exceptions of 2026-27 were fetched.
func calendarOf2027() throws -> SchoolCalendar {
  var calendar = try calendar()
  let map = try BellFile.exceptions(try fixture("schedule-dates-2026-27.json"), for: calendar.school)
  calendar.remote = RemoteExceptions(map: map, checkedAt: at("2026-08-01 00:00"))
  return calendar
}

/// A school with one table, for a test to change.
func smallSchool(_ rest: String = "", periods: String = "'1': '8:00-9:00', '2': '9:05-10:00'") throws -> School {
  let text = """
    { regular: 'Standard', dayTypes: { Standard: { periods: { \(periods) } }, Finals: { periods: { Exam: '10:00-12:00' } } },
      years: [{ first: '2025-09-01', last: '2026-06-30' }], \(rest) }
    """
  return try BellFile.parse(Array(text.utf8))
}

/// `2025-12-18`.
func day(_ text: String) -> DayKey {
  let parts = text.split(separator: "-").compactMap { Int($0) }
  return DayKey(year: parts[0], month: parts[1], day: parts[2]) ?? DayKey(number: 0)
}

/// `2025-12-18 08:45` or with seconds, in Chicago.
func at(_ text: String, in zone: TimeZone = chicago) -> Date {
  let parts = text.split { !$0.isNumber }.compactMap { Int($0) }
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = zone
  return calendar.date(
    from: DateComponents(
      year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
      second: parts.count > 5 ? parts[5] : 0)) ?? .distantPast
}

extension PeriodFacts {
  /// The state in one line: what it is, its period, what is left, what comes next.
  var line: String {
    var words = [state.rawValue]
    if let block, state == .inPeriod { words.append(block.id.text) }
    if let left = secondsLeft { words.append(CountdownText.digits(left) ?? "\(left / 86_400) days") }
    if let next, state != .inPeriod {
      words.append("-> \(next.block?.id.text ?? "?")")
      if next.daysAhead > 0 { words.append("on \(next.day)") }
    }
    return words.joined(separator: " ")
  }
}

extension DayTimeline {
  /// `1 8:30-9:21` and so on, by the table's times.
  func table(in zone: TimeZone = chicago) -> [String] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    func time(_ instant: Date) -> String {
      let parts = calendar.dateComponents([.hour, .minute], from: instant)
      return "\(parts.hour ?? 0):" + String(format: "%02d", parts.minute ?? 0)
    }
    return blocks.map { "\($0.id.text) \(time($0.tableStart))-\(time($0.tableEnd))" + ($0.isLunch ? " lunch" : "") }
  }
}
