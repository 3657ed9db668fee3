internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct BusCardTests {
  private static let scheduledAt = at(2, "8:08")

  private static func card(
    _ state: BusFacts.State, language: String = "en", _ change: (inout BusFacts) -> Void = { _ in }
  ) -> Snapshot.Card? {
    var bus = BusFacts(
      id: "school 7", name: "Garfield Station", route: "172", state: state, at: at(2, "8:14"), minutes: 6)
    change(&bus)
    var input = input(language: language)
    input.rail.buses = [bus]
    return input.snapshot(v: 1).rail.cards.first
  }

  @Test func `a bus is its route, its name and the time that is left`() {
    let card = Self.card(.predicted(lateSeconds: 0, scheduledAt: Self.scheduledAt, age: nil))
    #expect(card?.id == "bus:school 7" && card?.kind == "bus")
    #expect(card?.badge == "172" && card?.title == "Garfield Station")
    #expect(card?.value == "6" && card?.unit == "min" && card?.at == "2026-11-02T08:14:00-08:00")
  }

  @Test(
    arguments: [
      (0, nil, "normal", "on time"), (90, nil, "normal", "on time"), (90.0004, nil, "normal", "on time"),
      (90.001, nil, "late", "2 min late · scheduled 8:08"), (360, nil, "late", "6 min late · scheduled 8:08"),
      (360, 2, "late", "6 min late · heard 2 min ago · scheduled 8:08"), (0, 2, "normal", "on time · heard 2 min ago"),
      (-59, nil, "normal", "on time"), (-60, nil, "normal", "1 min early · scheduled 8:08"),
      (nil, nil, "normal", "live"), (nil, 1, "normal", "heard 1 min ago"),
    ] as [(Double?, Int?, String, String)])
  func `a prediction says how it stands to the timetable, and its age when it has one`(
    late: Double?, age: Int?, style: String, detail: String
  ) {
    let card = Self.card(.predicted(lateSeconds: late, scheduledAt: Self.scheduledAt, age: age))
    #expect(card?.style == style)
    #expect(card?.detail == detail)
  }

  @Test(
    arguments: [
      ("en", .scheduled(heard: nil), "scheduled", "6", "by the timetable"),
      ("de", .scheduled(heard: nil), "scheduled", "6", "nach Fahrplan"),
      ("en", .canceled, "canceled", "8:14", "does not run"), ("de", .canceled, "canceled", "8:14", "fällt aus"),
      ("en", .frequency(every: 10), "normal", "6", "every 10 min"),
      ("en", .stale(minutes: 4, was: at(2, "8:14")), "stale", "–", "no data for 4 min · was 8:14"),
      ("de", .stale(minutes: 4, was: at(2, "8:14")), "stale", "–", "seit 4 Min. keine Daten · zuletzt 8:14"),
      ("en", .silent(.later(at(2, "9:30"))), "scheduled", "", "next 9:30"),
      ("en", .silent(.noServiceToday), "scheduled", "", "no service today"),
      ("en", .silent(.noMoreToday(next: nil)), "scheduled", "", "no more buses today"),
      (
        "en", .silent(.noMoreToday(next: at(3, "6:10"))), "scheduled", "", "no more buses today · next tomorrow 6:10"
      ),
      ("en", .silent(.timetableExpired), "stale", "", "the timetable has expired"),
      ("en", .silent(.providerDown(since: at(2, "7:50"))), "stale", "", "no answer since 7:50"),
      (
        "en", .silent(.notAvailable(.notFound, since: at(2, "7:50"))), "stale", "",
        "the server does not know it: run kiosk-agent --diagnose"
      ),
      ("en", .silent(.notAvailable(.broken, since: at(2, "7:50"))), "stale", "", "the server is out of order"),
      ("de", .silent(.notAvailable(.broken, since: at(2, "7:50"))), "stale", "", "der Server ist gestört"),
      ("en", .silent(.noneUntil(at(2, "8:40"))), "scheduled", "", "none until 8:40"),
    ] as [(String, BusFacts.State, String, String, String)])
  func `what is not a prediction does not look like one`(
    language: String, state: BusFacts.State, style: String, value: String, detail: String
  ) {
    let card = Self.card(state, language: language)
    #expect(card?.style == style)
    #expect(card?.value == value)
    #expect(card?.detail == detail)
  }

  @Test(
    arguments: [(0, "now", ""), (1, "1", "min"), (99, "99", "min"), (100, "8:14", ""), (nil, "", "")]
      as [(Int?, String, String)])
  func `the time left is a number, now, or the time of day when it is far`(minutes: Int?, value: String, unit: String) {
    let card = Self.card(.scheduled(heard: nil)) { $0.minutes = minutes }
    #expect(card?.value == value && card?.unit == unit)
  }

  @Test(
    arguments: [
      (.leave(inMinutes: 4), nil, "6 min late · leave in 4 min · then 8:31"),
      (.leaveNow, .ofDay, "6 min late · leave now · last bus today"),
      (.run, .ofWindow, "6 min late · run · last one for now"),
      (.missed, nil, "6 min late · too late to walk · then 8:31"),
      (nil, nil, "6 min late · then 8:31 · scheduled 8:08"),
    ] as [(BusFacts.Advice?, BusFacts.Last?, String)])
  func `then comes what to do and what follows, three facts in all`(
    advice: BusFacts.Advice?, last: BusFacts.Last?, detail: String
  ) {
    let card = Self.card(.predicted(lateSeconds: 360, scheduledAt: Self.scheduledAt, age: nil)) {
      $0.advice = advice
      $0.last = last
      $0.then = at(2, "8:31")
    }
    #expect(card?.detail == detail)
  }

  @Test(
    arguments: [
      (.predicted(lateSeconds: 0, scheduledAt: scheduledAt, age: 2), "heard 2 min ago · leave now · last bus today"),
      (.predicted(lateSeconds: 360, scheduledAt: scheduledAt, age: 2), "6 min late · heard 2 min ago · last bus today"),
      (
        .predicted(lateSeconds: -120, scheduledAt: scheduledAt, age: 2),
        "2 min early · heard 2 min ago · last bus today"
      ),
      (.predicted(lateSeconds: nil, scheduledAt: scheduledAt, age: 2), "heard 2 min ago · leave now · last bus today"),
      (.scheduled(heard: 5), "by the timetable · heard 5 min ago · last bus today"),
      (.frequency(every: 10, heard: 5), "every 10 min · heard 5 min ago · last bus today"),
      (.stale(minutes: 4, was: scheduledAt), "no data for 4 min · was 8:08 · last bus today"),
      (.unconfirmed, "not confirmed · leave now · last bus today"),
    ] as [(BusFacts.State, String)])
  func `that it is the last one, is late or is old is said whatever else there is`(
    state: BusFacts.State, detail: String
  ) {
    let card = Self.card(state) {
      $0.advice = .leaveNow
      $0.last = .ofDay
      $0.then = at(2, "8:31")
    }
    #expect(card?.detail == detail)
    let first = Self.card(state) { $0.advice = .leaveNow }
    #expect(first?.detail != nil && !(first?.detail.contains("last") ?? true))
  }
}
