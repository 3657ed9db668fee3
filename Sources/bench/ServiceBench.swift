import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import TestSupport
import VirtualTag

/// The agent as a service: recovery, idling, memory, start, many pages.
enum ServiceBench {
  static func run(idleSeconds: Int, into report: inout Report) async throws {
    let agent = try AgentUnderTest()
    try agent.write("household.json5", household)
    let imported = try agent.command("import", agent.folder + "/household.json5")
    guard imported.code == 0 else { throw BenchError(imported.output) }
    try agent.start()
    try agent.waitForReader("ready")
    try idle(agent, seconds: idleSeconds, into: &report)
    try recovery(agent, into: &report)
    try muted(agent, into: &report)
    try manyPages(agent, into: &report)
  }

  private static let household = """
    { people: [{ id: 'ann', name: 'Ann' }],
      medications: [{ id: 'levo', person: 'ann', name: 'Levothyroxine', times: [{ at: '08:00' }, { at: '20:00' }] }],
      tags: [{ uid: '04A1B2C3D4E5F6', medications: ['levo'] }] }
    """

  /// pcscd back -> the wall says ready, beside the C client.
  private static func recovery(_ agent: AgentUnderTest, into report: inout Report) throws {
    let page = try EventStream(agent.web)
    let monitor = try UIDMonitor(of: agent.pcscd)
    var ours: [Double] = []
    var client: [Double] = []
    for round in 0..<20 {
      let killed = monotonic()
      agent.pcscd.kill()
      _ = try page.waitFor(#""state":"noService""#, after: killed)
      try agent.pcscd.start()
      let back = monotonic()
      try monitor.waitFor(.ready, count: round + 2)
      client.append(Double(monotonic() - back) / 1e6)
      ours.append(Double(try page.waitFor(#""state":"ready""#, after: killed) - back) / 1e6)
    }
    try monitor.stop()
    report.durations("pcscd back -> ready", Figures(ours), yardstick: ("C client, retry 50 ms", Figures(client)))
  }

  /// A tag that did not power up becomes readable while it lies there -> its answer on the page.
  private static func muted(_ agent: AgentUnderTest, into report: inout Report) throws {
    let page = try EventStream(agent.web)
    var durations: [Double] = []
    for round in 0..<10 {
      try agent.tag.mute(.always)
      let entered = try agent.tag.enter(uid: [0x04, 0x77, 0, 0, 0, 0, UInt8(round)])
      _ = try page.waitFor(#""kind":"unreadable""#, after: entered.nanoseconds)
      try agent.tag.mute(.off)
      let readable = monotonic()
      durations.append(Double(try page.waitFor(#""kind":"unknownTag""#, after: readable) - readable) / 1e6)
      try agent.tag.leave()
      // What comes sooner after a lift is that tag's own flickering.
      usleep(600_000)
    }
    report.durations("mute -> read (asked once a second)", Figures(durations))
  }

  private static func idle(_ agent: AgentUnderTest, seconds: Int, into report: inout Report) throws {
    let pages = try (0..<2).map { try Browser(agent, number: $0) }
    defer { _ = pages }
    try Waiting.until(
      "two open pages: \((try? agent.web.get("/healthz").body) ?? ""), \(pages.map(\.output))", within: 30
    ) {
      try agent.web.get("/healthz").body.contains(#""streams":2"#)
    }
    // The overlay of the last tap leaves.
    try Waiting.until("an idle wall", within: 30) { try agent.overlay() == nil }
    guard let pid = agent.process?.pid else { return }
    let before = ProcessUse(pid)
    sleep(UInt32(seconds))
    let after = ProcessUse(pid)
    report.value(
      "idle, two pages, \(seconds) s: CPU", (after.cpu - before.cpu) / Double(seconds) * 100, "% of a core", budget: 0.3
    )
    let wakeUps = after.wakeUps(since: before)
    report.value(
      "idle, two pages: wake-ups", Double(wakeUps.reduce(0) { $0 + $1.count }) / Double(seconds), "/s", budget: 3)
    say(
      "  by thread: "
        + wakeUps.map { "\($0.thread) " + String(format: "%.2f", Double($0.count) / Double(seconds)) }
        .joined(separator: ", "))
    report.value("private memory", after.privateMemory, "MB", budget: 40)
  }

  private static func manyPages(_ agent: AgentUnderTest, into report: inout Report) throws {
    let pages = try (0..<100).map { _ in try EventStream(agent.web) }
    var spreads: [Double] = []
    for round in 0..<10 {
      let entered = try agent.tag.enter(uid: [0x04, 0x88, 0, 0, 0, 0, UInt8(round)])
      let times = try pages.map { try $0.waitFor(#""kind":"unknownTag""#, after: entered.nanoseconds) }
      spreads.append(Double((times.max() ?? 0) - (times.min() ?? 0)) / 1e6)
      try agent.tag.leave()
      try Waiting.until("the overlay leaves", within: 20) { try agent.overlay() == nil }
    }
    report.durations("first to last of 100 pages", Figures(spreads), budget: 50)
  }

  /// From exec to READY=1 with so many taps of history.
  static func start(history: Int, into report: inout Report) async throws {
    let agent = try AgentUnderTest()
    try agent.write("household.json5", household)
    _ = try agent.command("import", agent.folder + "/household.json5")
    let ledger = Ledger(directory: agent.state, log: .none)
    let now = Date()
    for index in 0..<history {
      let at = now - Double(history - index) * 3000
      _ = try await ledger.recordTap(
        TapEntry(
          uid: TagUID([0x04, 0x99, 0, 0, 0, UInt8(index / 250 % 250), UInt8(index % 250)]), at: at, zoneOffset: 0,
          uptime: .seconds(index), boot: "an earlier boot", clockTrusted: true)
      ) { _ in DecidedTap(verdict: TapVerdict(outcome: .unknownTag), message: "unknown", sound: .failure) }
    }
    await ledger.close()
    var durations: [Double] = []
    for _ in 0..<10 {
      let manager = FakeManager()
      agent.variables = ["NOTIFY_SOCKET": manager.name]
      let began = monotonic()
      let process = try agent.startWithoutWaiting()
      var messages: [String] = []
      while !messages.contains("READY=1") {
        guard monotonic() - began < 20_000_000_000 else { throw BenchError(process.text) }
        messages += manager.received()
        usleep(500)
      }
      durations.append(Double(monotonic() - began) / 1e6)
      process.signal(SIGTERM)
      _ = try process.waitForExit()
    }
    report.durations("start -> READY, \(history) taps", Figures(durations), budget: 300)
  }
}

/// What a process has used so far, from /proc.
struct ProcessUse {
  /// Seconds of CPU.
  let cpu: Double
  /// How often each of its threads waited and was woken, by the kernel's number of the thread.
  private let waits: [String: (name: String, count: Int)]
  /// MB that only this process has.
  let privateMemory: Double

  init(_ pid: Int32) {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    var nanoseconds = 0.0
    var waits: [String: (name: String, count: Int)] = [:]
    for task in tasks {
      let folder = "/proc/\(pid)/task/\(task)"
      nanoseconds += Self.text(folder + "/schedstat").split(separator: " ").first.flatMap { Double($0) } ?? 0
      let name = Self.text(folder + "/comm").trimmingCharacters(in: .whitespacesAndNewlines)
      waits[task] = (name, Self.number(Self.text(folder + "/status"), after: "voluntary_ctxt_switches:"))
    }
    cpu = nanoseconds / 1e9
    self.waits = waits
    let memory = Self.text("/proc/\(pid)/smaps_rollup")
    privateMemory =
      Double(Self.number(memory, after: "Private_Clean:") + Self.number(memory, after: "Private_Dirty:")) / 1024
  }

  /// What came in between, by the names of threads, most first. What a thread did that has ended is not known.
  func wakeUps(since earlier: ProcessUse) -> [(thread: String, count: Int)] {
    var sums: [String: Int] = [:]
    for (task, now) in waits { sums[now.name, default: 0] += now.count - (earlier.waits[task]?.count ?? 0) }
    return sums.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  private static func text(_ path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }

  /// The number in the line that begins with `label`.
  private static func number(_ text: String, after label: String) -> Int {
    text.split(separator: "\n").first { $0.hasPrefix(label) }
      .flatMap { Int($0.dropFirst(label.count).filter(\.isNumber)) } ?? 0
  }
}

/// Chromium with the wall open.
final class Browser {
  private let process: ChildProgram
  private let profile: String

  init(_ agent: AgentUnderTest, number: Int) throws {
    profile = agent.folder + "/browser\(number)"
    process = try ChildProgram(
      "/usr/bin/chromium",
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
        "--user-data-dir=\(profile)", "--window-size=1080,1920", "http://127.0.0.1:\(agent.web.port)/",
      ])
  }

  var output: String { process.text }

  deinit {
    process.signal(SIGTERM)
    _ = try? process.waitForExit(within: 10)
  }
}
