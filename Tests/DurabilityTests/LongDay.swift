import Foundation
import Linux
import PCSC
import Reminders
import Sound
import TestSupport
import Wall

@testable import Ledger

/// One simulated day of taps and faults drawn from a seed, and what must hold of it.
final class LongDay {
  private enum Event {
    case tap, bounce, unseen, torn, muted, unplugged, wedged, gone, frozen, speakerGone, underrun, speakerLost, locked,
      full
    case fileTaken, restart, killed, harmed, clockLost, clockAhead, sleep, backup
  }

  /// How often each kind of thing happens.
  private static let plan: [(weight: Int, event: Event)] = [
    (60, .tap), (5, .bounce), (2, .unseen), (3, .torn), (4, .muted), (2, .unplugged), (2, .wedged), (3, .gone),
    (2, .frozen), (2, .speakerGone), (3, .underrun), (2, .speakerLost), (4, .locked), (4, .full), (3, .fileTaken),
    (4, .restart), (3, .killed), (4, .harmed), (3, .clockLost), (2, .clockAhead), (2, .sleep), (2, .backup),
  ]

  private let kitchen: Kitchen
  private var random: SplitMix
  /// The taps that were thanked for.
  private(set) var thanked: [Kitchen.Answer] = []
  private(set) var counts: [String: Int] = [:]
  private(set) var problems: [String] = []

  init(seed: UInt64) async throws {
    random = SplitMix(seed: seed)
    kitchen = try await Kitchen()
  }

  func run() async throws {
    let end = kitchen.time.uptime() + .seconds(24 * 3600)
    while kitchen.time.uptime() < end, problems.count < 5 {
      try await kitchen.pass(.seconds(Int.random(in: 5...900, using: &random)))
      let event = draw()
      do {
        try await happen(event)
      } catch {
        throw Kitchen.Overdue(description: "\(event): \(error); \(problems)")
      }
    }
    await kitchen.turnClock(true)
    try await kitchen.pass(.seconds(60))
    // That records were lost is said for a day.
    let isWell = try await comesTrue { kitchen.banners.allSatisfy { $0 == "records" } }
    if !isWell { problems.append("at the end the wall says \(kitchen.banners), \(kitchen.run.player.health)") }
    try await check("at the end")
    counts["exits"] = kitchen.exits
  }

  private func draw() -> Event {
    var number = Int.random(in: 0..<Self.plan.reduce(0) { $0 + $1.weight }, using: &random)
    for (weight, event) in Self.plan {
      number -= weight
      if number < 0 { return event }
    }
    return .tap
  }

  private func seconds(_ range: ClosedRange<Int>) -> Duration { .seconds(Int.random(in: range, using: &random)) }

  // MARK: Taps

  private func tap(mayFail: Bool = false, isHeard: Bool = true) async throws {
    let tag = Int.random(in: 0...8, using: &random)
    let uid: [UInt8] = tag <= 7 ? [4, 0, 0, UInt8(tag % 4)] : Kitchen.stranger
    let answer = try await kitchen.tap(uid)
    note(answer, mayFail: mayFail, isHeard: isHeard)
    if answer.outcome == "unknownTag", uid != Kitchen.stranger {
      problems.append("a known tag is unknown at \(kitchen.time.now())")
    }
  }

  private func note(_ answer: Kitchen.Answer, mayFail: Bool = false, isHeard: Bool = true) {
    counts[answer.outcome, default: 0] += 1
    let isSuccess = ["taken", "pendingTime"].contains(answer.outcome)
    if answer.outcome == "none" || (isHeard && answer.heard.last != (isSuccess ? .success : .failure)) {
      problems.append("answered \(answer.outcome) with \(kitchen.ears.sounds) at \(kitchen.time.now())")
    }
    if answer.outcome == "notRecorded", !mayFail { problems.append("not recorded at \(kitchen.time.now())") }
    if isSuccess { thanked.append(answer) }
  }

  private func happen(_ event: Event) async throws {
    let duration = seconds(60...2400)
    switch event {
    case .tap: try await tap()
    case .bounce: try await bounce()
    case .unseen: note(try await kitchen.answer { $0.tapUnseen() })
    case .torn:
      kitchen.changeReader { $0.answers = [[0x90]] }
      try await tap()
    case .muted:
      // It fails for as long as a tap is tried, and the tag is still there when it is tried again.
      kitchen.changeReader { $0.connects = Array(repeating: .mute, count: 6) }
      let answer = try await kitchen.tap([4, 0, 0, 2], answers: 2)
      note(answer)
      if ["unreadable", "none"].contains(answer.outcome) { problems.append("mute, and then \(answer.outcome)") }
    case .unplugged: try await breakReader(for: duration, exits: 1) { $0.unplug() }
    case .wedged:
      try await breakReader(for: duration, exits: 1) { _ in kitchen.changeReader { $0.isWedged = true } }
    case .gone: try await breakReader(for: duration, exits: 0) { $0.stop() }
    case .frozen:
      let isLong = Bool.random(using: &random)
      try await breakReader(for: isLong ? seconds(60...120) : seconds(1...8), exits: isLong ? 1 : 0) { pcscd in
        pcscd.change { $0.isFrozen = true }
      }
    case .speakerGone:
      kitchen.unplugSpeaker(true)
      try await kitchen.pass(duration)
      try await tap(isHeard: false)
      kitchen.unplugSpeaker(false)
      // Whoever taps now does not wait until it is looked for again.
      try await kitchen.pass(.seconds(4))
      try await tap()
    case .underrun, .speakerLost:
      let errno = event == .underrun ? EPIPE : ENODEV
      kitchen.alsa.with { $0.writeFaults = [(frames: 12_000, errno: errno)] }
      try await tap()
    case .sleep:
      // Boot time goes on, and nobody has a turn.
      kitchen.time.advance(by: duration)
      try await kitchen.pass(.seconds(8))
      try await tap()
    case .locked, .full, .fileTaken, .restart, .killed, .harmed, .backup: try await troubleLedger(event, for: duration)
    case .clockLost, .clockAhead: try await troubleClock(event, for: duration)
    }
  }

  private func bounce() async throws {
    note(try await kitchen.tap([4, 0, 0, 1]))
    try await kitchen.pass(.seconds(2))
    let second = try await kitchen.tap([4, 0, 0, 1], sounds: false)
    if !second.heard.isEmpty { problems.append("a bounce sounded \(second.heard)") }
    try await kitchen.pass(.seconds(4))
  }

  // MARK: Faults

  private func breakReader(for duration: Duration, exits: Int, _ fault: (FakePcscd) -> Void) async throws {
    let before = kitchen.exits
    fault(kitchen.pcscd)
    try await kitchen.pass(duration)
    if exits > 0 { try? await kitchen.until("exit") { kitchen.ears.hasExit || kitchen.exits > before } }
    try await kitchen.pass(.seconds(4))
    if kitchen.exits - before != exits { problems.append("\(kitchen.exits - before) exits of \(exits) in \(duration)") }
    kitchen.mendReader()
    try await kitchen.pass(.seconds(20))
    let isMended = try await comesTrue { !kitchen.banners.contains("reader") }
    if !isMended { problems.append("the reader's fault stays at \(kitchen.time.now())") }
    try await tap()
  }

  private func troubleLedger(_ event: Event, for duration: Duration) async throws {
    switch event {
    case .locked:
      try await kitchen.lock(true)
      try await tap(mayFail: true)
      try await kitchen.pass(duration)
      try await tap(mayFail: true)
      try await kitchen.lock(false)
      try await heal()
    case .full:
      try await kitchen.fill(true)
      for _ in 0..<3 {
        try await kitchen.pass(.seconds(20))
        try await tap(mayFail: true)
      }
      try await kitchen.fill(false)
      try await heal()
    case .fileTaken:
      try kitchen.takeFileAway(replacing: Bool.random(using: &random))
      try await tap()
    case .restart: try await restart(cleanly: true, .none)
    case .killed: try await restart(cleanly: false, .none)
    case .harmed:
      let harm = Kitchen.Harm.allCases.randomElement(using: &random) ?? .none
      try await restart(cleanly: Bool.random(using: &random), harm)
    default:
      _ = try await kitchen.ledger.backupDaily(
        LocalDay(year: 2026, month: 11, day: 1), at: kitchen.time.now(), anew: true)
    }
  }

  private func heal() async throws {
    try await kitchen.pass(.seconds(10))
    let isMended = try await comesTrue { !kitchen.banners.contains("ledger") }
    if !isMended { problems.append("the ledger's fault stays at \(kitchen.time.now())") }
    try await tap()
  }

  private func restart(cleanly: Bool, _ harm: Kitchen.Harm) async throws {
    try await kitchen.restart(cleanly: cleanly, reboots: Int.random(in: 0..<4, using: &random) == 0, harm)
    try await check("after a restart, \(harm)")
  }

  private func troubleClock(_ event: Event, for duration: Duration) async throws {
    if event == .clockLost {
      await kitchen.turnClock(false)
      await kitchen.step(Int.random(in: 120...7200, using: &random))
      try await tap()
    } else {
      // A hardware clock in local time: believed, and hours ahead until the time service answers.
      await kitchen.step(Int.random(in: 600...20_000, using: &random))
    }
    try await kitchen.pass(.seconds(5))
    try await tap()
    try await kitchen.pass(duration)
    if event == .clockLost { try await tap() }
    // The time service says what time it is: as much later than the start as the machine has run.
    let right = Kitchen.start + (kitchen.time.uptime() - .seconds(1000)).inSeconds
    await kitchen.step(Int(right.timeIntervalSince(kitchen.time.now()).rounded()))
    await kitchen.turnClock(true)
  }

  /// What is on its way to the wall gets there within a few seconds.
  private func comesTrue(_ isSo: () -> Bool) async throws -> Bool {
    for _ in 0..<20 where !isSo() { try await kitchen.pass(.milliseconds(500)) }
    return isSo()
  }

  // MARK: What must hold

  /// What was thanked for is stored, once; what is credited is not asked for.
  private func check(_ when: String) async throws {
    let (taps, doubled) = try await kitchen.ledger.read { store in
      try LedgerFile.check(store.database, "integrity_check")
      let taps = try store.database.query(
        "SELECT boot, uptime FROM tap WHERE outcome IN ('taken', 'pendingTime')", doing: "reading the taps"
      ) { row throws(LedgerError) in
        (boot: try row.need(row.text(0)), uptime: Duration.nanoseconds(try row.need(row.integer(1))))
      }
      let doubled = try store.database.integer(
        "SELECT count(*) FROM (SELECT 1 FROM live_credit GROUP BY occurrence HAVING count(*) > 1)", doing: "")
      return (taps, doubled ?? 0)
    }
    let lost = thanked.filter { thanks in
      !taps.contains { $0.boot == thanks.boot && thanks.during.contains($0.uptime) }
    }
    if !lost.isEmpty { problems.append("\(when): lost \(lost.map { "\($0.outcome) \($0.during)" })") }
    if doubled > 0 { problems.append("\(when): \(doubled) doubled") }
    let log = try await kitchen.ledger.view(at: kitchen.time.now()).log
    let keys = Set(log.credits.map(\.key))
    let credited = log.rows.map(\.occurrence).filter { keys.contains($0.key) }
      .map { "\($0.key.medication) \(InstantText.text($0.dueAt, in: Kitchen.zone))" }
    let called = { [kitchen] in
      (kitchen.snapshot?.late ?? []).filter { credited.contains("\($0.medication) \($0.dueAt)") }
    }
    if try await !comesTrue({ called().isEmpty }) { problems.append("\(when): credited and called late: \(called())") }
  }
}
