import Foundation
import Testing

@testable import Agenda

/// Now, next, later today and tomorrow (domain 3.4), in UTC on Tuesday 5 May 2026 where nothing else is said.
struct AgendaViewTests {
  private func view(_ items: [AgendaItem], at now: String, in zone: TimeZone = .gmt) -> AgendaView {
    AgendaView(items, at: instant(now.contains("T") ? now : "2026-05-05T\(now)Z"), in: zone)
  }

  private func names(_ entries: [AgendaView.Timed]) -> [String] { entries.map(\.item.instance.uid) }

  static let meeting = [
    item("a", "09:00", "12:00"), item("b", "10:00", "11:00"), item("c", "11:00", "11:30"), item("d", "14:00", "15:00"),
    item("e", "14:00", "14:30"), item("f", "18:00", "19:00"), item("g", "2026-05-06T08:00:00Z", "2026-05-06T09:00:00Z"),
    item("h", "2026-05-07T00:00:00Z", "2026-05-07T09:00:00Z"),
  ]

  @Test(
    arguments: [
      ("08:59:59", [], ["a"], ["b", "c", "e", "d", "f"], ["g"], "09:00:00"),
      ("09:00:00", ["a"], ["b"], ["c", "e", "d", "f"], ["g"], "10:00:00"),
      ("10:59:59", ["b", "a"], ["c"], ["e", "d", "f"], ["g"], "11:00:00"),
      ("11:00:00", ["c", "a"], ["e", "d"], ["f"], ["g"], "11:30:00"),
      ("12:00:00", [], ["e", "d"], ["f"], ["g"], "14:00:00"),
      ("14:00:00", ["e", "d"], ["f"], [], ["g"], "14:30:00"),
      ("18:30:00", ["f"], ["g"], [], [], "19:00:00"),
      ("19:00:00", [], ["g"], [], [], "T2026-05-06T00:00:00Z"),
      ("T2026-05-06T00:00:00Z", [], ["g"], [], ["h"], "T2026-05-06T08:00:00Z"),
      ("T2026-05-07T09:00:00Z", [], [], [], [], "T2026-05-08T00:00:00Z"),
    ] as [(String, [String], [String], [String], [String], String)])
  func `each event is in one place, by half-open intervals`(
    _ at: String, _ now: [String], _ next: [String], _ later: [String], _ tomorrow: [String], _ changes: String
  ) {
    func full(_ text: String) -> String { text.first == "T" ? String(text.dropFirst()) : "2026-05-05T\(text)Z" }
    let view = view(Self.meeting, at: full(at))
    #expect(names(view.now) == now)
    #expect(names(view.next) == next)
    #expect(names(view.laterToday) == later)
    #expect(names(view.tomorrow) == tomorrow)
    #expect(view.timed.count == now.count + next.count + later.count + tomorrow.count)
    #expect(view.changesAt == instant(full(changes)))
  }

  @Test func `an all-day event does not hide the meeting`() {
    let view = view([wholeDays("holiday", "2026-05-05", "2026-05-06"), item("a", "09:00", "12:00")], at: "10:00:00")
    #expect(names(view.now) == ["a"])
    #expect(view.allDay.map(\.item.instance.uid) == ["holiday"])
    #expect(view.allDay[0].position == nil)
  }

  @Test func `an event of several days says which day it is, and keeps its start`() {
    let camp = wholeDays("camp", "2026-05-03", "2026-05-09")
    let days = view([camp], at: "10:00:00").allDay
    #expect(days.map(\.day) == [.today, .tomorrow])
    #expect(
      days.map(\.position) == [AgendaView.Position(number: 3, count: 6), AgendaView.Position(number: 4, count: 6)])
    #expect(days[0].item == camp)
    let trip = item("trip", "2026-05-04T20:00:00Z", "2026-05-06T00:00:00Z")
    let running = view([trip], at: "10:00:00").now
    #expect(running.map(\.position) == [AgendaView.Position(number: 2, count: 2)])
    #expect(running.map(\.start) == [instant("2026-05-04T20:00:00Z")])
    let before = view([trip], at: "2026-05-03T10:00:00Z")
    #expect(before.next.map(\.position) == [AgendaView.Position(number: 1, count: 2)])
    #expect(before.next.map(\.day) == [.tomorrow])
  }

  @Test func `yesterday's day is over at midnight, tomorrow's has not begun`() {
    let items = [wholeDays("y", "2026-05-04", "2026-05-05"), wholeDays("t", "2026-05-06", "2026-05-07")]
    #expect(view(items, at: "00:00:00").allDay.map(\.day) == [.tomorrow])
    #expect(view(items, at: "2026-05-04T23:59:59Z").allDay.map(\.day) == [.today])
  }

  @Test func `an event without length is next until it comes, then it is over`() {
    let bins = item("bins", "19:00")
    #expect(names(view([bins], at: "18:59:59").next) == ["bins"])
    #expect(view([bins], at: "19:00:00").timed.isEmpty)
  }

  @Test func `the wall's zone decides between today and tomorrow`() {
    let late = item("late", "2026-05-06T03:00:00Z", "2026-05-06T04:00:00Z")
    #expect(view([late, item("first", "20:00")], at: "15:00:00", in: chicago).timed.map(\.day) == [.today, .today])
    #expect(view([late, item("first", "20:00")], at: "15:00:00").timed.map(\.day) == [.today, .tomorrow])
  }

  @Test(arguments: ["America/Chicago", "Australia/Lord_Howe", "America/Santiago", "Asia/Beirut"])
  func `the window is today and tomorrow, whatever the clock does`(_ name: String) {
    let zone = zone(name)
    for number in 20_500..<20_900 {
      let today = CalendarDay(number: number)
      let now = today.start(in: zone).addingTimeInterval(3600)
      let window = AgendaView.window(at: now, in: zone)
      #expect(window.from == today.start(in: zone))
      #expect(window.to == today.advanced(by: 2).start(in: zone))
      #expect(
        window.from <= now && AgendaView([], at: now, in: zone).changesAt == today.advanced(by: 1).start(in: zone))
    }
  }

  /// The answer of `changesAt` is right: from one change to just before the next, nothing changes.
  @Test func `nothing changes before it is said to`() {
    var dice = Dice(7)
    let items = (0..<40).map { number in
      let start = Int.random(in: 0..<72 * 60, using: &dice) * 60
      let begin = instant("2026-05-05T00:00:00Z").addingTimeInterval(Double(start))
      let end = begin.addingTimeInterval(Double(Int.random(in: 0..<300, using: &dice) * 60))
      let form = Date.ISO8601FormatStyle()
      return item("\(number)", form.format(begin), form.format(end))
    }
    var now = instant("2026-05-05T00:00:00Z")
    var changes = 0
    while now < instant("2026-05-08T00:00:00Z") {
      let view = AgendaView(items, at: now, in: .gmt)
      #expect(view.changesAt > now)
      let last = AgendaView(items, at: view.changesAt.addingTimeInterval(-1), in: .gmt)
      #expect(last == view)
      now = view.changesAt
      changes += 1
    }
    #expect(changes > 60)
  }
}
