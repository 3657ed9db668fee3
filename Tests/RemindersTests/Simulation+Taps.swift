import Foundation
import Reminders

/// Taps under a clock that is believed, and under one that is not.
extension Simulation {
  mutating func tap() throws {
    let uid = house.dice.chance(5) ? RandomHouse.stranger : house.dice.pick(RandomHouse.uids)
    if house.dice.chance(4), lastSeen[uid] != nil {
      // It was never lifted, and flickers now.
      lastSeen[uid] = uptime - 400
    }
    try sight(uid)
    guard house.dice.chance(30) else { return }
    let start = uptime
    for _ in 0..<house.dice.number(1...3) {
      uptime += house.dice.pick([100, 900, 2900, 3000])
      try sight(uid)
    }
    let rest = (1000 - (uptime - start) % 1000) % 1000
    let passed = (uptime + rest - start) / 1000
    uptime = start
    pass(passed)
  }

  mutating func sight(_ uid: TagUID) throws {
    let before = lastSeen[uid]
    let isBounce = rules.isBounce(&debounce, uid, .milliseconds(uptime), before.map { .milliseconds($0) })
    let shouldBounce = answered.contains(uid) && before.map { uptime - $0 <= 3000 } ?? false
    lastSeen[uid] = uptime
    if isBounce != shouldBounce { throw difference("bounce: \(isBounce), should be \(shouldBounce)") }
    guard !isBounce else {
      counts.bounces += 1
      return
    }
    counts.taps += 1
    if house.dice.chance(2) {
      debounce.answered(uid, .notRecorded, at: .milliseconds(uptime))
      answered.remove(uid)
      return
    }
    let outcome = isTrusted ? try decide(uid, at: shown) : try keep(uid)
    debounce.answered(uid, outcome, at: .milliseconds(uptime))
    answered.insert(uid)
  }

  mutating func decide(_ uid: TagUID, at now: Int) throws -> TapOutcome {
    try settle(at: now)
    let verdict = rules.decide(uid, journal.log(at: date(now)), model.household, model.zone, date(now))
    let before = Set(journal.credits.map(\.key))
    if let twice = verdict.credited.first(where: { before.contains($0.key) }) {
      throw difference("credited twice: \(twice.key)")
    }
    if ![.taken, .alreadyTaken, .wrongWindow, .unknownTag].contains(verdict.outcome) {
      throw difference("no answer to a tap: \(verdict.outcome)")
    }
    journal.credit(verdict, at: date(now))
    var expected = model.tap(uid, now)
    var got = answer(verdict)
    // Older credits are in the log or not, as the ledger pleases.
    if let last = expected.last, last < Double(now - 14 * 86_400) { (expected.last, got.last) = (nil, nil) }
    if got != expected { throw difference("tap \(uid.hex): \(got), should be \(expected)") }
    return verdict.outcome
  }

  mutating func stepUntrusted() throws {
    switch house.dice.number(0...9) {
    case 0..<6: try tap()
    case 6:
      let status = status()
      if !status.late.isEmpty || !status.ended.isEmpty { throw difference("late under a wrong clock") }
    case 7: restart()
    case 8:
      restart()
      pending = []
      isTrusted = true
      shown = truth
    default: try believeClock()
    }
  }

  /// A tap that waits for the clock, or a second one that is too near.
  mutating func keep(_ uid: TagUID) throws -> TapOutcome {
    let decision = TapDecision(household: model.household, zone: model.zone)
    let outcome = decision.decideUntrusted(
      uid, uptime: .milliseconds(uptime), pending: pending.map(\.tap)
    ).outcome
    let medications = model.medications(of: uid)
    var expected = TapOutcome.pendingTime
    if medications.isEmpty {
      expected = .unknownTag
    } else if let last = pending.last(where: { $0.tap.uid == uid }),
      let spacing = medications.compactMap(smallestSpacing).min(),
      .milliseconds(uptime) - last.tap.uptime < .seconds(spacing)
    {
      expected = .alreadyTaken
    }
    if outcome != expected { throw difference("under a wrong clock: \(outcome), should be \(expected)") }
    if outcome == .pendingTime {
      pending.append((PendingTap(uid: uid, uptime: .milliseconds(uptime)), truth))
      counts.pending += 1
    }
    return outcome
  }

  func smallestSpacing(_ medication: Medication) -> Int? {
    if let minutes = medication.minimumSpacing { return minutes * 60 }
    var week: Set<Int> = []
    for time in medication.times {
      for (index, day) in Weekday.allCases.enumerated() where time.days.contains(day) {
        week.insert(index * 1440 + time.at.hour * 60 + time.at.minute)
      }
    }
    // The week twice over: every distance to the next one is in it.
    let twice = week.sorted() + week.sorted().map { $0 + 10_080 }
    return zip(twice, twice.dropFirst()).map { $1 - $0 }.min().map { $0 * 30 }
  }

  mutating func believeClock() throws {
    shown = truth
    isTrusted = true
    for (tap, at) in pending {
      let instant = tap.instant(now: date(shown), uptime: .milliseconds(uptime))
      // A bounce may have passed between: taps are at whole seconds of the boot clock, within one of ours.
      guard abs(instant.timeIntervalSince1970 - Double(at)) < 10 else { throw difference("pending tap at \(instant)") }
      _ = try decide(tap.uid, at: Int(instant.timeIntervalSince1970.rounded(.down)))
    }
    pending = []
  }
}
