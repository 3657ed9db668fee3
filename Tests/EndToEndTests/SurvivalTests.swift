import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// The agent without one of its parts, and when it is ended.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct SurvivalTests {
  private func agent(startsPcscd: Bool = true, port: UInt16 = 0) throws -> AgentUnderTest {
    let agent = try AgentUnderTest(startsPcscd: startsPcscd, port: port)
    try agent.write("household.json5", household())
    let imported = try agent.command("import", agent.folder + "/household.json5")
    #expect(imported.code == 0, "\(imported.output)")
    return agent
  }

  private func banners(_ agent: AgentUnderTest) throws -> [String] {
    (try agent.wall()["banners"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
  }

  @Test func `a wall without pcscd says so, and takes taps as soon as it is there`() throws {
    let agent = try agent(startsPcscd: false)
    try agent.start()
    try agent.waitForReader("noService")
    #expect(try banners(agent).contains("reader"))
    #expect(try agent.web.get("/healthz").status == 503)
    try agent.pcscd.start()
    try agent.waitForReader("ready")
    #expect(try agent.web.get("/healthz").status == 200)
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
  }

  @Test func `pcscd is killed and comes back, and taps go on without a restart of the agent`() throws {
    let agent = try agent()
    try agent.start()
    try agent.waitForReader("ready")
    agent.pcscd.kill()
    try agent.waitForReader("noService")
    try agent.pcscd.start()
    try agent.waitForReader("ready")
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
    #expect(agent.process?.isRunning == true)
  }

  @Test func `a tag that lies there at the start is no tap until it is lifted and tapped`() throws {
    let agent = try agent()
    try agent.tag.enter(uid: annTag)
    try agent.start()
    try Waiting.until("lift the tag") { try banners(agent).contains("tag") }
    #expect(try agent.history().isEmpty)
    try agent.tag.leave()
    try Waiting.until("no more tag") { try !banners(agent).contains("tag") }
    // A hand is not faster; what is, is the tag flickering in the field.
    usleep(300_000)
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
  }

  @Test func `a mute tag that becomes readable without being lifted is one tap in two rows`() throws {
    let agent = try agent()
    try agent.start()
    try agent.waitForReader("ready")
    try agent.tag.mute(.always)
    try agent.tag.enter(uid: annTag)
    try agent.waitForOverlay("unreadable")
    try agent.tag.mute(.off)
    try agent.waitForOverlay("taken")
    let rows = try agent.history()
    #expect(rows.compactMap { $0["outcome"] as? String } == ["unreadable", "taken"])
    #expect(rows[1]["resolves"] as? String == rows[0]["at"] as? String)
  }

  @Test func `fifty taps of 4 ms each end in a row, and only the first can credit`() throws {
    let agent = try agent()
    try agent.start()
    try agent.waitForReader("ready")
    for _ in 0..<50 {
      try agent.tag.tap(uid: annTag, milliseconds: 4)
      usleep(4000)
    }
    try Waiting.until("an answer") { try agent.history().contains { $0["outcome"] as? String == "taken" } }
    let credits = try agent.history().filter { !(($0["credited"] as? [Any])?.isEmpty ?? true) }
    #expect(credits.count == 1)
  }

  @Test func `killed after a tap, the agent knows the dose at the next start`() throws {
    let agent = try agent()
    try agent.start()
    try agent.waitForReader("ready")
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
    agent.process?.signal(SIGKILL)
    #expect(try agent.process?.waitForExit() == -SIGKILL)
    try agent.start()
    try agent.waitForReader("ready")
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("alreadyTaken")
  }

  @Test func `SIGTERM ends the agent within two seconds, and it says so to systemd`() throws {
    let agent = try agent()
    try agent.start()
    try agent.waitForReader("ready")
    agent.process?.signal(SIGTERM)
    // A busy machine takes its time to start the ends of all threads, and to see the last of them.
    #expect(try agent.process?.waitForExit(within: 10) == 0)
  }

  @Test func `a port in use stops the page only, and the page comes when it is free`() throws {
    let holder = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(holder, $0, length)
        listen(holder, 1)
        unsafe getsockname(holder, $0, &length)
      }
    }
    let agent = try agent(port: UInt16(bigEndian: address.sin_port))
    let process = try agent.startWithoutWaiting()
    try process.waitFor("is in use")
    try process.waitFor("reader: ready")
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try process.waitFor("taken, 1 credited")
    close(holder)
    try process.waitFor("the wall is on http://")
    #expect(try agent.web.get("/").status == 200)
  }

  @Test func `a configuration that broke runs on the last good one and says so`() throws {
    let agent = try agent()
    try agent.start()
    agent.process?.signal(SIGTERM)
    _ = try agent.process?.waitForExit()
    try agent.write("kiosk-agent.json5", "{ stateDirectory: '\(agent.state)', wall: { listn: '127.0.0.1:0' } }")
    try agent.start()
    #expect(agent.process?.text.contains("did you mean listen?") == true)
    try Waiting.until("the banner") { try banners(agent).contains("configuration") }
  }

  @Test func `no sound card is said on the wall, and taps are recorded all the same`() throws {
    let agent = try agent()
    try agent.write("asound.conf", "pcm.!default { type hw card 77 }\nctl.!default { type hw card 77 }\n")
    try agent.start()
    try agent.waitForReader("ready")
    try Waiting.until("the banner") { try banners(agent).contains("sound") }
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
  }

  @Test func `a second agent on the same state is refused and harms nothing`() throws {
    let agent = try agent()
    try agent.start()
    let second = try agent.command("run")
    #expect(second.code == 75)
    #expect(second.output.contains("stop it first"))
    #expect(agent.process?.isRunning == true)
  }

  @Test func `a clock that becomes right decides the taps that waited for it`() throws {
    let agent = try AgentUnderTest(clockOffset: -6 * 365 * 86_400)
    try agent.write("household.json5", household())
    #expect(try agent.command("import", agent.folder + "/household.json5").code == 0)
    try agent.start()
    try agent.waitForReader("ready")
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("pendingTime")
    #expect(try banners(agent).contains("clock"))
    agent.setClock(offset: 0)
    // The next tap makes the agent look at the clock.
    try agent.tag.tap(uid: unknownTag, milliseconds: 200)
    try Waiting.until("the dose") { try agent.history().contains { $0["outcome"] as? String == "taken" } }
    let taken = try agent.history().first { $0["outcome"] as? String == "taken" }
    #expect(taken?["resolves"] as? String != nil)
  }
}
