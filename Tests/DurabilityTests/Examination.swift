import Foundation
import TestSupport

/// Opens the ledger of every crash state of a write log and looks for what was acknowledged before.
struct Examination: Sendable {
  struct Findings: Sendable {
    var states = 0
    /// Different disks among them.
    var distinct = 0
    /// States in which an acknowledged dose was missing, and the most that were.
    var losing = 0
    var worst = 0
    var doubled = 0
    var unusable = 0
    /// The first of any of these, in words.
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

    mutating func add(_ autopsy: Autopsy, expecting doses: Set<Int>, _ state: CrashStates.State) {
      let lost = autopsy.problem == nil ? doses.subtracting(autopsy.stored).count : 0
      if lost > 0 { losing += 1 }
      worst = max(worst, lost)
      if autopsy.doubled > 0 { doubled += 1 }
      if autopsy.problem != nil { unusable += 1 }
      guard first == nil, lost > 0 || autopsy.doubled > 0 || autopsy.problem != nil else { return }
      let problem = autopsy.problem.map { ", \($0)" } ?? ""
      first = "operation \(state.point), \(state.variant): \(lost) lost, \(autopsy.doubled) doubled\(problem)"
    }
  }

  let log: WriteLog
  /// For each acknowledgement of the log the dose that it was of; nil: of none.
  let acknowledged: [Int?]
  let numbering: Autopsy.Numbering
  /// Where the states are laid out.
  let folder: String
  /// On every state so many apart the agent's own restart is tried as well; nil: on none.
  var restarts: Int?
  /// How many random parts of what was not flushed are drawn after each operation.
  var draws = 1
  var seed = Scale.seed

  private static let parts = 2

  /// Says what it found.
  func run(_ name: String) async throws -> Findings {
    let findings = try await withThrowingTaskGroup(of: Findings.self) { group in
      for part in 0..<Self.parts { group.addTask { try await examine(part) } }
      return try await group.reduce(into: Findings()) { $0.add($1) }
    }
    print(
      "crash states, \(name): \(findings.states) (\(findings.distinct) different disks), \(findings.losing) lost a dose "
        + "(worst: \(findings.worst)), \(findings.doubled) doubled one, \(findings.unusable) unusable; seed \(seed)")
    return findings
  }

  private func examine(_ part: Int) async throws -> Findings {
    let folder = "\(folder)/crash-\(part)"
    var findings = Findings()
    var known: [Int: Autopsy] = [:]
    try await CrashStates(log, seed: seed, draws: draws).visit(part: part, of: Self.parts) { state in
      let doses = Set(acknowledged.prefix(state.acknowledged).compactMap(\.self))
      findings.states += 1
      if let seen = known[state.key] {
        findings.add(seen, expecting: doses, state)
        return
      }
      findings.distinct += 1
      try state.disk.lay(out: folder)
      let alone = Autopsy.ofLedgerAlone(in: folder, numbering)
      known[state.key] = alone
      findings.add(alone, expecting: doses, state)
      if let restarts, findings.distinct % restarts == 0 {
        try state.disk.lay(out: folder)
        findings.add(await Autopsy.ofRestart(in: folder, numbering), expecting: doses, state)
      }
    }
    return findings
  }
}
