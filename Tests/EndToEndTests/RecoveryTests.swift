import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// Faults of the reader and of pcscd that only a restart mends, and those that need none.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct RecoveryTests {
  private func agent() throws -> AgentUnderTest {
    let agent = try AgentUnderTest()
    try agent.write("household.json5", household())
    #expect(try agent.command("import", agent.folder + "/household.json5").code == 0)
    try agent.write(
      "kiosk-agent.json5",
      "{ stateDirectory: '\(agent.state)', wall: { listen: '127.0.0.1:0' }, reader: { failAfterSeconds: 2 } }")
    return agent
  }

  private var marker: String { "/reader-fault" }

  @Test func `a frozen pcscd costs one restart of both, and taps go on`() throws {
    let manager = try ServiceManager(agent())
    let agent = manager.agent
    try manager.start()
    try agent.waitForReader("ready")
    agent.pcscd.freeze()
    try manager.restartAfterEnd(within: 60)
    #expect(manager.ends == [69])
    #expect(manager.asked == ["--no-block try-restart pcscd.service"])
    try agent.waitForReader("ready")
    try Waiting.until("the marker is gone") { !FileManager.default.fileExists(atPath: agent.state + marker) }
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
  }

  /// libpcsclite counts what is left of a wait with the wall clock, and now waits for an hour.
  @Test func `a clock that is set back by an hour costs no restart, and taps go on`() throws {
    let agent = try AgentUnderTest(clockOffset: 0)
    try agent.write("household.json5", household())
    #expect(try agent.command("import", agent.folder + "/household.json5").code == 0)
    try agent.start()
    try agent.waitForReader("ready")
    agent.setClock(offset: -3600)
    try agent.process?.waitFor("outlasted its slice", within: 40)
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try Waiting.until("the tap is stored") { try !agent.history().isEmpty }
    #expect(try agent.web.get("/healthz").body.contains(#""state":"ready""#))
    #expect(!FileManager.default.fileExists(atPath: agent.state + marker))
  }

  @Test func `a read that does not come back is told within its deadline and costs one restart`() throws {
    let manager = try ServiceManager(agent())
    let agent = manager.agent
    try manager.start()
    try agent.waitForReader("ready")
    try agent.tag.slow(.always, milliseconds: 20_000)
    try agent.tag.enter(uid: annTag)
    // At its deadline of 5 s, on a machine of any load; the read itself takes 20.
    try agent.waitForOverlay("unreadable", within: 15)
    try manager.restartAfterEnd(within: 60)
    #expect(manager.ends == [69])
    #expect(manager.asked.count == 1)
    try agent.waitForReader("ready")
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
    #expect(try agent.history().compactMap { $0["outcome"] as? String } == ["unreadable", "taken"])
  }

  @Test func `a reader that stays away ends the agent once, and then is a steady fault until it is back`() throws {
    let manager = try ServiceManager(agent())
    let agent = manager.agent
    try manager.start()
    try agent.waitForReader("ready")
    try agent.tag.unavailable(true)
    try agent.waitForReader("unavailable")
    let end = try agent.process?.waitForExit(within: 40)
    #expect(end == 69)
    // Nothing has mended it: the second run does not end, though it sees the same fault for longer.
    try agent.start()
    try agent.waitForReader("unavailable")
    try Waiting.until("the fault is on the wall", within: 40) {
      (try agent.wall()["banners"] as? [[String: Any]] ?? []).contains { $0["id"] as? String == "reader" }
    }
    #expect(FileManager.default.fileExists(atPath: agent.state + marker))
    try agent.tag.unavailable(false)
    try agent.waitForReader("ready")
    try Waiting.until("the marker is gone") { !FileManager.default.fileExists(atPath: agent.state + marker) }
    try agent.tag.tap(uid: annTag, milliseconds: 200)
    try agent.waitForOverlay("taken")
    // The next fault may end it again.
    try agent.tag.unavailable(true)
    #expect(try agent.process?.waitForExit(within: 40) == 69)
  }

  /// How often the agent has said what became of a tap of that tag.
  private func answers(of uid: String, _ agent: AgentUnderTest) -> Int {
    (agent.process?.text ?? "").ranges(of: "tap …\(uid.suffix(4)):").count
  }

  @Test func `pcscd restarted 50 times under taps loses none that it noticed and credits one dose once`() throws {
    let agent = try agent()
    try agent.start()
    var told: [String] = []
    for round in 0..<50 {
      try agent.waitForReader("ready")
      let uid: [UInt8] = round % 10 == 0 ? annTag : [0x04, 0x50, 0, 0, 0, 0, UInt8(round)]
      let name = uid.map { String(format: "%02X", $0) }.joined()
      if round % 10 != 0 { told.append(name) }
      let before = answers(of: name, agent)
      // A tap that was not read is tapped again, as the wall asks for.
      try Waiting.until("the answer of tap \(round)") {
        try agent.tag.tap(uid: uid, milliseconds: 100)
        return answers(of: name, agent) > before
      }
      // The next one is under way when pcscd dies.
      try agent.tag.enter(uid: [0x04, 0x51, 0, 0, 0, 0, UInt8(round)])
      agent.pcscd.kill()
      try agent.waitForReader("noService")
      try agent.pcscd.start()
    }
    try agent.waitForReader("ready")
    try Waiting.until("all rows") {
      let rows = try agent.history()
      return told.allSatisfy { uid in rows.contains { $0["uid"] as? String == uid } }
    }
    let rows = try agent.history()
    let uids = rows.compactMap { $0["uid"] as? String }.filter { $0 != "04A1B2C3D4E5F6" }
    #expect(Set(uids).count == uids.count, "no tap is two rows")
    #expect(rows.count { !(($0["credited"] as? [Any])?.isEmpty ?? true) } == 1)
    #expect(agent.process?.isRunning == true)
  }

  @Test(arguments: [
    ("exit-code", "69", "", true), ("watchdog", "ABRT", "reader monitor\n", true),
    ("watchdog", "ABRT", "http\ntag decoder\n", true), ("watchdog", "ABRT", "http\n", false),
    ("watchdog", "ABRT", "", false), ("exit-code", "78", "", false), ("exit-code", "75", "", false),
    ("success", "0", "", false), ("signal", "KILL", "", false), ("oom-kill", "KILL", "", false),
    ("core-dump", "ILL", "", false),
  ])
  func `pcscd is restarted only when it or the reader was the cause`(
    result: String, status: String, silent: String, restarts: Bool
  ) throws {
    let manager = try ServiceManager(AgentUnderTest(startsPcscd: false))
    try manager.leaveSilent(silent)
    try manager.stopPost(result: result, status: status)
    #expect(manager.asked == (restarts ? ["--no-block try-restart pcscd.service"] : []))
  }

  @Test func `pcscd is restarted at most once in five minutes`() throws {
    let manager = try ServiceManager(AgentUnderTest(startsPcscd: false))
    try manager.stopPost(result: "exit-code", status: "69")
    let said = try manager.stopPost(result: "exit-code", status: "69")
    #expect(manager.asked.count == 1)
    #expect(said.contains("left alone"))
    try manager.age(minutes: 7)
    try manager.stopPost(result: "exit-code", status: "69")
    #expect(manager.asked.count == 2)
  }
}
