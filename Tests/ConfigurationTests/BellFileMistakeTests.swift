internal import Configuration
internal import Foundation
internal import Testing

/// A wrong school file is refused whole, and says what is wrong and where.
@Suite struct BellFileMistakeTests {
  private static func problems(_ text: String) -> [String] {
    ConfigurationTests.problems { () throws(DocumentError) in _ = try BellFile.parse(Array(text.utf8)) }
  }

  /// A right file but for what is put into it.
  private static func file(
    types: String = "Day: { periods: { '1': '8:00-9:00' } }", exceptions: String = "",
    years: String = "{ first: '2025-08-12', last: '2026-05-22' }", rest: String = ""
  ) -> String {
    "{ regular: 'Day',\ndayTypes: { \(types) },\nexceptions: { \(exceptions) },\nyears: [\(years)],\n\(rest) }"
  }

  @Test func `a right file has no problems`() { #expect(Self.problems(Self.file()) == []) }

  @Test(arguments: [
    // Unsorted, overlapping, end before start, afternoon hours as people say them, over midnight.
    (
      "'1': '9:00-10:00', '2': '8:00-8:50'",
      "2 begins at 8:00, before 1 begins at 9:00: put the periods in the order of the day"
    ),
    ("'1': '10:00-10:10', '2': '10:00-11:00'", "2 begins at 10:00, before 1 ends at 10:10"),
    ("'1': '8:00-9:00', '2': '8:59-10:00'", "2 begins at 8:59, before 1 ends at 9:00"),
    ("'1': '10:00-9:30'", "1 ends at 9:30, before it begins at 10:00"),
    ("'1': '8:00-8:00'", "1 begins and ends at 8:00"),
    ("'1': '12:35-1:25'", "1 ends at 1:25, before it begins at 12:35: did you mean 13:25?"),
    (
      "'1': '12:35-13:25', '2': '1:35-14:25'", "2 begins at 1:35, before 1 begins at 12:35: did you mean 13:35?"
    ),
    (
      "'1': '12:35-13:25', '2': '1:35-2:25'", "2 begins at 1:35, before 1 begins at 12:35: did you mean 13:35?"
    ),
    ("'1': '1:35-2:25'", "1 begins at 1:35 in the night: did you mean 13:35?"),
    ("'1': '0:10-2:25'", "1 begins at 0:10 in the night"),
    ("'1': '23:50-0:30'", "1 goes from 23:50 over midnight to 0:30: a school day ends on its day"),
    ("'1': '8:00'", "1 \"8:00\" is no stretch of a day: say one such as 8:30-9:21"),
    ("'1': '8:00-24:00'", "1 \"8:00-24:00\" is no stretch of a day: say one such as 8:30-9:21"),
    ("'1': '8:00-9:60'", "1 \"8:00-9:60\" is no stretch of a day: say one such as 8:30-9:21"),
    ("'1': '8:00-9:00-10:00'", "1 \"8:00-9:00-10:00\" is no stretch of a day: say one such as 8:30-9:21"),
    ("'1': '8:00–9:00'", "1 \"8:00–9:00\" is no stretch of a day: say one such as 8:30-9:21"),
    ("'1': 'eight-nine'", "1 \"eight-nine\" is no stretch of a day: say one such as 8:30-9:21"),
    ("'1': null", "1 is missing"),
  ])
  func `a wrong table is told with its line`(periods: String, problem: String) {
    let text = Self.file(types: "Day: { periods: { \(periods) } }")
    #expect(Self.problems(text) == ["dayTypes.Day.periods.\(problem) (line 2)"])
  }

  @Test(arguments: [
    "'1': '8:00-9:00', '2': '9:00-10:00'", "Early: '5:00-7:59', '2': '8:00-23:59'", "'1': ' 8:00 - 9:00 '",
    "a: '7:00-13:00', b: '13:00-13:01'",
  ])
  func `an unusual table is none`(periods: String) {
    #expect(Self.problems(Self.file(types: "Day: { periods: { \(periods) } }")) == [])
  }

  @Test(arguments: [
    ("Day: {}", "dayTypes.Day.periods is missing: say each period's times, or {} for a day without school (line 2)"),
    ("Day: { periods: [] }", "dayTypes.Day.periods must be an object, not a list (line 2)"),
    ("Day: { period: {} , periods: {} }", "unknown key dayTypes.Day.period (line 2): did you mean periods?"),
    (
      "Day: { periods: { '1': '8:00-9:00' }, halves: { '1A': '8:05-8:20', '1B': '8:30-9:00' } }",
      "dayTypes.Day.halves has 1A begin at 8:05, but period 1 at 8:00 (line 2)"
    ),
    (
      "Day: { periods: { '1': '8:00-9:00' }, halves: { '1A': '8:00-8:20', '1B': '8:30-8:55' } }",
      "dayTypes.Day.halves has 1B end at 8:55, but period 1 at 9:00 (line 2)"
    ),
    (
      "Day: { periods: { '1': '8:00-9:00', '2': '9:05-10:00' }, halves: { '1A': '8:00-9:10' } }",
      "dayTypes.Day.halves has 1A end at 9:10, but period 1 at 9:00 (line 2)"
    ),
    (
      "Day: { periods: { '1': '8:00-9:00', '2': '9:05-10:00' }, halves: { '2B': '8:55-10:00' } }",
      "dayTypes.Day.halves has 2B begin at 8:55, but period 2 at 9:05 (line 2)"
    ),
    (
      "Day: { periods: { '1': '8:00-9:00' }, halves: { '1A': '8:00-8:20', '!Break': '8:20-8:30', '1B': '8:30-9:00' } }",
      "dayTypes.Day.halves has !Break from 8:20 to 8:30, within period 1 from 8:00 to 9:00 (line 2)"
    ),
    (
      "Day: { periods: { '1': '8:00-9:00' }, halves: { '1A': '8:00-8:20', '1': '9:30-9:40' } }",
      "dayTypes.Day.halves has 1 whole and cut: leave one of them out (line 2)"
    ),
    (
      "Day: { periods: {}, slots: ['8:00-9:00'], rotation: [['1']] }",
      "dayTypes.Day.periods stands beside slots: a type has one (line 2)"
    ),
    (
      "Day: { periods: {}, rotation: [['1']] }",
      "dayTypes.Day.rotation needs slots: say the times that the periods rotate through (line 2)"
    ),
    (
      "Day: { slots: ['8:00-9:00'] }",
      "dayTypes.Day.rotation must be a list of lists of periods, one for each day of a range (line 2)"
    ),
    (
      "Day: { slots: ['8:00-9:00', '9:00-10:00'], rotation: [['1']] }",
      "dayTypes.Day.rotation [0] must name one period for each of the 2 slots (line 2)"
    ),
    (
      "Day: { slots: ['8:00-9:00', '9:00-10:00'], rotation: [['1', '1']] }",
      "dayTypes.Day.rotation [0] names a period twice (line 2)"
    ),
    (
      "Day: { slots: ['8:00-9:00'], rotation: [[1]] }",
      "dayTypes.Day.rotation [0] holds something that is no period (line 2)"
    ),
    (
      "Day: { slots: ['10:00-11:00', '9:00-9:30'], rotation: [] }",
      "dayTypes.Day.slots [1] begins at 9:00, before the slot before begins at 10:00: put the periods in the order of the day (line 2)"
    ),
    (
      "'D\\u202ey': { periods: {} }",
      "dayTypes holds a name that is empty, too long or unreadable: \"D\\u{202E}y\" (line 2)"
    ),
  ])
  func `a wrong day type is told`(types: String, problem: String) {
    #expect(Self.problems(Self.file(types: types)) == [problem])
  }

  private static let form = "is no day: say one such as 8/21/2025, or 12/18/2025-12/19/2025 where a range may stand"

  @Test(arguments: [
    // Unknown type, impossible dates, two in one, years that cannot be meant.
    ("Dya: ['9/2/2025']", "unknown key exceptions.Dya (line 3): did you mean Day?"),
    ("Day: ['2/30/2026']", "exceptions.Day[0] \"2/30/2026\" does not exist in the calendar (line 3)"),
    ("Day: ['2/29/2026']", "exceptions.Day[0] \"2/29/2026\" does not exist in the calendar (line 3)"),
    ("Day: ['13/1/2025']", "exceptions.Day[0] \"13/1/2025\" does not exist in the calendar (line 3)"),
    ("Day: ['5/20/2026, 9/30/2025']", "exceptions.Day[0] \"5/20/2026, 9/30/2025\" \(form) (line 3)"),
    ("Day: ['5/20/2022, 9/30/202']", "exceptions.Day[0] \"5/20/2022, 9/30/202\" \(form) (line 3)"),
    ("Day: ['9/30/202']", "exceptions.Day[0] \"9/30/202\" \(form) (line 3)"),
    ("Day: ['9/30/25']", "exceptions.Day[0] \"9/30/25\" \(form) (line 3)"),
    ("Day: ['']", "exceptions.Day[0] \"\" \(form) (line 3)"),
    ("Day: ['Monday']", "exceptions.Day[0] \"Monday\" \(form) (line 3)"),
    ("Day: ['9/2/2025-']", "exceptions.Day[0] \"9/2/2025-\" \(form) (line 3)"),
    ("Day: ['9/4/2025-9/2/2025']", "exceptions.Day[0] \"9/4/2025-9/2/2025\" ends before it begins (line 3)"),
    (
      "Day: ['9/4/2025-10/9/2026']",
      "exceptions.Day[0] \"9/4/2025-10/9/2026\" is longer than 400 days: is a year wrong? (line 3)"
    ),
    (
      "Day: ['9/30/2052']",
      "exceptions.Day[0] \"9/30/2052\" is far from every school year of the school's file: is a year wrong? (line 3)"
    ),
    ("Day: '9/2/2025'", "exceptions.Day must be a list of days, not a text (line 3)"),
    ("Day: [20250902]", "exceptions.Day[0] must be a day, not a number (line 3)"),
    (
      "Day: [{ days: '9/2/2025', rotation: 0 }]",
      "exceptions.Day[0].rotation must be a whole number from 1 to 20 (line 3)"
    ),
    ("Day: [{ rotation: 1 }]", "exceptions.Day[0].days is missing (line 3)"),
    ("Day: [{ day: '9/2/2025', days: '9/2/2025' }]", "unknown key exceptions.Day[0].day (line 3): did you mean days?"),
  ])
  func `a wrong exception is told`(exceptions: String, problem: String) {
    #expect(Self.problems(Self.file(exceptions: exceptions)) == [problem])
  }

  @Test(arguments: [
    ("", "years holds none (line 4)"),
    ("{ first: '2025-08-12' }", "years[0].last is missing (line 4)"),
    ("{ first: '2025-08-12', last: '2025-08-11' }", "years[0].last 2025-08-11 is before 2025-08-12 (line 4)"),
    (
      "{ first: '2025-08-12', last: '2026-09-30' }",
      "years[0].last 2026-09-30 is more than 400 days after 2025-08-12 (line 4)"
    ),
    (
      "{ first: '2025-08-12', last: '2026-05-22' }, { first: '2026-05-22', last: '2026-12-22' }",
      "years are not in order: 2026-05-22 is not after 2026-05-22 (line 4)"
    ),
    (
      "{ first: '2025-08-12', last: '2026-05-22', breaks: [{ name: 'B', first: '2026-05-20', last: '2026-05-23' }] }",
      "years[0].breaks[0].first 2026-05-20 to 2026-05-23 is not within its school year (line 4)"
    ),
    (
      "{ first: '2025-08-12', last: '2026-05-22', breaks: [{ first: '2026-05-20', last: '2026-05-21' }] }",
      "years[0].breaks[0].name is missing (line 4)"
    ),
    (
      "{ first: '2025-02-30', last: '2026-05-22' }",
      "years[0].first \"2025-02-30\" does not exist in the calendar (line 4)"
    ),
  ])
  func `a wrong school year is told`(years: String, problem: String) {
    #expect(Self.problems(Self.file(years: years)) == [problem])
  }

  @Test(arguments: [
    ("timeZone: 'Chicago'", "timeZone \"Chicago\" is no time zone: say one such as America/Chicago (line 5)"),
    ("bellOffset: 601", "bellOffset must be a whole number from -600 to 600 (line 5)"),
    ("bellOffset: '-15'", "bellOffset must be a number, not a text (line 5)"),
    ("weekdays: { wed: 'Wednesday' }", "weekdays.wed \"Wednesday\" is no day type: say one of Day, No School (line 5)"),
    ("weekdays: { wedn: 'Day' }", "unknown key weekdays.wedn (line 5): did you mean wed?"),
    (
      "exceptionsURL: 'http://school.example/'",
      "exceptionsURL must be an https address, or http on this machine (line 5)"
    ),
    ("bellOfset: -15", "unknown key bellOfset (line 5): did you mean bellOffset?"),
    ("lunch: { validFrom: '2025-08-11' }", "lunch.validTo is missing (line 5)"),
  ])
  func `a wrong key is told`(rest: String, problem: String) {
    #expect(Self.problems(Self.file(rest: rest)).first == problem)
  }

  @Test(arguments: [
    (
      "anchors: [{ week: '2025-12-02', index: 0 }]",
      "lunch.anchors[0].week 2025-12-02 is no Monday: say 2025-12-01 (line 5)"
    ),
    (
      "anchors: [{ week: '2025-12-01' }]",
      "lunch.anchors[0].index is missing: say which week of the menu it is, from 0 (line 5)"
    ),
    (
      "anchors: [{ week: '2027-12-06', index: 0 }]",
      "lunch.anchors[0].week 2027-12-06 is not between validFrom and validTo (line 5)"
    ),
    (
      "anchors: [{ week: '2025-12-08', index: 0 }, { week: '2025-12-01', index: 0 }]",
      "lunch.anchors are not in order: 2025-12-01 stands after 2025-12-08 (line 5)"
    ),
    ("firstWeek: -1", "lunch.firstWeek must be a whole number from 0 to 51 (line 5)"),
    (
      "stationsURL: 'ftp://school.example/'",
      "lunch.stationsURL must be an https address, or http on this machine (line 5)"
    ),
  ])
  func `a wrong lunch is told`(lunch: String, problem: String) {
    let rest = "lunch: { validFrom: '2025-08-11', validTo: '2026-05-22', semesterSwitch: '2026-01-01', \(lunch) }"
    #expect(Self.problems(Self.file(rest: rest)) == [problem])
  }

  @Test(arguments: [
    (
      "{}",
      [
        "dayTypes is missing: say the bell table of each (line 1)",
        "years is missing: say the first and the last day of each school year (line 1)", "regular is missing (line 1)",
      ]
    ),
    (
      "{ regular: 'Day', dayTypes: { Day: { periods: { '1': '8:00-9:00', '1': '9:00-10:00' } } } }",
      ["the key \"1\" stands twice in one object (line 1, column 67)"]
    ),
    ("<html>", ["a value is expected (line 1, column 1)"]),
    ("[]", ["the file must be an object, not a list (line 1)"]),
  ])
  func `what is no school file says so`(text: String, expected: [String]) {
    #expect(Self.problems(text) == expected)
  }

  @Test func `a file of more than any school has is refused before it costs anything`() {
    func many(_ count: Int, _ piece: (Int) -> String) -> String { (0..<count).map(piece).joined(separator: ",") }
    let types = many(50) { "T\($0): { periods: {} }" }
    #expect(
      Self.problems(Self.file(types: "Day: { periods: {} }, \(types)")) == ["dayTypes holds more than 50 (line 2)"])
    let range = "'9/1/2025-9/30/2026'"
    #expect(Self.problems(Self.file(exceptions: "Day: [\(many(12) { _ in range })]")) == [])
    #expect(
      Self.problems(Self.file(exceptions: "Day: [\(many(13) { _ in range })]"))
        == ["the exceptions are more than 5000 days"])
    #expect(
      Self.problems(
        Self.file(rest: "lunch: { validFrom: '2025-08-11', validTo: '2027-05-22', semesterSwitch: '2026-01-01' }"))
        == ["lunch.validTo 2027-05-22 is more than 400 days after validFrom (line 5)"])
  }

  @Test func `all problems are told at once, each with its own line`() {
    let text = """
      {
        regular: "Day",
        dayTypes: {
          Day: { periods: { "1": "9:00-8:00",
                            "2": "10:00-11:00" } },
        },
        years: [{ first: "2025-08-12", last: "2024-05-22" }],
      }
      """
    #expect(
      Self.problems(text) == [
        "dayTypes.Day.periods.1 ends at 8:00, before it begins at 9:00 (line 4)",
        "years[0].last 2024-05-22 is before 2025-08-12 (line 7)",
      ])
  }
}
