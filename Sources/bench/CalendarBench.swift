import Agenda
import BellSchedule
import Configuration
import Foundation
import TestSupport

/// A school year, and a calendar of a whole household for years: from the bytes to what takes place.
enum CalendarBench {
  /// Every day of the fixture's first year, with the fixture's exceptions.
  static func school(rounds: Int, into report: inout Report) throws {
    let path = AgentUnderTest.root + "/Fixtures/bell/stevenson.json5"
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let school = try BellFile.parse(bytes)
    guard let year = school.years.first, let zone = TimeZone(identifier: "America/Chicago") else {
      throw BenchError("\(path) names no year")
    }
    let calendar = SchoolCalendar(school: school, overrides: [], zone: zone)
    let now = Date(timeIntervalSince1970: 1_755_000_000)
    var durations: [Double] = []
    for _ in 0..<rounds {
      let start = monotonic()
      var lessons = 0
      for number in year.first.number...year.last.number {
        lessons += calendar.resolveDay(DayKey(number: number), at: now).blocks.count
      }
      durations.append(Double(monotonic() - start) / 1e6)
      guard lessons > 1000 else { throw BenchError("\(lessons) lessons are no year of school") }
    }
    let days = year.last.number - year.first.number + 1
    report.durations("resolving a school year, \(days) days", Figures(durations))
  }

  /// 5,000 events, every tenth with a rule, read and expanded over the two days that a wall shows and over a month, beside
  /// recurring-ical-events on the same bytes.
  static func agenda(rounds: Int, into report: inout Report) throws {
    let text = Household.calendar(events: 5000, rules: 500)
    let path = FileManager.default.temporaryDirectory.path + "/bench-\(UUID().uuidString).ics"
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let zone = Household.zone
    let spans = [("two days", 2), ("a month", 31)]
    var reading: [Double] = []
    var expanding = spans.map { _ in [Double]() }
    var counts = spans.map { _ in 0 }
    for _ in 0..<rounds {
      var start = monotonic()
      let feed = try CalendarFeed.parse([UInt8](text.utf8))
      reading.append(Double(monotonic() - start) / 1e6)
      for (index, span) in spans.enumerated() {
        start = monotonic()
        let found = feed.instances(
          from: Household.start, to: Household.start + Double(span.1) * 86_400, in: zone)
        expanding[index].append(Double(monotonic() - start) / 1e6)
        guard found.problems.isEmpty else { throw BenchError("\(found.problems.count) events cannot be read") }
        counts[index] = found.instances.count
      }
    }
    let theirs = try Oracle.ask(path, from: Household.start, days: spans.map(\.1))
    report.durations(
      "reading 5,000 events, 500 rules", Figures(reading), yardstick: theirs.map { ("icalendar", $0.reading) })
    for (index, span) in spans.enumerated() {
      if let theirs, theirs.counts[index] != counts[index] {
        throw BenchError("\(counts[index]) take place in \(span.0), and \(theirs.counts[index]) by the yardstick")
      }
      report.durations(
        "expanding \(span.0), \(counts[index]) times", Figures(expanding[index]),
        yardstick: theirs.map { ("recurring-ical-events", $0.expanding[index]) })
    }
  }
}

/// A household's calendar, the same in every run.
private enum Household {
  static let zone = TimeZone(identifier: "America/Chicago") ?? .gmt
  /// Monday, 30 November 2026, midnight there.
  static let start = Date(timeIntervalSince1970: 1_796_018_400)

  private static let rules = [
    "FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=DAILY;INTERVAL=3", "FREQ=MONTHLY;BYDAY=2TU", "FREQ=YEARLY",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;COUNT=60", "FREQ=MONTHLY;BYMONTHDAY=15;UNTIL=20271231T235959Z",
  ]

  /// Single events lie around `start`; rules began in the three years before it.
  static func calendar(events: Int, rules count: Int) -> String {
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//kiosk-agent//bench//EN", "BEGIN:VTIMEZONE", "TZID:America/Chicago",
      "BEGIN:STANDARD", "DTSTART:20071104T020000", "TZOFFSETFROM:-0500", "TZOFFSETTO:-0600",
      "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU", "END:STANDARD", "BEGIN:DAYLIGHT", "DTSTART:20070311T020000",
      "TZOFFSETFROM:-0600", "TZOFFSETTO:-0500", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", "END:DAYLIGHT",
      "END:VTIMEZONE",
    ]
    var format = Date.ISO8601FormatStyle(timeZone: .gmt)
    format = format.year().month().day().dateSeparator(.omitted)
    for number in 0..<events {
      let isRule = number % (events / count) == 0
      let offset = isRule ? -(number * 7919 % 1095) - 1 : number * 7919 % 1460 - 730
      let day = (start + Double(offset) * 86_400 + 43_200).formatted(format)
      let hour = 8 + number % 12
      lines += [
        "BEGIN:VEVENT", "UID:\(number)@example.org", "DTSTAMP:20261101T000000Z",
        String(format: "DTSTART;TZID=America/Chicago:%@T%02d%02d00", day, hour, number % 4 * 15),
        String(format: "DTEND;TZID=America/Chicago:%@T%02d%02d00", day, hour + 1, number % 4 * 15),
        "SUMMARY:Event number \(number) of the household", "LOCATION:Room \(number % 40)",
      ]
      if isRule { lines.append("RRULE:" + rules[number / (events / count) % rules.count]) }
      lines.append("END:VEVENT")
    }
    return (lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
  }
}

/// PyPI's icalendar and recurring-ical-events, by the interpreter that `.ci/bench` names.
private struct Oracle {
  var reading: Figures
  var expanding: [Figures]
  var counts: [Int]

  private struct Answer: Decodable {
    var reading: [Double]
    var expanding: [[Double]]
    var counts: [Int]
  }

  private static let program = """
    import datetime, json, sys, time
    import icalendar, recurring_ical_events
    path, start, days = sys.argv[1], datetime.datetime.fromtimestamp(float(sys.argv[2]), datetime.timezone.utc), sys.argv[3:]
    data, reading, expanding, counts = open(path, "rb").read(), [], [[] for _ in days], [0] * len(days)
    for _ in range(3):
        began = time.monotonic()
        calendar = icalendar.Calendar.from_ical(data)
        reading.append((time.monotonic() - began) * 1000)
        for index, count in enumerate(days):
            began = time.monotonic()
            events = recurring_ical_events.of(calendar).between(start, start + datetime.timedelta(days=int(count)))
            expanding[index].append((time.monotonic() - began) * 1000)
            counts[index] = len(list(events))
    print(json.dumps({"reading": reading, "expanding": expanding, "counts": counts}))
    """

  /// nil: it is not there.
  static func ask(_ path: String, from start: Date, days: [Int]) throws -> Oracle? {
    guard let python = ProcessInfo.processInfo.environment["KIOSK_ICALENDAR_PYTHON"] else {
      say("SKIP recurring-ical-events could not be installed: no yardstick for calendars")
      return nil
    }
    let words = ["-c", program, path, String(start.timeIntervalSince1970)] + days.map(String.init)
    let child = try ChildProgram(python, words)
    guard try child.waitForExit(within: 300) == 0 else { throw BenchError("the yardstick: \(child.text)") }
    let answer = try JSONDecoder().decode(Answer.self, from: Data(child.text.utf8))
    return Oracle(
      reading: Figures(answer.reading), expanding: answer.expanding.map(Figures.init), counts: answer.counts)
  }
}
