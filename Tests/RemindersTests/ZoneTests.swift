import Foundation
import Testing

@testable import Reminders

/// Every zone there is, on the days around every change of its clock in 2026 and 2027.
struct ZoneTests {
  /// A dose every half hour, and one medication each of the shapes that people have.
  private static let everyHalfHour = Medication(
    id: "half", person: "ann", name: "half",
    times: (0..<48).map { DoseTime(at: LocalTime(hour: $0 / 2, minute: $0 % 2 * 30)) })

  private static let shapes = [
    everyHalfHour, medication("night", time("00:00"), time("01:30"), time("02:15"), time("23:59")),
    medication("twice", time("08:00"), time("20:00")), medication("once", time("02:30")),
  ]

  /// The days on which the clock of a zone is changed, told by its offset alone; a day without a change for the others.
  private static func days(of zone: TimeZone) -> [LocalDay] {
    let first = 20_454  // 2026-01-01
    func offset(_ halfDay: Int) -> Int {
      zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(halfDay) * 43_200))
    }
    let changed = (first * 2..<(first + 730) * 2).filter { offset($0) != offset($0 + 1) }
    return (changed.isEmpty ? [first * 2 + 60] : changed).map { LocalDay(number: $0 / 2) }
  }

  @Test func `in every zone occurrences increase, none is lost or doubled, and default windows do not overlap`() {
    var (changes, count, shifted, skipped) = (0, 0, 0, 0)
    for zone in RandomHouse.zones {
      let schedule = Schedule(zone: zone)
      for day in Self.days(of: zone) {
        changes += 1
        let middle = Date(timeIntervalSince1970: Double(day.number) * 86_400)
        for medication in Self.shapes {
          let all = schedule.occurrences(of: medication, from: middle - 3 * 86_400, to: middle + 4 * 86_400)
          let kept = all.filter { !$0.isSkippedByClockChange }.map(\.occurrence)
          count += all.count
          skipped += all.count - kept.count
          for (a, b) in zip(kept, kept.dropFirst()) {
            if a.dueAt >= b.dueAt { Issue.record("\(zone.identifier): \(a.key) is not before \(b.key)") }
            if a.closesAt > b.opensAt { Issue.record("\(zone.identifier): \(a.key) still open when \(b.key) opens") }
          }
          let keys = Set(all.map(\.occurrence.key))
          if keys.count != all.count { Issue.record("\(zone.identifier): doubled on \(day)") }
          for number in day.number - 1...day.number + 1 {
            for time in medication.times {
              let key = OccurrenceKey(medication: medication.id, day: LocalDay(number: number), at: time.at)
              if !keys.contains(key) { Issue.record("\(zone.identifier): lost \(key)") }
            }
          }
          for planned in all where !shows(planned.occurrence, in: zone) {
            shifted += 1
            if exists(planned.occurrence.key, in: zone) {
              Issue.record("\(zone.identifier): \(planned.occurrence.key) is not at its local time")
            }
          }
        }
      }
    }
    print(
      "zones: \(RandomHouse.zones.count), clock changes \(changes), doses \(count), moved \(shifted), skipped \(skipped)"
    )
    #expect(RandomHouse.zones.count > 400)
    #expect(changes > 700 && shifted > 1000 && skipped > 500)
  }

  /// Whether a clock of the zone shows the local time of the key at the due instant.
  private func shows(_ occurrence: Occurrence, in zone: TimeZone) -> Bool {
    let seconds = Int(occurrence.dueAt.timeIntervalSince1970)
    return seconds + zone.secondsFromGMT(for: occurrence.dueAt) == local(occurrence.key)
  }

  private func local(_ key: OccurrenceKey) -> Int {
    key.day.number * 86_400 + key.at.hour * 3600 + key.at.minute * 60
  }

  /// Looks for an instant at which a clock shows the local time, a quarter of an hour at a time.
  private func exists(_ key: OccurrenceKey, in zone: TimeZone) -> Bool {
    let local = local(key)
    return (-56...56).contains { quarter in
      let at = local + quarter * 900
      return at + zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(at))) == local
    }
  }

  @Test func `in every zone a credited dose is never late again`() {
    var (taps, looks) = (0, 0)
    for zone in RandomHouse.zones {
      for day in Self.days(of: zone) {
        var wall = TestWall([medication("night", time("00:30"), time("02:30"), time("23:30"), spacing: 0)])
        wall.zone = zone
        let start = Date(timeIntervalSince1970: Double(day.number) * 86_400 - 43_200)
        wall.advance(to: start)
        for hour in 0..<36 {
          let now = start + Double(hour) * 3600 + 60
          let credited = wall.tap(annTag, now).credited
          taps += credited.count
          let late = wall.status(now + 1800).late.map(\.occurrence.key)
          looks += 1
          let taken = Set(wall.log.credits.map(\.key))
          if let again = late.first(where: taken.contains) { Issue.record("\(zone.identifier): \(again) late again") }
        }
        let keys = wall.log.credits.map(\.key)
        if Set(keys).count != keys.count { Issue.record("\(zone.identifier): credited twice on \(day)") }
      }
    }
    print("zones: credited \(taps) doses, looked \(looks) times")
    #expect(taps > 3 * 700)
  }

  @Test(arguments: [
    // Gap: forward by its length. Overlap: the first. Midnight that does not exist. Half an hour on Lord Howe.
    ("America/Chicago", "2026-03-08", "02:30", "2026-03-08T08:30:00Z"),
    ("America/Chicago", "2026-11-01", "01:30", "2026-11-01T06:30:00Z"),
    ("America/Los_Angeles", "2026-03-08", "02:30", "2026-03-08T10:30:00Z"),
    ("America/Santiago", "2026-09-06", "00:00", "2026-09-06T04:00:00Z"),
    ("America/Santiago", "2026-09-06", "00:30", "2026-09-06T04:30:00Z"),
    ("America/Havana", "2026-03-08", "00:00", "2026-03-08T05:00:00Z"),
    ("Asia/Beirut", "2026-03-29", "00:00", "2026-03-28T22:00:00Z"),
    ("Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:45:00Z"),
    ("Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45:00Z"),
    // Days that were left out: the dose moves by the whole day.
    ("Pacific/Apia", "2011-12-30", "08:00", "2011-12-30T18:00:00Z"),
    ("Pacific/Kwajalein", "1993-08-21", "08:00", "1993-08-21T20:00:00Z"),
  ])
  func `a local time becomes the instant it should`(zone: String, day: String, time text: String, due: String) throws {
    let zone = try #require(TimeZone(identifier: zone))
    let day = try #require(LocalDay(day))
    // Weekly, so that the day after is no neighbour.
    let dose = medication("m", time(text, days: [day.weekday]))
    let found = Schedule(zone: zone).occurrences(of: dose, from: at(due) - 86_400, to: at(due) + 86_400)
    #expect(found.map(\.occurrence.dueAt) == [at(due)])
    #expect(found.map(\.occurrence.key.day) == [day])
  }

  @Test func `a day that is left out skips its doses onto the next day's and loses none of those`() throws {
    let apia = try #require(TimeZone(identifier: "Pacific/Apia"))
    let found = Schedule(zone: apia).occurrences(
      of: medication("m", time("08:00")), from: at("2011-12-29T00:00:00Z"), to: at("2012-01-01T00:00:00Z"))
    #expect(
      found.filter { !$0.isSkippedByClockChange }.map(\.occurrence.key.day.description) == [
        "2011-12-29", "2011-12-31", "2012-01-01",
      ])
    #expect(found.filter(\.isSkippedByClockChange).map(\.occurrence.key.day.description) == ["2011-12-30"])
  }

  @Test func `of two doses that a gap puts on one instant the moved one is skipped`() {
    var wall = TestWall([medication("m", time("02:00"), time("03:00"))])
    wall.advance(to: at("2026-03-08T00:30:00-08:00"))
    wall.advance(to: at("2026-03-08T03:00:00-07:00"))
    #expect(wall.ending("m", "2026-03-08", "02:00") == .skipped(.clockChange))
    #expect(wall.tap("2026-03-08T03:00:00-07:00").credited.map(\.key.at.description) == ["03:00"])
  }

  @Test func `a changed zone makes no dose twice`() throws {
    let cities = ["Pacific/Kiritimati", "Asia/Tokyo", "Europe/London", "America/Los_Angeles", "Pacific/Pago_Pago"]
    let zones = try cities.map { try #require(TimeZone(identifier: $0)) }
    for (from, to) in zones.flatMap({ a in zones.map { (a, $0) } }) {
      for hour in stride(from: 0, to: 24, by: 5) {
        var wall = TestWall([medication("m", time("08:00"), time("20:00", closes: 900))])
        wall.zone = from
        let start = at("2026-06-10T00:00:00Z")
        for step in 0..<40 { wall.advance(to: start + Double(step) * 3600 + Double(hour) * 3600) }
        wall.zone = to
        for step in 40..<70 { wall.advance(to: start + Double(step) * 3600 + Double(hour) * 3600) }
        let keys = wall.log.rows.map(\.occurrence.key)
        #expect(Set(keys).count == keys.count, "\(from.identifier) to \(to.identifier)")
      }
    }
  }

  @Test func `a year of twenty medications takes milliseconds`() throws {
    let medications = (0..<20).map { medication("m\($0)", time("08:00"), time("14:00"), time("21:30")) }
    let schedule = Schedule(zone: losAngeles)
    let clock = ContinuousClock.now
    let count = medications.reduce(0) { sum, medication in
      sum
        + schedule.occurrences(
          of: medication, from: at("2026-01-01T00:00:00Z"), to: at("2027-01-01T00:00:00Z")
        ).count
    }
    let spent = ContinuousClock.now - clock
    print("occurrences: \(count) in \(spent)")
    #expect(count >= 20 * 3 * 365)
    #expect(spent < .seconds(3), "generous: a debug build on a busy machine")
  }
}
