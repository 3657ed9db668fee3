import Foundation
import Glibc
import Testing

/// The command line's own contract (DESIGN 4.1): exit codes, one line an error, nothing that is silently nothing.
struct UsageTests {
  @Test(arguments: [
    [], ["frobnicate"], ["history", "--days"], ["history", "--days", "0"], ["history", "--days", "week"],
    ["history", "7"], ["import"], ["import", "a", "b"], ["import", "--force"], ["backup"], ["restore", ""],
    ["replay", "taps.jsonl"], ["replay", "--household", "h.json5"], ["wall", "--at"], ["wall", "--att", "x"],
    ["run", "--json"], ["run", "fast"], ["export", "file"], ["version", "--days", "3"], ["history", "--config"],
    ["wall", "--at", "2026-11-02T08:01:00"], ["wall", "--at", "yesterday"],
  ]) func `a command line that cannot be understood is 64 and says what to write`(words: [String]) throws {
    _ = try Kitchen().bare(words).problem(64)
  }

  @Test(arguments: ["help", "--help", "-h"])
  func `help needs no configuration, be it broken`(word: String) throws {
    let kitchen = try Kitchen("{ broken")
    let answer = try kitchen.agent(word)
    #expect(answer.code == 0 && answer.err == "")
    #expect(answer.out.hasPrefix("usage: kiosk-agent"))
  }

  @Test func `version names the agent and its three libraries`() throws {
    let kitchen = try Kitchen()
    let json = try kitchen.agent("version", "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.out.utf8)) as? [String: String] ?? [:]
    #expect(json.code == 0 && json.lines.count == 1)
    #expect(Set(object.keys) == ["agent", "pcsclite", "alsa", "sqlite"])
    #expect(object.values.allSatisfy { $0.first?.isNumber == true }, "\(object)")
    let table = try kitchen.agent("version")
    #expect(table.lines.count == 4)
    for version in object.values { #expect(table.out.contains(version)) }
  }

  @Test(arguments: [["history", "--json"], ["history"], ["wall", "--json"], ["wall"], ["agenda"], ["export"]])
  func `without a ledger the household is empty, and reading makes none`(words: [String]) throws {
    let kitchen = try Kitchen()
    let answer = try kitchen.bare(words + ["--config", kitchen.configuration])
    #expect(answer.code == 0 && answer.err == "", "\(answer)")
    #expect(!kitchen.exists("state"))
  }

  @Test(arguments: [["history"], ["export"], ["version"], ["wall", "--json"]])
  func `a named configuration that is missing is 78`(words: [String]) throws {
    let kitchen = try Kitchen(nil)
    let problem = try kitchen.bare(words + ["--config", kitchen.configuration]).problem(78)
    #expect(problem.contains(kitchen.configuration), "\(problem)")
  }

  @Test func `without any configuration the state is the user's own`() throws {
    let kitchen = try Kitchen(nil)
    let file = try kitchen.write("household.json5", household)
    #expect(try kitchen.bare(["import", file]).code == 0)
    #expect(kitchen.exists(".local/state/kiosk-agent/ledger.sqlite"))
    #expect(try kitchen.bare(["export"]).out.contains("Levothyroxine"))
    let elsewhere = ["XDG_STATE_HOME": kitchen.path("xdg")]
    #expect(try !kitchen.bare(["export"], environment: elsewhere).out.contains("Levothyroxine"))
  }

  @Test func `output that cannot be written is not success`() throws {
    let kitchen = try Kitchen()
    let file = try kitchen.write("household.json5", household)
    #expect(try kitchen.agent("import", file).code == 0)
    let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    let problem = try kitchen.bare(["export", "--config", kitchen.configuration], out: full).problem(75)
    #expect(problem.contains("No space left"), "\(problem)")
  }

  @Test func `a path with a line break is still one line`() throws {
    let kitchen = try Kitchen()
    let problem = try kitchen.agent("import", "/nowhere\nelse").problem(65)
    #expect(problem.contains("/nowhere else"), "\(problem)")
  }

  @Test func `journald is told that an error is one`() throws {
    let answer = try Kitchen().bare(["frobnicate"], environment: ["JOURNAL_STREAM": "8:1"])
    #expect(answer.code == 64 && answer.err.hasPrefix("<3>kiosk-agent: "))
  }
}
