import Foundation
import Reminders
import TestSupport
import Testing
import VirtualTag

/// Every answer a tap can get, each by a tap through pcscd: its sound, its row, its picture in a real browser.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct OutcomeTests {
  @Test(arguments: TapOutcome.allCases.filter { $0 != .ignored })
  func `a tap ends in the sound, the row and the picture of its outcome`(outcome: TapOutcome) throws {
    let agent = try AgentUnderTest(clockOffset: outcome == .pendingTime ? -6 * 365 * 86_400 : 0)
    try agent.write("household.json5", household())
    let imported = try agent.command("import", agent.folder + "/household.json5")
    #expect(imported.code == 0, "\(imported.output)")
    try agent.start()
    try agent.waitForReader("ready")
    let page = try ServedPage.watch(
      (outcome.rawValue, "http://127.0.0.1:\(agent.web.port)/"), sizes: AgentPageTests.panels,
      until: "#overlay.\(outcome.rawValue)")
    defer { page.signal(SIGTERM) }
    let lock = try prepare(outcome, agent)
    let before = agent.soundBytes
    try tap(outcome, agent)
    try agent.waitForOverlay(outcome.rawValue)
    let wanted = [.taken, .pendingTime].contains(outcome) ? "success" : "failure"
    try Waiting.until("the \(wanted) sound") { try agent.soundPlayed(after: before) == wanted }
    let views = try ServedPage.views(of: page)
    #expect(views.count == AgentPageTests.panels.count)
    for view in views { #expect(view.faults == [], "\(view.size), see \(view.screenshot ?? "-")") }
    lock?.signal(SIGKILL)
    _ = try lock?.waitForExit()
    let rows = try agent.history().filter {
      $0["kind"] as? String == "tap" && $0["outcome"] as? String == outcome.rawValue
    }
    if outcome == .notRecorded {
      #expect(rows.isEmpty, "what was not recorded has no row")
    } else {
      #expect(rows.count == 1)
      #expect(rows.first?["sound"] as? String == wanted)
      #expect((rows.first?["credited"] as? [Any])?.count == (outcome == .taken ? 1 : 0))
    }
    #expect(
      try agent.history().filter { !(($0["credited"] as? [Any])?.isEmpty ?? true) }.count
        == ([.taken, .alreadyTaken].contains(outcome) ? 1 : 0), "no other tap has credited anything")
  }

  /// Brings the agent where the outcome can happen; for `notRecorded` returns who holds the ledger.
  private func prepare(_ outcome: TapOutcome, _ agent: AgentUnderTest) throws -> ChildProgram? {
    switch outcome {
    case .alreadyTaken:
      try agent.tag.tap(uid: annTag, milliseconds: 200)
      try agent.waitForOverlay("taken")
      try Waiting.until("the end of the first sound") { try agent.soundPlayed(after: 0) == "success" }
      return nil
    case .unreadable:
      try agent.tag.mute(.always)
      return nil
    case .notRecorded:
      let script = """
        import sqlite3, time
        c = sqlite3.connect('\(agent.state)/ledger.sqlite', isolation_level=None)
        c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(600)
        """
      let lock = try ChildProgram("/usr/bin/env", ["python3", "-c", script])
      try lock.waitFor("held")
      return lock
    default: return nil
    }
  }

  private func tap(_ outcome: TapOutcome, _ agent: AgentUnderTest) throws {
    let uid =
      switch outcome {
      case .wrongWindow: bobTag
      case .unknownTag: unknownTag
      case .alreadyTaken: annOtherTag
      default: annTag
      }
    try agent.tag.tap(uid: uid, milliseconds: outcome == .unreadable ? 900 : 200)
  }
}
