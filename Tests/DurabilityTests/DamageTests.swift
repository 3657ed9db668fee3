import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// The real agent over a ledger that was harmed while it was off, or under its hands (reliability.md 3.3 row 27).
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DamageTests {
  enum Harm: CaseIterable, Sendable {
    case page, header, emptied, gone
  }

  private func banners(_ agent: AgentUnderTest) throws -> [String] {
    (try agent.wall()["banners"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
  }

  /// An agent whose first tag was tapped, and that has ended.
  private func used() throws -> TaggedAgent {
    let tagged = try TaggedAgent(tags: 2)
    try tagged.start()
    try tagged.tap(0, until: "taken")
    tagged.agent.process?.signal(SIGTERM)
    #expect(try tagged.agent.process?.waitForExit() == 0)
    return tagged
  }

  @Test(arguments: Harm.allCases)
  func `a harmed ledger is restored at the start, the wall says so, and the dose is known`(harm: Harm) throws {
    let tagged = try used()
    let agent = tagged.agent
    let path = agent.state + "/ledger.sqlite"
    switch harm {
    case .page, .header:
      let handle = try FileHandle(forUpdating: URL(filePath: path))
      try handle.seek(toOffset: harm == .page ? 4096 : 0)
      try handle.write(contentsOf: Data(repeating: harm == .page ? 0xA5 : 0, count: harm == .page ? 4096 : 100))
      try handle.close()
    case .emptied: try Data().write(to: URL(filePath: path))
    case .gone: try FileManager.default.removeItem(atPath: path)
    }
    try tagged.start()
    try Waiting.until("the banner") {
      try banners(agent).contains { $0.contains("Records since") && $0.contains("may be lost") }
    }
    #expect(agent.process?.text.ranges(of: "the ledger was damaged").count == 1)
    #expect(FileManager.default.fileExists(atPath: path + ".damaged") == (harm != .gone))
    try tagged.tap(0, until: "alreadyTaken")
    try tagged.tap(1, until: "taken")
  }

  @Test func `a file that is moved over the ledger while it is open takes no tap away`() throws {
    let tagged = try TaggedAgent(tags: 2)
    let agent = tagged.agent
    try tagged.start()
    try tagged.tap(0, until: "taken")
    let path = agent.state + "/ledger.sqlite"
    try Data("other".utf8).write(to: URL(filePath: path), options: .atomic)
    try agent.tag.enter(uid: TaggedAgent.uid(1))
    try Waiting.until("the second thanks") { tagged.thanked.contains(1) }
    #expect(agent.process?.text.contains("it is put back, nothing is lost") == true)
    try tagged.kill()
    let outcomes = try agent.history().compactMap { $0["outcome"] as? String }
    #expect(outcomes == ["taken", "taken"])
  }

  @Test func `a ledger of a newer agent stops recording and not the agent, and stays as it is`() throws {
    let tagged = try used()
    let agent = tagged.agent
    let path = agent.state + "/ledger.sqlite"
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    // `user_version`, big-endian, in the header of the file.
    try handle.seek(toOffset: 60)
    try handle.write(contentsOf: Data([0, 0, 3, 0xE7]))
    try handle.close()
    let before = try Data(contentsOf: URL(filePath: path))
    try tagged.start()
    try tagged.tap(1, until: "notRecorded")
    #expect(agent.process?.text.contains("of a newer kiosk-agent") == true)
    #expect(agent.process?.isRunning == true)
    try tagged.kill()
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }
}
