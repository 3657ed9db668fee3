internal import BellSchedule
internal import Foundation
internal import Testing

/// The two school years of the fixture, walked second by second beside tables that were typed again for it: what
/// `momentState` says shares no code with them. Every second is walked on one day of each kind; the other days of the kind
/// are shown to have the same bells, and are walked around them.
@Suite struct ScanTests {
  /// Bells as `name begin end`, times as `HHMM`.
  private static let tables: [String: String] = [
    "Standard": "1 830 921 2 926 1013 3 1018 1105 4 1110 1157 5 1202 1249 6 1254 1341 7 1346 1433 8 1438 1525",
    "Late Arrival": "1 1030 1105 2 1110 1140 3 1145 1215 4 1220 1255 5 1300 1335 6 1340 1415 7 1420 1450 8 1455 1525",
    "Activity Period":
      "1 830 915 2 920 1001 Activity 1006 1049 3 1054 1135 4 1140 1221 5 1226 1307 6 1312 1353 7 1358 1439 8 1444 1525",
    "PM Assembly":
      "1 830 915 2 920 1001 3 1006 1047 4 1052 1133 5 1138 1219 6 1224 1305 7 1310 1351 8 1356 1437 Assembly 1442 1525",
    "Early Dismissal 1": "6 830 910 2 920 1000 3 1010 1050 4 1100 1140 Makeup 1140 1230",
    "Early Dismissal 2": "5 830 910 1 920 1000 7 1010 1050 8 1100 1140 Makeup 1140 1230",
  ]

  /// One second of a day as the tables have it: who is in class, what ends when.
  private struct Painting {
    var names: [String] = []
    /// By second of the day: the index of its name; -1 before school, -2 passing, -3 after it.
    var seconds = [Int8](repeating: -1, count: 86_400)
    var edges: [Int] = []

    init(_ table: String) {
      let words = table.split(separator: " ").map(String.init)
      func second(_ word: String) -> Int { (Int(word) ?? 0) / 100 * 3600 + (Int(word) ?? 0) % 100 * 60 }
      for index in stride(from: 0, to: words.count, by: 3) {
        let (start, end) = (second(words[index + 1]), second(words[index + 2]))
        if let last = edges.last { for second in last..<start { seconds[second] = -2 } }
        for second in start..<end { seconds[second] = Int8(names.count) }
        names.append(words[index])
        edges += [start, end]
      }
      for second in (edges.last ?? 0)..<86_400 { seconds[second] = -3 }
    }

    /// How far `state` is from what the painting has at a second of the day; nil: nothing.
    func difference(_ second: Int, _ state: MomentState) -> String? {
      switch state {
      case .inPeriod(let block, _):
        let index = Int(seconds[second])
        return index >= 0 && names[index] == block.id.text ? nil : "in \(block.id.text)"
      case .passing: return seconds[second] == -2 ? nil : "passing"
      case .beforeSchool: return seconds[second] == -1 ? nil : "before school"
      case .afterSchool: return seconds[second] == -3 ? nil : "after school"
      case .noSchool, .unpublished: return "no school"
      }
    }
  }

  private static func painting(_ timeline: DayTimeline, place: Int) -> Painting? {
    guard case .school(let type) = timeline.kind else { return nil }
    return tables[type == "Early Dismissal" ? "\(type) \(place)" : type].map { Painting($0) }
  }

  private func calendars() throws -> [(SchoolCalendar, ClosedRange<Int>)] {
    [
      (try calendar(), day("2025-08-12").number...day("2026-05-22").number),
      (try calendarOf2027(), day("2026-08-12").number...day("2027-05-27").number),
    ]
  }

  /// Places of short days, said by their dates.
  private static let secondShortDays = [day("2025-12-19"), day("2026-05-22")]

  @Test func `every second of a day of each kind is what its table says`() throws {
    var seen: Set<String> = []
    for (calendar, days) in try calendars() {
      for day in days.map(DayKey.init(number:)) {
        let timeline = calendar.resolveDay(day, at: .distantPast)
        let place = Self.secondShortDays.contains(day) ? 2 : 1
        let key = "\(timeline.kind) \(place)"
        guard seen.insert(key).inserted, let painting = Self.painting(timeline, place: place) else { continue }
        let midnight = calendar.endOfDay(day.advanced(by: -1))
        for second in 0..<86_400 {
          let state = timeline.momentState(at: midnight.addingTimeInterval(Double(second)))
          if let difference = painting.difference(second, state) {
            Issue.record("\(day) second \(second): \(difference)")
          }
        }
      }
    }
    #expect(seen.isSuperset(of: ["school(type: \"Standard\") 1", "school(type: \"Early Dismissal\") 2"]))
  }

  @Test func `every day of both years is walked without a gap or an overlap`() throws {
    var (schoolDays, looks) = ([0, 0], 0)
    for (index, (calendar, days)) in try calendars().enumerated() {
      for day in days.map(DayKey.init(number:)) {
        let timeline = calendar.resolveDay(day, at: .distantPast)
        let midnight = calendar.endOfDay(day.advanced(by: -1))
        guard let painting = Self.painting(timeline, place: Self.secondShortDays.contains(day) ? 2 : 1) else {
          #expect(timeline.momentState(at: midnight) == .noSchool)
          #expect(timeline.momentState(at: midnight.addingTimeInterval(43_200)) == .noSchool)
          continue
        }
        schoolDays[index] += 1
        // Elapsed seconds are those of the clock: no school day has a change of it.
        let told = timeline.blocks.flatMap { [$0.startsAt, $0.endsAt] }.map { $0.timeIntervalSince(midnight) }
        if told != painting.edges.map(Double.init) { Issue.record("\(day) rings at \(told)") }
        let edges = painting.edges.flatMap { ($0 - 2)...($0 + 1) }
        for second in edges + Array(stride(from: 0, to: 86_400, by: 300)) {
          looks += 1
          let state = timeline.momentState(at: midnight.addingTimeInterval(Double(second)))
          if let difference = painting.difference(second, state) {
            Issue.record("\(day) second \(second): \(difference)")
          }
        }
      }
    }
    print("scan: \(schoolDays) school days, \(looks) looks")
    #expect(schoolDays == [176, 177])
  }
}
