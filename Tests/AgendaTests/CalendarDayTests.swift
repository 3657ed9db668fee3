import Foundation
import Testing

@testable import Agenda

struct CalendarDayTests {
  @Test func `days are those of Foundation's calendar, from 1600 to 2400`() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for number in stride(from: -135_140, to: 157_000, by: 13) {
      let noon = Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: noon)
      let day = CalendarDay(number: number)
      #expect(day.parts.year == parts.year && day.parts.month == parts.month && day.parts.day == parts.day)
      #expect((day.weekday + 1) % 7 + 1 == parts.weekday)
      #expect(CalendarDay(day.description) == day)
    }
  }

  @Test(arguments: ["2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "26-01-01", "2026-04-31", "", "2026-11-+1"])
  func `what is no day is none`(_ text: String) { #expect(CalendarDay(text) == nil) }

  @Test(arguments: [
    ("America/Chicago", "2026-03-08", "2026-03-08T00:00:00-06:00"),
    ("America/Santiago", "2026-09-06", "2026-09-06T01:00:00-03:00"),
    ("Asia/Beirut", "2026-03-29", "2026-03-29T01:00:00+03:00"),
    ("Australia/Lord_Howe", "2026-04-05", "2026-04-05T00:00:00+11:00"),
  ]) func `a day begins at its first second`(_ name: String, _ written: String, _ start: String) {
    let zone = zone(name)
    #expect(text(day(written).start(in: zone), in: zone) == start)
    #expect(CalendarDay(of: instant(start), in: zone) == day(written))
    #expect(CalendarDay(of: instant(start).addingTimeInterval(-1), in: zone) == day(written).advanced(by: -1))
  }
}

/// Local times and instants, in every zone there is.
struct ZoneClockTests {
  /// The offset of a zone just before and after each change of 2020 to 2030.
  private static func changes(of zone: TimeZone) -> [(at: Int, before: Int, after: Int)] {
    var changes: [(at: Int, before: Int, after: Int)] = []
    var at = instant("2020-01-01T00:00:00Z")
    while let next = zone.nextDaylightSavingTimeTransition(after: at), next < instant("2030-01-01T00:00:00Z"), next > at
    {
      let second = next.wholeSeconds
      changes.append(
        (
          second, zone.secondsFromGMT(for: next.addingTimeInterval(-1)), zone.secondsFromGMT(for: next)
        ))
      at = next
    }
    return changes
  }

  @Test
  func `around every change of every zone, a time that comes twice is the first, one that does not come is later`() {
    var gaps = 0
    var overlaps = 0
    for name in TimeZone.knownTimeZoneIdentifiers {
      let zone = zone(name)
      let clock = ZoneClock(zone)
      for change in Self.changes(of: zone) where change.before != change.after {
        let (low, high) = (min(change.before, change.after), max(change.before, change.after))
        for step in stride(from: 0, to: high - low, by: 600) {
          let local = LocalMoment(seconds: change.at + low + step)
          #expect(clock.instant(of: local) == local.seconds - change.before, "\(name) \(change)")
        }
        if change.after > change.before { gaps += 1 } else { overlaps += 1 }
        for away in [-7200, -1, high - low, high - low + 7200] {
          let instant = change.at + away
          #expect(clock.instant(of: clock.moment(at: instant)) == instant, "\(name) \(change)")
        }
      }
    }
    #expect(gaps > 1000 && overlaps > 1000)
  }

  @Test func `rules that a calendar brings along say what the tz database says`() throws {
    let rules: [(String, String, [EmbeddedZone.Observance])] = [
      ("Europe/Berlin", "1996-10-28T00:00:00Z", observances((10, -1, 3, 7200, 3600), (3, -1, 2, 3600, 7200))),
      ("America/Chicago", "2007-03-01T00:00:00Z", observances((11, 1, 2, -18000, -21600), (3, 2, 2, -21600, -18000))),
      ("Australia/Lord_Howe", "2008-05-01T00:00:00Z", observances((4, 1, 2, 39600, 37800), (10, 1, 2, 37800, 39600))),
    ]
    for (name, since, rules) in rules {
      var steps = 5000
      let own = ZoneClock(.embedded(try #require(EmbeddedZone(rules, steps: &steps))), wall: .gmt)
      let tz = ZoneClock(zone(name))
      let first = instant(since).wholeSeconds
      for hour in stride(from: 0, to: 20 * 366 * 24, by: 1) where hour % 7 == 0 || hour % 4380 < 3 {
        let second = first + hour * 3600 + hour % 2 * 1800
        #expect(own.moment(at: second) == tz.moment(at: second), "\(name) at \(second)")
        let local = LocalMoment(seconds: second)
        #expect(own.instant(of: local) == tz.instant(of: local), "\(name) at local \(second)")
      }
    }
  }

  private typealias Rule = (month: Int, ordinal: Int, hour: Int, before: Int, after: Int)

  private func observances(_ rules: Rule...) -> [EmbeddedZone.Observance] {
    rules.map { rule in
      EmbeddedZone.Observance(
        isDaylight: rule.after > rule.before, start: LocalMoment(day("1601-01-01"), second: rule.hour * 3600),
        before: rule.before, after: rule.after,
        rule: RecurrenceRule("FREQ=YEARLY;BYMONTH=\(rule.month);BYDAY=\(rule.ordinal)SU"))
    }
  }

  @Test(arguments: [
    ("Europe/Berlin", true), ("US/Central", true), ("Asia/Calcutta", true), ("UTC", true),
    ("Z/../../etc/passwd", false),
    ("../etc/passwd", false), ("Customized Time Zone", false), ("UTC+01", true), ("UTC-03:30", true),
    ("GMT+0545", true),
    ("(UTC-05:00) Eastern Time (US & Canada)", true), ("(UTC+05:45) Nowhere", true), ("Pacific Standard Time", true),
    ("/mozilla.org/20050126_1/Europe/Berlin", true), ("UTC+99", false), ("", false), ("Europe/Atlantis", false),
    ("-", false), (String(repeating: "A", count: 100_000), false),
  ]) func `a zone is known by its name`(_ name: String, _ isKnown: Bool) {
    var table = ZoneTable([:])
    #expect(table.zone(name).isKnown == isKnown)
  }

  @Test(arguments: [
    ("UTC+01", 3600), ("UTC-03:30", -12_600), ("GMT+0545", 20_700), ("(UTC+05:45) Nowhere", 20_700),
    ("(UTC) Coordinated", 0),
  ]) func `an offset is a zone`(_ name: String, _ seconds: Int) {
    var table = ZoneTable([:])
    #expect(table.zone(name).zone == .fixed(seconds))
  }

  @Test func `every name of Windows leads to a zone`() {
    var table = ZoneTable([:])
    for name in [
      "W. Europe", "Romance", "Central Europe", "Central European", "GMT", "Greenwich", "FLE", "GTB", "E. Europe",
      "Eastern", "Central", "Mountain", "US Mountain", "Pacific", "Atlantic", "E. South America", "India", "China",
      "Tokyo",
      "AUS Eastern", "New Zealand",
    ] { #expect(table.zone(name + " Standard Time").isKnown, "\(name)") }
    #expect(table.zone("Central European Standard Time").zone == .named(zone("Europe/Warsaw")))
    #expect(table.zone("Central Europe Standard Time").zone == .named(zone("Europe/Budapest")))
  }
}
