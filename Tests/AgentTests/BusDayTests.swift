import Foundation
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds

/// Days of buses in seconds: what the wall shows is held against what the buses really do.
@Suite(.timeLimit(.minutes(3))) struct BusDayTests {
  private static func watch(from: String, to: String) -> String {
    """
    [{"id":"school","label":null,"source":"onebusaway","stop":"1_75403","route":"1_100225","enabled":true,
      "window":{"days":["mon","tue","wed","thu","fri","sat","sun"],"from":"\(from)","to":"\(to)"},"walkMinutes":4}]
    """
  }

  /// Name, local midnight, window, seconds that the window is open.
  private static let days: [(String, Double, String, String, Int)] = [
    ("a Tuesday", 1_793_692_800, "06:30", "09:00", 9000),
    ("the Sunday on which an hour comes twice", 1_793_516_400, "00:30", "03:00", 12_600),
    ("the Sunday on which an hour does not come", 1_805_011_200, "00:30", "04:00", 9000),
    ("a night", 1_793_692_800, "23:30", "00:30", 3600),
  ]

  @Test(arguments: days)
  func `no bus is shown that has left or does not run, none flickers, and every request is counted`(
    day: (name: String, midnight: Double, from: String, to: String, open: Int)
  ) async {
    let midnight = Date(timeIntervalSince1970: day.midnight)
    var line = BusBench.line
    (line.first, line.last, line.every) = (0, 1439, 7)
    line.late = [0, 30, 91, 240, nil, -120, 600, nil, 15]
    line.canceled = [3, 60, 61, 200]
    let bench = BusBench([line], watches: Self.watch(from: day.from, to: day.to), at: midnight - 3600)
    bench.change { $0.isRestless = true }
    let trips = [-86_400.0, 0, 86_400].flatMap { bench.buses.trips(line.stop, on: midnight + 43_200 + $0) }
    let truth = Dictionary(trips.map { ($0.id, $0) }) { first, _ in first }
    var checked = 0
    var looks = Looks()
    await bench.running {
      await bench.pass(.seconds(24 * 3600)) {
        let input = bench.look().input
        for bus in input.rail.buses {
          guard let trip = truth[bus.id.split(separator: " ").dropFirst().first.map(String.init) ?? ""] else {
            continue
          }
          checked += 1
          #expect(trip.leavesAt >= input.now - 0.5, "\(day.name): \(bus.id) has left")
          #expect(trip.isCanceled == (bus.state == .canceled), "\(day.name): \(bus.id)")
        }
        let flickers = looks.flickers(in: input)
        #expect(flickers.isEmpty, "\(day.name), \(input.now): \(flickers)")
      }
    }
    #expect(checked > day.open / 30)
    #expect(bench.requests["arrivals-and-departures-for-stop"] == day.open / 30 + 1, "\(day.name)")
    #expect(bench.refused == 0)
  }

  @Test func `many stops are asked one after the other, and none comes too early`() async {
    let lines = (0..<12).map { number in
      var line = BusBench.line
      line.stop = "1_\(number)"
      return line
    }
    let watches = lines.map { line in
      #"{"id":"\#(line.stop)","label":null,"source":"onebusaway","stop":"\#(line.stop)","route":"\#(line.route)","#
        + #""enabled":true,"window":null,"walkMinutes":null}"#
    }
    let bench = BusBench(
      lines, watches: "[\(watches.joined(separator: ","))]", at: Date(timeIntervalSince1970: 1_793_721_600))
    await bench.running {
      await bench.pass(.seconds(300))
      #expect(bench.refused == 0)
      #expect(bench.requests["arrivals-and-departures-for-stop"] ?? 0 >= 12 * 10)
      #expect(bench.cards.count == 4 && bench.look().input.snapshot(v: 1).rail.more == 8)
    }
  }

  @Test func `what an earlier run fetched is shown with its age until something new comes`() async throws {
    let holder = LedgerHolder()
    try FileManager.default.createDirectory(atPath: holder.path, withIntermediateDirectories: true)
    let start = Date(timeIntervalSince1970: 1_793_721_660)
    let first = BusBench(at: start, stateDirectory: holder.path)
    await first.running { #expect(first.cards.first?.style == "normal") }
    let second = BusBench(at: start + 600, stateDirectory: holder.path)
    second.fail(.noConnection)
    await second.running {
      #expect(second.cards.first?.style == "scheduled", "ten minutes old: never live")
      #expect(second.cards.first?.at == "2026-11-03T08:20:00-08:00")
      second.fail(nil)
      await second.pass(.seconds(120))
      #expect(second.cards.first?.style == "normal")
    }
  }
}

/// How each bus looked, and what it looked like before.
private struct Looks {
  private var before: [String: String] = [:]
  /// By bus and look: when it last looked otherwise after it.
  private var left: [String: Date] = [:]

  /// The buses that look as they did a moment ago, and did not between: gone, or vouched for otherwise.
  mutating func flickers(in input: WallInput) -> [String] {
    guard !input.rail.buses.isEmpty else {
      self = Looks()
      return []
    }
    var now: [String: String] = [:]
    for row in input.arrivals { now["row \(row.trip)"] = row.state.rawValue }
    for bus in input.rail.buses { now["card \(bus.id)"] = Self.look(bus.state) }
    var flickers: [String] = []
    for (bus, look) in before where now[bus] != look { left["\(bus) \(look)"] = input.now }
    for (bus, look) in now where before[bus] != look {
      guard let at = left["\(bus) \(look)"], input.now.timeIntervalSince(at) <= 90 else { continue }
      flickers.append("\(bus) was \(look), then \(before[bus] ?? "gone"), and is again")
    }
    before = now
    return flickers
  }

  private static func look(_ state: BusFacts.State) -> String {
    switch state {
    case .predicted: "predicted"
    case .scheduled: "scheduled"
    case .unconfirmed: "unconfirmed"
    case .canceled: "canceled"
    case .frequency: "frequency"
    case .stale: "stale"
    case .silent: "silent"
    }
  }
}
