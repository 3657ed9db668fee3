import Foundation
import Testing

@testable import Agenda

/// Instances in a window, whatever the zone.
struct ExpansionTests {
  @Test func `the window is half-open`() throws {
    let feed = try CalendarFeed.parse(
      calendar(
        event("long", "DTSTART:20260505T100000Z", "DTEND:20260505T120000Z"), event("point", "DTSTART:20260505T110000Z"),
        event("day", "DTSTART;VALUE=DATE:20260505")))
    func found(_ from: String, _ to: String) -> [String] {
      feed.instances(from: instant("2026-05-05T\(from)Z"), to: instant("2026-05-05T\(to)Z"), in: .gmt).instances.map(
        \.uid)
    }
    #expect(found("10:00:00", "10:00:01") == ["day", "long"])
    #expect(found("09:00:00", "10:00:00") == ["day"])
    #expect(found("11:59:59", "12:00:00") == ["day", "long"])
    #expect(found("12:00:00", "13:00:00") == ["day"])
    #expect(found("11:00:00", "11:00:01") == ["day", "long", "point"])
    #expect(found("10:30:00", "11:00:00") == ["day", "long"])
    #expect(found("11:00:00", "11:00:00") == [])
    #expect(found("12:00:00", "10:00:00") == [])
    #expect(feed.instances("2026-05-04", "2026-05-05", in: .gmt).isEmpty)
    #expect(feed.instances("2026-05-06", "2026-05-07", in: .gmt).isEmpty)
  }

  @Test(arguments: [("20251230T090000", 0), ("20260109T090000", 1)])
  func `of a series that is moved by more than a year a part may be missing, and that is said`(to: String, count: Int)
    throws
  {
    let feed = try CalendarFeed.parse(
      calendar(
        event("a", "DTSTART:20240101T090000", "RRULE:FREQ=DAILY"),
        event("a", "RECURRENCE-ID;RANGE=THISANDFUTURE:20250101T090000", "DTSTART:\(to)")))
    let found = feed.instances(from: instant("2026-10-29T00:00:00Z"), to: instant("2026-11-06T00:00:00Z"), in: .gmt)
    #expect(found.problems.map(\.kind) == Array(repeating: .tooManyRepetitions, count: count))
    #expect(count > 0 || found.instances.count == 8)
  }

  @Test func `an overnight event is there on its second day`() throws {
    let feed = try CalendarFeed.parse(
      calendar(
        event(
          "a", "DTSTART;TZID=America/Chicago:20260501T220000", "DTEND;TZID=America/Chicago:20260502T060000",
          "RRULE:FREQ=WEEKLY")))
    #expect(feed.starts("2026-05-09", "2026-05-10") == ["2026-05-08T22:00:00-05:00"])
  }

  static let zones = [
    "America/Chicago", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu",
    "Africa/Casablanca", "Pacific/Apia", "America/St_Johns", "Europe/Dublin",
  ]

  static let rules = [
    "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=SU,WE", "FREQ=MONTHLY;BYDAY=-1SU", "FREQ=YEARLY;BYMONTH=3,11",
    "FREQ=DAILY;COUNT=800",
    "FREQ=WEEKLY;INTERVAL=3;UNTIL=20271007T000000Z", "FREQ=HOURLY;INTERVAL=5;BYDAY=SU",
  ]

  /// Days of a week, in weeks of a year, and the year: the same instances.
  @Test(arguments: zones, rules) func `windows side by side show everything once`(_ name: String, _ rule: String) throws
  {
    let zone = zone(name)
    for start in ["DTSTART;TZID=\(name):20260103T023000", "DTSTART:20260103T233000Z", "DTSTART;VALUE=DATE:20260103"] {
      if start.contains("DATE:"), rule.contains("HOURLY") { continue }
      let feed = try CalendarFeed.parse(calendar(event("a", start, "RRULE:\(rule)")))
      let first = day("2026-02-01")
      let whole = feed.instances(from: first.start(in: zone), to: first.advanced(by: 700).start(in: zone), in: zone)
        .instances
      #expect(!whole.isEmpty)
      var parts: [AgendaInstance] = []
      for week in stride(from: 0, to: 700, by: 7) {
        parts +=
          feed.instances(
            from: first.advanced(by: week).start(in: zone), to: first.advanced(by: week + 7).start(in: zone), in: zone
          ).instances
      }
      #expect(parts == whole)
      #expect(Set(whole).count == whole.count)
    }
  }

  @Test(arguments: zones) func `an event every day keeps its time through every change`(_ name: String) throws {
    let zone = zone(name)
    var calendarOfZone = Calendar(identifier: .gregorian)
    calendarOfZone.timeZone = zone
    let feed = try CalendarFeed.parse(
      calendar(
        event("a", "DTSTART;TZID=\(name):20260101T120000", "DTEND;TZID=\(name):20260101T130000", "RRULE:FREQ=DAILY")))
    let found = feed.instances("2026-01-01", "2028-01-01", in: zone)
    #expect(found.count == 730)
    for (number, instance) in found.enumerated() {
      let parts = calendarOfZone.dateComponents([.day, .hour, .minute], from: instance.start(in: zone))
      #expect(parts.hour == 12 && parts.minute == 0)
      #expect(instance.end(in: zone).timeIntervalSince(instance.start(in: zone)) == 3600)
      #expect(CalendarDay(of: instance.start(in: zone), in: zone) == day("2026-01-01").advanced(by: number))
    }
  }

  @Test func `two of one series at one instant are one`() throws {
    let feed = try CalendarFeed.parse(
      calendar(
        event(
          "a", "DTSTART;TZID=America/Chicago:20260308T020000", "RRULE:FREQ=HOURLY;COUNT=3", "RDATE:20260308T080000Z")))
    // 02:00 does not come and is 03:00, which is the second one too.
    #expect(feed.starts("2026-03-08", "2026-03-09") == ["2026-03-08T03:00:00-05:00", "2026-03-08T04:00:00-05:00"])
  }

  @Test(arguments: [
    ("DTSTART:20260101T100000Z", "RRULE:FREQ=DAILY;UNTIL=20251231T000000Z", 0),
    ("DTSTART:20260101T100000Z", "RRULE:FREQ=DAILY;UNTIL=20260101T100000Z", 1),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;UNTIL=20260103T000000Z", 3),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;UNTIL=20260103T235959Z", 3),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;UNTIL=20260103T060000Z", 3),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;UNTIL=20260103T055959Z", 2),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;UNTIL=20260103T120000", 3),
    ("DTSTART:20260101T100000Z", "EXDATE:20260101T100000Z", 0),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=3\r\nEXDATE:20260102T000000Z", 2),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=3\r\nEXDATE;TZID=Europe/Berlin:20260102T000000", 2),
    ("DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY;COUNT=3\r\nEXDATE:20260102T060000Z", 2),
    ("DTSTART:20260101T100000Z", "RRULE:FREQ=DAILY;COUNT=2\r\nRRULE:FREQ=WEEKLY;COUNT=2", 3),
    ("DTSTART:20260101T100000Z", "RRULE:FREQ=DAILY;COUNT=3\r\nEXRULE:FREQ=DAILY;INTERVAL=2", 1),
  ]) func `ends and exceptions are what people mean`(_ start: String, _ rule: String, _ count: Int) throws {
    let feed = try CalendarFeed.parse(calendar(event("a", start, rule)))
    #expect(feed.instances("2025-12-01", "2026-03-01").count == count)
  }

  @Test func `a cancelled series is gone with its exceptions, a cancelled rest of it from there on`() throws {
    let series = event("a", "DTSTART:20260504T150000Z", "RRULE:FREQ=DAILY;COUNT=5")
    let moved = event("a", "RECURRENCE-ID:20260505T150000Z", "DTSTART:20260505T170000Z")
    let rest = event(
      "a", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260507T150000Z", "DTSTART:20260507T150000Z", "STATUS:CANCELLED")
    let cancelled = event("a", "DTSTART:20260504T150000Z", "RRULE:FREQ=DAILY;COUNT=5", "STATUS:CANCELLED", "SEQUENCE:1")
    #expect(
      try CalendarFeed.parse(calendar(series, moved, rest)).starts("2026-05-01", "2026-06-01", in: .gmt)
        == ["2026-05-04T15:00:00+00:00", "2026-05-05T17:00:00+00:00", "2026-05-06T15:00:00+00:00"])
    #expect(try CalendarFeed.parse(calendar(cancelled, moved, series)).instances("2026-05-01", "2026-06-01").isEmpty)
  }

  /// The last of two days that the rules of DESIGN 3 must find for a static binary too.
  @Test func `the wall's zone decides what day it is`() throws {
    let feed = try CalendarFeed.parse(
      calendar(event("a", "DTSTART:20260506T033000Z"), event("b", "DTSTART;VALUE=DATE:20260506")))
    #expect(feed.starts("2026-05-05", "2026-05-06") == ["2026-05-05T22:30:00-05:00"])
    #expect(feed.starts("2026-05-06", "2026-05-07") == ["2026-05-06"])
    #expect(
      feed.starts("2026-05-06", "2026-05-07", in: zone("Europe/Berlin")) == ["2026-05-06", "2026-05-06T05:30:00+02:00"])
  }
}
