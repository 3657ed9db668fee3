import Foundation
import Synchronization
import TestSupport
import Testing

/// The power goes at every moment of the ledger's life: nothing that was acknowledged is lost, nothing is doubled.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CrashStateTests {
  struct Findings {
    var states = 0
    var distinct = 0
    /// States in which an acknowledged dose was missing, and the most that were.
    var losing = 0
    var worst = 0
    var doubled = 0
    var unusable = 0
    var first: String?

    mutating func add(_ other: Findings) {
      states += other.states
      distinct += other.distinct
      losing += other.losing
      worst = max(worst, other.worst)
      doubled += other.doubled
      unusable += other.unusable
      first = first ?? other.first
    }
  }

  /// - Parameter restarts: the agent itself starts on every state so many apart, too.
  private func findings(_ log: WriteLog, in run: LoadRun, seed: UInt64, restarts: Int? = nil) async throws -> Findings {
    let acknowledged = log.acknowledgements.compactMap { acknowledgement -> (dose: Int, isSuccess: Bool)? in
      guard case .sound(_, let bytes) = acknowledgement else { return nil }
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard words.count == 2, let dose = Int(words[0]) else { return nil }
      return (dose, words[1] == "success")
    }
    let states = CrashStates(log, seed: seed)
    let parts = 2
    return try await withThrowingTaskGroup(of: Findings.self) { group in
      for part in 0..<parts {
        let folder = "\(run.folder)/crash-\(part)"
        group.addTask {
          var findings = Findings()
          var known: [Int: Autopsy] = [:]
          try await states.visit(part: part, of: parts) { state in
            findings.states += 1
            var autopsies: [Autopsy] = []
            if let seen = known[state.key] {
              autopsies = [seen]
            } else {
              findings.distinct += 1
              try state.disk.lay(out: folder)
              let alone = Autopsy.ofLedgerAlone(in: folder)
              known[state.key] = alone
              autopsies = [alone]
              if let restarts, findings.distinct % restarts == 0 {
                try state.disk.lay(out: folder)
                autopsies.append(await Autopsy.ofRestart(in: folder))
              }
            }
            let doses = Set(acknowledged.prefix(state.acknowledged).filter(\.isSuccess).map(\.dose))
            for autopsy in autopsies {
              let lost = autopsy.problem == nil ? doses.subtracting(autopsy.stored).count : 0
              if lost > 0 { findings.losing += 1 }
              findings.worst = max(findings.worst, lost)
              if autopsy.doubled > 0 { findings.doubled += 1 }
              if autopsy.problem != nil { findings.unusable += 1 }
              if lost > 0 || autopsy.doubled > 0 || autopsy.problem != nil {
                findings.first =
                  findings.first
                  ?? "operation \(state.point), \(state.variant): \(lost) lost, \(autopsy.doubled) doubled, \(autopsy.problem ?? "sound")"
              }
            }
          }
          return findings
        }
      }
      return try await group.reduce(into: Findings()) { $0.add($1) }
    }
  }

  private func said(_ name: String, _ findings: Findings, seed: UInt64) {
    print(
      "crash states, \(name): \(findings.states) (\(findings.distinct) different disks), \(findings.losing) lost a dose "
        + "(worst: \(findings.worst)), \(findings.doubled) doubled one, \(findings.unusable) unusable; seed \(seed)")
  }

  @Test func `no crash state loses or doubles an acknowledged dose`() async throws {
    let run = try LoadRun()
    let taps = Scale.isFull ? 72 : 24
    let log = try run.recorded(taps: taps)
    let answers = try run.answers()
    #expect(answers.count { $0.word == "success" } == taps)
    let findings = try await findings(log, in: run, seed: Scale.seed, restarts: Scale.isFull ? 10 : 5)
    said("ledger under \(taps) taps", findings, seed: Scale.seed)
    #expect(findings.losing == 0 && findings.doubled == 0 && findings.unusable == 0, "\(findings.first ?? "")")
    #expect(findings.states >= 100 * taps)
  }

  /// The controls: a harness that sees no loss here would see none anywhere.
  @Test(arguments: ["NORMAL", "OFF"])
  func `with commits that are not flushed losses are found`(synchronous: String) async throws {
    let run = try LoadRun()
    let log = try run.recorded(taps: 24, synchronous: synchronous)
    let findings = try await findings(log, in: run, seed: Scale.seed)
    said("control, synchronous \(synchronous)", findings, seed: Scale.seed)
    #expect(findings.losing > findings.states / 10)
    #expect(findings.worst > 1)
  }
}
