import Agent
import Foundation
import Linux
import Reminders
import TestSupport
import Testing
import Wall

@testable import Ledger

/// A day of taps with faults drawn from a seed: every tap is answered, nothing that was thanked for is lost or counted
/// twice, and the wall is well again when the fault is over.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct LongDayTests {
  /// How often each kind of thing happens.
  private static let plan: [(weight: Int, event: Event)] = [
    (60, .tap), (5, .bounce), (4, .unreadable), (4, .reader), (4, .locked), (4, .full), (3, .fileTaken), (4, .restart),
    (3, .killed), (4, .harmed), (3, .clockLost), (2, .clockAhead), (2, .backup),
  ]

  private enum Event {
    case tap, bounce, unreadable, reader, locked, full, fileTaken, restart, killed, harmed, clockLost, clockAhead,
      backup
  }

  /// One day and what must hold of it.
  private final class Day {
    let kitchen: Kitchen
    var random: SplitMix
    /// The taps that were thanked for.
    var thanked: [Kitchen.Answer] = []
    var counts: [String: Int] = [:]
    var problems: [String] = []

    init(seed: UInt64) async throws {
      random = SplitMix(seed: seed)
      kitchen = try await Kitchen()
    }

    func run() async throws {
      let end = kitchen.time.uptime() + .seconds(24 * 3600)
      while kitchen.time.uptime() < end, problems.count < 5 {
        await kitchen.pass(Int.random(in: 5...900, using: &random))
        try await happen(draw())
      }
      await kitchen.turnClock(true)
      await kitchen.pass(60)
      if kitchen.banners.contains("ledger") || kitchen.banners.contains("clock") {
        problems.append("at the end the wall says \(kitchen.banners)")
      }
      try await check("at the end")
    }

    private func draw() -> Event {
      var number = Int.random(in: 0..<plan.reduce(0) { $0 + $1.weight }, using: &random)
      for (weight, event) in plan {
        number -= weight
        if number < 0 { return event }
      }
      return .tap
    }

    private func tap(_ mayFail: Bool = false) async {
      let tag = Int.random(in: 0...8, using: &random)
      let uid: [UInt8] = tag <= 7 ? [4, 0, 0, UInt8(tag % 4)] : Kitchen.stranger
      let answer = await kitchen.tap(uid)
      note(answer, mayFail)
      if answer.outcome == "unknownTag", uid != Kitchen.stranger {
        problems.append("a known tag is unknown at \(kitchen.time.now())")
      }
    }

    private func note(_ answer: Kitchen.Answer, _ mayFail: Bool) {
      counts[answer.outcome, default: 0] += 1
      let success = ["taken", "pendingTime"].contains(answer.outcome)
      if answer.outcome == "none" || answer.chimes != [success ? .success : .failure] {
        problems.append("answered \(answer.outcome) with \(answer.chimes) at \(kitchen.time.now())")
      }
      if answer.outcome == "notRecorded", !mayFail { problems.append("not recorded at \(kitchen.time.now())") }
      if success { thanked.append(answer) }
    }

    private func happen(_ event: Event) async throws {
      let minutes = Int.random(in: 1...40, using: &random) * 60
      switch event {
      case .tap: await tap()
      case .bounce:
        let first = await kitchen.tap([4, 0, 0, 1])
        note(first, false)
        await kitchen.pass(1)
        let second = await kitchen.tap([4, 0, 0, 1], lastSeen: first.uptime)
        if !second.chimes.isEmpty { problems.append("a bounce sounded \(second.chimes)") }
        await kitchen.pass(4)
      case .unreadable: note(await kitchen.unreadable(), false)
      case .reader:
        await kitchen.turnReader(.absent)
        await kitchen.pass(minutes)
        await kitchen.turnReader(.ready)
      case .locked:
        try await kitchen.lock(true)
        await tap(true)
        await kitchen.pass(minutes)
        await tap(true)
        try await kitchen.lock(false)
        await heal()
      case .full:
        try await kitchen.fill(true)
        for _ in 0..<3 {
          await kitchen.pass(20)
          await tap(true)
        }
        try await kitchen.fill(false)
        await heal()
      case .fileTaken:
        try kitchen.takeFileAway(replacing: Bool.random(using: &random))
        await tap()
      case .restart: try await restart(cleanly: true, .none)
      case .killed: try await restart(cleanly: false, .none)
      case .harmed:
        let harm = Kitchen.Harm.allCases.randomElement(using: &random) ?? .none
        try await restart(cleanly: Bool.random(using: &random), harm)
      case .clockLost:
        await kitchen.turnClock(false)
        await kitchen.step(Int.random(in: 120...7200, using: &random))
        await tap()
        await kitchen.pass(minutes)
        await tap()
        await synchronise()
      case .clockAhead:
        // A hardware clock in local time: believed, and hours ahead until the time service answers.
        await kitchen.step(Int.random(in: 600...20_000, using: &random))
        await tap()
        await kitchen.pass(minutes)
        await synchronise()
      case .backup:
        _ = try await kitchen.ledger.backupDaily(
          LocalDay(year: 2026, month: 11, day: 1), at: kitchen.time.now(), anew: true)
      }
    }

    /// The time service says what time it is: as much later than the start as the machine has run.
    private func synchronise() async {
      let right = Kitchen.start + (kitchen.time.uptime() - .seconds(1000)).inSeconds
      await kitchen.step(Int(right.timeIntervalSince(kitchen.time.now()).rounded()))
      await kitchen.turnClock(true)
    }

    private func heal() async {
      await kitchen.pass(10)
      if kitchen.banners.contains("ledger") { problems.append("the ledger's fault stays at \(kitchen.time.now())") }
      await tap()
    }

    private func restart(cleanly: Bool, _ harm: Kitchen.Harm) async throws {
      try await kitchen.restart(cleanly: cleanly, reboots: Int.random(in: 0..<4, using: &random) == 0, harm)
      try await check("after a restart, \(harm)")
    }

    /// What was thanked for is stored, once; what is credited is not asked for.
    private func check(_ when: String) async throws {
      let (taps, doubled) = try await kitchen.ledger.read { store in
        try LedgerFile.check(store.database, "integrity_check")
        let taps = try store.database.query(
          "SELECT boot, uptime, count(*) FROM tap WHERE outcome IN ('taken', 'pendingTime') GROUP BY boot, uptime",
          doing: "reading the taps"
        ) { row throws(LedgerError) in "\(try row.need(row.text(0))) \(try row.need(row.integer(1)))" }
        let doubled = try store.database.integer(
          "SELECT count(*) FROM (SELECT 1 FROM live_credit GROUP BY occurrence HAVING count(*) > 1)", doing: "")
        return (Set(taps), doubled ?? 0)
      }
      let lost = thanked.filter { !taps.contains("\($0.boot) \($0.uptime.nanoseconds)") }
      if !lost.isEmpty { problems.append("\(when): lost \(lost.map { "\($0.outcome) \($0.uptime)" })") }
      if doubled > 0 { problems.append("\(when): \(doubled) doubled") }
      let log = try await kitchen.ledger.view(at: kitchen.time.now()).log
      let keys = Set(log.credits.map(\.key))
      let credited = log.rows.map(\.occurrence).filter { keys.contains($0.key) }
        .map { "\($0.key.medication) \(InstantText.text($0.dueAt, in: Kitchen.zone))" }
      for row in kitchen.snapshot?.late ?? [] where credited.contains("\(row.medication) \(row.dueAt)") {
        problems.append("\(when): \(row.medication), due \(row.dueAt), is credited and called late")
      }
    }
  }

  @Test func `a day of taps and faults loses nothing that was thanked for`() async throws {
    for round in 0..<(Scale.isFull ? 20 : 2) {
      let seed = Scale.seed &+ UInt64(round)
      let day = try await Day(seed: seed)
      try await day.run()
      let counts = day.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
      print("long day, seed \(seed): \(counts); thanked \(day.thanked.count)")
      #expect(day.problems.isEmpty, "seed \(seed): \(day.problems.joined(separator: "\n"))")
      #expect(day.thanked.count >= 5)
    }
  }
}
