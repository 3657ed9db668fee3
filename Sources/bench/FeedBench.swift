import Foundation
import Glibc
import TestSupport

/// Taps while feeds are at their worst, beside the same taps without any feed: a tap is never delayed by one.
enum FeedBench {
  /// Each is a page of misbehaving.py, fetched as a calendar: two for as long as their deadline, the others for 8 s.
  private static let pages = ["mute", "drip", "bomb", "huge", "huge-without-length"]

  /// Rounds of 20 taps, one with and one without feeds in turn, so that both see the same machine.
  static func run(rounds: Int, into report: inout Report) throws {
    if blackHole.isEmpty { say("SKIP no network of its own (root is needed): no name server that never answers") }
    let server = try MisbehavingServer()
    var without = TapBench.Durations()
    var with = TapBench.Durations()
    let all = pages.count + blackHole.count
    var atWork: [Int] = []
    for _ in 0..<rounds {
      // Looked at as the others are: that wakes a core just before the tap.
      try TapBench.round(into: &without) { _ in
      } before: { agent, _ in
        _ = children(of: agent.process?.pid ?? 0)
      }
      try TapBench.round(into: &with) { agent in
        let calendars = pages.map { "{ id: '\($0)', url: '\(server.origin)/\($0)' }" } + blackHole
        try agent.write(
          "kiosk-agent.json5",
          "{ stateDirectory: '\(agent.state)', wall: { listen: '127.0.0.1:0' }, "
            + "sources: { calendars: [\(calendars.joined(separator: ", "))] } }")
      } before: { agent, tap in
        let pid = agent.process?.pid ?? 0
        if tap == 0 { try Waiting.until("\(all) feeds at work") { children(of: pid) == all } }
        atWork.append(children(of: pid))
      }
    }
    guard atWork.allSatisfy({ $0 == all }) else { throw BenchError("not all feeds at work at each tap: \(atWork)") }
    say("bad feeds at work at each tap: \(all)")
    let (quiet, loud) = (Figures(without.disk), Figures(with.disk))
    report.durations("present -> dose on disk, no feed", quiet)
    report.durations("present -> dose on disk, bad feeds", loud)
    report.value("more with bad feeds, p95", loud.p95 - quiet.p95, "ms", budget: 1)
  }

  /// How many processes this one has started and not ended.
  private static func children(of pid: Int32) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return tasks.reduce(0) { count, task in
      let text = (try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)) ?? ""
      return count + text.split(separator: " ").count
    }
  }

  /// A name for a name server that never answers; there is one when `.ci/bench` has made a network for it.
  private static var blackHole: [String] {
    guard ProcessInfo.processInfo.environment["KIOSK_BLACK_HOLE"] != nil else { return [] }
    return ["{ id: 'blackHole', url: 'https://example.org/family.ics' }"]
  }
}

/// Tests/FeedsTests/misbehaving.py, until it is let go of.
private final class MisbehavingServer {
  private let process = Process()
  /// It ends when this closes.
  private let life = Pipe()
  let origin: String

  init() throws {
    process.executableURL = URL(filePath: "/usr/bin/env")
    // It stands for another machine, whose work is not done on this one's cores.
    process.arguments = ["chrt", "--idle", "0", "python3", AgentUnderTest.root + "/Tests/FeedsTests/misbehaving.py"]
    process.standardInput = life
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = line.split(separator: " ").last.flatMap({ Int($0.prefix { $0.isNumber }) }) else {
      throw BenchError("misbehaving.py says \(line)")
    }
    origin = "http://127.0.0.1:\(port)"
  }

  deinit { process.terminate() }
}
