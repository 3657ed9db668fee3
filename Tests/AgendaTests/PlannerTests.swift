import Foundation
import Testing

@testable import Agenda

/// Clashes, gaps, the next three hours and reminders (domain 3.5).
struct PlannerTests {
  static let walking = WalkingTimes(venue: ["R1", "R2"])

  @Test(
    arguments: [
      ("10:30", "R1", nil), ("10:34", "R2", Clash.Kind.tight(missing: 60)), ("10:35", "R2", nil),
      ("10:50", "Cafe", .tight(missing: 300)),
      ("10:55", "Cafe", nil), ("10:29", "R1", .overlap(60)), ("10:29", "R2", .overlap(60)), ("10:30", " r1 ", nil),
      ("10:00", "R1", .overlap(1800)),
      ("10:33", nil, .tight(missing: 120)),
    ] as [(String, String?, Clash.Kind?)])
  func `two clash when they overlap, or when the way between them is too long`(
    _ start: String, _ place: String?, _ kind: Clash.Kind?
  ) {
    let a = item("a", "10:00", "10:30", at: "R1")
    let b = item("b", start, "11:00", at: place)
    for order in [[a, b], [b, a]] {
      let clashes = Clash.find(in: order, walking: Self.walking)
      #expect(clashes.map(\.kind) == [kind].compactMap(\.self))
      #expect(clashes.first.map { $0.first.instance.uid } ?? "a" == "a")
      #expect(clashes.first?.walk.isGuess ?? (place == nil) == (place == nil))
    }
  }

  @Test func `what has no length, takes no time or lasts whole days does not clash`() {
    let a = item("a", "10:00", "10:30", at: "R1")
    #expect(Clash.find(in: [a, item("b", "10:30", at: "R1")], walking: Self.walking).isEmpty)
    #expect(Clash.find(in: [a, item("b", "10:00", "11:00", at: "R1", isFree: true)], walking: Self.walking).isEmpty)
    #expect(Clash.find(in: [a, wholeDays("b", "2026-05-05", "2026-05-06")], walking: Self.walking).isEmpty)
  }

  @Test func `every pair of three is reported once, whatever the order`() {
    let items = [
      item("a", "10:00", "12:00", at: "R1"), item("b", "10:30", "12:00", at: "R1"),
      item("c", "11:00", "12:00", at: "R1"),
    ]
    for order in [items, items.reversed(), [items[1], items[0], items[2]]] {
      let pairs = Clash.find(in: order, walking: Self.walking).map { [$0.first.instance.uid, $0.second.instance.uid] }
      #expect(pairs == [["a", "b"], ["a", "c"], ["b", "c"]])
    }
  }

  @Test func `a long event clashes with what comes much later`() {
    let items = [
      item("a", "08:00", "18:00", at: "R1"), item("b", "09:00", "09:10", at: "R1"),
      item("c", "17:00", "17:30", at: "R1"),
    ]
    #expect(Clash.find(in: items, walking: Self.walking).map(\.second.instance.uid) == ["b", "c"])
  }

  @Test func `thousands at one time give a bounded list`() {
    let items = (0..<5000).map { item("\($0)", "10:00", "11:00", at: "R1") }
    #expect(Clash.find(in: items, walking: Self.walking).count == 200)
  }

  @Test(arguments: [("11:15", ["11:00-11:15"]), ("11:14", []), ("11:00", []), ("12:00", ["11:00-12:00"])])
  func `a quarter of an hour is a gap`(_ next: String, _ expected: [String]) {
    // The second ends before the first: the gap begins where both are over.
    let items = [
      item("c", next, "13:00"), item("a", "10:00", "11:00"), item("b", "10:10", "10:20"),
      item("free", "11:00", "11:30", isFree: true),
    ]
    let gaps = AgendaGap.find(in: items, on: day("2026-05-05"), zone: .gmt)
    #expect(
      gaps.map {
        "\(text($0.start, in: .gmt).dropFirst(11).prefix(5))-\(text($0.end, in: .gmt).dropFirst(11).prefix(5))"
      } == expected)
  }

  @Test func `a gap lies within one day`() {
    let items = [
      item("a", "2026-05-04T10:00:00Z", "2026-05-04T11:00:00Z"), item("b", "10:00", "11:00"),
      item("c", "2026-05-06T10:00:00Z", "2026-05-06T11:00:00Z"),
    ]
    #expect(AgendaGap.find(in: items, on: day("2026-05-05"), zone: .gmt).isEmpty)
  }

  @Test(
    arguments: [
      ("07:00:00", [], ["a", "b", "c"]), ("08:00:00", ["x"], []), ("11:30:00", ["x"], []), ("12:00:00", [], ["d"]),
      ("13:00:01", [], []), ("10:59:59", ["x"], []),
    ] as [(String, [String], [String])])
  func `the next three hours are mine, or three others`(_ at: String, _ mine: [String], _ suggested: [String]) {
    let others = [
      item("b", "08:30", "09:00"), item("a", "08:00", "09:00"), item("c", "09:00", "10:00"),
      item("late", "09:59", "10:30"), item("d", "13:00", "14:00"),
    ]
    let chosen = [item("x", "10:59", "12:00")]
    let hours = ComingHours(chosen: chosen, others: others, at: instant("2026-05-05T\(at)Z"))
    switch hours {
    case .chosen(let items): #expect(items.map(\.instance.uid) == mine && suggested.isEmpty)
    case .suggested(let items): #expect(items.map(\.instance.uid) == suggested && mine.isEmpty)
    }
  }

  @Test func `the card of the next hours stays as it is until it is said to change`() {
    var dice = Dice(3)
    let form = Date.ISO8601FormatStyle()
    let day = instant("2026-05-05T00:00:00Z")
    func some(_ count: Int) -> [AgendaItem] {
      (0..<count).map { number in
        let begin = day.addingTimeInterval(Double(Int.random(in: 0..<1440, using: &dice) * 60))
        let end = begin.addingTimeInterval(Double(Int.random(in: 0..<90, using: &dice) * 60))
        return item("\(number)", form.format(begin), form.format(end))
      }
    }
    let (chosen, others) = (some(4), some(20))
    var now = day
    var changes = 0
    while let next = ComingHours.nextChange(chosen: chosen, others: others, after: now) {
      let before = ComingHours(chosen: chosen, others: others, at: now)
      #expect(next > now)
      #expect(ComingHours(chosen: chosen, others: others, at: next.addingTimeInterval(-1)) == before)
      now = next
      changes += 1
    }
    #expect(changes > 40)
    #expect(ComingHours(chosen: chosen, others: others, at: now) == .suggested([]))
  }

  @Test(arguments: EventReminder.Lead.allCases)
  func `a reminder fires so long before, or at once when it is late already`(_ lead: EventReminder.Lead) {
    let now = instant("2026-05-05T10:00:00Z")
    let minutes = Double(lead.rawValue * 60)
    for (start, expected) in [
      ("10:45", instant("2026-05-05T10:45:00Z").addingTimeInterval(-minutes)),
      ("10:01", max(now, now.addingTimeInterval(60 - minutes))),
      ("10:00", lead == .atStart ? now : nil), ("09:59", nil),
    ] {
      #expect(
        EventReminder.plan([item("a", start, "11:00")], lead: lead, at: now).map(\.fireAt)
          == [expected].compactMap(\.self))
    }
  }

  @Test func `a reminder 30 minutes before is 30 minutes before through a clock change`() {
    let start = instant("2026-03-08T08:15:00Z")
    let plan = EventReminder.plan(
      [item("a", "2026-03-08T08:15:00Z")], lead: .thirty, at: start.addingTimeInterval(-86_400))
    #expect(plan.map(\.fireAt) == [start.addingTimeInterval(-1800)])
  }

  @Test func `sixty wait at most, the earliest first, and the same input gives the same plan`() {
    let items = (0..<100).map {
      item("\($0)", "2026-05-\(String(format: "%02d", 6 + (99 - $0) / 10))T1\($0 % 10):00:00Z")
    }
    let now = instant("2026-05-05T10:00:00Z")
    let plan = EventReminder.plan(items, at: now)
    #expect(plan.count == 60)
    #expect(plan == EventReminder.plan(items.shuffled(), at: now))
    #expect(plan.map(\.fireAt) == plan.map(\.fireAt).sorted())
    #expect(plan[0].fireAt == instant("2026-05-06T09:50:00Z"))
    // What had no room comes in when others have fired.
    let later = EventReminder.plan(items, at: plan[30].fireAt.addingTimeInterval(600))
    #expect(later.count == 60 && later.contains { one in !plan.contains { $0.id == one.id } })
  }

  @Test func `an event that moves has another reminder`() {
    let now = instant("2026-05-05T08:00:00Z")
    let before = EventReminder.plan([item("a", "10:00")], at: now)
    let after = EventReminder.plan([item("a", "10:30")], at: now)
    #expect(before.map(\.id) != after.map(\.id))
    #expect(EventReminder.plan([wholeDays("a", "2026-05-06", "2026-05-07")], at: now).isEmpty)
  }
}
