internal import BellSchedule
internal import Foundation
internal import Testing

/// The wall names no date as a day of school that the data does not give.
@Suite struct NextSchoolDayTests {
  @Test(arguments: [
    // The first day of a year is named by the file, whether its exceptions are known or not.
    ("2026-06-10 12:10", "2026-08-12"), ("2026-08-11 20:00", "2026-08-12"),
    // A weekend and a break in a year that nobody has published: the Monday after may be free as well.
    ("2026-08-15 12:00", nil), ("2026-12-24 12:00", nil), ("2027-05-23 12:00", nil),
    // Behind the last year.
    ("2027-06-10 12:00", nil),
  ])
  func `the next day of school is one that somebody has named`(now: String, next: String?) throws {
    #expect(try calendar().facts(at: at(now)).next?.day == next.map(day))
  }

  @Test func `a fetched map without this year leaves no next day in it`() throws {
    let calendar = try calendarOf2027()
    #expect(calendar.facts(at: at("2025-12-27 10:00")).next == nil)
    #expect(calendar.facts(at: at("2025-08-01 10:00")).next?.day == day("2025-08-12"))
    #expect(calendar.facts(at: at("2026-12-27 10:00")).next?.day == day("2027-01-06"))
  }

  @Test func `after a day of which somebody spoke, an unpublished one is not promised`() throws {
    let tuesday = day("2026-09-01")
    var calendar = try calendar(BellOverride(day: tuesday, type: "Standard", until: at("2026-09-02 00:00")))
    #expect(calendar.facts(at: at("2026-09-01 16:00")).line == "afterSchool")
    calendar.overrides.append(
      BellOverride(day: day("2026-09-02"), type: "Late Arrival", until: at("2026-09-03 00:00")))
    #expect(calendar.facts(at: at("2026-09-01 16:00")).line == "afterSchool -> 1 on 2026-09-02")
    // What lies between is not known: what was said of Thursday does not make Wednesday free.
    calendar.overrides[1] = BellOverride(day: day("2026-09-03"), type: "Standard", until: at("2026-09-04 00:00"))
    #expect(calendar.facts(at: at("2026-09-01 16:00")).line == "afterSchool")
  }

  @Test func `on every day of three years the next one is given by the data, and everything before it is free`() throws
  {
    for calendar in [try calendar(), try calendarOf2027()] {
      var (named, unnamed) = (0, 0)
      for number in day("2025-06-01").number...day("2027-09-30").number {
        let today = DayKey(number: number)
        guard let next = calendar.nextSchoolDay(after: today, at: .distantPast) else {
          unnamed += 1
          continue
        }
        named += 1
        let isGiven: Bool
        switch next.kind {
        case .school, .nameOnly: isGiven = true
        case .unpublished: isGiven = calendar.school.years.contains { $0.first == next.day } && next.block == nil
        default: isGiven = false
        }
        if !isGiven { Issue.record("after \(today): \(next.day) is \(next.kind)") }
        for between in number + 1..<max(next.day.number, number + 1) {
          let kind = calendar.resolveDay(DayKey(number: between), at: .distantPast).kind
          switch kind {
          case .free, .outsideYear, .schoolBreak, .weekend: break
          default: Issue.record("after \(today): \(DayKey(number: between)) is \(kind), and not named")
          }
        }
      }
      #expect(named > 300 && unnamed > 100)
    }
  }
}
