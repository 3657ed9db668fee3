import Foundation
import TestSupport
import Testing

/// The power goes at every moment of the ledger's life: nothing that was acknowledged is lost, nothing is doubled.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct CrashStateTests {
  /// The doses that had sounded, acknowledgement by acknowledgement.
  private func sounded(_ log: WriteLog) -> [Int?] {
    log.acknowledgements.map { acknowledgement in
      guard case .sound(_, let bytes) = acknowledgement else { return nil }
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      return words.count == 2 && words[1] == "success" ? Int(words[0]) : nil
    }
  }

  @Test func `no crash state loses or doubles an acknowledged dose`() async throws {
    let run = try LoadRun()
    let taps = Scale.isFull ? 48 : 24
    let log = try run.recorded(taps: taps)
    let answers = try run.answers()
    #expect(answers.count { $0.word == "success" } == taps)
    let findings = try await Examination(
      log: log, acknowledged: sounded(log), numbering: .load, folder: run.folder, restarts: Scale.isFull ? 10 : 5
    ).run("ledger under \(taps) taps")
    #expect(findings.losing == 0 && findings.doubled == 0 && findings.unusable == 0, "\(findings.first ?? "")")
    #expect(findings.states >= 100 * taps)
  }

  /// The controls: a harness that sees no loss here would see none anywhere.
  @Test(arguments: ["NORMAL", "OFF"])
  func `with commits that are not flushed losses are found`(synchronous: String) async throws {
    let run = try LoadRun()
    let log = try run.recorded(taps: 24, synchronous: synchronous)
    let findings = try await Examination(
      log: log, acknowledged: sounded(log), numbering: .load, folder: run.folder
    ).run("control, synchronous \(synchronous)")
    #expect(findings.losing > findings.states / 10)
    #expect(findings.worst > 1)
  }
}
