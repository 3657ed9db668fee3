import Foundation
import Testing

/// `replay` decides the vectors of DESIGN 5.2: one folder of `Fixtures/replay` each, named after what it shows.
struct ReplayTests {
  static let folder =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    + "/Fixtures/replay"

  static let cases = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()

  @Test func `there are vectors`() { #expect(Self.cases.count >= 20) }

  @Test(arguments: cases) func `every vector is decided to the letter`(name: String) throws {
    let kitchen = try Kitchen()
    let folder = "\(Self.folder)/\(name)"
    let answer = try kitchen.agent(
      "replay", "\(folder)/taps.jsonl", "--household", "\(folder)/household.json5", "--json")
    #expect(answer.code == 0, "\(answer.err)")
    let wanted = try String(contentsOfFile: "\(folder)/answers.jsonl", encoding: .utf8)
    #expect(answer.lines == wanted.split(separator: "\n").map(String.init))
    #expect(!kitchen.exists("state"), "a replay leaves nothing behind")
  }

  private func replay(_ taps: String, household text: String = household, json: Bool = false) throws -> Kitchen.Answer {
    let kitchen = try Kitchen()
    let taps = try kitchen.write("taps.jsonl", taps)
    let file = try kitchen.write("household.json5", text)
    return try kitchen.bare(
      ["replay", taps, "--household", file, "--config", kitchen.configuration] + (json ? ["--json"] : []))
  }

  @Test func `without --json it is a table: when, what, and the message`() throws {
    let answer = try replay(#"{"at":"2026-11-10T16:01:00Z","uid":"04A1B2C3D4E5F6"}"#)
    #expect(answer.code == 0)
    #expect(answer.out == "2026-11-10 08:01:00  taken         Thank you, Ann: Levothyroxine, 1 tablet (due 8:00)\n")
  }

  @Test func `no tap is no line`() throws {
    let answer = try replay("\n  \n", json: true)
    #expect(answer.code == 0 && answer.out == "" && answer.err == "")
  }

  @Test(arguments: [
    (#"{"at":"2026-11-10T08:00:00-08:00","uid":"04A1B2C3D4E5F6"}"#, "{]", "line 2"),
    (
      #"{"at":"2026-11-10T08:00:00-08:00","uid":"04A1B2C3D4E5F6"}"#,
      #"{"at":"2026-11-10T07:59:59-08:00","uid":"04A1B2C3D4E5F6"}"#, "at goes backwards (line 2)"
    ),
    ("", #"{"at":"2026-11-10T08:00:00","uid":"04A1B2C3D4E5F6"}"#, "at is no instant with an offset"),
    ("", #"{"at":"2026-11-10T08:00:00Z","uid":"04A1B2"}"#, "uid must be hex of 4, 7, 8 or 10 bytes (line 2)"),
    ("", #"{"at":"2026-11-10T08:00:00Z"}"#, "(line 2)"),
    ("", #"{"at":"2026-11-10T08:00:00Z","uid":"04A1B2C3","unreadable":"mute"}"#, "uid stands beside unreadable"),
    ("", #"{"at":"2026-11-10T08:00:00Z","uid":"04A1B2C3","reader":1}"#, "unknown key reader (line 2)"),
    ("", #"{"uid":"04A1B2C3"}"#, "at is missing (line 2)"),
    ("", "[1]", "line 2"),
  ]) func `a line that is no tap is 65, with its number, and decides nothing`(
    first: String, second: String, words: String
  )
    throws
  {
    let problem = try replay("\(first)\n\(second)\n").problem(65)
    #expect(problem.contains(words), "\(problem)")
  }

  @Test func `a household file with a mistake is 65, and a file that is not there as well`() throws {
    let taps = #"{"at":"2026-11-10T08:00:00-08:00","uid":"04A1B2C3D4E5F6"}"#
    let wrong = try replay(taps, household: "{ people: [{ id: 'ann', nam: 'Ann' }] }").problem(65)
    #expect(wrong.contains("household.json5") && wrong.contains("did you mean name?"), "\(wrong)")
    let kitchen = try Kitchen()
    let file = try kitchen.write("household.json5", household)
    let gone = try kitchen.agent("replay", kitchen.path("none.jsonl"), "--household", file).problem(65)
    #expect(gone.contains("none.jsonl"), "\(gone)")
  }

  @Test func `the same taps give the same answers, a million seconds apart or at one instant`() throws {
    // Two people at one instant: no order between readers is promised, each gets an answer.
    let answer = try replay(
      """
      {"at":"2026-11-13T09:30:00-08:00","uid":"04A1B2C3D4E5F6"}
      {"at":"2026-11-13T09:30:00-08:00","uid":"04B0B0B0B0B0B0"}
      {"at":"2126-11-13T09:30:00-08:00","uid":"04B0B0B0B0B0B0"}
      """, json: true)
    #expect(answer.code == 0, "\(answer.err)")
    #expect(answer.lines.map { $0.contains(#""outcome":"taken""#) } == [true, true, false], "\(answer.out)")
  }
}
