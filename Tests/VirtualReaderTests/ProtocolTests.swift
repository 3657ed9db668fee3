import Foundation
import TestSupport
import Testing
import VirtualTag

/// The control socket's commands as VirtualReader.h describes them.
struct ProtocolTests {
  private let pcscd: PrivatePcscd
  private var tag: VirtualTag { pcscd.tag() }

  init() throws { pcscd = try PrivatePcscd.started() }

  @Test(arguments: [
    "in", "in 0", "in 0G", "in 04 ", " in 04", "in  04", "in 04 -", "in 04 3B00 00", "in 04,05", "in --",
    "in " + String(repeating: "00", count: 33), "in 04 " + String(repeating: "3B", count: 34),
    "out now", "tap", "tap 5", "tap x 04", "tap -1 04", "tap 60001 04", "tap 1.5 04",
    "mute", "mute yes", "mute 0", "mute -1", "mute 1000001", "mute 1 1", "mute off 1", "mute ON", "comm 00x1",
    "torn on", "torn on 2", "torn off 0", "slow on", "slow on 0", "slow on 60001", "slow 1 99999999999999999999",
    "answer on", "answer on -", "answer on 9", "answer 1 " + String(repeating: "90", count: 1025),
    "fill on", "fill on 1", "fill on 65539", "fill off 2", "status", "status 1", "unavailable maybe",
    "reset all", "state x", "log -1", "log 1 2", "tag", "IN 04", "in\t04", "in\n04", "ín 04",
  ])
  func `what does not fit is refused and changes nothing`(command: String) throws {
    let before = try tag.state()
    do throws(VirtualTagError) {
      let answer = try tag.ask(command)
      Issue.record("\(command) was answered \(answer)")
    } catch {
      guard case .refused(_, let reason) = error else { throw error }
      #expect(reason.contains("say ") || reason.hasPrefix("a command is"), "\(reason)")
    }
    #expect(try tag.state() == before)
  }

  @Test func `a command of more than 4096 bytes is refused`() throws {
    #expect(throws: VirtualTagError.self) { try tag.ask("in " + String(repeating: "00", count: 4000)) }
    #expect(try tag.state()["present"] == "0")
  }

  @Test func `numbers may be written with zeros in front and hex in any case`() throws {
    try tag.ask("mute 0001")
    try tag.ask("in aBcD")
    let state = try tag.state()
    #expect(state["mute"] == "0" || state["mute"] == "1")
    #expect(state["uid"] == "ABCD")
  }

  @Test func `thousands of random commands leave a reader that works`() throws {
    var random = SeededGenerator(seed: 1)
    let names = [
      "in", "out", "tap", "mute", "comm", "torn", "slow", "answer", "fill", "status", "unavailable", "reset", "state",
      "log",
    ]
    let words =
      names + ["on", "off", "0", "1", "2", "-", "04A1B2C3", "9000", "xx", "999999999999", "-5", "é", "\u{1}", ""]
    var answers = (ok: 0, refused: 0)
    for _ in 0..<4000 {
      let count = [0, 0, 1, 1, 2, 2, 3, 4].randomElement(using: &random) ?? 0
      let rest = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
      var command = ([names.randomElement(using: &random) ?? ""] + rest).joined(separator: " ")
      if Int.random(in: 0..<10, using: &random) == 0 {
        command = String(decoding: (0..<200).map { _ in UInt8.random(in: 1...255, using: &random) }, as: UTF8.self)
      }
      // The two that make pcscd itself wait a second have tests of their own.
      if command.hasPrefix("status on") || command.hasPrefix("unavailable on") { continue }
      do throws(VirtualTagError) {
        try tag.ask(command)
        answers.ok += 1
      } catch {
        guard case .refused = error else { throw error }
        answers.refused += 1
      }
    }
    #expect(answers.ok > 200 && answers.refused > 1000, "\(answers)")
    try tag.reset()
    let monitor = try UIDMonitor(of: pcscd)
    try tag.enter(uid: [1, 2, 3, 4])
    #expect(try monitor.waitFor(.uid).uid == "01020304")
  }

  @Test func `clients that say nothing do not keep others out`() throws {
    let silent = try (0..<40).map { _ in try RawClient(path: pcscd.controlSocket(0)) }
    for _ in 0..<5 { #expect(try tag.state()["present"] == "0") }
    withExtendedLifetime(silent) {}
  }

  @Test func `the tag leaves though the client that tapped is gone`() throws {
    let monitor = try UIDMonitor(of: pcscd)
    do {
      let client = try RawClient(path: pcscd.controlSocket(0))
      client.say("tap 2000 01020304")
      try monitor.waitFor(.uid)
    }
    try monitor.waitFor(.removed)
    #expect(try tag.state()["present"] == "0")
  }

  @Test func `another command ends a tap, and its client is told`() throws {
    let monitor = try UIDMonitor(of: pcscd)
    let client = try RawClient(path: pcscd.controlSocket(0))
    client.say("tap 60000 01020304")
    try monitor.waitFor(.uid)
    try tag.leave()
    #expect(client.hear() == "error: another command ended the tap")
    try monitor.waitFor(.removed)
    client.say("tap 1 01020304")
    #expect(client.hear()?.hasPrefix("ok ") == true)
  }

  @Test func `the log keeps the last 256 events, each with 64 bytes of what there was`() throws {
    let monitor = try UIDMonitor(of: pcscd)
    try tag.fill(.times(1), count: 300)
    try tag.enter(uid: [1])
    try monitor.waitFor(.uid)
    let answer = try #require(try tag.log().last { $0.kind == .answer })
    #expect(answer.length == 300 && answer.bytes == (0..<64).map { UInt8($0) })
    try tag.leave()
    // pcscd powers every tag up, so each tap is an event at least.
    for _ in 0..<260 { try tag.tap(uid: [1], milliseconds: 0) }
    try monitor.stop()
    let log = try tag.log()
    #expect(log.count == 256)
    #expect(log.map(\.number) == Array((log[0].number)..<(log[0].number + 256)))
    #expect(zip(log, log.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
    #expect(try tag.log(after: log[250].number) == Array(log[251...]))
  }
}
