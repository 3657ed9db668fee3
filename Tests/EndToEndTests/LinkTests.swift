import Foundation
import Linux
import TestSupport
import Testing

/// The page in a real browser while its agent is killed, frozen and started again: it says so, and comes back by itself.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LinkTests {
  private struct Look: Decodable {
    var clock: String
    var banners: [String]
    var reader: String
  }

  private static func last(_ page: ChildProgram) -> Look? {
    page.text.split(separator: "\n").reversed().lazy
      .compactMap { try? JSONDecoder().decode(Look.self, from: Data($0.utf8)) }.first
  }

  private static func isLive(_ page: ChildProgram) -> Bool {
    last(page).map { $0.banners.isEmpty && $0.reader == "Reader ready" && $0.clock != "--:--" } ?? false
  }

  private static func isLost(_ page: ChildProgram) -> Bool {
    last(page).map { look in
      look.banners.contains { $0.hasPrefix("The wall has lost its connection for") } && look.reader == "–"
    } ?? false
  }

  @Test func `an agent that is killed or frozen is told within 25 s, and the page comes back by itself`() throws {
    let agent = try AgentUnderTest(port: try Self.freePort())
    try agent.write("household.json5", "{ people: [], medications: [], tags: [] }")
    try agent.start()
    try agent.waitForReader("ready")
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/link.py"
    let page = try ChildProgram("/usr/bin/env", ["python3", script, "http://127.0.0.1:\(agent.web.port)/"])
    defer { page.signal(SIGTERM) }
    try Waiting.until("the page is live: \(page.text.suffix(400))", within: 40) { Self.isLive(page) }

    agent.process?.signal(SIGKILL)
    _ = try agent.process?.waitForExit(within: 5)
    try Waiting.until("the loss is said: \(page.text.suffix(400))", within: 30) { Self.isLost(page) }
    try agent.start()
    try Waiting.until("the page is back: \(page.text.suffix(400))", within: 20) { Self.isLive(page) }

    agent.process?.signal(SIGSTOP)
    defer { agent.process?.signal(SIGCONT) }
    try Waiting.until("the silence is said: \(page.text.suffix(400))", within: 30) { Self.isLost(page) }
    agent.process?.signal(SIGCONT)
    try Waiting.until("the page is back: \(page.text.suffix(400))", within: 20) { Self.isLive(page) }
  }

  /// One that nobody listens on now, so that an agent can come back to it.
  private static func freePort() throws -> UInt16 {
    let holder = try AgentUnderTest(startsPcscd: false)
    try holder.start()
    defer {
      holder.process?.signal(SIGKILL)
      _ = try? holder.process?.waitForExit(within: 5)
    }
    return holder.web.port
  }
}
