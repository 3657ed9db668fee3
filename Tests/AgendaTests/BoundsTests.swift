import Foundation
import Testing

@testable import Agenda

/// Whatever a calendar says, reading it takes a bounded time and memory and never traps.
struct BoundsTests {
  private static let all = (0...59).map(String.init).joined(separator: ",")

  static let bombs = [
    "FREQ=HOURLY;BYMINUTE=\(all)",
    "FREQ=DAILY;BYHOUR=\((0...23).map(String.init).joined(separator: ","));BYMINUTE=\(all)",
    "FREQ=YEARLY;BYHOUR=\((0...23).map(String.init).joined(separator: ","));BYMINUTE=\(all);BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=-1",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=9223372036854775807",
    "FREQ=HOURLY;COUNT=2000000000;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31", "FREQ=DAILY;INTERVAL=100000000;COUNT=5", "FREQ=YEARLY;INTERVAL=99999999",
    "FREQ=HOURLY;COUNT=9223372036854775807",
    "FREQ=WEEKLY;COUNT=9223372036854775807;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=1,2,3",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=0,1,2,3;COUNT=1000000000", "FREQ=DAILY;UNTIL=99991231T235959Z",
  ]

  @Test(
    arguments: bombs,
    ["DTSTART:15830101T000000Z", "DTSTART;TZID=America/Chicago:20260101T000000", "DTSTART:99991231T235959Z"])
  func `a rule cannot take long`(_ rule: String, _ start: String) throws {
    let feed = try CalendarFeed.parse(calendar(event("a", start, "DTEND:99991231T000000Z", "RRULE:\(rule)")))
    for from in ["1583-01-01", "2026-05-01", "9999-12-01"] {
      let begin = day(from).start(in: chicago)
      var found = AgendaExpansion(instances: [], problems: [])
      let took = processorSeconds {
        found = feed.instances(from: begin, to: begin.addingTimeInterval(32 * 86_400), in: chicago)
      }
      #expect(found.instances.count <= 2001)
      #expect(took < 2)
    }
  }

  @Test func `a calendar of bombs is bounded as a whole, and says so`() throws {
    let bomb = (0..<100).map { event("\($0)", "DTSTART:20000101T000000Z", "RRULE:FREQ=HOURLY;BYMINUTE=\(Self.all)") }
    let good = event("good", "DTSTART:20260505T150000Z")
    let feed = try CalendarFeed.parse(calendar(good, bomb.joined(separator: "\r\n")))
    var found = AgendaExpansion(instances: [], problems: [])
    let took = processorSeconds {
      found = feed.instances(from: instant("2026-05-01T00:00:00Z"), to: instant("2026-07-01T00:00:00Z"), in: chicago)
    }
    #expect(found.instances.count <= 20_000 + 4 * 100)
    #expect(found.instances.contains { $0.uid == "good" })
    #expect(found.problems.count == 100)
    #expect(found.problems.first?.sentence.hasSuffix("repeats too often: only a part of it is shown") == true)
    #expect(took < 10)
  }

  @Test func `rules without end in number are bounded as a whole`() throws {
    let rules = Array(repeating: "RRULE:FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", count: 2000).joined(separator: "\r\n")
    let events = (0..<5).map { event("\($0)", "DTSTART:20000101T000000Z", rules) }
    let feed = try CalendarFeed.parse(calendar(events.joined(separator: "\r\n")))
    var found = AgendaExpansion(instances: [], problems: [])
    let took = processorSeconds {
      found = feed.instances(from: instant("2026-05-01T00:00:00Z"), to: instant("2026-05-09T00:00:00Z"), in: chicago)
    }
    #expect(found.problems.count > 1)
    #expect(took < 10)
  }

  @Test func `a series that is moved two thousand times takes no longer than one with a bomb for a rule`() throws {
    let rule = event("a", "DTSTART:20200101T000000Z", "RRULE:FREQ=HOURLY;BYMINUTE=\(Self.all)")
    let moved = (0..<2000).map { number in
      event(
        "a", "DTSTART:20270101T000000Z",
        "RECURRENCE-ID;RANGE=THISANDFUTURE:\(CalendarDay(number: 25_000 + number).description.replacing("-", with: ""))T000000Z"
      )
    }
    let feed = try CalendarFeed.parse(calendar(rule, moved.joined(separator: "\r\n")))
    let took = processorSeconds {
      _ = feed.instances(from: instant("2026-05-01T00:00:00Z"), to: instant("2026-05-09T00:00:00Z"), in: chicago)
    }
    #expect(took < 5)
  }

  @Test func `zones that differ in one onset are told apart without comparing them all`() throws {
    func zone(_ number: Int) -> String {
      let dates = (0..<500).map { "19\(String($0 / 12 + 20))\($0 % 12 < 9 ? "0" : "")\($0 % 12 + 1)01T000000" }.joined(
        separator: ",")
      let own =
        "2012\(number % 12 < 9 ? "0" : "")\(number % 12 + 1)\(number / 12 % 28 < 9 ? "0" : "")\(number / 12 % 28 + 1)T0\(number / 336)0000"
      return [
        "BEGIN:VTIMEZONE", "TZID:Z\(number)", "BEGIN:STANDARD", "DTSTART:19180101T000000", "TZOFFSETFROM:+0000",
        "TZOFFSETTO:+0100", "RDATE:\(dates),\(own),20200101T000000", "END:STANDARD", "END:VTIMEZONE",
      ].joined(separator: "\r\n")
    }
    let zones = (0..<200).map(zone).joined(separator: "\r\n")
    let events = (0..<4000).map { event("\($0)", "DTSTART;TZID=Z\($0 % 200):20260505T1\($0 % 10)0000") }
    let feed = try CalendarFeed.parse(calendar(zones, events.joined(separator: "\r\n")))
    var found: [AgendaInstance] = []
    let took = processorSeconds { found = feed.instances("2026-05-01", "2026-05-09") }
    #expect(found.count == 4000)
    #expect(took < 5)
  }

  @Test(arguments: ["FREQ=DAILY", "FREQ=HOURLY;BYMINUTE=\(all)"])
  func `a zone of a thousand rules is no zone`(_ rule: String) throws {
    let part =
      "BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0000\r\nTZOFFSETTO:+0100\r\nRRULE:\(rule)\r\nEND:STANDARD"
    for parts in [150, 1600] {
      let zone =
        "BEGIN:VTIMEZONE\r\nTZID:Bomb\r\n\(Array(repeating: part, count: parts).joined(separator: "\r\n"))\r\nEND:VTIMEZONE"
      var feed: CalendarFeed?
      let took = try processorSeconds {
        feed = try CalendarFeed.parse(calendar(zone, event("a", "DTSTART;TZID=Bomb:20260505T080000")))
      }
      #expect(feed?.problems.contains { $0.kind == .unknownZone("Bomb") } ?? false, "\(parts)")
      #expect(feed?.instances("2026-05-01", "2026-05-15").count == 1, "the event itself is there")
      #expect(took < 2)
    }
  }

  @Test func `a real agenda beside a bomb stays whole`() throws {
    let bomb = event("bomb", "DTSTART:20000101T000000Z", "RRULE:FREQ=HOURLY;BYMINUTE=\(Self.all)")
    let series = (0..<50).map { event("s\($0)", "DTSTART:20260101T0\($0 % 10)0000Z", "RRULE:FREQ=DAILY") }
    let feed = try CalendarFeed.parse(calendar(bomb, series.joined(separator: "\r\n")))
    #expect(feed.instances("2026-05-01", "2026-05-15").filter { $0.uid != "bomb" }.count == 50 * 14)
  }

  @Test func `long lists, deep nesting and long lines are bounded`() throws {
    let dates = (0..<20_000).map { _ in "EXDATE:20260506T150000Z" }.joined(separator: "\r\n")
    let deep = String(repeating: "BEGIN:X\r\n", count: 50_000)
    let zones = (0..<2000).map { event("z\($0)", "DTSTART;TZID=Nowhere/\($0):20260505T150000") }.joined(
      separator: "\r\n")
    let feed = try CalendarFeed.parse(
      calendar(
        event("a", "DTSTART:20260505T150000Z", dates, "RRULE:FREQ=DAILY;COUNT=3"), deep,
        event("b", "DTSTART:20260505T160000Z", "SUMMARY:" + String(repeating: "x", count: 1_000_000)),
        zones))
    let found = feed.instances("2026-05-05", "2026-05-06")
    #expect(found.count == 2001)
    #expect(found.first { $0.uid == "b" }?.title.count == 500)
    #expect(feed.problems.first?.kind == .tooLong("list of properties"))
  }

  /// Whatever a line ends with where it is cut.
  @Test(arguments: [";", "=", "\"", ":", ",", ";X=", "a;", "\";", "=\"", "\u{E9}"])
  func `a line that is cut anywhere traps nothing`(filling: String) throws {
    for name in ["ATTENDEE", "SUMMARY", "DTSTART", "X-OTHER"] {
      for offset in 0..<4 {
        let long = "\(name);" + String(repeating: "b", count: offset) + String(repeating: filling, count: 70_000)
        let text = [
          "BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:a", "DTSTART:20260504T150000Z", long, "END:VEVENT",
          "BEGIN:VEVENT", "UID:b", "DTSTART:20260504T150000Z", "END:VEVENT", "END:VCALENDAR", "",
        ]
        .joined(separator: "\r\n")
        let feed = try CalendarFeed.parse(Array(text.utf8))
        let begin = day("2026-05-04").start(in: chicago)
        let found = feed.instances(from: begin, to: begin.addingTimeInterval(86_400), in: chicago).instances
        #expect(found.contains { $0.uid == "b" }, "\(name) \(offset)")
      }
    }
  }

  @Test func `one of a series that is too long to be read does not come back at its old time`() throws {
    let text = [
      "BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:a", "DTSTART:20260504T150000Z", "RRULE:FREQ=DAILY;COUNT=3", "END:VEVENT",
      "BEGIN:VEVENT", "UID:a", "RECURRENCE-ID:20260505T150000Z", "DTSTART:20260505T180000Z",
      "EXDATE:" + String(repeating: "20260505T150000Z,", count: 5000), "END:VEVENT", "END:VCALENDAR", "",
    ].joined(separator: "\r\n")
    let feed = try CalendarFeed.parse(Array(text.utf8))
    #expect(feed.problems.map(\.kind) == [.tooLong("EXDATE")])
    let begin = day("2026-05-04").start(in: chicago)
    let found = feed.instances(from: begin, to: begin.addingTimeInterval(4 * 86_400), in: chicago).instances
    #expect(found.count == 2, "\(found)")
  }

  /// Calendars of the fixtures with bytes changed, left out and put in.
  @Test func `no bytes trap`() throws {
    var dice = Dice(5)
    let pieces = [
      "BEGIN:VEVENT\r\n", "END:VEVENT\r\n", "RRULE:FREQ=DAILY\r\n", "99999999999999999999", "-", ";", ":", "\"",
      "\r\n ", "BEGIN:VTIMEZONE\r\n",
      "DTSTART:99991231T235959Z\r\n", "DURATION:P9999D\r\n", "TZOFFSETTO:-1800\r\n",
      "RDATE:20260505T150000Z/P9999D\r\n", "\u{0}", "EXDATE:00010101\r\n",
      "RECURRENCE-ID;RANGE=THISANDFUTURE:15830101T000000Z\r\n", "\u{FF}",
    ].map { Array($0.utf8) }
    var parsed = 0
    for one in ReportedCaseTests.cases {
      let bytes = Array(try Data(contentsOf: ReportedCaseTests.folder.appending(path: one.file)))
      for _ in 0..<40 {
        var copy = bytes
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
          let at = Int.random(in: 0..<copy.count, using: &dice)
          switch Int.random(in: 0..<4, using: &dice) {
          case 0: copy[at] = UInt8.random(in: 0...255, using: &dice)
          case 1: copy.removeSubrange(at..<min(at + Int.random(in: 1...20, using: &dice), copy.count))
          case 2: copy.insert(contentsOf: pieces.randomElement(using: &dice) ?? [], at: at)
          default: copy[at] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &dice)
          }
        }
        guard let feed = try? CalendarFeed.parse(copy) else { continue }
        parsed += 1
        for from in ["0001-01-02", "2026-03-01", "9999-11-01"] {
          let begin = day(from).start(in: chicago)
          let found = feed.instances(from: begin, to: begin.addingTimeInterval(40 * 86_400), in: chicago)
          #expect(found.instances.allSatisfy { $0.end(in: chicago) >= $0.start(in: chicago) })
        }
      }
    }
    #expect(parsed > 1000)
  }

  /// Not a budget, which a debug build on a busy machine could not hold to, but the size of the work.
  @Test func `5,000 events with 500 rules are read and expanded in a sane time`() throws {
    let text = BigCalendar.text(events: 5000, rules: 500)
    var feed: CalendarFeed?
    let parsing = try processorSeconds { feed = try CalendarFeed.parse(text) }
    let big = try #require(feed)
    #expect(big.eventCount == 5000 && big.problems.isEmpty)
    var found: [AgendaInstance] = []
    let expanding = processorSeconds { found = big.instances("2026-05-01", "2026-05-15", in: zone("Europe/Berlin")) }
    #expect(found.count > 500)
    #expect(parsing < 5 && expanding < 1)
  }
}

/// A calendar as large as a school's.
enum BigCalendar {
  static func text(events: Int, rules: Int) -> [UInt8] {
    let zones = ["America/Chicago", "Europe/Berlin", "Australia/Sydney", "America/Santiago"]
    let kinds = [
      "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "FREQ=MONTHLY;BYDAY=2TU", "FREQ=YEARLY",
      "FREQ=WEEKLY;INTERVAL=2;COUNT=400",
    ]
    var lines: [String] = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//kiosk-agent//big//EN"]
    for number in 0..<events {
      let start =
        CalendarDay(number: 20_000 + number * 7 % 900).description.replacing("-", with: "") + "T\(10 + number % 10)0000"
      let zone = zones[number % zones.count]
      lines += [
        "BEGIN:VEVENT", "UID:\(number)@example.org", "DTSTAMP:20260101T000000Z", "DTSTART;TZID=\(zone):\(start)",
        "DURATION:PT45M",
        "SUMMARY:Event number \(number)", "LOCATION:Room \(number % 40)",
        "DESCRIPTION:\(String(repeating: "words and words ", count: 20))",
        "ORGANIZER:mailto:a@example.org", "STATUS:CONFIRMED", "TRANSP:OPAQUE",
      ]
      if number < rules { lines.append("RRULE:\(kinds[number % kinds.count])") }
      lines.append("END:VEVENT")
    }
    return Array((lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n").utf8)
  }
}
