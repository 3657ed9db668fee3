import Foundation
import Glibc
import Linux
import TestSupport
import Testing
import VirtualTag

/// `run` as systemd, a technician and the other commands see it (DESIGN 4.1). No reader is needed for most of it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RunTests {
  private func kitchen() throws -> Kitchen {
    let kitchen = try Kitchen(
      "{ stateDirectory: 'state', timeZone: 'America/Los_Angeles', wall: { listen: '127.0.0.1:0' } }")
    try kitchen.write("household.json5", household)
    return kitchen
  }

  private func waitUntilUp(_ agent: ChildProgram) throws -> HTTPProbe {
    let sign = "the wall is on http://127.0.0.1:"
    try agent.waitFor(sign)
    let text = agent.text
    let start = try #require(text.range(of: sign)).upperBound
    return HTTPProbe(port: try #require(UInt16(text[start...].prefix { $0.isNumber })))
  }

  /// Everything that came, once the agent has ended.
  private func end(_ agent: ChildProgram, _ signal: Int32, _ manager: FakeManager) throws -> [String] {
    agent.signal(signal)
    #expect(try agent.waitForExit() == 0)
    return manager.received()
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `systemd hears READY once, how it is, and STOPPING at the end`(signal: Int32) throws {
    let kitchen = try kitchen()
    let manager = FakeManager()
    let agent = try kitchen.start(environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"])
    _ = try waitUntilUp(agent)
    var heard: [String] = []
    try Waiting.until("READY, STATUS and three WATCHDOG") {
      heard += manager.received()
      return heard.contains("READY=1") && heard.filter { $0 == "WATCHDOG=1" }.count >= 3
        && heard.contains { $0.hasPrefix("STATUS=reader noService, ledger ok, clock") }
    }
    heard += try end(agent, signal, manager)
    #expect(heard.filter { $0 == "READY=1" }.count == 1)
    #expect(heard.filter { $0 == "STOPPING=1" }.count == 1)
    #expect(heard.last { !$0.hasPrefix("STATUS=") } == "STOPPING=1", "\(heard.suffix(4))")
    #expect(!kitchen.exists("state/control.sock"))
    #expect(try kitchen.agent("import", kitchen.path("household.json5")).code == 0, "the lock is free again")
  }

  @Test func `READY comes once though the port is taken and becomes free`() throws {
    let holder = TakenPort()
    let kitchen = try kitchen()
    try kitchen.write(
      "kiosk-agent.json5", "{ stateDirectory: 'state', wall: { listen: '127.0.0.1:\(holder.port)' } }")
    let manager = FakeManager()
    let agent = try kitchen.start(environment: ["NOTIFY_SOCKET": manager.name])
    try agent.waitFor("port \(holder.port) is in use: taps go on")
    var heard: [String] = []
    try Waiting.until("READY without the page") {
      heard += manager.received()
      return heard.contains("READY=1")
    }
    holder.free()
    _ = try waitUntilUp(agent)
    heard += try end(agent, SIGTERM, manager)
    #expect(heard.filter { $0 == "READY=1" }.count == 1)
  }

  @Test func `SIGHUP ends nothing and says when the configuration is read`() throws {
    let kitchen = try kitchen()
    let agent = try kitchen.start()
    _ = try waitUntilUp(agent)
    agent.signal(SIGHUP)
    try agent.waitFor("SIGHUP: the configuration is read at the next start")
    #expect(agent.isRunning)
  }

  @Test func `SIGTERM ends it within two seconds with its ledger held and its pcscd frozen`() throws {
    let kitchen = try kitchen()
    let pcscd = try PrivatePcscd.started()
    let agent = try kitchen.start(environment: pcscd.environment)
    let web = try waitUntilUp(agent)
    try Waiting.until("a reader") { try web.get("/healthz").status == 200 }
    let script = """
      import sqlite3, time
      c = sqlite3.connect('\(kitchen.state)/ledger.sqlite', isolation_level=None)
      c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(600)
      """
    let lock = try ChildProgram("/usr/bin/env", ["python3", "-c", script])
    try lock.waitFor("held")
    pcscd.freeze()
    agent.signal(SIGTERM)
    // The two seconds are the agent's own deadline; a busy machine takes its time to see them over, and to see the end. What
    // it waits for would last for ten minutes.
    #expect(try agent.waitForExit(within: 10) == 0)
  }

  @Test func `a second agent on the same state is 75, names the first, and harms nothing`() throws {
    let kitchen = try kitchen()
    let agent = try kitchen.start()
    let web = try waitUntilUp(agent)
    let problem = try kitchen.agent("run").problem(75)
    #expect(problem.contains("(process \(agent.pid))") && problem.contains("stop it first"), "\(problem)")
    #expect(try web.get("/").status == 200)
    #expect(try kitchen.agent("import", kitchen.path("household.json5")).code == 0, "its socket is still its own")
  }

  @Test func `an import goes through the running agent, which has it on the wall at once`() throws {
    let kitchen = try kitchen()
    let agent = try kitchen.start()
    let web = try waitUntilUp(agent)
    let mode = try FileManager.default.attributesOfItem(atPath: kitchen.state + "/control.sock")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let now = Date()
    let due = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 60).rounded(.down) * 60 - 600)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "America/Los_Angeles"))
    let parts = calendar.dateComponents([.hour, .minute], from: due)
    let at = String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
    let file = try kitchen.write(
      "late.json5",
      """
      { people: [{ id: 'ann', name: 'Ann' }], tags: [], medications: [{ id: 'levo', person: 'ann', name: 'Levo',
        times: [{ at: '\(at)', opensBefore: 30, closesAfter: 240, since: '2026-01-01T00:00:00Z' }] }] }
      """)
    #expect(try kitchen.agent("import", file).out == "imported: people 1 added; medications 1 added\n")
    let snapshot = try web.get("/api/wall").body
    #expect(snapshot.contains("\"medication\":\"Levo\""), "\(snapshot)")
    #expect(try kitchen.agent("import", file).out == "nothing changed\n")
    #expect(agent.text.contains("import: imported: people 1 added"))
    #expect(!agent.text.contains("Levo"), "no medication in a log")
  }

  @Test func `a mistake is told in the same words with and without an agent`() throws {
    let kitchen = try kitchen()
    let files = try [
      kitchen.write("a.json5", "{ medications: [{ id: 'a', person: 'zoe', name: 'A', times: [{ at: '25:00' }] }] }"),
      kitchen.write("b.json5", "{ peple: [] }"), kitchen.write("c.json5", "{ people: ["),
    ]
    try Data([0x22, 0xFF, 0x22]).write(to: URL(filePath: kitchen.path("d.json5")))
    let all = files + [kitchen.path("d.json5")]
    let without = try all.map { try kitchen.agent("import", $0).problem(65) }
    let agent = try kitchen.start()
    _ = try waitUntilUp(agent)
    #expect(try all.map { try kitchen.agent("import", $0).problem(65) } == without)
  }

  @Test func `beside the running agent a backup is made, and a restore is refused`() throws {
    let kitchen = try kitchen()
    #expect(try kitchen.agent("import", kitchen.path("household.json5")).code == 0)
    let agent = try kitchen.start()
    let web = try waitUntilUp(agent)
    let copy = kitchen.path("copy.sqlite")
    #expect(try kitchen.agent("backup", copy).code == 0)
    let problem = try kitchen.agent("restore", copy).problem(75)
    #expect(problem.contains("nothing was restored") && problem.contains("stop it first"), "\(problem)")
    #expect(try web.get("/api/wall").status == 200)
    agent.signal(SIGTERM)
    #expect(try agent.waitForExit() == 0)
    #expect(try kitchen.agent("restore", copy).code == 0)
    #expect(try kitchen.agent("export").out.contains("Levothyroxine"))
  }

  @Test func `of a configuration that broke its own last good copy is taken, not another's`() throws {
    let kitchen = try kitchen()
    let first = try kitchen.start()
    _ = try waitUntilUp(first)
    first.signal(SIGTERM)
    #expect(try first.waitForExit() == 0)
    try FileManager.default.createDirectory(atPath: kitchen.path("other"), withIntermediateDirectories: true)
    try kitchen.write("other/last-good.json5", "{ stateDirectory: '\(kitchen.path("other"))' }")
    try kitchen.write("kiosk-agent.json5", "{ stateDirectory: 'state', wall: { listen: '127.0.0.1:0', } ")
    let second = try kitchen.start(environment: ["STATE_DIRECTORY": kitchen.path("other")])
    _ = try waitUntilUp(second)
    #expect(second.text.contains("kiosk-agent.json5 is wrong"))
    #expect(kitchen.exists("state/control.sock") && !kitchen.exists("other/control.sock"))
  }

  @Test func `the page's address answers as its contract says`() throws {
    let kitchen = try kitchen()
    let pcscd = try PrivatePcscd.started()
    let agent = try kitchen.start(environment: pcscd.environment)
    let web = try waitUntilUp(agent)
    try Waiting.until("a reader") { try web.get("/healthz").status == 200 }
    func health() throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: Data(try web.get("/healthz").body.utf8)) as? [String: Any] ?? [:]
    }
    #expect(Set(try health().keys).isSuperset(of: ["reader", "ledger", "sound", "clock", "sources", "displays"]))
    let snapshot =
      try JSONSerialization.jsonObject(with: Data(try web.get("/api/wall").body.utf8)) as? [String: Any] ?? [:]
    let boot = try #require(snapshot["boot"] as? String)
    let v = try #require(snapshot["v"] as? Int)
    let ack = "{\"v\":\(v),\"boot\":\"\(boot)\",\"w\":1920,\"h\":1080,\"vis\":\"visible\",\"t0\":false}"
    #expect(try web.post("/display/ack", json: ack).status == 204)
    let last = try #require((try health()["displays"] as? [String: Any])?["last"] as? [String: Any])
    #expect(last["v"] as? Int == v && last["w"] as? Int == 1920 && last["visible"] as? Bool == true)
    #expect(try web.post("/display/ack", json: "{\"v\":\"x\"}").status == 400)
    #expect(try web.get("/display/ack").status == 405)
    #expect(try web.get("/nothing").status == 404)
    pcscd.kill()
    try Waiting.until("503 without a reader") { try web.get("/healthz").status == 503 }
    try pcscd.start()
    try Waiting.until("200 again") { try web.get("/healthz").status == 200 }
  }
}

/// A port of this machine that somebody else listens on.
private final class TakenPort {
  private var descriptor: Int32
  let port: UInt16

  init() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length)
        listen(descriptor, 1)
        unsafe getsockname(descriptor, $0, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { free() }

  func free() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
