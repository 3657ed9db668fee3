import Foundation
import TestSupport
import Testing
import VirtualTag

/// The power goes while people tap: the real binary, through pcscd.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct AgentCrashTests {
  /// The log of the agent's disk under so many taps; acknowledged is what a page was sent or what sounded.
  private func recorded(taps: Int, synchronous: String? = nil) throws -> (log: WriteLog, acknowledged: [Int?]) {
    var path = ""
    var mark = ""
    let tagged = try TaggedAgent(tags: taps) { agent in
      path = agent.folder + "/disk"
      mark = agent.folder + "/mark"
      try Data(count: 8).write(to: URL(filePath: mark))
      var variables = [
        "LD_PRELOAD": BuildProducts.path("libFaultyDisk.so"), "KIOSK_DISK_ROOT": agent.state, "KIOSK_DISK_LOG": path,
        "KIOSK_DISK_MARK": mark, "KIOSK_DISK_SOUND": agent.folder + "/sound.raw",
        "KIOSK_DISK_WALL": "\"kind\":\"taken\"",
      ]
      variables["KIOSK_DISK_SYNCHRONOUS"] = synchronous
      return variables
    }
    let agent = tagged.agent
    try tagged.start()
    // 44 bytes of header.
    let sound = try Data(contentsOf: URL(filePath: AgentUnderTest.root + "/sounds/success.wav")).count - 44
    let marks = try FileHandle(forUpdating: URL(filePath: mark))
    for number in 0..<taps {
      var value = Int64(number + 1)
      try marks.seek(toOffset: 0)
      try unsafe withUnsafeBytes(of: &value) { try unsafe marks.write(contentsOf: Data($0)) }
      let silent = agent.soundBytes
      try agent.tag.enter(uid: TaggedAgent.uid(number))
      try Waiting.until("the thanks to \(number): \(agent.process?.text.suffix(800) ?? "")") {
        try tagged.thanked.contains(number) && tagged.thankedAloud(after: silent)
      }
      try agent.tag.leave()
      // The next tap's sound must not be taken for the end of this one.
      try Waiting.until("the end of the sound") { agent.soundBytes >= silent + sound }
    }
    try tagged.kill()
    let log = try WriteLog(path: path)
    let acknowledged = log.acknowledgements.map { acknowledgement -> Int? in
      switch acknowledgement {
      // Silence is no acknowledgement: the agent plays it at its start, to find out whether the speaker takes anything.
      case .sound(let mark, let bytes): mark > 0 && bytes.contains { $0 != 0 } ? Int(mark) - 1 : nil
      case .wall(let bytes): TaggedAgent.thanked(in: String(decoding: bytes, as: UTF8.self)).first
      }
    }
    return (log, acknowledged)
  }

  @Test func `no crash state of the agent's disk loses or doubles a dose that was sounded or shown`() async throws {
    let taps = Scale.isFull ? 140 : 10
    let run = try LoadRun()
    let (log, acknowledged) = try recorded(taps: taps)
    #expect(Set(acknowledged.compactMap(\.self)).count == taps)
    let findings = try await Examination(
      log: log, acknowledged: acknowledged, numbering: .medication, folder: run.folder, restarts: Scale.isFull ? 20 : 5,
      draws: Scale.isFull ? 3 : 1
    ).run("agent under \(taps) taps")
    #expect(findings.losing == 0 && findings.doubled == 0 && findings.unusable == 0, "\(findings.first ?? "")")
    #expect(findings.states >= (Scale.isFull ? 20_000 : 500))
  }

  @Test(arguments: ["NORMAL", "OFF"])
  func `the same agent with commits that are not flushed is found to lose doses`(synchronous: String) async throws {
    let run = try LoadRun()
    let (log, acknowledged) = try recorded(taps: 8, synchronous: synchronous)
    let findings = try await Examination(
      log: log, acknowledged: acknowledged, numbering: .medication, folder: run.folder
    ).run("control, agent with synchronous \(synchronous)")
    #expect(findings.losing > findings.states / 20)
    #expect(findings.worst > 1)
  }
}
