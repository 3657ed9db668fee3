internal import BellSchedule
internal import Configuration
internal import Foundation
internal import Testing

/// Files come from people and servers: no bytes stop the wall, and what is taken keeps the engine's promises.
@Suite struct AnyBytesTests {
  private static let pieces = [
    "{", "}", "[", "]", ":", ",", "\"", "-", "9:99", "1:35", "13/32/2026", "5/20/2026", "9999-12-31", "0001-01-01",
    "null",
    "!", "A", "rotation", "é", "\u{0}",
  ]

  private static func mutated(_ bytes: [UInt8], with random: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &random)
      case 1: bytes.insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: at)
      case 2: bytes.removeSubrange(at..<min(bytes.count - 1, at + Int.random(in: 0...12, using: &random)))
      // Most of a school's file is digits, and a wrong one is the likeliest mistake.
      default:
        let digits = bytes.indices.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }
        guard let digit = digits.randomElement(using: &random) else { continue }
        bytes[digit] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &random)
      }
    }
    return bytes
  }

  /// What must hold of any school that a file is taken for.
  private func check(_ calendar: SchoolCalendar, with random: inout SplitMix) {
    let pupils = [Pupil(id: "ann", lunch: "5A", halfPeriods: true), Pupil(id: "bob", lunch: "5")]
    for _ in 0..<8 {
      let day = DayKey(number: 20_300 + Int.random(in: 0..<900, using: &random))
      for pupil in pupils {
        let blocks = calendar.resolveDay(day, for: pupil, at: .distantPast).blocks
        for block in blocks where block.startsAt >= block.endsAt { Issue.record("\(day): \(block) is empty") }
        for (one, next) in zip(blocks, blocks.dropFirst()) where next.startsAt < one.endsAt {
          Issue.record("\(day): \(one) and \(next) overlap")
        }
      }
      let now = calendar.endOfDay(day).addingTimeInterval(-Double.random(in: 1...86_000, using: &random))
      let board = calendar.board(at: now, pupils: pupils)
      for facts in [board.school] + board.people.map(\.facts) where facts.secondsLeft.map({ $0 < 1 }) ?? false {
        Issue.record("\(now): \(facts.line)")
      }
      if calendar.nextChange(after: now, pupils: pupils) <= now { Issue.record("\(now): no change after it") }
    }
  }

  @Test func `a school's file with mistakes is refused, or is a school`() async throws {
    let whole = try fixture("stevenson.json5")
    var random = SplitMix(state: 5)
    var (taken, refused) = (0, 0)
    for _ in 0..<200 {
      await Task.yield()
      do throws(DocumentError) {
        let school = try BellFile.parse(Self.mutated(whole, with: &random))
        taken += 1
        check(SchoolCalendar(school: school, zone: chicago), with: &random)
      } catch {
        refused += 1
        #expect(!error.problems.isEmpty)
      }
    }
    #expect(taken > 15 && refused > 50, "\(taken) taken, \(refused) refused")
  }

  @Test func `a fetched map with mistakes is refused, or is a map`() async throws {
    let whole = try fixture("schedule-dates-2026-27.json")
    var calendar = try calendar()
    var random = SplitMix(state: 6)
    var (taken, refused) = (0, 0)
    for _ in 0..<400 {
      await Task.yield()
      do throws(RejectedBody) {
        let map = try BellFile.exceptions(Self.mutated(whole, with: &random), for: calendar.school)
        taken += 1
        calendar.remote = RemoteExceptions(map: map, checkedAt: at("2026-08-01 00:00"))
        check(calendar, with: &random)
      } catch {
        refused += 1
      }
    }
    #expect(taken > 40 && refused > 100, "\(taken) taken, \(refused) refused")
  }

  @Test func `a body that ends early is never a map`() throws {
    let whole = try fixture("schedule-dates-2026-27.json")
    let school = try stevenson()
    let end = whole.lastIndex(of: UInt8(ascii: "}")) ?? 0
    for length in 0..<end {
      #expect(throws: RejectedBody.self) { try BellFile.exceptions(Array(whole.prefix(length)), for: school) }
    }
  }
}

/// Random numbers that are the same every time.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
