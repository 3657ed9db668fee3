import Foundation
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Diagnose

/// Which checks run, in which order they are told, and what hangs on what.
struct FrameTests {
  private func check(_ id: String, needs: [String] = [], usesNetwork: Bool = false) -> Check {
    Check(id, "check \(id)", needs: needs, impact: .doses, usesNetwork: usesNetwork) { _ in .pass([]) }
  }

  private func run(_ checks: [Check], failing: [String: Finding.Status], told: (Outcome) -> Void = { _ in }) async
    -> [Outcome]
  {
    await Examination(checks, time: SystemTime()) { Finding(failing[$0.id] ?? .pass) }.run(each: told)
  }

  @Test(arguments: [Finding.Status.fail, .timeout, .crash])
  func `what hangs on a failure is not looked at, however far behind it, and names the first cause`(
    status: Finding.Status
  ) async {
    let checks = [check("A1"), check("B1", needs: ["A1"]), check("C1", needs: ["B1"]), check("D1")]
    let outcomes = await run(checks, failing: ["A1": status])
    #expect(outcomes.map(\.check.id) == ["A1", "B1", "C1", "D1"])
    #expect(outcomes.map(\.finding.status) == [status, .skip, .skip, .pass])
    #expect(outcomes[2].finding.means == "needs A1")
  }

  @Test(arguments: [Finding.Status.warn, .skip, .pass])
  func `a warning and a thing that is not here hold up nothing`(status: Finding.Status) async {
    let outcomes = await run([check("A1"), check("B1", needs: ["A1"])], failing: ["A1": status])
    #expect(outcomes.map(\.finding.status) == [status, .pass])
  }

  @Test func `outcomes are told in the order of the list, though a later one is ready first`() async {
    let checks = [check("A1", needs: ["C1"]), check("B1"), check("C1", needs: ["B1"])]
    let told = Mutex<[String]>([])
    _ = await run(checks, failing: [:]) { outcome in told.withLock { $0.append(outcome.check.id) } }
    #expect(told.withLock { $0 } == ["A1", "B1", "C1"])
  }

  @Test func `a need that was not asked for counts as met, and one that was run before as it was`() async {
    let later = check("B1", needs: ["A1"])
    #expect(await run([later], failing: [:]).first?.finding.status == .pass)
    let failed = Outcome(check: check("A1"), finding: Finding(.fail), took: .zero)
    let outcomes = await Examination([later], known: [failed], time: SystemTime()) { _ in .pass([]) }.run()
    #expect(outcomes.first?.finding.status == .skip)
  }

  @Test func `independent checks run beside each other, but not more than the width`() async {
    let counts = Mutex((now: 0, most: 0))
    let checks = (1...12).map { check("A\($0)") }
    _ = await Examination(checks, width: 4, time: SystemTime()) { _ in
      counts.withLock { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
      }
      for _ in 0..<50 { await Task.yield() }
      counts.withLock { $0.now -= 1 }
      return .pass([])
    }.run()
    #expect((2...4).contains(counts.withLock { $0.most }))
  }

  @Test func `checks are chosen by id or by group, in either case`() {
    let checks = [check("S1"), check("S2"), check("R1"), check("N1", usesNetwork: true)]
    var selection = Selection()
    #expect(selection.of(checks).map(\.id) == ["S1", "S2", "R1", "N1"])
    selection.only = ["s", "R1"]
    #expect(selection.of(checks).map(\.id) == ["S1", "S2", "R1"])
    selection.skip = ["S2"]
    #expect(selection.of(checks).map(\.id) == ["S1", "R1"])
    selection = Selection()
    #expect(checks.allSatisfy { selection.objection(to: $0) == nil })
    selection.usesNetwork = false
    #expect(checks.filter { selection.objection(to: $0) != nil }.map(\.id) == ["N1"])
    selection.only = ["X9", "S1"]
    #expect(selection.unknown(among: checks) == ["X9"])
  }

  @Test func `every check is there once, and every need is one of them and leads to no circle`() {
    let expected =
      (1...5).map { "U\($0)" } + (1...6).map { "S\($0)" } + (1...6).map { "R\($0)" } + (1...8).map { "D\($0)" }
      + (1...3).map { "T\($0)" } + (1...3).map { "C\($0)" } + (1...3).map { "V\($0)" } + (1...4).map { "W\($0)" }
      + (1...5).map { "A\($0)" } + (1...6).map { "N\($0)" } + ["F1", "F3", "F4", "F5", "F6"]
    #expect(Check.all.map(\.id) == expected)
    for check in Check.all {
      #expect(check.title.count <= 37, "\(check.title)")
      var open = check.needs
      var seen: Set<String> = []
      while let need = open.popLast() {
        #expect(need != check.id, "\(check.id) needs itself")
        guard let needed = Check.all.first(where: { $0.id == need }) else {
          Issue.record("\(check.id) needs \(need), which is not there")
          continue
        }
        if seen.insert(need).inserted { open += needed.needs }
      }
    }
  }

  @Test func `the slowest chain of checks that all hang ends within 25 s`() {
    // What needs a check that hung is not run, so a chain costs its first deadline; the rest runs beside it.
    let automatic = Check.all.filter { !$0.isInteractive }
    #expect(automatic.allSatisfy { $0.deadline <= .seconds(20) })
    let firsts = automatic.filter { $0.needs.isEmpty }
    #expect(firsts.allSatisfy { $0.deadline <= .seconds(5) })
  }
}
