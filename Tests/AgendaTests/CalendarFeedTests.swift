import Foundation
import Testing

@testable import Agenda

/// What is a calendar, what is none, and what of a bad one stays.
struct CalendarFeedTests {
  private func error(_ text: String) -> CalendarError? {
    do throws(CalendarError) {
      _ = try CalendarFeed.parse(Array(text.utf8))
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    ("", CalendarError.empty), ("\r\n \r\n", .empty), ("<!DOCTYPE html><html><body>502</body></html>", .webPage),
    ("\u{FEFF}  <html>", .webPage), ("<?xml version=\"1.0\"?><error/>", .webPage), ("{\"error\":404}", .notCalendar),
    ("BEGIN:VCARD\nEND:VCARD\n", .notCalendar), ("hello", .notCalendar), ("BEGIN:VEVENT\nEND:VEVENT\n", .notCalendar),
    ("BEGIN:VCALENDAR\n", .cut), ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20260505T150000Z\n", .cut),
    ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20260505T150000Z\nEND:VEVENT\nEND:VCALEND", .cut),
    ("BEGIN:VCALENDAR\nEND:VCALENDAR\nBEGIN:VCALENDAR\n", .cut),
  ]) func `what is no calendar is refused with a sentence`(_ text: String, _ expected: CalendarError) {
    #expect(error(text) == expected)
    #expect(expected.sentence.contains(": ") && !expected.sentence.contains("\n"))
  }

  @Test(arguments: ["\r\n", "\n", "\r\r\n"], ["", "\u{FEFF}", "\n\n"])
  func `line ends, a byte order mark and empty lines do not matter`(_ end: String, _ begin: String) throws {
    let text =
      begin
      + ["BEGIN:VCALENDAR", "", "BEGIN:VEVENT", "UID:a", "DTSTART:20260505T150000Z", "SUMMARY:Tea", " time"]
      .joined(separator: end) + end + ["END:VEVENT", "END:VCALENDAR"].joined(separator: end)
    let feed = try CalendarFeed.parse(Array(text.utf8))
    #expect(feed.instances("2026-05-05", "2026-05-06").map(\.title) == ["Teatime"])
    #expect(feed.problems.isEmpty)
  }

  @Test func `a file of 200 MB is refused without being read`() {
    #expect(throws: CalendarError.tooLarge(limit: CalendarFeed.mostBytes)) {
      try CalendarFeed.parse([UInt8](repeating: 65, count: 200 * 1_048_576))
    }
  }

  @Test func `more events than a wall has a use for are refused`() {
    let one = "BEGIN:VEVENT\nEND:VEVENT\n"
    let text = "BEGIN:VCALENDAR\n" + String(repeating: one, count: CalendarFeed.mostEvents + 1) + "END:VCALENDAR\n"
    #expect(error(text) == .tooManyEvents(limit: CalendarFeed.mostEvents))
    let unclosed = "BEGIN:VCALENDAR\n" + String(repeating: "BEGIN:VEVENT\n", count: CalendarFeed.mostEvents + 2)
    #expect(error(unclosed) == .tooManyEvents(limit: CalendarFeed.mostEvents))
  }

  /// What a calendar says, folded wherever one can fold.
  @Test func `a fold at any byte changes nothing`() throws {
    let lines = [
      "BEGIN:VEVENT", "UID:ä", "SUMMARY:Grüße 🎂\\, семья",
      "DTSTART;TZID=\"America/Chicago\";VALUE=DATE-TIME:20260505T190000",
      "RRULE:FREQ=DAILY;COUNT=2", "END:VEVENT",
    ]
    let whole = try CalendarFeed.parse(calendar(lines.joined(separator: "\r\n"))).instances("2026-05-01", "2026-06-01")
    #expect(whole.map(\.title) == ["Grüße 🎂, семья", "Grüße 🎂, семья"])
    for (number, line) in lines.enumerated() {
      for cut in 1..<line.utf8.count {
        for fold in ["\r\n ", "\n\t"] {
          var bytes = Array("BEGIN:VCALENDAR\r\n".utf8)
          for (other, text) in lines.enumerated() {
            let text = Array(text.utf8)
            bytes += other == number ? text[..<cut] + Array(fold.utf8) + text[cut...] : text[...]
            bytes += Array("\r\n".utf8)
          }
          bytes += Array("END:VCALENDAR".utf8)
          let folded = try CalendarFeed.parse(bytes).instances("2026-05-01", "2026-06-01")
          #expect(folded == whole, "line \(number) cut at \(cut)")
        }
      }
    }
  }

  @Test func `the order of events in a file does not matter`() throws {
    let events = [
      event("s", "DTSTART:20260504T150000Z", "RRULE:FREQ=DAILY;COUNT=4", "SUMMARY:series"),
      event("s", "RECURRENCE-ID:20260505T150000Z", "DTSTART:20260505T160000Z", "SUMMARY:moved"),
      event("s", "RECURRENCE-ID:20260506T150000Z", "DTSTART:20260506T150000Z", "STATUS:CANCELLED"),
      event("t", "DTSTART:20260505T120000Z", "SEQUENCE:3", "SUMMARY:new"),
      event("t", "DTSTART:20260505T130000Z", "SEQUENCE:2", "SUMMARY:old"),
    ]
    var orders: [[String]] = [[]]
    for one in events {
      orders = orders.flatMap { order in
        (0...order.count).map {
          var copy = order; copy.insert(one, at: $0); return copy
        }
      }
    }
    #expect(orders.count == 120)
    for order in orders {
      let found = try CalendarFeed.parse(calendar(order.joined(separator: "\r\n"))).instances(
        "2026-05-01", "2026-06-01")
      #expect(
        found.map { "\($0.starts(in: .gmt)) \($0.title)" } == [
          "2026-05-04T15:00:00+00:00 series", "2026-05-05T12:00:00+00:00 new", "2026-05-05T16:00:00+00:00 moved",
          "2026-05-07T15:00:00+00:00 series",
        ])
    }
  }

  @Test func `a bad event is counted and named, the others stay`() throws {
    let feed = try CalendarFeed.parse(
      calendar(
        event("good", "DTSTART:20260505T150000Z"), event("no-start", "SUMMARY:x"), event("bad", "DTSTART:05/05/2026"),
        event("ancient", "DTSTART:15000505T150000Z"), "BEGIN:VEVENT", "UID:open", "DTSTART:20260505T150000Z",
        event("zone", "DTSTART;TZID=Mars:20260505T150000"),
        event("rule", "DTSTART:20260507T150000Z", "RRULE:FREQ=MINUTELY")))
    #expect(feed.eventCount == 3)
    #expect(feed.droppedCount == 4)
    #expect(feed.problemCount == 6)
    #expect(
      feed.problems.map(\.kind) == [.noStart, .badStart, .badStart, .notClosed, .unknownZone("Mars"), .unsupportedRule])
    #expect(feed.problems.map(\.line) == [6, 10, 14, 18, 21, 25])
    #expect(feed.problems.map(\.uid) == ["no-start", "bad", "ancient", "open", "zone", "rule"])
    #expect(
      feed.problems[1].sentence
        == "the event at line 10 (bad) is left out: its DTSTART is not a date of the years 1583 to 9999")
    let found = feed.instances("2026-05-01", "2026-06-01")
    #expect(found.map(\.uid) == ["good", "zone", "rule"])
    #expect(found.map(\.repeatsUnknown) == [false, false, true])
  }

  @Test func `what a calendar says of itself cannot write on a terminal, nor fill it`() throws {
    let accents = String(repeating: "\u{301}", count: 20_000)
    let feed = try CalendarFeed.parse(
      calendar(
        event("a", "DTSTART;TZID=Ma\u{1B}]0rs\u{202E}:20260505T150000"),
        event("u\u{9B}id\(accents)", "DTSTART;TZID=M\(accents):20260505T150000", "SUMMARY:e\(accents) f")))
    #expect(feed.problems.allSatisfy { $0.sentence.utf8.count < 2500 })
    let obeyed = feed.problems.flatMap(\.sentence.unicodeScalars).filter {
      $0.properties.generalCategory == .control || $0 == "\u{202E}"
    }
    #expect(feed.problems.map(\.line) == [2, 6])
    #expect(obeyed.isEmpty)
    #expect(feed.instances("2026-05-05", "2026-05-06").allSatisfy { $0.title.utf8.count <= 8000 })
  }

  @Test func `a calendar of nothing but bad events is a calendar, and its problems are bounded`() throws {
    let bad = (0..<5000).map { _ in event("a", "SUMMARY:x") }.joined(separator: "\r\n")
    let feed = try CalendarFeed.parse(calendar(bad))
    #expect(feed.problems.count == 100)
    #expect(feed.problemCount == 5000 && feed.droppedCount == 5000)
  }

  @Test(arguments: [
    ("X-WR-CALNAME:Family", "", "Family"), ("NAME:Ours", "X-WR-CALNAME:Family", "Ours"), ("X-WR-CALNAME:", "", nil),
    ("X-OTHER:1", "", nil), ("X-WR-CALNAME:Ann\\, Bob\\nand\u{202E}co", "", "Ann, Bob and co"),
  ]) func `a calendar has a name`(_ first: String, _ second: String, _ name: String?) throws {
    #expect(try CalendarFeed.parse(calendar(first, second)).name == name)
  }

  @Test(arguments: [
    ("PT1H", 3600.0), ("PT1M", 300), ("P1W", 86_400), ("PT0S", 300), ("soon", nil), ("-PT1H", 300), ("P1D", 86_400),
    ("P99999999999999999999D", nil), ("PT", nil), ("P", nil),
  ]) func `a publisher's interval is taken between 5 minutes and a day`(_ text: String, _ seconds: Double?) throws {
    #expect(try CalendarFeed.parse(calendar("REFRESH-INTERVAL;VALUE=DURATION:\(text)")).refreshInterval == seconds)
  }

  @Test func `who declined is told from who did not`() throws {
    func shown(_ owners: [String], _ attendees: String...) throws -> Bool {
      let lines = attendees.map {
        "ATTENDEE;PARTSTAT=\($0.split(separator: " ")[0]):mailto:\($0.split(separator: " ")[1])"
      }
      let text = calendar(event("a", "DTSTART:20260505T150000Z", lines.joined(separator: "\r\n")))
      return try !CalendarFeed.parse(text, owners: owners).instances("2026-05-05", "2026-05-06").isEmpty
    }
    #expect(try !shown(["Ann@x.org"], "DECLINED ann@X.org", "ACCEPTED bob@x.org"))
    #expect(try shown(["ann@x.org"], "ACCEPTED ann@x.org", "DECLINED bob@x.org"))
    #expect(try shown(["ann@x.org", "bob@x.org"], "ACCEPTED ann@x.org", "DECLINED bob@x.org"))
    #expect(try shown([], "DECLINED ann@x.org", "ACCEPTED bob@x.org"))
    #expect(try !shown([], "DECLINED ann@x.org"))
    #expect(try !shown(["eve@x.org"], "DECLINED ann@x.org", "DECLINED bob@x.org"))
  }

  @Test func `what is uncertain, free or private is marked`() throws {
    let found = try CalendarFeed.parse(
      calendar(
        event("a", "DTSTART:20260505T150000Z", "STATUS:TENTATIVE"),
        event("b", "DTSTART:20260505T160000Z", "TRANSP:TRANSPARENT"),
        event("c", "DTSTART:20260505T170000Z", "CLASS:CONFIDENTIAL"),
        event("d", "DTSTART:20260505T180000Z", "STATUS:CONFIRMED", "LOCATION:Hall 1\\nupstairs"),
        event("e", "DTSTART:20260505T190000Z", "LOCATION: "))
    ).instances("2026-05-05", "2026-05-06")
    #expect(found.map(\.isTentative) == [true, false, false, false, false])
    #expect(found.map(\.isFree) == [false, true, false, false, false])
    #expect(found.map(\.isPrivate) == [false, false, true, false, false])
    #expect(found.map(\.location) == [nil, nil, nil, "Hall 1 upstairs", nil])
  }

  @Test func `events without UID stay apart`() throws {
    let lines = ["SUMMARY:One", "SUMMARY:Two"].map { "BEGIN:VEVENT\r\nDTSTART:20260505T150000Z\r\n\($0)\r\nEND:VEVENT" }
    let found = try CalendarFeed.parse(calendar(lines.joined(separator: "\r\n"))).instances("2026-05-05", "2026-05-06")
    #expect(found.map(\.title) == ["One", "Two"])
    #expect(Set(found.map(\.uid)).count == 2)
  }
}
