import Foundation
import Linux
import TestSupport
import Testing

/// Many snapshots in a row, through all of the built agent into a real browser: neither of them grows. `make soak` takes five
/// minutes for it, `make test` a part of one.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct SoakTests {
  private static let perSecond = 20.0
  private static let wanted = ProcessInfo.processInfo.environment["KIOSK_SOAK_SECONDS"].flatMap(Double.init)
  private static let seconds = wanted ?? 20

  /// What a page keeps.
  private struct Look: Decodable {
    var heap: Int
    var nodes: Int
    var listeners: Int
    /// Snapshots so far.
    var heard: Int
  }

  private static func looks(_ page: ChildProgram) -> [Look] {
    page.text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Look.self, from: Data($0.utf8)) }
  }

  @Test func `twenty snapshots a second leave nothing behind, neither in the agent nor in its page`() throws {
    let state = try #require(AgentPageState.all.first { $0.name == "period" })
    let instant = try #require(ISO8601DateFormatter().date(from: state.at))
    let agent = try AgentPageTests.agent(
      Int64(instant.timeIntervalSince(Date())), "http://127.0.0.1:1", state)
    try agent.start()
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/link.py"
    let page = try ChildProgram(
      "/usr/bin/env", ["python3", script, "http://127.0.0.1:\(agent.web.port)/", "measure"])
    defer { page.signal(SIGTERM) }
    try Waiting.until("the page is open: \(page.text.suffix(400))", within: 40) { !Self.looks(page).isEmpty }
    let pid = try #require(agent.process?.pid)

    // Whatever is made once is there after a fifth.
    var said = try soak(agent, for: Self.seconds / 5)
    let memory = try Self.privateMemory(pid)
    try waitForRest(page)
    let before = try #require(Self.looks(page).last)
    said += try soak(agent, for: Self.seconds * 4 / 5)
    try waitForRest(page)
    let after = try #require(Self.looks(page).last)
    let grown = try Self.privateMemory(pid) - memory
    print(
      "soak: \(said) snapshots in \(Int(Self.seconds)) s, \(after.heard) heard; the agent grew by \(grown >> 10) KiB, "
        + "the page's heap by \((after.heap - before.heap) >> 10) KiB to \(after.heap >> 10) KiB, "
        + "its nodes by \(after.nodes - before.nodes) to \(after.nodes)")
    // Beside other tests nobody can say how quick both are.
    if Self.wanted != nil {
      #expect(Double(said) >= Self.perSecond * Self.seconds * 0.95, "they were said in time")
      #expect(Double(after.heard) >= Double(said) * 0.9, "two that come while the page is busy are one to it")
    }
    // In so short a time, beside other tests, what the allocator keeps for its threads is most of it.
    #expect(grown < (Self.wanted == nil ? 24 : 2) << 20)
    #expect(after.heap - before.heap < 256 << 10)
    #expect(after.nodes - before.nodes < 100)
    #expect(after.listeners == before.listeners)
  }

  /// Makes the agent show another day of school and another, as a person would by `period override`.
  ///
  /// - Returns: how many snapshots there are to see.
  private func soak(_ agent: AgentUnderTest, for seconds: Double) throws -> Int {
    let socket = agent.state + "/" + ControlSocket.name
    let (time, types) = (SystemTime(), ["Late Arrival", "No School", "Standard"])
    let start = time.uptime()
    var said = 0
    while time.uptime() < start + .seconds(seconds) {
      let override =
        #"[{\"day\":\"2026-12-01\",\"type\":\"\#(types[said % types.count])\",\"until\":\"2026-12-01T12:00:00Z\"}]"#
      let answer = try ControlSocket.ask(socket, #"{"command":"bellOverride","override":"\#(override)"}"#)
      try #require(answer.first?.contains(#""code":0"#) == true, "\(answer)")
      said += 1
      let next = start + .seconds(Double(said) / Self.perSecond)
      try Waiting.until("the next one", within: 5) { time.uptime() >= next }
    }
    return said
  }

  /// Returns when the page has painted what it had to, and was measured after that.
  private func waitForRest(_ page: ChildProgram) throws {
    let known = Self.looks(page).count
    try Waiting.until("the page has come to rest: \(page.text.suffix(400))", within: 40) {
      let looks = Self.looks(page).dropFirst(known).suffix(2).map(\.heard)
      return looks.count == 2 && looks[0] == looks[1] && looks[0] > 0
    }
  }

  /// Bytes of a process's own in RAM.
  private static func privateMemory(_ pid: Int32) throws -> Int {
    let text = String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(pid)/smaps_rollup")), as: UTF8.self)
    return text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }.reduce(0, +) << 10
  }
}
