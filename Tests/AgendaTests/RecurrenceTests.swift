import Foundation
import Testing

@testable import Agenda

/// Rules by the clock of their start, without zones.
struct RecurrenceTests {
  /// The first moments of a rule, as `20260105T0900`, or as days.
  private func moments(_ rule: String, from start: String, upTo end: String = "20401231", limit: Int = 12) throws
    -> [String]
  {
    let rule = try #require(RecurrenceRule(rule))
    let written = try #require(WrittenTime(start))
    let last = try #require(WrittenTime(end))
    guard case .day(let lastDay) = last else { return [] }
    let begin: LocalMoment
    var isAllDay = false
    switch written {
    case .day(let day): (begin, isAllDay) = (LocalMoment(day), true)
    case .local(let moment): begin = moment
    case .utc: return []
    }
    var found: [String] = []
    var steps = 1_000_000
    Recurrence(rule, start: begin, isAllDay: isAllDay).walk(
      from: begin, through: LocalMoment(lastDay, second: 86_399), steps: &steps,
      isPast: { moment in rule.until.map { $0.isPast(moment, utc: moment.seconds) } ?? false },
      found: { moment in
        let parts = moment.day.parts
        let day = String(format: "%04d%02d%02d", parts.year, parts.month, parts.day)
        let second = moment.secondOfDay
        found.append(isAllDay ? day : day + String(format: "T%02d%02d", second / 3600, second / 60 % 60))
      })
    return Array(found.prefix(limit))
  }

  /// The examples of RFC 5545 3.8.5.3, and what tends to go wrong.
  static let vectors: [(rule: String, start: String, expected: [String])] = [
    ("FREQ=DAILY;COUNT=3", "19970902T0900", ["19970902T0900", "19970903T0900", "19970904T0900"]),
    ("FREQ=DAILY;INTERVAL=10;COUNT=3", "19970902", ["19970902", "19970912", "19970922"]),
    ("FREQ=DAILY;INTERVAL=2;UNTIL=19970908", "19970902", ["19970902", "19970904", "19970906", "19970908"]),
    ("FREQ=DAILY;BYMONTH=1;UNTIL=19980103", "19970130", ["19970130", "19970131", "19980101", "19980102", "19980103"]),
    (
      "FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0,30;COUNT=5", "20260105T0900",
      ["20260105T0900", "20260105T0930", "20260105T1800", "20260105T1830", "20260106T0900"]
    ),
    ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=3", "19970902", ["19970902", "19970916", "19970930"]),
    (
      "FREQ=WEEKLY;INTERVAL=2;UNTIL=19970925;WKST=SU;BYDAY=MO,WE,FR", "19970901",
      ["19970901", "19970903", "19970905", "19970915", "19970917", "19970919"]
    ),
    ("FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=-1;COUNT=3", "20260105", ["20260106", "20260113", "20260120"]),
    ("FREQ=MONTHLY;COUNT=4;BYDAY=1FR", "19970905", ["19970905", "19971003", "19971107", "19971205"]),
    ("FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU", "19970907", ["19970907", "19970928", "19971102", "19971130"]),
    ("FREQ=MONTHLY;COUNT=3;BYDAY=-2MO", "19970922", ["19970922", "19971020", "19971117"]),
    ("FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=3", "19970928", ["19970928", "19971029", "19971128"]),
    ("FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1", "19970930", ["19970930", "19971001", "19971031", "19971101"]),
    ("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3", "20260131", ["20260131", "20260331", "20260531"]),
    ("FREQ=MONTHLY;BYDAY=5MO;COUNT=2", "20260330", ["20260330", "20260629"]),
    ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3", "19980213", ["19980213", "19980313", "19981113"]),
    ("FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13;COUNT=3", "19970913", ["19970913", "19971011", "19971108"]),
    ("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "19970904", ["19970904", "19971007", "19971106"]),
    ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3", "19970929", ["19970929", "19971030", "19971127"]),
    ("FREQ=YEARLY;COUNT=4;BYMONTH=6,7", "19970610", ["19970610", "19970710", "19980610", "19980710"]),
    (
      "FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200", "19970101",
      ["19970101", "19970410", "19970719", "20000101"]
    ),
    ("FREQ=YEARLY;BYYEARDAY=-1;COUNT=2", "19971231", ["19971231", "19981231"]),
    ("FREQ=YEARLY;BYDAY=20MO;COUNT=3", "19970519", ["19970519", "19980518", "19990517"]),
    ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3", "19970512", ["19970512", "19980511", "19990517"]),
    ("FREQ=YEARLY;BYWEEKNO=20;COUNT=2", "19970514", ["19970514", "19980513"]),
    ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;COUNT=3", "20241230", ["20241230", "20251229", "20270104"]),
    (
      "FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR;COUNT=2", "20210101",
      ["20210101", "20261231"].map { $0 == "20261231" ? "20270101" : $0 }
    ),
    ("FREQ=YEARLY;BYMONTH=3;BYDAY=TH;COUNT=3", "19970313", ["19970313", "19970320", "19970327"]),
    (
      "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=3", "19961105",
      ["19961105", "20001107", "20041102"]
    ),
    ("FREQ=YEARLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3", "19980213", ["19980213", "19980313", "19981113"]),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=3", "20240229", ["20240229", "20280229", "20320229"]),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1;COUNT=3", "20260228", ["20260228", "20270228", "20280229"]),
    (
      "FREQ=YEARLY;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA;BYSETPOS=1,-1;COUNT=3", "20260101",
      ["20260101", "20260131", "20270101"]
    ),
    (
      "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T1700", "19970902T0900",
      ["19970902T0900", "19970902T1200", "19970902T1500"]
    ),
    (
      "FREQ=HOURLY;BYMINUTE=0,20,40;BYHOUR=9,10;COUNT=7", "19970902T0920",
      [
        "19970902T0920", "19970902T0940", "19970902T1000", "19970902T1020", "19970902T1040", "19970903T0900",
        "19970903T0920",
      ]
    ),
    // Hours mean nothing for a day.
    ("FREQ=DAILY;BYHOUR=9,18;COUNT=2", "20260105", ["20260105", "20260106"]),
    // Nothing, and an end to it.
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "20260105", []), ("FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=20", "20260105", []),
  ]

  @Test(arguments: vectors)
  func `a rule makes the moments of the standard`(_ rule: String, _ start: String, _ expected: [String]) throws {
    #expect(try moments(rule, from: start) == expected)
  }

  @Test(arguments: [
    "", "FREQ=MINUTELY", "FREQ=SECONDLY", "FREQ=FORTNIGHTLY", "COUNT=3", "FREQ=DAILY;COUNT=0", "FREQ=DAILY;COUNT=-1",
    "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=99999999999999999999", "FREQ=DAILY;COUNT=99999999999999999999",
    "FREQ=DAILY;UNTIL=tomorrow", "FREQ=DAILY;UNTIL=20260231", "FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY;BYDAY=1MO",
    "FREQ=WEEKLY;BYDAY=", "FREQ=DAILY;BYDAY=2TU", "FREQ=MONTHLY;BYDAY=54MO", "FREQ=MONTHLY;BYMONTHDAY=0",
    "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=MONTHLY;BYWEEKNO=3", "FREQ=MONTHLY;BYYEARDAY=3", "FREQ=WEEKLY;BYMONTHDAY=3",
    "FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO", "FREQ=YEARLY;BYMONTH=13", "FREQ=YEARLY;RSCALE=CHINESE",
    "FREQ=DAILY;SKIP=FORWARD",
    "FREQ=DAILY;FREQ=WEEKLY", "FREQ=DAILY;BYHOUR=24", "FREQ=DAILY;COUNT", "RRULE:FREQ=DAILY", "FREQ=DAILY;BYSETPOS=0",
    "FREQ=DAILY;BYEASTER=0", "FREQ=DAILY;WKST=XX",
    "FREQ=DAILY;BYHOUR=\((0...23).map(String.init).joined(separator: ","));BYMINUTE=\((0...59).map(String.init).joined(separator: ","));BYSECOND=0,30",
  ]) func `a rule that is not understood whole is not followed`(_ rule: String) { #expect(RecurrenceRule(rule) == nil) }

  @Test(arguments: ["freq=daily; interval=2", "FREQ=DAILY;INTERVAL=2;", " FREQ = DAILY;INTERVAL=2;;"])
  func `small letters, spaces and empty parts do no harm`(_ rule: String) throws {
    #expect(RecurrenceRule(rule) == RecurrenceRule("FREQ=DAILY;INTERVAL=2"))
  }

  @Test(
    arguments: vectors.map(\.rule) + [
      "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=TU,TH", "FREQ=HOURLY", "FREQ=DAILY;BYDAY=MO;COUNT=500",
      "FREQ=DAILY;COUNT=5000", "FREQ=WEEKLY;BYDAY=TU,SU;COUNT=900;INTERVAL=2", "FREQ=HOURLY;COUNT=90000",
      "FREQ=DAILY;BYHOUR=1,2;COUNT=7777",
    ])
  func `a window shows what the whole shows there`(_ text: String) throws {
    let rule = try #require(RecurrenceRule(text))
    let start = LocalMoment(day("1997-09-02"), second: 32_400)
    let walk = Recurrence(rule, start: start, isAllDay: false)
    func moments(_ from: LocalMoment, _ through: LocalMoment) -> [LocalMoment] {
      var found: [LocalMoment] = []
      var steps = 10_000_000
      let isWhole = walk.walk(
        from: from, through: through, steps: &steps,
        isPast: { moment in rule.until.map { $0.isPast(moment, utc: moment.seconds) } ?? false },
        found: { found.append($0) })
      #expect(isWhole)
      return found
    }
    let all = moments(start, LocalMoment(day("2012-12-31")))
    #expect(all == all.sorted() && Set(all).count == all.count)
    for (from, through) in [
      ("1997-01-01", "1997-12-31"), ("2003-03-01", "2003-03-20"), ("2010-12-28", "2011-01-05"),
      ("2011-06-30", "2012-03-01"),
    ] {
      let (from, through) = (LocalMoment(day(from), second: 7), LocalMoment(day(through), second: 40_000))
      #expect(moments(from, through) == all.filter { from <= $0 && $0 <= through })
    }
  }
}
