import Foundation
import Glibc
import Ledger
import TestSupport
import Testing
import VirtualTag

/// kill -9 at random moments under taps: the real binary, through pcscd (reliability.md 3.3 row 28).
@Suite(.serialized, .timeLimit(.minutes(30)))
struct KillTests {
  @Test func `killed at any moment of a tap, the agent knows every dose that it thanked for`() throws {
    let kills = Scale.kills
    let tagged = try TaggedAgent(tags: kills)
    let agent = tagged.agent
    var random = SplitMix(seed: Scale.seed)
    var counts = (acknowledged: 0, stored: 0)
    for number in 0..<kills {
      try tagged.start()
      let silent = agent.soundBytes
      try agent.tag.enter(uid: TaggedAgent.uid(number))
      usleep(UInt32.random(in: 0...150_000, using: &random))
      try tagged.kill()
      try agent.tag.leave()
      let isAcknowledged = try tagged.thanked.contains(number) || tagged.thankedAloud(after: silent)
      let isStored = try stored(agent)[number] == 1
      counts.acknowledged += isAcknowledged ? 1 : 0
      counts.stored += isStored ? 1 : 0
      #expect(
        isStored || !isAcknowledged, "kill \(number), seed \(Scale.seed): \(agent.process?.text.suffix(800) ?? "")")
      try tagged.start()
      try tagged.tap(number, until: isStored ? "alreadyTaken" : "taken")
      try tagged.kill()
    }
    print(
      "kills: \(kills), acknowledged before \(counts.acknowledged), stored \(counts.stored), seed \(Scale.seed)")
    #expect(try stored(agent) == Dictionary(uniqueKeysWithValues: (0..<kills).map { ($0, 1) }))
  }

  /// How often each tag's dose is credited.
  private func stored(_ agent: AgentUnderTest) throws -> [Int: Int] {
    let items = try LedgerReader(directory: agent.state).history(from: .distantPast, to: .distantFuture)
    var counts: [Int: Int] = [:]
    for case .tap(let tap) in items.map(\.kind) {
      for dose in tap.credited { counts[Int(dose.medication.dropFirst()) ?? -1, default: 0] += 1 }
    }
    return counts
  }
}
