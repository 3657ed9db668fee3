internal import BellSchedule
internal import Foundation
internal import Testing

/// Every zone there is, on the days around every change of its clock in 2026 and 2027.
@Suite struct ZoneTests {
  private static let zones = TimeZone.knownTimeZoneIdentifiers.compactMap { TimeZone(identifier: $0) }

  private static func days(of zone: TimeZone) -> [Int] {
    let first = 20_454  // 2026-01-01
    func offset(_ halfDay: Int) -> Int {
      zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(halfDay) * 43_200))
    }
    let changed = (first * 2..<(first + 730) * 2).filter { offset($0) != offset($0 + 1) }
    return changed.isEmpty ? [first + 60] : changed.map { $0 / 2 }
  }

  private func school() throws -> School {
    var school = try smallSchool(periods: "'1': '5:00-6:30', '2': '6:35-12:00', '3': '12:00-23:59'")
    school.years = [SchoolYear(first: day("2025-12-01"), last: day("2028-01-31"))]
    return school
  }

  @Test
  func `in every zone days begin once, bells ring at their local times, and the state changes only when it is told`()
    async throws
  {
    let school = try school()
    var (changes, states) = (0, 0)
    for zone in Self.zones {
      await Task.yield()
      var calendar = SchoolCalendar(school: school, zone: zone)
      for number in Self.days(of: zone) {
        for number in number - 1...number + 1 {
          let day = DayKey(number: number)
          let start = calendar.endOfDay(day.advanced(by: -1))
          let end = calendar.endOfDay(day)
          if calendar.day(of: start) != day || calendar.day(of: start.addingTimeInterval(-1)) != day.advanced(by: -1) {
            Issue.record("\(zone.identifier): \(day) does not begin at \(start)")
          }
          // Clocks are changed on weekends: there is school all the same.
          calendar.overrides = [BellOverride(day: day, type: "Standard", until: end)]
          let blocks = calendar.resolveDay(day, at: start).blocks
          for (block, minutes) in zip(blocks, [300, 395, 720]) {
            let local = Int(block.startsAt.timeIntervalSince1970) + zone.secondsFromGMT(for: block.startsAt)
            if local != number * 86_400 + minutes * 60 {
              Issue.record("\(zone.identifier): \(day) \(block) rings wrong")
            }
          }
          // From change to change until the day is over: each is after the one before, and between them nothing happens.
          var now = start
          var line = calendar.facts(at: now)
          while now < end {
            changes += 1
            let next = calendar.nextChange(after: now, pupils: [])
            guard next > now, next <= end else {
              Issue.record("\(zone.identifier): after \(now) comes \(next)")
              break
            }
            let before = calendar.facts(at: next.addingTimeInterval(-0.5))
            if before.state != line.state || before.block?.id != line.block?.id || before.endsAt != line.endsAt {
              Issue.record("\(zone.identifier): \(line.line) changed before \(next)")
            }
            now = next
            let after = calendar.facts(at: now)
            if after.state != line.state || after.block?.id != line.block?.id { states += 1 }
            line = after
          }
        }
      }
    }
    print("bell zones: \(Self.zones.count), changes \(changes), states \(states)")
    #expect(Self.zones.count > 400 && changes > 10_000 && states > 5000)
  }
}
