import Foundation
import Reminders

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

  mutating func step() throws {
    pass(pause())
    guard isTrusted else { return try stepUntrusted() }
    switch house.dice.number(0...99) {
    case 0..<70: try tap()
    case 70..<75: try look()
    case 75..<80: restart()
    case 80..<83: outage(house.dice.pick([5, 30, 31, 600, 7200]))
    case 83..<85:
      outage(house.dice.number(1...3) * 86_400 + house.dice.number(0...80_000))
      restart()
    case 85..<89: try edit()
    case 89..<92: try pause(person: house.dice.number(0...1))
    case 92..<93: try changeZone()
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

  mutating func pass(_ seconds: Int) {
    truth += seconds
    shown += seconds
    uptime += seconds * 1000
  }

  /// Often to just before, at or just after an instant that matters.
  mutating func pause() -> Int {
    guard isTrusted, house.dice.chance(50) else { return house.dice.pick([1, 1800, 30_000, 90_000, 120_000, 150_000]) }
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

  mutating func outage(_ seconds: Int) {
    let start = shown
    pass(seconds)
    if let last = model.outages.last, last.upperBound >= start {
      model.outages[model.outages.count - 1] = min(last.lowerBound, start)..<max(last.upperBound, shown)
    } else {
      model.outages.append(start..<shown)
    }
  }

  mutating func restart() {
    debounce = Debounce()
    answered = []
    counts.restarts += 1
    if rules.fault == .restartLosesCredit { journal.loseLastCredit() }
  }

  // MARK: Rules change

  mutating func edit() throws {
    try settle(at: shown, rulesChange: true)
    model.household = house.edited(model.household, original: original, at: date(shown))
    counts.edits += 1
    try settle(at: shown)
    try look()
  }

  mutating func pause(person index: Int) throws {
    try settle(at: shown)
    guard index < model.household.people.count else { return }
    model.household.people[index].remindersEnabled.toggle()
    try look()
  }

  mutating func changeZone() throws {
    try settle(at: shown, rulesChange: true)
    model.zone = house.zone()
    if rules.fault == .zoneChangeDoubles { journal.loseRows() }
    try settle(at: shown)
    try look()
  }

  mutating func acknowledge() {
    guard let key = model.says(shown).ended.first, let row = model.rows[key] else { return }
    model.rows[key]?.acknowledged = true
    journal.acknowledge(occurrenceKey(row.dose))
  }

  mutating func undo() {
    guard let last = model.credits.last, last.at > shown - 86_400 else { return }
    model.credits.removeLast()
    journal.undoLast()
  }
}
