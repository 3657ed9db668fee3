import Foundation
import Testing

@testable import Transit

struct WatchWindowTests {
  private static let everyDay = Weekday.allCases.map(\.rawValue)

  private static func instant(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

  @Test(arguments: [
    // Zone, from, to, day, start, end.
    ("America/Los_Angeles", "06:30", "09:00", "2026-11-03", "2026-11-03T14:30:00Z", "2026-11-03T17:00:00Z"),
    // Over midnight; and over midnight into the hour that comes twice.
    ("America/Los_Angeles", "23:30", "00:30", "2026-11-03", "2026-11-04T07:30:00Z", "2026-11-04T08:30:00Z"),
    ("America/Los_Angeles", "23:30", "01:30", "2026-10-31", "2026-11-01T06:30:00Z", "2026-11-01T08:30:00Z"),
    // Around the hour that comes twice: within it the first time round, over its end the whole of it.
    ("America/Los_Angeles", "01:10", "01:40", "2026-11-01", "2026-11-01T08:10:00Z", "2026-11-01T08:40:00Z"),
    ("America/Los_Angeles", "00:30", "02:30", "2026-11-01", "2026-11-01T07:30:00Z", "2026-11-01T10:30:00Z"),
    // Around the hour that does not come: from its end, until its beginning, moved behind it when wholly in it.
    ("America/Los_Angeles", "02:30", "04:00", "2026-03-08", "2026-03-08T10:00:00Z", "2026-03-08T11:00:00Z"),
    ("America/Los_Angeles", "01:00", "02:30", "2026-03-08", "2026-03-08T09:00:00Z", "2026-03-08T10:00:00Z"),
    ("America/Los_Angeles", "02:10", "02:40", "2026-03-08", "2026-03-08T10:10:00Z", "2026-03-08T10:40:00Z"),
    ("America/Los_Angeles", "02:30", "03:00", "2026-03-08", "2026-03-08T10:30:00Z", "2026-03-08T11:00:00Z"),
    ("America/Santiago", "00:00", "00:30", "2026-09-06", "2026-09-06T04:00:00Z", "2026-09-06T04:30:00Z"),
    ("Australia/Lord_Howe", "02:10", "02:20", "2026-10-04", "2026-10-03T15:40:00Z", "2026-10-03T15:50:00Z"),
  ])
  func `a window opens and closes by the clock of its zone`(
    _ name: String, _ from: String, _ to: String, _ day: String, _ start: String, _ end: String
  ) throws {
    let window = try #require(WatchWindow(days: Self.everyDay, from: from, to: to))
    let start = try Self.instant(start)
    let opening = try #require(window.opening(at: start, in: zone(name)))
    #expect(opening.start == start)
    #expect(opening.end == (try Self.instant(end)))
    #expect(window.opening(at: opening.end, in: zone(name)) == nil)
    #expect(window.opening(at: start - 1, in: zone(name)) == nil)
    #expect(window.nextOpening(after: start - 1, in: zone(name)) == opening)
  }

  @Test(arguments: [
    ([], "06:30", "09:00"), (["mon", "Tue"], "06:30", "09:00"), (["mon"], "06:30", "06:30"), (["mon"], "6:30", "09:00"),
    (["mon"], "06:30", "24:00"), (["mon"], "", "09:00"), (["mon"], "06:60", "09:00"), (["mon"], "06:30:00", "09:00"),
  ])
  func `what is no window is none`(_ days: [String], _ from: String, _ to: String) {
    #expect(WatchWindow(days: days, from: from, to: to) == nil)
  }

  @Test func `by default a window is half past six to nine on working days`() {
    let openings = (0..<7).map { WatchWindow.usual.opening(on: tuesday.advanced(by: $0), in: losAngeles) }
    #expect(openings.map { $0 != nil } == [true, true, true, true, false, false, true])
    #expect(openings.first??.start == eight - 5400 && openings.first??.end == eight + 3600)
    #expect(
      WatchWindow.usual.nextOpening(after: eight + 3 * 86_400, in: losAngeles)?.start == eight + 6 * 86_400 - 5400)
  }

  @Test func `a window over midnight belongs to the day it begins on`() throws {
    let window = try #require(WatchWindow(days: ["fri"], from: "23:30", to: "00:30"))
    let saturday = eight + 4 * 86_400 - 8 * 3600
    #expect(window.opening(at: saturday + 1799, in: losAngeles) != nil)
    #expect(window.opening(at: saturday - 86_400 + 60, in: losAngeles) == nil)
    #expect(window.opening(at: saturday + 86_400 - 60, in: losAngeles) == nil)
  }

  @Test func `in every zone, on every day of a clock change, windows open once a day and hold what the clock shows`()
    throws
  {
    let shapes = [
      ("06:30", "09:00"), ("23:30", "00:30"), ("01:10", "01:40"), ("02:10", "02:40"), ("00:00", "00:30"),
      ("22:00", "04:00"),
    ]
    let windows = try shapes.map { try #require(WatchWindow(days: Self.everyDay, from: $0.0, to: $0.1)) }
    var (changes, looks, moved) = (0, 0, 0)
    for name in TimeZone.knownTimeZoneIdentifiers {
      let zone = zone(name)
      for day in Self.changes(of: zone) {
        changes += 1
        for window in windows {
          let openings = (-1...1).compactMap { window.opening(on: day.advanced(by: $0), in: zone) }
          #expect(openings.count == 3 && openings.allSatisfy { $0.start < $0.end }, "\(name) \(day) \(window)")
          #expect(zip(openings, openings.dropFirst()).allSatisfy { $0.end <= $1.start }, "\(name) \(day) \(window)")
          let middle = openings[1]
          if !Self.shows(zone, at: middle.start, window) { moved += 1 }
          // Every quarter of an hour: the clock shows a time of the window, and shows it for the first time.
          for minute in stride(from: -60, through: 420, by: 15) {
            let instant = middle.start + Double(minute) * 60
            looks += 1
            let isHeld = window.opening(at: instant, in: zone) != nil
            let isShown = Self.shows(zone, at: instant, window)
            if isShown && !isHeld && !Self.isSecondTime(zone, instant) {
              Issue.record("\(name): \(instant) is not in \(window)")
            }
            if isHeld && !isShown && !Self.isNearChange(zone, instant) {
              Issue.record("\(name): \(instant) is in \(window)")
            }
          }
        }
      }
    }
    #expect(changes > 700 && looks > 100_000 && moved > 200)
  }

  /// The days of a zone on which its clock is changed in 2026 and 2027; an ordinary one where it never is.
  private static func changes(of zone: TimeZone) -> [ServiceDay] {
    let first = 20_454
    func offset(_ halfDay: Int) -> Int {
      zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(halfDay) * 43_200))
    }
    let changed = (first * 2..<(first + 730) * 2).filter { offset($0) != offset($0 + 1) }
    return (changed.isEmpty ? [first * 2 + 60] : changed).map { ServiceDay(number: $0 / 2) }
  }

  private static func shows(_ zone: TimeZone, at instant: Date, _ window: WatchWindow) -> Bool {
    let local = Int(instant.timeIntervalSince1970) + zone.secondsFromGMT(for: instant)
    let minute = TimeOfDay(minutes: ((local % 86_400) + 86_400) % 86_400 / 60)
    return window.from < window.to
      ? window.from <= minute && minute < window.to : window.from <= minute || minute < window.to
  }

  /// Whether the clock has shown this time before, some hours ago.
  private static func isSecondTime(_ zone: TimeZone, _ instant: Date) -> Bool {
    let offset = zone.secondsFromGMT(for: instant)
    return stride(from: 1800, through: 10_800, by: 1800).contains { back in
      zone.secondsFromGMT(for: instant - Double(back)) - offset == back
    }
  }

  private static func isNearChange(_ zone: TimeZone, _ instant: Date) -> Bool {
    zone.secondsFromGMT(for: instant - 10_800) != zone.secondsFromGMT(for: instant + 10_800)
  }
}
