internal import Foundation
internal import Reminders
internal import Testing

@testable internal import Configuration

@Suite struct TapsFileTests {
  @Test func `taps are read in order, blank lines are none`() throws {
    let text = """
      {"at":"2026-11-02T08:01:00-08:00","uid":"04a1b2c3d4e5f6"}\r

      {"at":"2026-11-02T16:01:00Z","uid":null,"unreadable":"mute"}
         \t
      {"at":"2026-11-02T08:01:00.5-08:00","uid":"08123456"}
      """
    let at = Date(timeIntervalSince1970: 1_793_635_260)
    #expect(
      try TapsFile.parse(Array(text.utf8)) == [
        .init(at: at, uid: TagUID(hex: "04A1B2C3D4E5F6"), unreadable: nil), .init(at: at, uid: nil, unreadable: "mute"),
        .init(at: at + 0.5, uid: TagUID([0x08, 0x12, 0x34, 0x56]), unreadable: nil),
      ])
    #expect(try TapsFile.parse([]).isEmpty)
  }

  private static let good = #"{"at":"2026-11-02T08:01:00-08:00","uid":"04A1B2C3D4E5F6"}"# + "\n\n"

  @Test(arguments: [
    (#"{"at":"2026-11-02T08:00:59-08:00","unreadable":"mute"}"#, "at goes backwards (line 3)"),
    (#"{"uid":"04A1B2C3D4E5F6"}"#, "at is missing (line 3)"),
    (
      #"{"at":"2026-11-02T08:01:00","unreadable":"mute"}"#,
      "at is no instant with an offset: say 2026-11-02T08:01:00-08:00 (line 3)"
    ),
    (#"{"at":1793635260,"unreadable":"mute"}"#, "at must be a text, not a number (line 3)"),
    (#"{"at":"2026-11-02T08:01:00-08:00"}"#, "uid or unreadable is missing (line 3)"),
    (
      #"{"at":"2026-11-02T08:01:00-08:00","uid":"04A1B2C3D4E5F6","unreadable":"mute"}"#,
      "uid stands beside unreadable: a tap has one (line 3)"
    ),
    (#"{"at":"2026-11-02T08:01:00-08:00","uid":"04A1B2C3D4E5F"}"#, "uid must be hex of 4, 7, 8 or 10 bytes (line 3)"),
    (#"{"at":"2026-11-02T08:01:00-08:00","udi":"04A1B2C3D4E5F6"}"#, "unknown key udi (line 3): did you mean uid?"),
    ("[]", "the file must be an object, not a list (line 3)"),
    (#"{"at":"#, "the document ends where a value is expected (line 3, column 7)"),
  ])
  func `a mistake is told with its line`(line: String, problem: String) {
    let found = problems { () throws(DocumentError) in _ = try TapsFile.parse(Array((Self.good + line).utf8)) }
    #expect(found.first == problem)
  }
}
