import Agent
import BellSchedule
import Configuration
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

@testable import Diagnose

/// F4 to F6: what is said of a school's file and of what it publishes, each on a school of the test's own.
struct SchoolCheckTests {
  // MARK: A school that is well

  @Test func `a school that is well passes, and what is seen is what a technician compares`() async throws {
    let home = try SchoolHome()
    #expect(
      try await home.file()
        == .pass([
          .init("file", home.path), .init("year", "2026-27, to 2027-03-27"), .init("today", "Standard, as usual"),
          .init("exceptions", "1, and a day map"), .init("pupils", 1),
        ]))
    #expect(
      try await home.map()
        == .pass([
          .init("server", "127.0.0.1"), .init("exceptions", "1, to 2026-09-18"),
          .init("today", "Standard, as usual"), .init("of 2026-27", 1),
        ]))
    #expect(
      try await home.menu()
        == .pass([.init("server", "127.0.0.1"), .init("weeks", 2), .init("today", "6 of 6 stations")]))
  }

  @Test func `the map says what today is, and a free day has no menu`() async throws {
    let home = try SchoolHome()
    home.server.say(#"{"No School":["9/8/2026"],"activity":["2026-09-09"]}"#, as: "days.json")
    #expect(try await home.map().seen.contains(.init("today", "No School, by the day map")))
    try home.change(#"["2026-09-18"]"#, to: #"["2026-09-08"]"#)
    #expect(try await home.menu().seen.contains(.init("today", "no school")))
    #expect(try await home.menu().status == .pass)
  }

  @Test func `a real school's file, its published map and a day of each kind`() async throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/bell")
    let map = try String(contentsOf: fixtures.appending(path: "schedule-dates-2026-27.json"), encoding: .utf8)
    let file = try String(contentsOf: fixtures.appending(path: "stevenson.json5"), encoding: .utf8)
    let home = try SchoolHome()
    home.server.say(map, as: "days.json")
    try home.write(
      file.replacing("// exceptionsURL: ", with: "exceptionsURL: \"\(home.server.mapURL)\", // "))
    let found = try await home.map()
    #expect(found.status == .pass, "\(found)")
    #expect(found.seen.contains(.init("today", "Standard, as usual")))
    // 2026-09-09, a day of the map.
    home.time.step(by: .seconds(86_400))
    #expect(try await home.map().seen.contains(.init("today", "Activity Period, by the day map")))
  }

  // MARK: The file

  struct BadFile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let old: String
    let new: String
    let words: String
  }

  static let badFiles = [
    BadFile(
      testDescription: "unsorted", old: #""1": "8:30-9:21", "2": "9:26-12:13""#,
      new: #""2": "9:26-12:13", "1": "8:30-9:21""#, words: "put the periods in the order of the day"),
    BadFile(testDescription: "overlapping", old: "9:26-12:13\", \"3", new: "9:20-12:13\", \"3", words: "before 1 ends"),
    BadFile(testDescription: "end before start", old: "12:20-13:10", new: "12:20-12:10", words: "before it begins"),
    BadFile(
      testDescription: "1:35 in the afternoon", old: "13:35-15:25", new: "1:35-3:25", words: "did you mean 13:35?"),
    BadFile(testDescription: "over midnight", old: "13:35-15:25", new: "23:35-1:25", words: "over midnight"),
    BadFile(testDescription: "unknown day type", old: #""No School": ["#, new: #""No Shcool": ["#, words: "No Shcool"),
    BadFile(
      testDescription: "unknown regular", old: #"regular: "Standard""#, new: "regular: 'Std'", words: "no day type"),
    BadFile(
      testDescription: "a day that does not exist", old: #"["2026-09-18"]"#, new: #"["2/30/2027"]"#,
      words: "does not exist"),
    BadFile(
      testDescription: "two days in one", old: #"["2026-09-18"]"#, new: #"["5/20/2027, 9/30/202"]"#, words: "is no day"),
    BadFile(testDescription: "a year backwards", old: "last: \"2027", new: "last: \"2025", words: "is before"),
    BadFile(testDescription: "unknown key", old: "years:", new: "yaers:", words: "did you mean years?"),
    BadFile(testDescription: "not closed", old: "lunch: {", new: "lunch: {{", words: "line"),
  ]

  @Test(arguments: badFiles) func `a mistake in the file is told with its place`(bad: BadFile) async throws {
    let home = try SchoolHome()
    try home.change(bad.old, to: bad.new)
    let found = try await home.file()
    #expect(found.status == .fail && found.means == "The school's file has mistakes.", "\(found)")
    let problem = found.seen.first { $0.name == "problem" }?.value ?? ""
    #expect(problem.contains(bad.words) && problem.contains("line"), "\(problem)")
    #expect(found.remedies.first == "sudo nano \(home.path)")
    #expect(found.seen.contains(.init("the wall shows", "no school")))
    #expect(Secrets.found(in: "\(found)").isEmpty)
    #expect(try await home.map() == SchoolVisit.noFile)
    #expect(try await home.menu() == SchoolVisit.noFile)
  }

  @Test(arguments: ["", "<!DOCTYPE html><html>", "\u{0}\u{1}", "[]", "{}", String(repeating: "[", count: 5000)])
  func `what is no school's file at all breaks nothing`(text: String) async throws {
    let home = try SchoolHome()
    try home.write(text)
    let found = try await home.file()
    #expect(found.status == .fail && found.means == "The school's file has mistakes.", "\(found)")
  }

  @Test(arguments: ["missing", "folder", "pipe", "2 MB"])
  func `a file that cannot be read holds nobody up and is told`(kind: String) async throws {
    let home = try SchoolHome()
    try home.plant.remove("/school.json5")
    switch kind {
    case "folder": try home.plant.write("/school.json5/x", "")
    case "pipe": #expect(unsafe mkfifo(home.path, 0o600) == 0)
    case "2 MB": try home.write(String(repeating: " ", count: 2 << 20))
    default: break
    }
    let found = try await home.file()
    #expect(found.status == .fail && found.means == "The agent cannot read the school's file.", "\(found)")
    #expect(found.remedies.first?.contains(home.path) == true)
  }

  @Test func `while the file is wrong the wall shows the last good one, and nothing is stored here`() async throws {
    let home = try SchoolHome()
    _ = await SchoolShelf(stateDirectory: home.plant.root + "/state").look(home.path, anew: true)
    try home.change("13:35", to: "1:35")
    let before = home.box.names("/state")
    #expect(try await home.file().seen.contains(.init("the wall shows", "the last good file")))
    // What the agent fetches goes on.
    #expect(try await home.map().status == .pass)
    #expect(home.box.names("/state") == before)
  }

  @Test func `a file that knows no day of today's year is a warning`() async throws {
    let home = try SchoolHome()
    let file = FakeSchool.file(at: SchoolHome.now, address: home.server.address)
    try home.write(
      file.replacing(#/years: .*/#, with: "years: [{ first: '2023-08-10', last: '2024-05-20' }],")
        .replacing(#/exceptions: .*/#, with: ""))
    let unknown = try await home.file()
    #expect(unknown.status == .warn)
    #expect(unknown.means == "The file does not know the school year 2026-27.", "\(unknown)")
    #expect(unknown.seen.contains(.init("year", "none to come")))
    // Of a school that has exceptions of other years only.
    try home.write(
      file.replacing(#/exceptionsURL: .*/#, with: "").replacing("2026-09-18", with: "2025-09-18"))
    #expect(try await home.file().means?.contains("has no exceptions of the school year 2026-27") == true)
    #expect(try await home.map() == .skip("The school publishes no day map (exceptionsURL)."))
  }

  @Test(arguments: [
    (#"{ "No School": ["2026-09-18"] }"#, nil as String?),
    (#"{ "Activity": ["2026-09-19"] }"#, "2026-09-19 is a weekend: Activity is ignored there."),
    (#"{ "Activity": ["2026-09-05"] }"#, nil),
    (
      #"{ "Activity": ["2026-09-18"], "No School": ["2026-09-17-2026-09-18"] }"#,
      "2026-09-18 is marked No School and Activity: the first counts."
    ),
    (
      #"{ "Early Dismissal": ["2026-09-15-2026-09-17"] }"#,
      "2026-09-17 is day 3 of Early Dismissal, which has no order of periods for it."
    ),
  ])
  func `what is odd about a day to come is told by who says it, and what is past is not`(map: String, means: String?)
    async throws
  {
    let home = try SchoolHome()
    home.server.say(map, as: "days.json")
    let found = try await home.map()
    #expect(found.status == (means == nil ? .pass : .warn) && found.means == means, "\(found)")
    // The same in a file of a school that publishes no map.
    let file = FakeSchool.file(at: SchoolHome.now, address: "").replacing(#/exceptionsURL: .*/#, with: "")
    try home.write(
      file.replacing(#/exceptions: .*/#, with: "exceptions: \(map),").replacing(#/stationsURL: "[^"]*"/#, with: ""))
    #expect(try await home.file().means == means)
  }

  @Test(arguments: [("3", true), ("3B", false), ("7", false), ("", false)])
  func `a pupil's lunch that is no period of the school is a warning without a name`(lunch: String, isRight: Bool)
    async throws
  {
    let found = await SchoolFileCheck.look(try await SchoolHome().visit(lunch: lunch))
    #expect(found.status == (isRight ? .pass : .warn), "\(found)")
    #expect(!"\(found)".contains("ann"))
  }

  @Test func `without a household or a school there is nothing to look at`() async throws {
    let home = try SchoolHome()
    for (documents, words) in [(nil, "(D4)"), ([:], "no school"), (["bell": "{\"people\":[]}"], "no school")]
      as [([String: String]?, String)]
    {
      guard case .failure(let absence) = await SchoolVisit.begin(home.box, documents: documents) else {
        Issue.record("there is a school")
        continue
      }
      #expect(absence.finding.status == .skip && absence.finding.means?.contains(words) == true)
    }
  }

  // MARK: The day map

  @Test(arguments: [
    ("", 200, "127.0.0.1 sends an empty answer."),
    ("<html>passCanary9Ui3oP</html>", 200, "127.0.0.1 sends a web page in place of data."),
    ("gone", 404, "127.0.0.1 does not have it."), ("no", 500, "127.0.0.1 is broken (500)."),
    ("[]", 200, "What comes is no right day map."), ("{}", 200, "What comes is no right day map."),
    (#"{"version":2}"#, 200, "What comes is no right day map."),
    (#"{"No School":["9/18/2026",]}"#, 200, "What comes is no right day map."),
    (#"{"No School":["9/31/2026"]}"#, 200, "What comes is no right day map."),
    (#"{"No School":["5/20/2027, 9/30/202"]}"#, 200, "What comes is no right day map."),
    (#"{"No School":["9/18/2062"]}"#, 200, "What comes is no right day map."),
    (#"{"No School":["9/18/2026"]"#, 200, "What comes is no right day map."),
  ])
  func `a day map is good as a whole or none`(body: String, http: Int, means: String) async throws {
    let home = try SchoolHome()
    home.server.say(body, as: "days.json", status: http)
    let found = try await home.map()
    #expect(found.status == .fail && found.means == means, "\(found)")
    #expect(!found.remedies.isEmpty)
    #expect(Secrets.found(in: "\(found)").isEmpty, "\(found)")
    // The file itself is none the worse.
    #expect(try await home.file().status == .pass)
  }

  @Test func `a map of another year is a warning while school is on`() async throws {
    let home = try SchoolHome()
    home.server.say(#"{"No School":["2026-01-19"]}"#, as: "days.json")
    let found = try await home.map()
    #expect(found.status == .warn)
    #expect(found.means?.contains("says nothing of the school year 2026-27") == true, "\(found)")
  }

  // MARK: The menu

  @Test(arguments: [
    ("soup", "", 200, "The station soup: 127.0.0.1 sends an empty answer."),
    ("soup", "gone", 404, "The station soup: 127.0.0.1 does not have it."),
    (
      "comfort", #"{"cadence":"daily","data":[["a","b","c","d"]]}"#, 200,
      "The station comfort: what comes is no right menu."
    ),
    ("sides", #"{"cadence":"weekly","data":["a","b",]}"#, 200, "The station sides: what comes is no right menu."),
    ("mindful", "[]", 200, "The station mindful: what comes is no right menu."),
    (
      "soup", #"{"cadence":"weekly","data":["a","b","c"]}"#, 200,
      "The stations do not fit each other: soup: has 3 weeks, the stations before it 2."
    ),
  ])
  func `one station that is wrong is named`(station: String, body: String, http: Int, means: String) async throws {
    let home = try SchoolHome()
    home.server.say(body, as: "menu/\(station).json", status: http)
    let found = try await home.menu()
    #expect(found.status == .fail && found.means == means, "\(found)")
    #expect(!found.remedies.isEmpty)
  }

  @Test func `what is wrong with all stations is no station's fault`() async throws {
    let home = try SchoolHome()
    for (name, _) in FakeSchool.published(at: SchoolHome.now) where name.hasPrefix("menu/") {
      home.server.say("<html></html>", as: name)
    }
    let found = try await home.menu()
    #expect(found.means == "127.0.0.1 sends a web page in place of data.", "\(found)")
    #expect(found.seen.contains(.init("stations", "0 of 6 good")))
  }

  @Test(arguments: [
    ("no", 403, Finding.Status.skip), ("gone", 404, .skip), ("no", 500, .skip), ("<html></html>", 200, .skip),
    // What comes and is wrong is so document by document.
    ("[", 200, .fail),
  ])
  func `a server that fails with the map and with every station in the same way is told once`(
    body: String, http: Int, status: Finding.Status
  ) async throws {
    let home = try SchoolHome()
    for (name, _) in FakeSchool.published(at: SchoolHome.now) { home.server.say(body, as: name, status: http) }
    #expect(try await home.map().status == .fail)
    let found = try await home.menu()
    #expect(found.status == status, "\(found)")
    if status == .skip { #expect(found == MenuCheck.hostFails) }
  }

  @Test func `a map that is wrong hides no menu, nor stations a map, nor one server another`() async throws {
    let home = try SchoolHome()
    home.server.say("gone", as: "days.json", status: 404)
    #expect(try await home.menu().status == .pass)
    for (name, _) in FakeSchool.published(at: SchoolHome.now) where name.hasPrefix("menu/") {
      home.server.say("no", as: name, status: 500)
    }
    #expect(try await home.menu().means == "127.0.0.1 is broken (500).")
    // One station that comes shows that it is not the server.
    for (name, text) in FakeSchool.published(at: SchoolHome.now) {
      if name == "menu/soup.json" {
        home.server.say(text, as: name)
      } else {
        home.server.say("gone", as: name, status: 404)
      }
    }
    #expect(try await home.menu().status == .fail)
    // The same fault of a map that is elsewhere is another one.
    home.server.say("gone", as: "menu/soup.json", status: 404)
    try home.change(home.server.mapURL, to: home.server.mapURL.replacing("127.0.0.1", with: "localhost"))
    #expect(try await home.menu().means == "127.0.0.1 does not have it.")
    // A map that comes hides nothing.
    try home.write(FakeSchool.file(at: SchoolHome.now, address: home.server.address))
    home.server.say(#"{"No School":[]}"#, as: "days.json")
    #expect(try await home.menu().means == "127.0.0.1 does not have it.")
  }

  @Test func `a menu whose weeks lie behind days that nobody has published is not known, and no fault`() async throws {
    let home = try SchoolHome()
    let file = FakeSchool.file(at: SchoolHome.now, address: home.server.address)
    try home.write(
      file.replacing("years: [{", with: "years: [{ first: '2025-08-12', last: '2026-05-22' }, {")
        .replacing(#/validFrom: "[^"]*"/#, with: "validFrom: '2026-03-02'"))
    let found = try await home.menu()
    #expect(found.status == .pass, "\(found)")
    #expect(found.seen.contains(.init("today", "not known: days before it are not published")))
  }

  @Test func `a menu of other months is a warning while school is on, and a school without one is not asked`()
    async throws
  {
    let home = try SchoolHome()
    try home.change(#"validTo: "2027-03-27""#, to: #"validTo: "2026-09-07""#)
    let found = try await home.menu()
    #expect(found.status == .warn && found.means?.contains("of other months") == true, "\(found)")
    #expect(found.seen.contains(.init("today", "nothing: the menu is for 2026-07-10 to 2026-09-07")))
    let file = FakeSchool.file(at: SchoolHome.now, address: home.server.address)
    try home.write(file.replacing(#/, stationsURL: "[^"]*"/#, with: "").replacing(#/stationsURL: "[^"]*"/#, with: ""))
    #expect(try await home.menu() == .skip("The school publishes no menu (lunch.stationsURL)."))
  }
}
