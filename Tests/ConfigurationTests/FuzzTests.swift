internal import Configuration
internal import Foundation
internal import Testing

/// Files come from people and disks: no bytes may stop the agent.
@Suite struct FuzzTests {
  private static let seeds = [
    """
    // A household.
    { people: [{ id: "ann", name: 'Änn \\u00e9 \\ud83d\\ude00', remindersEnabled: true }],
      medications: [{ id: "a", person: "ann", name: "A", times: [{ at: "08:00", days: ["mon"], opensBefore: 0x10,
        lateAfter: +1, closesAfter: 2.4e2, since: "2026-01-01T00:00:00-08:00" }], minimumSpacing: 240 }],
      tags: [{ uid: "04A1B2C3D4E5F6", medications: ["a"] }], /* no watches */
      bell: { school: "bell.json5", people: [{ id: "ann", lunch: "5A" }] }, }
    """,
    """
    { stateDirectory: "/var/lib/x", timeZone: "Europe/Berlin", reader: { match: [], exclude: ["SAM"], decodeAttempts: 3 },
      wall: { listen: "127.0.0.1:8437", viewingDistance: 2.5, panelInches: 32, language: "en" },
      sources: { onebusaway: { baseURL: "https://example.org" }, calendars: [{ id: "f", file: "f.ics" }] } }
    """,
    "{\"at\":\"2026-11-02T08:01:00-08:00\",\"uid\":\"04A1B2C3D4E5F6\"}\n{\"at\":\"2026-11-02T08:01:01-08:00\",\"unreadable\":\"mute\"}",
  ]

  private static let pieces = [
    "{", "}", "[", "]", ":", ",", "\"", "'", "\\", "\\u", "\\ud83d", "/*", "*/", "//", "\n", "\r", "-", "+", "1e999",
    "0x",
    "Infinity", "NaN", "99999999999999999999", "null", "\u{2028}", "\u{FEFF}", "\u{0}", "é", "😀",
  ]

  private static func mutated(_ bytes: [UInt8], with random: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let at = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where !bytes.isEmpty: bytes[at] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.insert(contentsOf: Array(pieces.randomElement(using: &random)?.utf8 ?? "".utf8), at: at)
      case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 0...12, using: &random)))
      case 3:
        bytes.insert(
          contentsOf: bytes[at..<min(bytes.count, at + 30)], at: Int.random(in: 0...bytes.count, using: &random))
      default: bytes = Array(bytes.prefix(at))
      }
    }
    return bytes
  }

  @Test func `no bytes stop the parsers, and what is wrong has a sentence`() {
    var random = SplitMix(state: 20_261_130)
    var accepted = 0
    for round in 0..<20_000 {
      let bytes = Self.mutated(Array(Self.seeds[round % Self.seeds.count].utf8), with: &random)
      let found = problems { () throws(DocumentError) in
        switch round % Self.seeds.count {
        case 0: _ = try HouseholdFile.parse(bytes, folder: "/etc")
        case 1: _ = try Configuration.parse(bytes, folder: "/etc")
        default: _ = try TapsFile.parse(bytes)
        }
      }
      accepted += found.isEmpty ? 1 : 0
      #expect(found.allSatisfy { $0.contains("line ") && $0.utf8.count < 1000 && !$0.contains("\n") })
    }
    #expect((200...10_000).contains(accepted), "mutations are too tame or too wild: \(accepted) of 20,000 accepted")
  }

  @Test func `no text stops the reader of instants`() {
    var random = SplitMix(state: 7)
    for _ in 0..<20_000 {
      let bytes = Self.mutated(Array("2026-11-02T08:01:00.5-08:00".utf8), with: &random)
      let instant = InstantFormat.parse(String(decoding: bytes, as: UTF8.self))
      #expect(instant == nil || instant?.timeIntervalSince1970.isFinite == true)
    }
  }
}
