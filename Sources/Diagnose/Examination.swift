package import Linux

/// Runs checks beside each other, each after those it needs. What needs a check that failed is not looked at: one cause is
/// one finding.
package struct Examination: Sendable {
  package typealias Perform = @Sendable (Check) async -> Finding

  private let checks: [Check]
  private let known: [Outcome]
  private let width: Int
  private let time: any TimeSource
  private let perform: Perform

  /// - Parameters:
  ///   - checks: in the order of the report.
  ///   - known: outcomes of checks that were run before and that these may need.
  ///   - width: how many run at one time.
  package init(
    _ checks: [Check], known: [Outcome] = [], width: Int = 6, time: any TimeSource, perform: @escaping Perform
  ) {
    self.checks = checks
    self.known = known
    self.width = width
    self.time = time
    self.perform = perform
  }

  /// All outcomes, in the order of the checks. A need that is not among the checks counts as met.
  /// - Parameter each: told every outcome in that order, as soon as those before it are there.
  package func run(each: (Outcome) -> Void = { _ in }) async -> [Outcome] {
    var outcomes = Dictionary(known.map { ($0.check.id, $0) }) { first, _ in first }
    var waiting = checks
    var told = 0
    await withTaskGroup(of: Outcome.self) { group in
      var running = 0
      while true {
        settleBlocked(&waiting, &outcomes)
        while told < checks.count, let next = outcomes[checks[told].id] {
          each(next)
          told += 1
        }
        while running < width, let index = waiting.firstIndex(where: { isReady($0, outcomes) }) {
          let check = waiting.remove(at: index)
          running += 1
          group.addTask {
            let started = time.uptime()
            let finding = await perform(check)
            return Outcome(check: check, finding: finding, took: time.uptime() - started)
          }
        }
        guard let outcome = await group.next() else { break }
        running -= 1
        outcomes[outcome.check.id] = outcome
      }
    }
    return checks.compactMap { outcomes[$0.id] }
  }

  /// The checks whose cause is already known end here, and those that need them in turn.
  private func settleBlocked(_ waiting: inout [Check], _ outcomes: inout [String: Outcome]) {
    while let index = waiting.firstIndex(where: { root(of: $0, outcomes) != nil }) {
      let check = waiting.remove(at: index)
      guard let cause = root(of: check, outcomes) else { continue }
      outcomes[check.id] = Outcome(
        check: check, finding: Finding(.skip, seen: [.init("cause", cause)], means: "needs \(cause)"), took: .zero)
    }
  }

  /// The failed check that this one hangs on, however far back; nil: none.
  private func root(of check: Check, _ outcomes: [String: Outcome]) -> String? {
    for need in check.needs {
      guard let outcome = outcomes[need] else { continue }
      if outcome.finding.status.blocks { return need }
      if outcome.finding.status == .skip, let cause = outcome.finding.seen.first(where: { $0.name == "cause" }) {
        return cause.value
      }
    }
    return nil
  }

  private func isReady(_ check: Check, _ outcomes: [String: Outcome]) -> Bool {
    check.needs.allSatisfy { need in outcomes[need] != nil || !checks.contains { $0.id == need } }
  }
}
