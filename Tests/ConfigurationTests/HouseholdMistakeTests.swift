internal import Configuration
internal import Reminders
internal import Testing

@Suite struct HouseholdMistakeTests {
  private static func problems(_ text: String) -> [String] {
    ConfigurationTests.problems { () throws(DocumentError) in
      _ = try HouseholdFile.parse(Array(text.utf8), folder: "/")
    }
  }

  private static func household(time: String = "{ at: '08:00' }", tag: String = "") -> String {
    "{ people: [{ id: 'a', name: 'A' }, { id: 'b', name: 'B' }], medications: [{ id: 'm', person: 'a', name: 'M', times: [\(time)] }, "
      + "{ id: 'n', person: 'b', name: 'N' }], tags: [\(tag)] }"
  }

  @Test(arguments: [
    ("{ at: '25:00' }", "[0].at \"25:00\" is no time of day: say 00:00 to 23:59"),
    ("{ at: '24:00' }", "[0].at \"24:00\" is no time of day: say 00:00 to 23:59"),
    ("{ at: '8:0' }", "[0].at \"8:0\" is no time of day: say 00:00 to 23:59"),
    ("{ at: '-1:30' }", "[0].at \"-1:30\" is no time of day: say 00:00 to 23:59"),
    ("{ at: 800 }", "[0].at must be a text, not a number"), ("{}", "[0].at is missing"),
    ("{ at: null }", "[0].at is missing"),
    ("{ at: '8:00', days: ['mon', 'monday'] }", "[0].days \"monday\" is no day: say mon to sun"),
    ("{ at: '8:00', days: [] }", "[0].days is empty: leave it out for every day"),
    ("{ at: '8:00' }, { at: '08:00', days: ['sun'] }", "[1].at 08:00 stands twice for sun"),
    ("{ at: '8:00', opensBefore: -1 }", "[0].opensBefore must be a whole number from 0 to 10080"),
    ("{ at: '8:00', opensBefore: 10081 }", "[0].opensBefore must be a whole number from 0 to 10080"),
    ("{ at: '8:00', closesAfter: 1e300 }", "[0].closesAfter must be a whole number from 0 to 10080"),
    ("{ at: '8:00', lateAfter: '5' }", "[0].lateAfter must be a number, not a text"),
    ("{ at: '8:00', lateAfter: 61, closesAfter: 60 }", "[0].lateAfter is after the window closes"),
    (
      "{ at: '8:00', opensBefore: 0, closesAfter: 0 }", "[0].closesAfter leaves no window: it must close after it opens"
    ),
    ("{ at: '8:00', since: '2026-01-01' }", "[0].since \"2026-01-01\" is no instant: say 2026-01-01T00:00:00-08:00"),
    (
      "{ at: '8:00', lateAftr: 5 }", "unknown key medications \"m\".times[0].lateAftr (line 1): did you mean lateAfter?"
    ),
  ])
  func `a wrong time is told`(time: String, problem: String) {
    let expected = problem.hasPrefix("[") ? "medications \"m\".times\(problem) (line 1)" : problem
    #expect(Self.problems(Self.household(time: time)) == [expected])
  }

  @Test(arguments: [
    "{ at: '0:00' }", "{ at: '23:59', opensBefore: 0, closesAfter: 1 }",
    "{ at: '8:00', opensBefore: 1, closesAfter: 0 }",
    "{ at: '8:00', opensBefore: 10080, lateAfter: 10080, closesAfter: 10080 }",
    "{ at: '8:00', days: ['mon'] }, { at: '8:00', days: ['tue'] }",
    "{ at: '8:00' }, { at: '8:01' }", "{ at: '8:00', since: '2026-01-01T00Z' }",
  ])
  func `an unusual time is none`(time: String) { #expect(Self.problems(Self.household(time: time)) == []) }

  @Test(arguments: [
    ("{ medications: ['m'] }", "tags[0].uid is missing"),
    ("{ uid: 'no', medications: ['m'] }", "tags[0].uid must be hex of 4, 7, 8 or 10 bytes"),
    ("{ uid: '04A1B2C3D4E5F', medications: ['m'] }", "tags[0] (…4E5F).uid must be hex of 4, 7, 8 or 10 bytes"),
    ("{ uid: '04:A1:B2:C3', medications: ['m'] }", "tags[0] (…2:C3).uid must be hex of 4, 7, 8 or 10 bytes"),
    (
      "{ uid: '08A1B2C3', medications: ['m'] }",
      "tags[0] (…B2C3).uid begins with 08: a phone's or bank card's, new at every tap; use a tag"
    ),
    (
      "{ uid: '04A1B2C3', medications: ['m'] }, { uid: '04a1b2c3', medications: ['m'] }",
      "tags[1] (…b2c3).uid stands twice"
    ),
    ("{ uid: '04A1B2C3' }", "tags[0] (…B2C3).medications is missing: say which ones the tag stands for"),
    (
      "{ uid: '04A1B2C3', medications: null }",
      "tags[0] (…B2C3).medications is missing: say which ones the tag stands for"
    ),
    (
      "{ uid: '04A1B2C3', medications: [] }",
      "tags[0] (…B2C3).medications is missing: say which ones the tag stands for"
    ),
    ("{ uid: '04A1B2C3', medications: 'm' }", "tags[0] (…B2C3).medications must be a list of texts, not a text"),
    ("{ uid: '04A1B2C3', medications: ['m', 'm'] }", "tags[0] (…B2C3).medications names one twice"),
    ("{ uid: '04A1B2C3', medications: ['q'] }", "tags[0] (…B2C3).medications \"q\" is no medication"),
    (
      "{ uid: '04A1B2C3', medications: ['m', 'n'] }",
      "tags[0] (…B2C3).medications belong to two people: give each person a tag of their own"
    ),
  ])
  func `a wrong tag is told without its UID`(tag: String, problem: String) {
    #expect(Self.problems(Self.household(tag: tag)) == [problem + " (line 1)"])
  }

  @Test(arguments: ["04A1B2C3", "04a1b2c3d4e5f6", "08A1B2C3D4E5F6", "0011223344556677", "00112233445566778899"])
  func `hex of 4, 7, 8 and 10 bytes is a UID`(uid: String) {
    #expect(Self.problems(Self.household(tag: "{ uid: '\(uid)', medications: ['m'] }")) == [])
  }

  @Test(arguments: [
    ("{ people: [{ id: 'a' }] }", "people \"a\".name is missing (line 1)"),
    ("{ people: [{ name: 'A' }] }", "people[0].id is missing (line 1)"),
    ("{ people: [{ id: 'a', name: '' }] }", "people \"a\".name must not be empty (line 1)"),
    ("{ people: [{ id: 'a', name: '\u{A0} ' }] }", "people \"a\".name must not be empty (line 1)"),
    ("{ people: [{ id: 'a', name: '\\n' }] }", "people \"a\".name must not be empty (line 1)"),
    ("{ people: [{ id: 'a', name: 'A\\tB' }] }", "people \"a\".name holds a control character (line 1)"),
    ("{ people: [{ id: 'a', name: 'A\\u0085B' }] }", "people \"a\".name holds a control character (line 1)"),
    ("{ people: [{ id: 'a', name: 'A\\u202eB' }] }", "people \"a\".name holds a control character (line 1)"),
    (
      "{ people: [{ id: 'a', name: '\(String(repeating: "ä", count: 101))' }] }",
      "people \"a\".name has more than 100 characters (line 1)"
    ),
    (
      "{ people: [{ id: 'a', name: 'A\(String(repeating: "\u{301}", count: 1000))' }] }",
      "people \"a\".name has more than 100 characters (line 1)"
    ),
    (
      "{ people: [{ id: 'a', name: 'A' }], medications: [{ id: 'm', person: 'a', name: 'M', times: [], "
        + "dose: '\(String(repeating: "w", count: 61))' }] }",
      "medications \"m\".dose is too long for the wall, which never cuts a dose: write at most 60 Latin letters, "
        + "or 39 of others (line 1)"
    ),
    ("{ people: [{ id: 'a', name: 'A' },\n{ id: 'a', name: 'B' }] }", "people \"a\".id \"a\" stands twice (line 2)"),
    ("{ people: {} }", "people must be a list, not an object (line 1)"),
    ("{ people: ['ann'] }", "people[0] must be an object, not a text (line 1)"),
    (
      "{ people: [{ id: 'a', name: 'A', remindersEnabled: 'no' }] }",
      "people \"a\".remindersEnabled must be true or false, not a text (line 1)"
    ),
    (
      "{ people: [{ id: 'a', name: 'A' }], medications: [{ id: 'm', name: 'M' }] }",
      "medications \"m\".person is missing: every medication belongs to a person (line 1)"
    ),
    (
      "{ people: [{ id: 'a', name: 'A' }], medications: [{ id: 'm', person: 'a', name: 'M', minimumSpacing: 1.5 }] }",
      "medications \"m\".minimumSpacing must be a whole number from 0 to 10080 (line 1)"
    ),
    ("{ peple: [] }", "unknown key peple (line 1): did you mean people?"),
    (
      "{ watches: [{ id: 'w', source: 'train', stop: 's', route: 'r' }] }",
      "watches \"w\".source \"train\" is none: say onebusaway, gtfs, trafiklab (line 1)"
    ),
    ("{ watches: [{ id: 'w', source: 'gtfs', route: 'r' }] }", "watches \"w\".stop is missing (line 1)"),
    (
      "{ watches: [{ id: 'w', source: 'gtfs', stop: 's', route: 'r', window: { from: '9:00', to: '25:00' } }] }",
      "watches \"w\".window.to \"25:00\" is no time of day: say 00:00 to 23:59 (line 1)"
    ),
    (
      "{ watches: [{ id: 'w', source: 'gtfs', stop: 's', route: 'r', window: { from: '9:00', to: '09:00' } }] }",
      "watches \"w\".window.to leaves no window: it must not be the same as from (line 1)"
    ),
    (
      "{ watches: [{ id: 'w', source: 'gtfs', stop: 's', route: 'r', walkMinutes: 241 }] }",
      "watches \"w\".walkMinutes must be a whole number from 0 to 240 (line 1)"
    ),
  ])
  func `a wrong section is told`(text: String, problem: String) { #expect(Self.problems(text) == [problem]) }

  @Test func `names of every script, a hundred characters long, are names`() {
    for name in [
      "Søren", "محمد عبد الله", "王小明", "👩‍👩‍👧‍👦", "Jürgen-Maria Freiherr von und zu Hohenstein",
      String(repeating: "ä", count: 100),
    ] {
      #expect(Self.problems("{ people: [{ id: 'a', name: '\(name)' }] }") == [], "\(name)")
    }
  }

  @Test func `one mistake is told once, whatever hangs on it`() {
    let text =
      "{ people: [{ id: 'a', nmae: 'A' }], medications: [{ id: 'm', person: 'a', name: 'M' }], tags: [{ uid: '04A1B2C3', medications: ['m'] }] }"
    #expect(
      Self.problems(text) == [
        "unknown key people \"a\".nmae (line 1): did you mean name?", "people \"a\".name is missing (line 1)",
      ])
  }

  @Test func `no error holds a whole UID`() {
    let text =
      "{ tags: [{ uid: '04A1B2C3D4E5F6', medications: ['x'], labl: 1 }, { uid: '04A1B2C3D4E5F6', medications: [1], label: 2 }] }"
    let found = Self.problems(text)
    #expect(found.count >= 4)
    #expect(found.allSatisfy { !$0.uppercased().contains("A1B2C3D4") })
  }
}
