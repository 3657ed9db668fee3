import BellSchedule
import Foundation
import Ledger
import Linux
import Synchronization
import TestSupport
import Wall

@testable import Agent
@testable import Feeds

/// The school's service with its file, its web server and its clock in the test's hand. The wall is in Chicago.
final class SchoolBench: Sendable {
  static let zone = TimeZone(identifier: "America/Chicago") ?? .gmt
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/bell").path

  private struct State {
    var pages: [String: Result<Answer, Fault>] = [:]
    var requests: [(name: String, at: Date, tag: String?)] = []
    var lines: [String] = []
    var changes = 0
  }

  private final class Box: Sendable { let state = Mutex(State()) }

  let folder: String
  let time: ManualTime
  private let box = Box()
  let service: SchoolService
  private let isTrusted = Mutex(true)
  private let running = Mutex<Task<Void, any Error>?>(nil)

  /// - Parameters:
  ///   - now: as `2025-09-02 08:45`, in Chicago.
  ///   - folder: of an earlier bench, whose agent has ended; nil: a new one.
  init(_ now: String, folder: String? = nil) throws {
    let path = folder ?? FileManager.default.temporaryDirectory.path + "/school-" + UUID().uuidString.prefix(8)
    self.folder = path
    try FileManager.default.createDirectory(atPath: path + "/state", withIntermediateDirectories: true)
    let time = ManualTime(now: Self.at(now))
    self.time = time
    let box = box
    let log = Log { priority, line in box.state.withLock { $0.lines.append("\(priority): \(line)") } }
    let exchange = Exchange { request in
      let name = URL(string: request.address.text)?.lastPathComponent ?? ""
      let tag = request.headers.first { $0.name == "If-None-Match" }?.value
      return try box.state.withLock { state in
        state.requests.append((name, time.now(), tag))
        return try (state.pages[name] ?? .failure(.noConnection)).get()
      }
    }
    service = SchoolService(
      SchoolShelf(stateDirectory: path + "/state"),
      feed: { school in
        SchoolFeed(
          school, copies: { CopyFolder(stateDirectory: path + "/state", source: $0) }, exchange: exchange, time: time,
          boot: "boot", log: log)
      }, time: time, log: log)
  }

  deinit {
    running.withLock { $0?.cancel() }
    if !isKept.load(ordering: .relaxed) { try? FileManager.default.removeItem(atPath: folder) }
  }

  /// The folder stays for another bench.
  let isKept = Atomic(false)

  var file: String { folder + "/bell.json5" }

  // MARK: The world

  /// Writes the fixture's school, with the addresses that a test wants.
  func writeSchool(fetches: Bool = false, _ change: (String) -> String = { $0 }) throws {
    var text = try String(contentsOfFile: Self.fixtures + "/stevenson.json5", encoding: .utf8)
    if fetches {
      text = text.replacingOccurrences(of: "// exceptionsURL", with: "exceptionsURL")
        .replacingOccurrences(of: "// stationsURL", with: "stationsURL")
    }
    try write(change(text))
  }

  func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }

  func serve(_ name: String, _ text: String, tag: String? = nil, status: Int = 200) {
    var answer = Answer(status: status, body: Array(text.utf8), date: nil)
    answer.entityTag = tag
    let served = answer
    box.state.withLock { $0.pages[name] = .success(served) }
  }

  func fail(_ name: String, _ fault: Fault) { box.state.withLock { $0.pages[name] = .failure(fault) } }

  /// Six stations whose dishes say the week they are of.
  func serveMenu(weeks: Int = 4, comfort: String = "comfort") {
    func days(_ name: String) -> String {
      (0..<weeks).map { week in "[" + (1...5).map { "\"\(name) \(week).\($0)\"" }.joined(separator: ",") + "]" }
        .joined(separator: ",")
    }
    for (name, dish) in [("comfort", comfort), ("mindful", "mindful"), ("sides", "sides")] {
      serve("\(name).json", "{\"cadence\":\"daily\",\"data\":[\(days(dish))]}")
    }
    for name in ["soup", "international"] {
      let data = (0..<weeks).map { "\"\(name) \($0)\"" }.joined(separator: ",")
      serve("\(name).json", "{\"cadence\":\"weekly\",\"data\":[\(data)]}")
    }
    let special = "[\"Poke Bowl\",\"Tacos\",\"Wings\",\"Chili\",\"Sushi\"]"
    serve("special.json", "[\(special),\(special)]")
  }

  /// What a household imports, with what somebody has said of days.
  func live(lunch: String? = nil, override: String? = nil) {
    let lunchText = lunch.map { "\"\($0)\"" } ?? "null"
    var documents = [
      "bell": "{\"school\":\"\(file)\",\"people\":[{\"id\":\"ann\",\"lunch\":\(lunchText),\"halfPeriods\":false}]}"
    ]
    documents["bellOverride"] = override
    service.household(documents)
  }

  func setClock(trusted: Bool) { isTrusted.withLock { $0 = trusted } }

  // MARK: The agent

  /// Starts the service under a clock that is believed, and waits until it rests.
  func start() async {
    look()
    let task = Task { [service, box] in
      try await service.run { box.state.withLock { $0.changes += 1 } }
    }
    running.withLock { $0 = task }
    await time.waitForSleepers()
  }

  /// Ends the service, as the agent does.
  func stop() async {
    let task = running.withLock { $0 }
    task?.cancel()
    _ = await task?.result
  }

  /// Lets time pass; the service comes to rest at each of its deadlines.
  func pass(minutes: Double) async {
    let end = time.uptime() + .milliseconds(Int64(minutes * 60_000))
    while !Task.isCancelled {
      await time.waitForSleepers()
      guard let next = time.nextDeadline, next <= end else { break }
      time.advance(by: next - time.uptime())
      await time.waitForSleepers()
    }
    time.advance(by: end - time.uptime())
  }

  /// What the kiosk would ask and show.
  @discardableResult func look() -> Snapshot { contributed().input.snapshot(v: 1) }

  func contributed() -> (input: WallInput, changesAt: Duration?) {
    // As the kiosk does: sums of fractions of a second are not exact.
    let now = time.now().asStored
    var input = WallInput(
      agent: "t", boot: "b", now: now, zone: Self.zone, language: "en",
      clockTrusted: isTrusted.withLock { $0 }, reader: .init(state: "ready"))
    input.names = ["ann": "Ann"]
    let changesAt = service.contribute(to: &input, at: time.uptime())
    return (input, changesAt)
  }

  /// Waits for what the service does at once.
  func until(_ isSo: () -> Bool) async { while !isSo(), !Task.isCancelled { await Task.yield() } }

  // MARK: What it did

  var lines: [String] { box.state.withLock { $0.lines } }
  var changes: Int { box.state.withLock { $0.changes } }
  /// The validators that were sent for a page.
  func tags(of name: String) -> [String?] {
    box.state.withLock { $0.requests.filter { $0.name == name }.map(\.tag) }
  }
  /// When a page was asked for, as `05:10`.
  func times(of name: String) -> [String] {
    box.state.withLock { $0.requests.filter { $0.name == name }.map(\.at) }.map(Self.clock)
  }
  var requestCount: Int { box.state.withLock { $0.requests.count } }

  static func at(_ text: String) -> Date {
    let parts = text.split { !$0.isNumber }.compactMap { Int($0) }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar.date(
      from: DateComponents(year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4]))
      ?? .distantPast
  }

  private static func clock(_ instant: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents([.hour, .minute], from: instant)
    return String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
  }
}

extension Snapshot {
  func source(_ id: String) -> Source? { sources.first { $0.id == id } }
}
