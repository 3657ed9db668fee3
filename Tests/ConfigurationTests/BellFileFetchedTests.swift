internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

/// What a school's server sends is taken whole or not at all.
@Suite struct BellFileFetchedTests {
  private static func school() throws -> School {
    let text = """
      { regular: "Standard", dayTypes: { Standard: { periods: { "1": "8:00-9:00" } }, "Late Arrival": { periods: { "1": "9:00-10:00" } } },
        years: [{ first: "2025-08-12", last: "2026-05-22" }] }
      """
    return try BellFile.parse(Array(text.utf8))
  }

  private static func exceptions(_ body: String) throws -> ExceptionMap {
    try BellFile.exceptions(Array(body.utf8), for: try school())
  }

  private static func rejection(_ read: () throws -> Void) throws -> RejectedBody? {
    do {
      try read()
      return nil
    } catch let error as RejectedBody { return error }
  }

  @Test func `a map names days and ranges by type, in any case, and types that nobody knows`() throws {
    let map = try Self.exceptions(
      #"{"late arrival": ["8/21/2025"], "No School": ["11/26/2025-11/28/2025"], "Asynchronous": ["1/6/2026"], "PM Assembly": []}"#
    )
    #expect(map.entries.map(\.type) == ["Late Arrival", "No School", "Asynchronous"])
    #expect(map.days.count == 5)
  }

  @Test(arguments: [
    ("", "exceptions: the document ends where a value is expected (line 1, column 1)"),
    ("{}", "exceptions: holds no day at all"), (#"{"No School": []}"#, "exceptions: holds no day at all"),
    ("[]", "exceptions: must be an object, not a list"), ("null", "exceptions: must be an object, not null"),
    (
      "{\"No School\": [\"9/1/2025\"\n, ]}", "exceptions: is not JSON: a comma stands at the end of a list (line 2)"
    ),
    (
      #"{"No School": ["9/1/2025"],}"#, "exceptions: is not JSON: a comma stands at the end of a list (line 1)"
    ),
    (#"{"No School": ["9/1/2025"]} // done"#, "exceptions: is not JSON"),
    ("{'No School': ['9/1/2025']}", "exceptions: is not JSON"),
    (
      #"{"No School": ["9/1/2025"], "No School": ["9/2/2025"]}"#,
      "exceptions: the key \"No School\" stands twice in one object (line 1, column 29)"
    ),
    (#"{"No School": ["9/1/2025""#, "exceptions: the document ends before ] (line 1, column 26)"),
    (#"{"No School": "9/1/2025"}"#, "exceptions: No School must be a list of days, not a text (line 1)"),
    (
      #"{"No School": ["9/1/2025", "2/30/2026"]}"#,
      "exceptions: No School[1] \"2/30/2026\" does not exist in the calendar (line 1)"
    ),
    (
      #"{"No School": ["5/20/2022, 9/30/202"]}"#,
      "exceptions: No School[0] \"5/20/2022, 9/30/202\" is no day: say one such as 8/21/2025, or 12/18/2025-12/19/2025 where a range may stand (line 1)"
    ),
    (
      #"{"No School": ["9/2/2025-9/1/2025"]}"#,
      "exceptions: No School[0] \"9/2/2025-9/1/2025\" ends before it begins (line 1)"
    ),
    (
      #"{"No School": ["9/1/2052"]}"#,
      "exceptions: No School[0] \"9/1/2052\" is far from every school year of the school's file: is a year wrong? (line 1)"
    ),
    (#"{"No School": [null]}"#, "exceptions: No School[0] must be a day, not null (line 1)"),
    (#"{"": ["9/1/2025"]}"#, "exceptions: \"\" is no day type (line 1)"),
    (
      #"{"A": [1], "B": [2], "C": [3]}"#,
      "exceptions: A[0] must be a day, not a number (line 1); B[0] must be a day, not a number (line 1); and 1 more"
    ),
  ])
  func `a wrong map changes nothing and says why in one sentence`(body: String, sentence: String) throws {
    #expect(try Self.rejection { _ = try Self.exceptions(body) }?.sentence == sentence)
  }

  @Test(arguments: ["<!DOCTYPE html><title>Not found</title>", "{\"a\": [\"\u{FFFD}"])
  func `a page of another kind is no map`(body: String) throws {
    #expect(try Self.rejection { _ = try Self.exceptions(body) } != nil)
  }

  @Test func `bytes that are no text, and a map that is too large, are refused`() throws {
    let school = try Self.school()
    #expect(throws: RejectedBody.self) { try BellFile.exceptions([0x7B, 0xFF, 0x7D], for: school) }
    let large = Array(#"{"No School": ["9/1/2025"]}"#.utf8) + [UInt8](repeating: 0x20, count: 2 << 20)
    #expect(
      try Self.rejection { _ = try BellFile.exceptions(large, for: school) }?.sentence
        == "exceptions: the file is larger than 1 MiB (line 1, column 1)")
  }

  // MARK: the menu

  private static let daily =
    #"{"cadence": "daily", "data": [["a", "b", "c", "d", "e"], [["f", "g "], "h", "i", "j", " k "]]}"#

  private static let bodies: [Menu.Station: String] = [
    .comfort: daily, .mindful: daily, .sides: daily,
    .soup: #"{"cadence": "weekly", "data": [["Tomato", "Noodle"], ["Corn"]]}"#,
    .international: #"{"cadence": "weekly", "data": ["Pasta Bowl", "Vegetable Paellla"]}"#,
    .special:
      #"[["Poké Bowl", "Tacos", "Wings", "Chili", "Sushi"], ["Poké Bowl", "Tacos", "Wings", "Nachos", "Sushi"]]"#,
  ]

  private static func menu(_ changes: [Menu.Station: String?] = [:]) throws -> Menu {
    var bodies = bodies
    for (station, body) in changes { bodies[station] = body }
    return try BellFile.menu(bodies.mapValues { Array($0.utf8) })
  }

  @Test func `six stations are a menu, trimmed and not corrected`() throws {
    let menu = try Self.menu()
    #expect(menu.weeks == 2)
    var school = try Self.school()
    school.lunch = LunchPlan(
      validFrom: try #require(DayKey(year: 2025, month: 8, day: 12)),
      validTo: try #require(DayKey(year: 2026, month: 5, day: 22)),
      semesterSwitch: try #require(DayKey(year: 2026, month: 1, day: 1)), firstWeek: 1)
    let calendar = SchoolCalendar(school: school, zone: .gmt)
    let tuesday = try #require(DayKey(year: 2025, month: 8, day: 15))
    let found = try #require(calendar.menu(menu, of: tuesday, at: .distantPast))
    #expect(
      found.courses.map(\.dishes) == [["Sushi"], ["k"], ["k"], ["k"], ["Corn"], ["Vegetable Paellla"]])
  }

  @Test(arguments: [
    (Menu.Station.comfort, nil as String?, "comfort: is missing" as String?),
    (.comfort, "<html>", nil),
    (
      .comfort, #"{"cadence": "daily", "data": [["a", "b", "c", "d", "e"],]}"#,
      "comfort: is not JSON: a comma stands at the end of a list (line 1)"
    ),
    (
      .mindful, #"{"cadence": "daily", "data": [["a", "b", "c", "d", "e"]]}"#,
      "mindful: has 1 weeks, the stations before it 2"
    ),
    (
      .sides, #"{"cadence": "daily", "data": [["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]]}"#,
      "sides: a week has five days, not 4 (line 1)"
    ),
    (.soup, #"{"cadence": "monthly", "data": []}"#, "soup: cadence must be daily or weekly (line 1)"),
    (.soup, #"{"data": []}"#, "soup: cadence is missing (line 1)"),
    (.soup, #"{"cadence": "weekly"}"#, "soup: data is missing (line 1)"),
    (.soup, #"{"cadence": "weekly", "data": {}}"#, "soup: a list is expected, not an object (line 1)"),
    (.soup, #"{"cadence": "weekly", "data": ["a", 5]}"#, "soup: a dish is a text, not a number (line 1)"),
    (.soup, #"{"cadence": "weekly", "data": ["a", " "]}"#, "soup: a dish is empty, too long or unreadable (line 1)"),
    (.soup, #"{"cadence": "weekly", "data": ["a", []]}"#, "soup: a dish has 1 to 6 parts, not 0 (line 1)"),
    (.international, #"{"cadence": "weekly", "data": []}"#, "international: holds no weeks"),
    (.international, #"["a", "b"]"#, "international: must be an object, not a list"),
    (.special, #"[["a", "b", "c", "d", "e"]]"#, "special: must hold two semesters, not 1"),
    (.special, #"[["a", "b", "c", "d", "e"], ["a"]]"#, "special: a week has five days, not 1 (line 1)"),
    (.special, #"{"cadence": "daily", "data": []}"#, "special: a list is expected, not an object (line 1)"),
  ])
  func `one wrong station is no menu`(station: Menu.Station, body: String?, sentence: String?) throws {
    let rejected = try #require(try Self.rejection { _ = try Self.menu([station: body]) })
    #expect(rejected.what == station.rawValue)
    if let sentence { #expect(rejected.sentence == sentence) }
  }
}
