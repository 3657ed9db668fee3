import Foundation
import Reminders

/// SplitMix64: small, and the same everywhere.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
  mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: choices.indices, using: &self)] }
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

/// Households, zones and days as they come, the awkward ones more often than in life.
struct RandomHouse {
  var dice: Dice

  static let zones = TimeZone.knownTimeZoneIdentifiers.compactMap { TimeZone(identifier: $0) }
  static let awkwardZones = [
    "America/Los_Angeles", "Australia/Lord_Howe", "America/Santiago", "America/Havana", "Asia/Beirut", "Africa/Cairo",
    "Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll", "Asia/Gaza", "Europe/London",
  ].compactMap { TimeZone(identifier: $0) }

  mutating func zone() -> TimeZone { dice.chance(60) ? dice.pick(Self.awkwardZones) : dice.pick(Self.zones) }

  /// A day in 2026 or 2027, near a change of the zone's clock half of the time; now and then the week without a Friday.
  mutating func firstDay(in zone: TimeZone) -> Int {
    if zone.identifier == "Pacific/Apia", dice.chance(50) { return 15_328 - dice.number(0...10) }
    let day = 20_454 + dice.number(0...700)
    guard dice.chance(50),
      let change = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(day) * 86_400))
    else { return day }
    return Int(change.timeIntervalSince1970) / 86_400 - dice.number(1...10)
  }

  static let uids = [[4, 1, 1, 1, 1, 1, 1], [4, 2, 2, 2, 2, 2, 2], [4, 3, 3, 3]].map { TagUID($0) }
  static let stranger = TagUID([9, 9, 9, 9])

  /// Two people, one to three medications, a tag for each person and one more.
  mutating func household() -> Household {
    let people = ["ann", "bob"].map { Person(id: $0, name: $0, remindersEnabled: !dice.chance(10)) }
    var medications: [Medication] = []
    for number in 1...dice.pick([1, 1, 1, 1, 1, 2, 3]) {
      medications.append(
        Medication(
          id: "m\(number)", person: dice.pick(["ann", "ann", "bob"]), name: "m\(number)", times: times(),
          minimumSpacing: dice.chance(30) ? dice.pick([0, 1, 60, 180, 240, 480, 10_080]) : nil))
    }
    var tags = people.enumerated().map { index, person in
      Tag(uid: Self.uids[index], medications: medications.filter { $0.person == person.id }.map(\.id))
    }
    tags.append(Tag(uid: Self.uids[2], medications: [medications[0].id, "never-was"]))
    return Household(people: people, medications: medications, tags: tags)
  }

  mutating func times() -> [DoseTime] {
    var times: [DoseTime] = []
    var taken: Set<LocalTime> = []
    for _ in 0..<dice.pick([1, 1, 1, 2, 2, 3, 4]) {
      let time = self.time(since: nil)
      if taken.insert(time.at).inserted { times.append(time) }
    }
    return times
  }

  mutating func time(since: Date?) -> DoseTime {
    let hour = dice.chance(40) ? dice.number(0...3) : dice.number(0...23)
    let days =
      dice.chance(80) ? Set(Weekday.allCases) : Set((0...dice.number(0...3)).map { _ in dice.pick(Weekday.allCases) })
    let isExplicit = dice.chance(30)
    return DoseTime(
      at: LocalTime(hour: hour, minute: dice.pick([0, 0, 15, 30, 59])), days: days,
      opensBefore: isExplicit ? dice.pick([0, 30, 120, 600]) : nil, lateAfter: dice.pick([0, 0, 0, 30]),
      closesAfter: isExplicit ? dice.pick([1, 30, 240, 900, 1500]) : nil, since: since)
  }

  /// Somebody edits the file: a time added, moved or taken away, a spacing, a medication or a person gone or back.
  mutating func edited(_ household: Household, original: Household, at now: Date) -> Household {
    var edited = household
    guard !edited.medications.isEmpty else { return restored(original, over: household, at: now) }
    let index = dice.number(0...(edited.medications.count - 1))
    switch dice.number(0...9) {
    case 0...2:
      let new = time(since: now)
      if !edited.medications[index].times.contains(where: { $0.at == new.at }) {
        edited.medications[index].times.append(new)
      }
    case 3...4:
      if let old = edited.medications[index].times.popLast() {
        var moved = old
        moved.at.hour = (old.at.hour + 1) % 24
        moved.since = now
        if !edited.medications[index].times.contains(where: { $0.at == moved.at }) {
          edited.medications[index].times.append(moved)
        }
      }
    case 5: if edited.medications[index].times.count > 1 { edited.medications[index].times.removeFirst() }
    case 6: edited.medications[index].minimumSpacing = dice.pick([nil, 0, 60, 240])
    case 7: edited.medications.remove(at: index)
    case 8: edited.people.removeAll { $0.id == "bob" }
    default: return restored(original, over: household, at: now)
    }
    return edited
  }

  /// The first household again, entered now: what was not in force until now is new, as an import makes it.
  private func restored(_ original: Household, over current: Household, at now: Date) -> Household {
    var restored = original
    for index in restored.medications.indices {
      let medication = restored.medications[index]
      let old = current.medications.first { $0.id == medication.id }
      let wasAsked = current.people.contains { $0.id == medication.person }
      for time in medication.times.indices {
        let wanted = medication.times[time]
        let kept = old?.times.first { $0.at == wanted.at && $0.days == wanted.days }
        restored.medications[index].times[time].since = kept != nil && wasAsked ? kept?.since : now
      }
    }
    return restored
  }
}
