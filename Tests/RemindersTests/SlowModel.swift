import Foundation
import Reminders

/// The law of DESIGN 5.2 once more, as plainly as it can be written: whole seconds, everything looked at every time.
///
/// It shares no code with Reminders: it reads the household's values and does its own arithmetic with local times, which
/// it finds by asking the zone for its offset and nothing else.
struct SlowModel {
  struct Dose {
    var medication: String
    var key: Int
    var minuteOfDay: Int
    var due: Int
    var opens = 0
    var closes = 0
    var late: Int?
    var spacing = 0.0
    var since: Int?
    var isShifted: Bool
    var lostToClock = false
  }

  struct Row {
    var dose: Dose
    var ending: String?
    var acknowledged = false
  }

  struct Tap {
    var key: Int
    var medication: String
    var at: Int
  }

  var household: Household { didSet { if household.medications != oldValue.medications { replan() } } }
  var zone: TimeZone { didSet { replan() } }
  /// The days of the episode.
  let days: ClosedRange<Int>
  /// The rows of the last days; of older ones only that they are rows.
  var rows: [Int: Row] = [:]
  private var oldRows: Set<Int> = []
  var credits: [Tap] = []
  var settledUntil: Int?
  /// When nothing could be recorded.
  var outages: [Range<Int>] = []
  private(set) var plan: [String: [Dose]] = [:]

  init(household: Household, zone: TimeZone, days: ClosedRange<Int>) {
    self.household = household
    self.zone = zone
    self.days = days
    replan()
  }

  // MARK: Local time

  private func offset(_ at: Int) -> Int { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(at))) }

  /// The first instant that shows the local time; when none does, as if the clock had not been put forward yet.
  func instant(_ local: Int) -> (at: Int, isShifted: Bool) {
    let candidates = [-93_600, 0, 93_600].map { local - offset(local + $0) }
    if let exact = candidates.filter({ $0 + offset($0) == local }).min() { return (exact, false) }
    return (candidates.max() ?? local, true)
  }

  static func key(_ medication: String, day: Int, minute: Int) -> Int {
    let number = Int(medication.drop { !$0.isNumber }) ?? 0
    return (number * 100_000 + day) * 1440 + minute
  }

  private mutating func replan() {
    plan = [:]
    let today = max(days.lowerBound, (settledUntil ?? 0) / 86_400)
    for medication in household.medications {
      var doses: [Dose] = []
      for day in (today - 25)...(days.upperBound + 26) {
        for time in medication.times where time.days.contains(Weekday.allCases[(day + 3) % 7]) {
          let minute = time.at.hour * 60 + time.at.minute
          let (due, isShifted) = instant(day * 86_400 + minute * 60)
          doses.append(
            Dose(
              medication: medication.id, key: Self.key(medication.id, day: day, minute: minute), minuteOfDay: minute,
              due: due, since: time.since.map { Int($0.timeIntervalSince1970) }, isShifted: isShifted))
        }
      }
      for index in doses.indices where doses[index].isShifted {
        doses[index].lostToClock = doses.contains { !$0.isShifted && $0.due == doses[index].due }
      }
      doses.sort { ($0.due, $0.key) < ($1.due, $1.key) }
      for index in doses.indices { setWindow(&doses, index, of: medication) }
      plan[medication.id] = doses
    }
  }

  private func setWindow(_ doses: inout [Dose], _ index: Int, of medication: Medication) {
    let dose = doses[index]
    let before = doses[..<index].last { !$0.lostToClock }
    let after = doses[(index + 1)...].first { !$0.lostToClock }
    let back = dose.lostToClock ? 604_800 : before.map { dose.due - $0.due } ?? 604_800
    let ahead = dose.lostToClock ? 604_800 : after.map { $0.due - dose.due } ?? 604_800
    let time = medication.times.first { time in
      time.at.hour * 60 + time.at.minute == dose.minuteOfDay
        && time.days.contains(Weekday.allCases[(dose.key / 1440 % 100_000 + 3) % 7])
    }
    guard let time else { return }
    doses[index].opens = dose.due - (time.opensBefore.map { $0 * 60 } ?? min(7200, back / 4))
    doses[index].closes = dose.due + (time.closesAfter.map { $0 * 60 } ?? min(14_400, ahead / 2))
    doses[index].spacing = Double(back) / 2
    let isOld = dose.since.map { dose.due < $0 } ?? false
    doses[index].late = isOld ? nil : dose.due + time.lateAfter * 60
  }

  // MARK: Who and what

  func person(of medication: String) -> Person? {
    guard let medication = household.medications.first(where: { $0.id == medication }) else { return nil }
    return household.people.first { $0.id == medication.person }
  }

  private func ruleStands(_ dose: Dose) -> Bool {
    person(of: dose.medication) != nil && (plan[dose.medication] ?? []).contains { $0.key == dose.key }
  }

  private func isCredited(_ key: Int) -> Bool { credits.contains { $0.key == key } }

  // MARK: Time passes

  /// Writes what the passing of time did.
  /// - Returns: what was written, in words.
  mutating func settle(_ now: Int) -> Set<String> {
    var written: Set<String> = []
    let from = max(now - 31 * 86_400, min(settledUntil ?? now, now))
    for medication in household.medications where person(of: medication.id) != nil {
      for dose in plan[medication.id] ?? [] where dose.opens <= now && dose.closes > from && !isRow(dose) {
        if let since = dose.since, dose.closes <= since { continue }
        rows[dose.key] = Row(dose: dose)
        written.insert("open \(dose.key) \(dose.due) \(dose.opens) \(dose.closes) \(dose.late ?? 0) \(dose.spacing)")
        let wasTaken = credits.contains {
          $0.medication == dose.medication && dose.opens <= $0.at && $0.at < dose.closes
        }
        if dose.lostToClock {
          end(dose.key, "clockChange", &written)
        } else if let since = dose.since, dose.opens <= since, wasTaken {
          end(dose.key, "alreadyTaken", &written)
        }
      }
    }
    for (key, row) in rows where row.ending == nil && !isCredited(key) {
      if !ruleStands(row.dose) {
        end(key, "ruleEnded", &written)
      } else if row.dose.closes <= now {
        let isPaused = person(of: row.dose.medication).map { !$0.remindersEnabled } ?? true
        end(
          key,
          isPaused
            ? "paused" : row.dose.late == nil ? "enteredLate" : couldRecord(row.dose) ? "missed" : "notRecording",
          &written)
      }
    }
    settledUntil = max(now, settledUntil ?? now)
    forget(before: now - 4 * 86_400)
    return written
  }

  private func isRow(_ dose: Dose) -> Bool { rows[dose.key] != nil || oldRows.contains(dose.key) }

  /// What is over for days matters no more; only speed asks for this.
  private mutating func forget(before: Int) {
    for (key, row) in rows where row.dose.closes < before && (row.ending != nil || isCredited(key)) {
      rows[key] = nil
      oldRows.insert(key)
    }
    for (medication, doses) in plan where (doses.first?.closes ?? before) < before - 86_400 {
      plan[medication] = doses.filter { $0.closes >= before }
    }
  }

  private mutating func end(_ key: Int, _ ending: String, _ written: inout Set<String>) {
    rows[key]?.ending = ending
    written.insert("end \(key) \(ending)")
  }

  private func couldRecord(_ dose: Dose) -> Bool {
    let start = Double(dose.closes) - Double(dose.closes - dose.opens) / 4
    let end = Double(dose.closes)
    for outage in outages {
      let lost = min(end, Double(outage.upperBound)) - max(start, Double(outage.lowerBound))
      if lost > 30 || lost >= end - start { return false }
    }
    return true
  }

  // MARK: A tap

  struct Answer: Equatable {
    var outcome: String
    var isPaused = false
    var credited: [Int] = []
    var refused: [String] = []
    var last: Double?
    var next: Double?
    var missed: [Int] = []
  }

  func medications(of uid: TagUID) -> [Medication] {
    guard let tag = household.tags.first(where: { $0.uid == uid }) else { return [] }
    return tag.medications.compactMap { id in household.medications.first { $0.id == id } }
      .filter { person(of: $0.id) != nil }
  }

  func canBeCredited(_ row: Row) -> Bool {
    if isCredited(row.dose.key) { return false }
    switch row.ending {
    case "clockChange", "alreadyTaken": return false
    case "ruleEnded": return ruleStands(row.dose)
    default: return true
    }
  }

  mutating func tap(_ uid: TagUID, _ now: Int) -> Answer {
    let medications = medications(of: uid)
    guard let first = medications.first else { return Answer(outcome: "unknownTag") }
    var answer = Answer(outcome: "wrongWindow", isPaused: person(of: first.id)?.remindersEnabled == false)
    answer.last = credits.filter { credit in
      medications.contains { $0.id == credit.medication } && credit.at <= now
    }.map { Double($0.at) }.max()
    answer.missed = shown(now).filter { row in medications.contains { $0.id == row.dose.medication } }.map(\.dose.key)
    var credited: [(due: Int, id: String, key: Int)] = []
    var refused: [(due: Int, id: String, reason: String, at: Double?)] = []
    for medication in medications {
      let taps = credits.filter { $0.medication == medication.id }
      let holding = rows.values.map { $0 }.filter {
        $0.dose.medication == medication.id && $0.dose.opens <= now && now < $0.dose.closes
      }.sorted { ($0.dose.due, $0.dose.key) < ($1.dose.due, $1.dose.key) }
      if let row = holding.first(where: canBeCredited) {
        let spacing = medication.minimumSpacing.map { Double($0) * 60 } ?? row.dose.spacing
        if let near = taps.map(\.at).filter({ abs(Double(now - $0)) < spacing }).max() {
          refused.append((row.dose.due, medication.id, "tooSoon", Double(near) + spacing))
        } else {
          credited.append((row.dose.due, medication.id, row.dose.key))
        }
        continue
      }
      if let (row, at) = holding.reversed().compactMap({ row in filled(row, taps).map { (row, $0) } }).first {
        refused.append((row.dose.due, medication.id, "alreadyTaken", Double(at)))
        continue
      }
      let next = ahead(medication, now).first { $0.opens > now }
      refused.append((next?.due ?? Int.max, medication.id, "notDue", next.map { Double($0.opens) }))
    }
    credited.sort { ($0.due, $0.id) < ($1.due, $1.id) }
    refused.sort { ($0.due, $0.id) < ($1.due, $1.id) }
    answer.credited = credited.map(\.key)
    answer.refused = refused.map { "\($0.id) \($0.reason) \($0.at.map { "\($0)" } ?? "never")" }
    credits += credited.map { Tap(key: $0.key, medication: $0.id, at: now) }
    answer.next = medications.compactMap { nextFrom($0, now) }.min()
    if !credited.isEmpty {
      answer.outcome = "taken"
    } else if refused.contains(where: { $0.reason != "notDue" }) {
      answer.outcome = "alreadyTaken"
    }
    return answer
  }

  private func filled(_ row: Row, _ taps: [Tap]) -> Int? {
    if let tap = taps.first(where: { $0.key == row.dose.key }) { return tap.at }
    guard row.ending == "alreadyTaken" else { return nil }
    return taps.map(\.at).filter { row.dose.opens <= $0 && $0 < row.dose.closes }.max()
  }

  /// What can be credited from now on, by due instant.
  func ahead(_ medication: Medication, _ now: Int) -> [Dose] {
    let open = rows.values.filter {
      $0.dose.medication == medication.id && $0.dose.closes > now && canBeCredited($0)
    }.map(\.dose)
    let later = (plan[medication.id] ?? []).filter { dose in
      dose.opens > now && !dose.lostToClock && !isRow(dose) && (dose.since.map { dose.closes > $0 } ?? true)
    }
    return (open + later).sorted { ($0.due, $0.key) < ($1.due, $1.key) }
  }

  private func nextFrom(_ medication: Medication, _ now: Int) -> Double? {
    let last = credits.filter { $0.medication == medication.id }.map(\.at).max()
    for dose in ahead(medication, now) {
      let spacing = medication.minimumSpacing.map { Double($0) * 60 } ?? dose.spacing
      let from = max(Double(dose.opens), Double(now), last.map { Double($0) + spacing } ?? 0)
      if from < Double(dose.closes) { return from }
    }
    return nil
  }

  // MARK: What the wall says

  struct Says: Equatable {
    var late: [Int] = []
    var open: [Int] = []
    var ended: [Int] = []
    var next: [String: Int] = [:]
  }

  func says(_ now: Int) -> Says {
    var says = Says()
    for row in rows.values.sorted(by: { ($0.dose.due, $0.dose.key) < ($1.dose.due, $1.dose.key) }) {
      guard let person = person(of: row.dose.medication), canBeCredited(row), row.dose.opens <= now,
        now < row.dose.closes
      else { continue }
      says.open.append(row.dose.key)
      if let late = row.dose.late, late <= now, person.remindersEnabled, row.ending != "ruleEnded" {
        says.late.append(row.dose.key)
      }
    }
    says.ended = shown(now).filter { person(of: $0.dose.medication) != nil }.map(\.dose.key)
    for person in household.people {
      let doses = household.medications.filter { $0.person == person.id }
        .flatMap { ahead($0, now) }.filter { $0.due > now }
      says.next[person.id] = doses.min { ($0.due, $0.key) < ($1.due, $1.key) }?.key
    }
    return says
  }

  private func shown(_ now: Int) -> [Row] {
    rows.values.filter {
      ["missed", "notRecording"].contains($0.ending) && !$0.acknowledged && !isCredited($0.dose.key)
        && $0.dose.closes <= now && now < $0.dose.closes + 86_400
    }.sorted { ($0.dose.due, $0.dose.key) < ($1.dose.due, $1.dose.key) }
  }
}
