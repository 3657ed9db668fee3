internal import Foundation
internal import Testing

@testable internal import Configuration

@Suite struct ConfigurationFileTests {
  private static func read(_ text: String) throws(DocumentError) -> Configuration {
    try Configuration.parse(Array(text.utf8), folder: "/etc/kiosk-agent")
  }

  @Test func `an empty file is all defaults`() throws {
    let configuration = try Self.read("{}")
    #expect(configuration == Configuration(stateDirectory: "/var/lib/kiosk-agent"))
    #expect(configuration.timeZone == nil)
    #expect(configuration.reader.match == [] && configuration.reader.exclude == ["SAM"])
    #expect(configuration.reader.decodeAttempts == 3)
    #expect(configuration.reader.bufferSeconds == 2 && configuration.reader.failAfterSeconds == 30)
    #expect(configuration.sound.device == "default")
    #expect(configuration.sound.success == nil && configuration.sound.failure == nil)
    #expect(configuration.wall.address == "127.0.0.1" && configuration.wall.port == 8437)
    #expect(configuration.wall.viewingDistance == 2.5 && configuration.wall.panelInches == 32)
    #expect(configuration.wall.language == "en")
    #expect(configuration.sources.isEmpty && configuration.calendars.isEmpty)
  }

  @Test func `the file of the contract is read whole, paths from its own folder`() throws {
    let configuration = try Self.read(
      """
      {
        stateDirectory: "state",       // beside the file
        timeZone: "America/Los_Angeles",
        reader: { match: ["ACR122"], exclude: [], decodeAttempts: 5, bufferSeconds: 0, failAfterSeconds: 60 },
        sound: { device: "plughw:1", success: "yes.wav", failure: "/srv/no.wav" },
        wall: { listen: "[::1]:80", viewingDistance: 3, panelInches: 21.5, language: "de" },
        sources: {
          onebusaway: { keyFile: "key" }, gtfs: { baseURL: "http://127.0.0.1:9/feed.zip" }, trafiklab: null,
          calendars: [{ id: "family", name: "Family", file: "family.ics" }, { id: "school", url: "https://example.org/a.ics" }],
        },
      }
      """)
    var expected = Configuration(stateDirectory: "/etc/kiosk-agent/state")
    expected.timeZone = TimeZone(identifier: "America/Los_Angeles")
    expected.timeZoneName = "America/Los_Angeles"
    expected.reader = .init(match: ["ACR122"], exclude: [], decodeAttempts: 5, bufferSeconds: 0, failAfterSeconds: 60)
    expected.sound = .init(device: "plughw:1", success: "/etc/kiosk-agent/yes.wav", failure: "/srv/no.wav")
    expected.wall = .init(address: "::1", port: 80, viewingDistance: 3, panelInches: 21.5, language: "de")
    expected.sources = [
      "onebusaway": .init(baseURL: "https://api.pugetsound.onebusaway.org", keyFile: "/etc/kiosk-agent/key"),
      "gtfs": .init(baseURL: "http://127.0.0.1:9/feed.zip", keyFile: nil),
    ]
    expected.calendars = [
      .init(id: "family", name: "Family", file: "/etc/kiosk-agent/family.ics", url: nil),
      .init(id: "school", name: nil, file: nil, url: "https://example.org/a.ics"),
    ]
    #expect(configuration == expected)
  }

  @Test func `what is chosen of a calendar is in files beside the configuration, or all of it`() throws {
    let configuration = try Self.read(
      """
      { sources: { calendars: [
        { id: "talks", url: "https://example.org/a.ics", owners: ["ann@example.org"],
          picks: { files: ["ann.json", "/srv/bob.json"], remind: 30, sound: true } },
        { id: "mine", file: "mine.ics", picks: {} }, { id: "other", file: "other.ics", picks: null } ] } }
      """)
    #expect(
      configuration.calendars == [
        .init(
          id: "talks", url: "https://example.org/a.ics", owners: ["ann@example.org"],
          picks: .init(files: ["/etc/kiosk-agent/ann.json", "/srv/bob.json"], remind: 30, sound: true)),
        .init(id: "mine", file: "/etc/kiosk-agent/mine.ics", picks: .init()),
        .init(id: "other", file: "/etc/kiosk-agent/other.ics"),
      ])
  }

  @Test(arguments: [
    ("{ wal: {} }", "unknown key wal (line 1): did you mean wall?"),
    ("{\n wall: {\n  lisen: 1 } }", "unknown key wall.lisen (line 3): did you mean listen?"),
    ("{ reader: { failAfter: 3 } }", "unknown key reader.failAfter (line 1): did you mean failAfterSeconds?"),
    ("{ sources: { calendar: [] } }", "unknown key sources.calendar (line 1): did you mean calendars?"),
    ("{\n\n wall: {\n listen: 8437 } }", "wall.listen must be a text, not a number (line 4)"),
    ("{ wall: [] }", "wall must be an object, not a list (line 1)"),
    ("7", "the file must be an object, not a number (line 1)"),
    (
      "{ wall: { listen: '0.0.0.0:8437' } }",
      "wall.listen \"0.0.0.0:8437\" is refused: the wall holds health data and listens on loopback only, such as 127.0.0.1:8437 (line 1)"
    ),
    ("{ wall: { listen: '8437' } }", "wall.listen \"8437\" has no port: say one such as 127.0.0.1:8437 (line 1)"),
    (
      "{ wall: { listen: '127.0.0.1:65536' } }",
      "wall.listen \"127.0.0.1:65536\" has no port: say one such as 127.0.0.1:8437 (line 1)"
    ),
    (
      "{ wall: { listen: '127.0.0.1:+80' } }",
      "wall.listen \"127.0.0.1:+80\" has no port: say one such as 127.0.0.1:8437 (line 1)"
    ),
    ("{ wall: { viewingDistance: 0 } }", "wall.viewingDistance must be from 0.3 to 20.0 (line 1)"),
    ("{ wall: { panelInches: Infinity } }", "wall.panelInches must be from 5.0 to 120.0 (line 1)"),
    ("{ wall: { panelInches: NaN } }", "wall.panelInches must be from 5.0 to 120.0 (line 1)"),
    ("{ wall: { language: 'fr' } }", "wall.language \"fr\" is not there: say en or de (line 1)"),
    (
      "{ timeZone: 'America/Los_Angles' }",
      "timeZone \"America/Los_Angles\" is no time zone: say one such as America/Los_Angeles (line 1)"
    ),
    (
      "{ timeZone: '../../etc/passwd' }",
      "timeZone \"../../etc/passwd\" is no time zone: say one such as America/Los_Angeles (line 1)"
    ),
    ("{ reader: { decodeAttempts: 2.5 } }", "reader.decodeAttempts must be a whole number from 1 to 10 (line 1)"),
    ("{ reader: { decodeAttempts: Infinity } }", "reader.decodeAttempts must be a whole number from 1 to 10 (line 1)"),
    ("{ reader: { decodeAttempts: NaN } }", "reader.decodeAttempts must be a whole number from 1 to 10 (line 1)"),
    ("{ reader: { bufferSeconds: -1 } }", "reader.bufferSeconds must be a whole number from 0 to 60 (line 1)"),
    ("{ reader: { match: 'ACR' } }", "reader.match must be a list of texts, not a text (line 1)"),
    ("{ reader: { match: [1] } }", "reader.match must be a list of texts, not a number (line 1)"),
    ("{ stateDirectory: ' ' }", "stateDirectory must not be empty (line 1)"),
    ("{ stateDirectory: 'a\\u0000b' }", "stateDirectory holds a control character (line 1)"),
    (
      "{ sources: { onebusaway: { baseURL: 'http://example.org/?key=s3cret' } } }",
      "sources.onebusaway.baseURL must be an https address, or http on this machine (line 1)"
    ),
    (
      "{ sources: { calendars: [{ id: 'a', file: 'a.ics', url: 'https://b.org' }] } }",
      "sources.calendars \"a\".url stands beside file: a calendar has one (line 1)"
    ),
    ("{ sources: { calendars: [{ id: 'a' }] } }", "sources.calendars \"a\".file or url is missing (line 1)"),
    (
      "{ sources: { calendars: [{ id: 'a', url: 'file:///etc/passwd' }] } }",
      "sources.calendars \"a\".url must be an https address, or http on this machine (line 1)"
    ),
    (
      "{ sources: { calendars: [{ id: 'a', file: 'a' }, { id: 'a', file: 'b' }] } }",
      "sources.calendars \"a\".id \"a\" stands twice (line 1)"
    ),
    (
      "{ sources: { calendars: [{ id: 'a', file: 'a', picks: { remind: 7 } }] } }",
      "sources.calendars \"a\".picks.remind must be 0, 5, 10, 15 or 30 minutes (line 1)"
    ),
    (
      "{ sources: { calendars: [{ id: 'a', file: 'a', picks: { file: 'b' } }] } }",
      "unknown key sources.calendars \"a\".picks.file (line 1): did you mean files?"
    ),
    (
      "{ sources: { calendars: [{ id: 'a', file: 'a', picks: true }] } }",
      "sources.calendars \"a\".picks must be an object, not true or false (line 1)"
    ),
    ("{ sources: { calendars: [{ file: 'a' }] } }", "sources.calendars[0].id is missing (line 1)"),
    ("{ a", "a colon is expected after \"a\" (line 1, column 4)"),
  ])
  func `a mistake names the key, the line and the remedy`(text: String, problem: String) {
    #expect(problems { () throws(DocumentError) in _ = try Self.read(text) } == [problem])
  }

  @Test(arguments: [
    "192.168.1.2:8437", "[::]:8437", "::1:8437", "127.0.0.1.evil.example:80", "wall.local:8437", ":8437", "127.0.0.1:",
  ])
  func `the wall is not served off loopback`(listen: String) {
    #expect(problems { () throws(DocumentError) in _ = try Self.read("{ wall: { listen: '\(listen)' } }") }.count == 1)
  }

  @Test func `all mistakes are told at once, and the sentence stays short`() {
    let text = "{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, timeZone: 7 }"
    #expect(problems { () throws(DocumentError) in _ = try Self.read(text) }.count == 7)
    #expect(throws: DocumentError.self) { try Self.read(text) }
    #expect(
      DocumentError(problems: ["one", "two"]).sentence == "one; two: mend the file and start again")
    #expect(
      DocumentError(problems: (1...7).map(String.init)).sentence
        == "1; 2; 3; 4; 5; and 2 more: mend the file and start again")
  }

  @Test(arguments: [
    (["XDG_STATE_HOME": "/x", "HOME": "/home/ann"], "/x/kiosk-agent"),
    (["XDG_STATE_HOME": "x", "HOME": "/home/ann"], "/home/ann/.local/state/kiosk-agent"),
    (["HOME": "/home/ann"], "/home/ann/.local/state/kiosk-agent"),
  ])
  func `without a file the state is the user's`(environment: [String: String], path: String) {
    #expect(Configuration.withoutFile(environment: environment).stateDirectory == path)
  }
}
