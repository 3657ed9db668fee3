import Foundation
import Glibc
import TestSupport
import VirtualTag

/// Taps at the real agent: from a tag in the field to the row on disk, the first sample and the page.
enum TapBench {
  private static let tags = 20

  struct Durations {
    var disk: [Double] = []
    var sample: [Double] = []
    var page: [Double] = []
    var yardstick: [Double] = []
  }

  /// Each round is a new agent with 20 open doses, credited one after the other.
  static func run(rounds: Int, into report: inout Report) throws {
    var all = Durations()
    for _ in 0..<rounds { try round(into: &all) }
    let yardstick = (name: "one fdatasync", figures: Figures(all.yardstick))
    report.durations("present -> dose on disk", Figures(all.disk), yardstick: yardstick, budget: 5)
    report.durations("present -> first sample written", Figures(all.sample), yardstick: yardstick, budget: 5)
    report.durations("present -> on the page", Figures(all.page))
  }

  /// - Parameters:
  ///   - prepare: what is different about this agent.
  ///   - before: told the number of each tap before it.
  static func round(
    into all: inout Durations, prepare: (AgentUnderTest) throws -> Void = { _ in },
    before: (AgentUnderTest, Int) throws -> Void = { _, _ in }
  ) throws {
    let agent = try AgentUnderTest()
    try prepare(agent)
    let watch = agent.folder + "/stop-watch"
    agent.variables = ["LD_PRELOAD": BuildProducts.path("libStopWatch.so"), "KIOSK_STOP_WATCH": watch]
    try agent.write("household.json5", household)
    let imported = try agent.command("import", agent.folder + "/household.json5")
    guard imported.code == 0 else { throw BenchError(imported.output) }
    try agent.start()
    try agent.waitForReader("ready")
    let page = try EventStream(agent.web)
    let scratch = try SyncedFile(agent.folder + "/scratch")
    for tap in 0..<tags {
      try before(agent, tap)
      let notes = Notes(watch)
      let entered = try agent.tag.enter(uid: [0x04, 0xBE, 0, 0, 0, 0, UInt8(tap)]).nanoseconds
      let shown = try page.waitFor("Medication \(tap) (due ", after: entered)
      let (disk, sample) = try Waiting.value("row and sample of tap \(tap)") {
        notes.first("sync", after: entered).flatMap { disk in
          notes.first("write", after: entered).map { (disk, $0) }
        }
      }
      try agent.tag.leave()
      all.disk.append(Double(disk - entered) / 1e6)
      all.sample.append(Double(sample - entered) / 1e6)
      all.page.append(Double(shown - entered) / 1e6)
      all.yardstick.append(try scratch.appendAndSync())
      // The agent comes to rest, and the sound ends: the next tap meets an idle device.
      usleep(50_000)
    }
    let credits = try agent.history().count { $0["outcome"] as? String == "taken" }
    guard credits == tags else { throw BenchError("\(credits) of \(tags) taps were credited") }
  }

  /// Four people with five medications each, all open and none late.
  private static let household: String = {
    let now = Int(Date().timeIntervalSince1970) / 60
    let times = [1, 721].map { ago in
      let minute = (now - ago + 1440) % 1440
      return String(
        format: "{ at: '%02d:%02d', lateAfter: 200, since: '2019-01-01T00:00:00+00:00' }", minute / 60, minute % 60)
    }
    let medications = (0..<tags).map { index in
      "{ id: 'm\(index)', person: 'p\(index % 4)', name: 'Medication \(index)', times: [\(times.joined(separator: ", "))] }"
    }
    let names = (0..<tags).map { String(format: "{ uid: '04BE00000000%02X', medications: ['m%d'] }", $0, $0) }
    let people = (0..<4).map { "{ id: 'p\($0)', name: 'Person \($0)' }" }
    return """
      { people: [\(people.joined(separator: ", "))], medications: [\(medications.joined(separator: ",\n"))],
        tags: [\(names.joined(separator: ", "))] }
      """
  }()
}

/// The lines that a stop watch writes from now on.
struct Notes {
  private let path: String
  private let start: UInt64

  init(_ path: String) {
    self.path = path
    start = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64) ?? 0
  }

  func first(_ what: String, after: Int64) -> Int64? {
    guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? handle.close() }
    try? handle.seek(toOffset: start)
    let text = String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").lazy.compactMap { line -> Int64? in
      let words = line.split(separator: " ")
      guard words.count == 2, words[0] == what, let at = Int64(words[1]), at >= after else { return nil }
      return at
    }.first
  }
}

/// The yardstick of every commit: one page appended and made durable.
struct SyncedFile {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchError("\(path): errno \(errno)") }
  }

  /// - Returns: ms.
  func appendAndSync() throws -> Double {
    let page = [UInt8](repeating: 0x5A, count: 4096)
    let start = monotonic()
    guard unsafe write(descriptor, page, page.count) == page.count, fdatasync(descriptor) == 0 else {
      throw BenchError("the yardstick's file: errno \(errno)")
    }
    return Double(monotonic() - start) / 1e6
  }
}
