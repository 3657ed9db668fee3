import Foundation
import Glibc
import TestSupport
import Testing

/// The loop of SQLite's own tests: the disk fails at operation 1, 2, 3 … until the run completes; once, and for as long as
/// the fault lasts (reliability.md 1.1).
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DiskErrorTests {
  enum Lasting: Int64, CaseIterable, Sendable {
    case once = 1
    case forEver = 1_000_000_000
  }

  /// - Returns: nil when all is as it must be, and whether the fault came at all.
  private static func attempt(_ first: Int64, _ lasting: Lasting, _ error: Int32) async throws -> (
    problem: String?, failed: Bool
  ) {
    let run = try LoadRun()
    // A ledger that was in use before: the faults hit taps, not the making of the file.
    _ = try run.broken(.init(first: 0, count: 0, error: 0), taps: 2, more: 0)
    let before = try run.answers().count
    let (_, failed, code) = try run.broken(
      .init(first: first, count: lasting.rawValue, error: error), taps: 6, more: 3)
    var problems: [String] = []
    if code != 0 { problems.append("ended with \(code): \(run.output.suffix(800))") }
    let answers = try run.answers().dropFirst(before)
    let autopsy = await Autopsy.ofRestart(in: run.state, .load)
    if let problem = autopsy.problem { problems.append(problem) }
    if autopsy.doubled > 0 { problems.append("\(autopsy.doubled) doubled") }
    let acknowledged = Set(answers.filter { $0.word == "success" }.map(\.tap))
    if !acknowledged.isSubset(of: autopsy.stored) {
      problems.append("acknowledged \(acknowledged.sorted()), stored \(autopsy.stored.sorted())")
    }
    // Every tap was answered, and those after the fault are stored; a tap that was refused may be stored all the same, and
    // is found again: never a second credit.
    for tap in 2..<9 {
      let words = answers.filter { $0.tap == tap }.map(\.word)
      if words.isEmpty || words.contains("none") { problems.append("tap \(tap) was answered \(words)") }
      if lasting == .once, error == EIO, words.contains("notRecorded") { problems.append("tap \(tap) was refused") }
      if tap >= 6, !words.contains("taken") { problems.append("tap \(tap), after the fault: \(words)") }
    }
    return (problems.isEmpty ? nil : "fault \(first), \(lasting): \(problems.joined(separator: "; "))", failed > 0)
  }

  @Test(arguments: Lasting.allCases, [EIO, ENOSPC])
  func `whichever operation of the disk fails, nothing acknowledged is lost and taps go on when it works again`(
    lasting: Lasting, error: Int32
  ) async throws {
    let stride: Int64 = !Scale.isFull ? 6 : error == EIO ? 1 : 8
    var problems: [String] = []
    var first: Int64 = 1
    var count = 0
    while true {
      let numbers = [first, first + stride]
      let results = try await withThrowingTaskGroup(of: (problem: String?, failed: Bool).self) { group in
        for number in numbers { group.addTask { try await Self.attempt(number, lasting, error) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      problems += results.compactMap(\.problem)
      count += results.count { $0.failed }
      if !results.contains(where: \.failed) { break }
      first += 2 * stride
    }
    print("disk faults, errno \(error) \(lasting): \(count) operations failed in turn, \(problems.count) problems")
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    #expect(count > 10)
  }
}
