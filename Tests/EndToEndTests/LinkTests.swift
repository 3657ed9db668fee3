import Foundation
import Linux
import TestSupport
import Testing
import VirtualTag

/// The page in a real browser while its agent is killed, frozen, started again and replaced: it says so, and comes back by
/// itself.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct LinkTests {
  private struct Look: Decodable {
    var clock: String
    var banners: [String]
    var reader: String
    var asset: String
    var losses: [Loss]
    /// How often it was answered 503.
    var refused: Int
  }

  /// A page has begun to tell of a loss.
  private struct Loss: Decodable {
    /// The whole seconds without an event that it told first.
    var silence: Int
    /// Seconds since it began to look at its clock before that.
    var sinceTick: Double
  }

  private static func open(_ agent: AgentUnderTest, refusals: Int = 0) throws -> ChildProgram {
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/link.py"
    return try ChildProgram(
      "/usr/bin/env", ["python3", script, "http://127.0.0.1:\(agent.web.port)/", String(refusals)])
  }

  private static func agent() throws -> AgentUnderTest {
    let agent = try AgentUnderTest(port: try Self.freePort())
    try agent.write("household.json5", "{ people: [], medications: [], tags: [] }")
    try agent.start()
    try agent.waitForReader("ready")
    return agent
  }

  private static func last(_ page: ChildProgram) -> Look? {
    page.text.split(separator: "\n").reversed().lazy
      .compactMap { try? JSONDecoder().decode(Look.self, from: Data($0.utf8)) }.first
  }

  private static func isLive(_ page: ChildProgram) -> Bool {
    last(page).map { $0.banners.isEmpty && $0.reader == "Reader ready" && $0.clock != "--:--" } ?? false
  }

  private static func isLost(_ page: ChildProgram) -> Bool {
    let words = "The wall has lost its connection for "
    return last(page).map { look in look.banners.contains { $0.hasPrefix(words) } && look.reader == "–" } ?? false
  }

  /// Waits until the page tells of its first, second, ... loss, and expects that it did so as soon as it looked at its clock
  /// after 25 s without an event (DESIGN 4.4).
  ///
  /// Those count from the last event, which may be the very instant before the agent fell silent, and the page looks at its
  /// clock once a second, on a busy machine later: no wait of the test's can judge it. The page's own count does: had it
  /// heard nothing for 25 s when it looked before, it would have said so then.
  private static func waitForLoss(_ number: Int, _ page: ChildProgram) throws {
    try Waiting.until("loss \(number) is said: \(page.text.suffix(400))", within: 60) {
      isLost(page) && last(page)?.losses.count == number
    }
    let loss = try #require(last(page)?.losses.last)
    #expect(loss.silence >= 25 && Double(loss.silence) < 25 + loss.sinceTick, "the first words of the loss: \(loss)")
    // Or it has not looked at its clock.
    #expect(loss.sinceTick < 10, "\(loss)")
  }

  @Test func `an agent that is killed or frozen is told after 25 s of silence, and the page comes back by itself`()
    throws
  {
    let agent = try Self.agent()
    let page = try Self.open(agent)
    defer { page.signal(SIGTERM) }
    try Waiting.until("the page is live: \(page.text.suffix(400))", within: 60) { Self.isLive(page) }

    agent.process?.signal(SIGKILL)
    _ = try agent.process?.waitForExit()
    try Self.waitForLoss(1, page)
    try agent.start()
    try Waiting.until("the page is back: \(page.text.suffix(400))", within: 40) { Self.isLive(page) }

    agent.process?.signal(SIGSTOP)
    defer { agent.process?.signal(SIGCONT) }
    try Self.waitForLoss(2, page)
    agent.process?.signal(SIGCONT)
    try Waiting.until("the page is back: \(page.text.suffix(400))", within: 40) { Self.isLive(page) }
  }

  @Test func `an answer of 503 to the first request for events does not end the page`() throws {
    let agent = try Self.agent()
    let page = try Self.open(agent, refusals: 1)
    defer { page.signal(SIGTERM) }
    try Waiting.until("it is refused: \(page.text.suffix(400))", within: 60) { Self.last(page)?.refused == 1 }
    // What only the stream can tell it.
    agent.pcscd.kill()
    try Waiting.until("the page heard of it: \(page.text.suffix(400))", within: 60) {
      Self.last(page)?.reader == "No card service"
    }
    #expect(Self.last(page)?.refused == 1)
  }

  @Test func `a page of an agent that was replaced by another version loads the new one by itself`() throws {
    let agent = try Self.agent()
    let page = try Self.open(agent)
    defer { page.signal(SIGTERM) }
    try Waiting.until("the page is live: \(page.text.suffix(400))", within: 60) { Self.isLive(page) }
    let before = try #require(Self.last(page)?.asset)
    agent.process?.signal(SIGTERM)
    _ = try agent.process?.waitForExit()

    var program = try Data(contentsOf: URL(filePath: agent.program))
    let words = Data("// Paints the agent's snapshots".utf8)
    let place = try #require(program.range(of: words))
    program.replaceSubrange(place, with: Data("// Shows  the agent's snapshots".utf8))
    try #require(
      FileManager.default.createFile(
        atPath: agent.folder + "/next-version", contents: program, attributes: [.posixPermissions: 0o755]))
    agent.program = agent.folder + "/next-version"
    try agent.start()
    try Waiting.until("the new page is live: \(page.text.suffix(400))", within: 60) {
      Self.isLive(page) && Self.last(page)?.asset != before
    }
  }

  /// One that nobody listens on now, so that an agent can come back to it.
  private static func freePort() throws -> UInt16 {
    let holder = try AgentUnderTest(startsPcscd: false)
    try holder.start()
    defer {
      holder.process?.signal(SIGKILL)
      _ = try? holder.process?.waitForExit()
    }
    return holder.web.port
  }
}
