import Foundation
import Testing

/// What a configuration file does to every command (DESIGN 4.2).
struct ConfigurationFileTests {
  @Test(arguments: [
    (
      "{ stateDirectory: 'state',\n wall: { listn: '127.0.0.1:8437' } }",
      "unknown key wall.listn (line 2): did you mean listen?"
    ),
    ("{ stateDirectry: 'state' }", "unknown key stateDirectry (line 1): did you mean stateDirectory?"),
    ("{ wall: { listen: '0.0.0.0:8437' } }", "loopback only"),
    ("{ wall: { listen: '192.168.1.7:8437' } }", "loopback only"),
    ("{ wall: { listen: '[::]:8437' } }", "loopback only"),
    ("{ wall: { listen: '127.0.0.1' } }", "has no port"),
    ("{ wall: { listen: '127.0.0.1:99999' } }", "has no port"),
    ("{ reader:\n { decodeAttempts: '3' } }", "reader.decodeAttempts must be a number, not a text (line 2)"),
    ("{ reader: { decodeAttempts: 0 } }", "must be a whole number from 1 to 10"),
    ("{ reader: [] }", "reader must be an object, not a list (line 1)"),
    ("{ timeZone: 'America/Los_Angels' }", "is no time zone"),
    ("{ wall: { language: 'xx' } }", "say en or de"),
    ("{ sources: { gtfs: { baseURL: 'http://example.org/' } } }", "must be an https address"),
    ("{ sources: { calendars: [{ id: 'a', file: 'a.ics' }, { id: 'a', file: 'b.ics' }] } }", "stands twice"),
    ("[]", "the file must be an object, not a list (line 1)"),
    ("{ wall: { listen: '127.0.0.1:1' }", "line 1"),
    ("", "line 1"),
  ]) func `a configuration with a mistake is 78, names it and its line, for every command`(text: String, words: String)
    throws
  {
    let kitchen = try Kitchen(text)
    for command in ["history", "run"] {
      let problem = try kitchen.agent(command).problem(78)
      #expect(problem.contains(words), "\(problem)")
    }
  }

  @Test func `every mistake of a file is told at once`() throws {
    let problem = try Kitchen("{ a: 1,\n b: 2,\n wall: { c: 3 } }").agent("history").problem(78)
    for words in ["unknown key a (line 1)", "unknown key b (line 2)", "unknown key wall.c (line 3)"] {
      #expect(problem.contains(words), "\(problem)")
    }
  }

  @Test func `a folder, a device or an endless file is no configuration`() throws {
    let kitchen = try Kitchen()
    for path in [kitchen.folder, "/dev/zero"] {
      #expect(try kitchen.bare(["history", "--config", path]).problem(78).contains("not a file"))
    }
    try kitchen.write("large.json5", "{} //" + String(repeating: "x", count: 2 << 20))
    #expect(try kitchen.bare(["history", "--config", kitchen.path("large.json5")]).problem(78).contains("larger than"))
  }

  @Test func `paths are those of the configuration's folder, wherever the command is given`() throws {
    let kitchen = try Kitchen()
    try FileManager.default.createDirectory(atPath: kitchen.path("etc"), withIntermediateDirectories: true)
    try kitchen.write("etc/kiosk-agent.json5", "{ stateDirectory: 'ledger' }")
    let file = try kitchen.write("household.json5", household)
    // The command runs in the kitchen's own folder, and names the file from there.
    #expect(try kitchen.bare(["import", file, "--config", "etc/kiosk-agent.json5"]).code == 0)
    #expect(kitchen.exists("etc/ledger/ledger.sqlite"))
  }
}
