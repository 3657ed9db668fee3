import BellSchedule
import Configuration
import Foundation
import Glibc
import Testing

@testable import Fuzzing

/// What `make fuzz` has kept: the smallest set of inputs that reaches every part of a parser, and whatever once broke one.
struct CorpusTests {
  /// Seconds of processor time for one input in a debug build, beside other tests; the slowest takes 0.7 alone.
  private static let limit = 5.0

  @Test(arguments: FuzzTarget.allCases) func `no kept input breaks a promise, traps or takes long`(target: FuzzTarget)
    async throws
  {
    let folder = Self.folder(target)
    let count = try FileManager.default.contentsOfDirectory(atPath: folder).count
    #expect((20...400).contains(count), "\(folder) holds \(count) inputs")
    // In a process of its own: a trap is then the failure of this test, and the last line names the input.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [name = target.rawValue as String, folder = folder as String] in
      for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
        Self.say("\(name)/\(file)\n")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(file)")))
        let start = Self.processorTime()
        try FuzzTarget(rawValue: name)?.check(bytes)
        let taken = Self.processorTime() - start
        if taken > Self.limit { throw TooLong(seconds: taken) }
      }
    }
    if let result, result.exitStatus != .exitCode(0) {
      Issue.record("\(String(decoding: result.standardErrorContent.suffix(400), as: UTF8.self))")
    }
  }

  @Test(arguments: [
    ("name is missing", "a problem without its line"), ("a\u{1B}b (line 1)", "a sentence with a control character"),
  ]) func `a promise that does not hold is noticed`(problem: String, why: String) {
    var noticed: BrokenPromise?
    do { try DocumentPromises.check(DocumentError(problems: [problem])) } catch { noticed = error }
    #expect(noticed?.description == why)
  }

  @Test(arguments: [
    (510, 560, 600, nil), (510, 561, 600, "blocks overlap"), (510, 560, 1500, "a block outside its day"),
  ]) func `a school day that cannot be is noticed`(start: Int, bell: Int, end: Int, why: String?) throws {
    let rows = [
      DayType.Row(id: PeriodID("1"), start: start, end: bell), DayType.Row(id: PeriodID("2"), start: 560, end: end),
    ]
    let first = try #require(DayKey("2026-08-12"))
    let school = School(
      regular: "Day", dayTypes: [DayType(name: "Day", plan: .table(rows, halves: []))],
      years: [SchoolYear(first: first, last: first.advanced(by: 200))])
    var noticed: BrokenPromise?
    do {
      try SchoolPromises(calendar: SchoolCalendar(school: school, zone: .gmt)).checkFortnight(from: first)
    } catch { noticed = error }
    #expect(noticed?.description == why)
  }

  private static func folder(_ target: FuzzTarget) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/fuzz/\(target.rawValue)")
      .standardizedFileURL.path(percentEncoded: false)
  }

  private struct TooLong: Error {
    let seconds: Double
  }

  private static func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(2, bytes, bytes.count)
  }
}
