import Foundation
import Reminders

/// What differed, and how to see it again.
struct Difference: Error, CustomStringConvertible {
  var seed: UInt64
  var at: Int
  var zone: String
  var what: String
  var description: String { "seed \(seed), \(zone), \(Date(timeIntervalSince1970: Double(at))): \(what)" }
}

struct Counts: Sendable {
  var days = 0
  var taps = 0
  var bounces = 0
  var credits = 0
  var endings = 0
  var pending = 0
  var restarts = 0
  var edits = 0

  static func + (a: Counts, b: Counts) -> Counts {
    Counts(
      days: a.days + b.days, taps: a.taps + b.taps, bounces: a.bounces + b.bounces, credits: a.credits + b.credits,
      endings: a.endings + b.endings, pending: a.pending + b.pending, restarts: a.restarts + b.restarts,
      edits: a.edits + b.edits)
  }
}

/// Some weeks of one household: taps, bounces, restarts, outages, clock steps, new rules, new zones. The rules and the
/// slow model are asked the same questions and must give the same answers.
struct Simulation {
  static let days = 20

  let seed: UInt64
  let rules: Rules
  var house: RandomHouse
  let original: Household
  var model: SlowModel
  var journal = Journal()
  var debounce = Debounce()
  var counts = Counts()
  /// Whole seconds since 1970: what is, and what the wall's clock shows.
  var truth: Int
  var shown: Int
  /// Milliseconds since boot.
  var uptime = 1_000_000
  var isTrusted = true
  var pending: [(tap: PendingTap, at: Int)] = []
  /// The simulation's own memory of bounces: when a tag was seen last, and whether this run answered it.
  var lastSeen: [TagUID: Int] = [:]
  var answered: Set<TagUID> = []

  init(seed: UInt64, fault: PlantedFault? = nil) {
    self.seed = seed
    rules = Rules(fault: fault)
    house = RandomHouse(dice: Dice(seed: seed))
    let zone = house.zone()
    let first = house.firstDay(in: zone)
    original = house.household()
    model = SlowModel(household: original, zone: zone, days: first...(first + Self.days))
    truth = first * 86_400
    shown = truth
  }

  mutating func run() throws -> Counts {
    let end = truth + Self.days * 86_400
    try settle(at: shown)
    while truth < end { try step() }
    if !isTrusted { try believeClock() }
    counts.days = Self.days
    counts.credits = journal.credits.count
    return counts
  }

  private mutating func step() throws {
    pass(pause())
    guard isTrusted else { return try stepUntrusted() }
    switch house.dice.number(0...99) {
    case 0..<62: try tap()
    case 62..<68: try look()
    case 68..<75: restart()
    case 75..<79: outage(house.dice.pick([5, 30, 31, 600, 7200]))
    case 79..<81:
      outage(house.dice.number(1...3) * 86_400 + house.dice.number(0...80_000))
      restart()
    case 81..<87: try edit()
    case 87..<91: try pause(person: house.dice.number(0...1))
    case 91..<93: try changeZone()
    case 93..<95: shown = truth - house.dice.number(1...290)
    case 95..<96: shown = truth
    case 96..<98:
      isTrusted = false
      shown = house.dice.pick([0, truth - 86_400, truth + 7_000_000])
    case 98..<99: acknowledge()
    default: undo()
    }
  }

  // MARK: Time

  private mutating func pass(_ seconds: Int) {
    truth += seconds
    shown += seconds
    uptime += seconds * 1000
  }

  /// Often to just before, at or just after an instant that matters.
  private mutating func pause() -> Int {
    guard isTrusted, house.dice.chance(50) else { return house.dice.pick([1, 1800, 20_000, 60_000, 90_000, 120_000]) }
    var instants: [Int] = []
    for doses in model.plan.values {
      for dose in doses where dose.closes > shown {
        if dose.due > shown + 2 * 86_400 { break }
        instants += [dose.opens, dose.due, dose.closes]
        if let last = model.credits.last { instants.append(last.at + Int(dose.spacing)) }
      }
    }
    let ahead = instants.map { $0 - shown }.filter { (2..<86_400).contains($0) }
    return ahead.isEmpty ? 50_000 : house.dice.pick(ahead) + house.dice.number(-1...1)
  }

  private mutating func outage(_ seconds: Int) {
    let start = shown
    pass(seconds)
    if let last = model.outages.last, last.upperBound >= start {
      model.outages[model.outages.count - 1] = min(last.lowerBound, start)..<max(last.upperBound, shown)
    } else {
      model.outages.append(start..<shown)
    }
  }

  private mutating func restart() {
    debounce = Debounce()
    answered = []
    counts.restarts += 1
    if rules.fault == .restartLosesCredit { journal.loseLastCredit() }
  }

  // MARK: Rules change

  private mutating func edit() throws {
    try settle(at: shown, rulesChange: true)
    model.household = house.edited(model.household, original: original, at: date(shown))
    counts.edits += 1
    try settle(at: shown)
    try look()
  }

  private mutating func pause(person index: Int) throws {
    try settle(at: shown)
    guard index < model.household.people.count else { return }
    model.household.people[index].remindersEnabled.toggle()
    try look()
  }

  private mutating func changeZone() throws {
    try settle(at: shown, rulesChange: true)
    model.zone = house.zone()
    if rules.fault == .zoneChangeDoubles { journal.loseRows() }
    try settle(at: shown)
    try look()
  }

  private mutating func acknowledge() {
    guard let key = model.says(shown).ended.first, let row = model.rows[key] else { return }
    model.rows[key]?.acknowledged = true
    journal.acknowledge(occurrenceKey(row.dose))
  }

  private mutating func undo() {
    guard let last = model.credits.last, last.at > shown - 86_400 else { return }
    model.credits.removeLast()
    journal.undoLast()
  }

  // MARK: Taps

  private mutating func tap() throws {
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

  private mutating func sight(_ uid: TagUID) throws {
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

  private mutating func decide(_ uid: TagUID, at now: Int) throws -> TapOutcome {
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

  // MARK: A clock that is not believed

  private mutating func stepUntrusted() throws {
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
  private mutating func keep(_ uid: TagUID) throws -> TapOutcome {
    let decision = TapDecision(household: model.household, zone: model.zone)
    let outcome = decision.decideUntrusted(
      uid, uptime: .milliseconds(uptime), pending: pending.map(\.tap), now: date(shown)
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

  private func smallestSpacing(_ medication: Medication) -> Int? {
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

  private mutating func believeClock() throws {
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

  // MARK: Questions

  /// Lets time pass in both and compares what is written.
  private mutating func settle(at now: Int, rulesChange: Bool = false) throws {
    let changes = advance(at: now)
    for case .open(let occurrence) in changes where journal.knows(occurrence.key) {
      throw difference("a second row of \(occurrence.key)")
    }
    journal.apply(changes, at: date(now), rulesChange: rulesChange)
    let got = Set(changes.map(words))
    let expected = model.settle(now)
    if got != expected {
      let more = got.subtracting(expected).sorted()
      let less = expected.subtracting(got).sorted()
      throw difference("written \(more), should be \(less)")
    }
    counts.endings += changes.count
    if house.dice.chance(10), !advance(at: now).isEmpty { throw difference("advancing twice wrote twice") }
  }

  private func advance(at now: Int) -> [DoseChange] {
    rules.advance(journal.log(at: date(now)), model.household, model.zone, recording(until: now), date(now))
  }

  private func recording(until now: Int) -> [DateInterval] {
    var spans: [DateInterval] = []
    var from = Date.distantPast
    for outage in model.outages {
      spans.append(DateInterval(start: from, end: date(outage.lowerBound)))
      from = date(outage.upperBound)
    }
    return spans + [DateInterval(start: from, end: .distantFuture)]
  }

  private func status() -> DoseStatus {
    DoseStatus.of(
      model.household, log: journal.log(at: date(shown)), now: date(shown), zone: model.zone, clockTrusted: isTrusted)
  }

  /// Compares what the wall says, and that it says the same until it said it would change.
  private mutating func look() throws {
    try settle(at: shown)
    let status = status()
    var got = SlowModel.Says()
    got.late = status.late.map { number($0.occurrence.key) }
    got.open = status.open.map { number($0.occurrence.key) }
    got.ended = status.ended.map { number($0.dose.occurrence.key) }
    for dose in status.next { got.next[dose.person.id] = number(dose.occurrence.key) }
    let expected = model.says(shown)
    if got != expected { throw difference("says \(got), should say \(expected)") }
    guard let change = status.nextChange.map({ Int($0.timeIntervalSince1970) }), change - 1 > shown else { return }
    var later = model
    let written = later.settle(change - 1).filter { words in
      guard let key = words.split(separator: " ").compactMap({ Int($0) }).first else { return true }
      return later.rows[key]?.ending != "clockChange"
    }
    if !written.isEmpty || later.says(change - 1) != expected {
      throw difference("changes before \(date(change)): \(written), \(later.says(change - 1)) after \(expected)")
    }
  }

  // MARK: Names

  private func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  private func difference(_ what: String) -> Difference {
    Difference(seed: seed, at: shown, zone: model.zone.identifier, what: what)
  }

  private func number(_ key: OccurrenceKey) -> Int {
    SlowModel.key(key.medication, day: key.day.number, minute: key.at.hour * 60 + key.at.minute)
  }

  private func occurrenceKey(_ dose: SlowModel.Dose) -> OccurrenceKey {
    OccurrenceKey(
      medication: dose.medication, day: LocalDay(number: dose.key / 1440 % 100_000),
      at: LocalTime(hour: dose.minuteOfDay / 60, minute: dose.minuteOfDay % 60))
  }

  private func seconds(_ date: Date?) -> Int { date.map { Int($0.timeIntervalSince1970) } ?? 0 }

  private func words(_ change: DoseChange) -> String {
    switch change {
    case .open(let o):
      "open \(number(o.key)) \(seconds(o.dueAt)) \(seconds(o.opensAt)) \(seconds(o.closesAt)) \(seconds(o.lateAt)) "
        + "\(o.spacing)"
    case .end(let key, .skipped(let reason)): "end \(number(key)) \(reason.rawValue)"
    case .end(let key, .missed): "end \(number(key)) missed"
    case .end(let key, .unknown(let reason)): "end \(number(key)) \(reason.rawValue)"
    }
  }

  private func answer(_ verdict: TapVerdict) -> SlowModel.Answer {
    SlowModel.Answer(
      outcome: verdict.outcome.rawValue, isPaused: verdict.paused, credited: verdict.credited.map { number($0.key) },
      refused: verdict.notCredited.map { refused in
        "\(refused.medication) \(refused.reason.rawValue) "
          + (refused.at.map { "\($0.timeIntervalSince1970)" } ?? "never")
      },
      last: verdict.lastTakenAt?.timeIntervalSince1970, next: verdict.nextFrom?.timeIntervalSince1970,
      missed: verdict.missed.map(number))
  }
}
