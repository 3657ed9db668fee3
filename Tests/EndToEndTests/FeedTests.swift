import Foundation
import Linux
import TestSupport
import Testing
import VirtualTag

/// The built agent with buses: the real curl(1), a server with OneBusAway's rules, taps through the real pcscd.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct FeedTests {
  private static let key = "SECRETKEY77"
  private static let line = SimulatedBuses.Line(
    stop: "1_75403", route: "1_100172", shortName: "172", headsign: "Garfield Station", first: 0, last: 1439, every: 10,
    late: [120])
  private static let week = "{ days: ['mon','tue','wed','thu','fri','sat','sun'], from: '00:00', to: '23:59' }"

  private static func agent(_ address: String) throws -> AgentUnderTest {
    let agent = try AgentUnderTest()
    try agent.write(
      "kiosk-agent.json5",
      "{ stateDirectory: '\(agent.state)', timeZone: '\(Noon.zone.identifier)', wall: { listen: '127.0.0.1:0' }, "
        + "sources: { onebusaway: { baseURL: '\(address)' } } }")
    try agent.write(
      "household.json5",
      """
      { people: [{ id: 'ann', name: 'Ann' }], medications: [], tags: [],
        watches: [{ id: 'school', label: 'To school', source: 'onebusaway', stop: '1_75403', route: '1_100172',
                    window: \(week) }] }
      """)
    agent.variables = ["KIOSK_AGENT_ONEBUSAWAY_KEY": key]
    let imported = try agent.command("import", agent.folder + "/household.json5")
    try #require(imported.code == 0, "\(imported.output)")
    return agent
  }

  private static func cards(_ agent: AgentUnderTest) throws -> [[String: Any]] {
    (try agent.wall()["rail"] as? [String: Any])?["cards"] as? [[String: Any]] ?? []
  }

  private static func source(_ agent: AgentUnderTest) throws -> [String: Any] {
    (try agent.wall()["sources"] as? [[String: Any]])?.first ?? [:]
  }

  @Test func `a bus comes onto the wall by itself, and its key nowhere`() throws {
    let server = try FakeOneBusAway(SimulatedBuses([Self.line], zone: Noon.zone), key: Self.key, time: SystemTime())
    defer { server.stop() }
    let agent = try Self.agent(server.address)
    try agent.start()
    try Waiting.until("a card", within: 40) { try Self.cards(agent).first?["kind"] as? String == "bus" }
    let card = try #require(try Self.cards(agent).first)
    #expect(card["badge"] as? String == "172" && card["title"] as? String == "To school")
    #expect((card["detail"] as? String)?.hasPrefix("2 min late") ?? false, "\(card)")
    #expect(try Self.source(agent)["state"] as? String == "fresh")
    #expect(try agent.web.get("/healthz").body.contains(#""id":"onebusaway""#))
    #expect(server.refused == 0)
    // A new household is asked for at once, without a restart.
    try agent.write("none.json5", "{ watches: [] }")
    _ = try agent.command("import", agent.folder + "/none.json5")
    try Waiting.until("no card", within: 40) { try Self.cards(agent).isEmpty && Self.source(agent).isEmpty }
    #expect(
      try !agent.web.get("/api/wall").body.contains(Self.key) && !(agent.process?.text.contains(Self.key) ?? true))
    let copies = try FileManager.default.subpathsOfDirectory(atPath: agent.state + "/feeds")
    for copy in copies {
      let bytes = FileManager.default.contents(atPath: agent.state + "/feeds/" + copy) ?? Data()
      #expect(bytes.range(of: Data(Self.key.utf8)) == nil, "\(copy)")
    }
  }

  @Test func `a restart without the network shows what was known, with its age and never as live`() throws {
    let server = try FakeOneBusAway(SimulatedBuses([Self.line], zone: Noon.zone), key: Self.key, time: SystemTime())
    let agent = try Self.agent(server.address)
    try agent.start()
    try Waiting.until("a card", within: 40) { try Self.source(agent)["state"] as? String == "fresh" }
    agent.process?.signal(SIGKILL)
    _ = try agent.process?.waitForExit(within: 40)
    server.stop()
    try agent.start()
    try Waiting.until("the failure is said", within: 40) {
      agent.process?.text.contains("no connection to 127.0.0.1") ?? false
    }
    try Waiting.until("the old data", within: 40) { try !Self.cards(agent).isEmpty }
    try Waiting.until("its age", within: 40) { try Self.source(agent)["fetchedAt"] is String }
    #expect(try Self.cards(agent).first?["title"] as? String == "To school")
  }

  @Test func `the key stands in no argument and no environment of any process`() throws {
    let mute = try MuteServer()
    let agent = try Self.agent(mute.address)
    try agent.start()
    let pid = try #require(agent.process?.pid)
    let (curl, arguments) = try Waiting.value("curl at work", within: 40) {
      Self.children(of: pid).lazy.compactMap { child -> (Int32, String)? in
        let words = (try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)) ?? ""
        return words.contains("curl") ? (child, words) : nil
      }.first
    }
    let environment = (try? String(contentsOfFile: "/proc/\(curl)/environ", encoding: .utf8)) ?? ""
    #expect(!arguments.contains(Self.key) && !environment.contains(Self.key))
    try Waiting.until("it gives way") { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(curl)) == 19 }
    // A signal ends both at once, though the server says nothing.
    agent.process?.signal(SIGTERM)
    #expect(try agent.process?.waitForExit(within: 10) == 0)
    try Waiting.until("the end of curl") { kill(curl, 0) != 0 }
  }

  /// To start a curl takes the machine 15 ms, and what is due at one instant must not take them from a tap in one piece.
  @Test func `sources that are due at the same instant are asked one after the other`() throws {
    let mute = try MuteServer()
    let agent = try AgentUnderTest()
    let calendars = (0..<8).map { "{ id: 'c\($0)', name: 'C\($0)', url: '\(mute.address)/\($0)', picks: {} }" }
    try agent.write(
      "kiosk-agent.json5",
      "{ stateDirectory: '\(agent.state)', wall: { listen: '127.0.0.1:0' }, "
        + "sources: { calendars: [\(calendars.joined(separator: ", "))] } }")
    try agent.start()
    let pid = try #require(agent.process?.pid)
    let starts = try Waiting.value("eight curls at work") {
      let starts = Self.children(of: pid).compactMap(Self.startOf)
      return starts.count == 8 ? starts.sorted() : nil
    }
    // Eight starts are 700 ms apart in all. A busy machine can make one of them late, and no other.
    #expect(starts[7] - starts[0] > 0.4, "\(starts)")
  }

  /// When a process was born, in seconds of the machine's uptime (proc(5), `starttime`).
  private static func startOf(_ pid: Int32) -> Double? {
    let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    // The name, which may hold anything, ends with the last parenthesis.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 19 ? Double(fields[19]).map { $0 / Double(sysconf(Int32(_SC_CLK_TCK))) } : nil
  }

  private static func children(of pid: Int32) -> [Int32] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    return tasks.flatMap { task in
      let text = (try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/children", encoding: .utf8)) ?? ""
      return text.split(separator: " ").compactMap { Int32($0) }
    }
  }
}

/// Takes connections and never says a word.
private final class MuteServer {
  let address: String
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let port = unsafe withUnsafeMutablePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16 in
        guard unsafe bind(descriptor, address, length) == 0, listen(descriptor, 8) == 0,
          unsafe getsockname(descriptor, address, &length) == 0
        else { return 0 }
        return unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_port.bigEndian
      }
    }
    address = "http://127.0.0.1:\(port)"
    try #require(port != 0)
  }

  deinit { close(descriptor) }
}
