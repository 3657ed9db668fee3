package import Foundation

/// Decides which doses one tap credits (DESIGN 5.2). The log must have been advanced to the instant of the tap.
///
/// Bounces and the clock's trust are settled before: see `Debounce` and `PendingTaps`.
package struct TapDecision: Sendable {
  package let household: Household
  package let zone: TimeZone

  package init(household: Household, zone: TimeZone) {
    self.household = household
    self.zone = zone
  }

  package func decide(_ uid: TagUID, at now: Date, log: DoseLog) -> TapVerdict {
    let medications = medications(of: uid)
    guard let first = medications.first, let person = household.people.first(where: { $0.id == first.person }) else {
      return TapVerdict(outcome: .unknownTag)
    }
    var answers: [(due: Date, medication: String, answer: Answer)] = []
    for medication in medications {
      let (due, answer) = answer(for: medication, at: now, log: log)
      answers.append((due, medication.id, answer))
    }
    answers.sort { ($0.due, $0.medication) < ($1.due, $1.medication) }
    var verdict = TapVerdict(outcome: .wrongWindow, person: person.id, paused: !person.remindersEnabled)
    for (due, medication, answer) in answers {
      switch answer {
      case .credit(let key): verdict.credited.append(.init(key: key, dueAt: due))
      case .refuse(let reason, let at):
        verdict.notCredited.append(.init(medication: medication, reason: reason, at: at))
      }
    }
    if !verdict.credited.isEmpty {
      verdict.outcome = .taken
    } else if verdict.notCredited.contains(where: { $0.reason != .notDue }) {
      verdict.outcome = .alreadyTaken
    }
    let ids = Set(medications.map(\.id))
    verdict.lastTakenAt = log.credits.filter { ids.contains($0.key.medication) && $0.tappedAt <= now }
      .map(\.tappedAt).max()
    verdict.nextFrom = medications.compactMap { nextFrom($0, at: now, log: log, credited: verdict.credited) }.min()
    verdict.missed = log.unseen(at: now).filter { ids.contains($0.occurrence.key.medication) }.map(\.occurrence.key)
    return verdict
  }

  /// The medications of a tag that still exist and belong to the person of the first of them; a medication whose person is
  /// gone is no reason to thank anyone.
  package func medications(of uid: TagUID) -> [Medication] {
    guard let tag = household.tags.first(where: { $0.uid == uid }) else { return [] }
    let people = Set(household.people.map(\.id))
    var seen: Set<String> = []
    let known = tag.medications.filter { seen.insert($0).inserted }
      .compactMap { id in household.medications.first { $0.id == id } }.filter { people.contains($0.person) }
    return known.filter { $0.person == known.first?.person }
  }

  private enum Answer {
    case credit(OccurrenceKey)
    case refuse(NotCreditedReason, at: Date?)
  }

  /// The answer for one medication, with the due instant of the dose it speaks of.
  private func answer(for medication: Medication, at now: Date, log: DoseLog) -> (due: Date, answer: Answer) {
    let taps = Dictionary(
      log.credits.filter { $0.key.medication == medication.id }.map { ($0.key, $0.tappedAt) }, uniquingKeysWith: max)
    let open = log.rows
      .filter { $0.occurrence.key.medication == medication.id && $0.occurrence.holds(now) }
      .sorted { Occurrence.inOrder($0.occurrence, $1.occurrence) }
    if let row = open.first(where: { taps[$0.occurrence.key] == nil && $0.isCreditable(in: household) }) {
      let spacing = spacing(before: row.occurrence, of: medication)
      let tooNear = taps.values.filter { abs(now - $0) < spacing }
      guard let last = tooNear.max() else { return (row.occurrence.dueAt, .credit(row.occurrence.key)) }
      return (row.occurrence.dueAt, .refuse(.tooSoon, at: last + spacing))
    }
    if let (row, tap) = open.reversed().lazy.compactMap({ row in tap(that: row, in: taps).map { (row, $0) } }).first {
      return (row.occurrence.dueAt, .refuse(.alreadyTaken, at: tap))
    }
    let next = log.ahead(of: medication, in: household, now: now, zone: zone).first { $0.opensAt > now }
    return (next?.dueAt ?? .distantFuture, .refuse(.notDue, at: next?.opensAt))
  }

  /// The tap that filled a row: its credit, or the one for which a new time was skipped.
  private func tap(that row: DoseLog.Row, in taps: [OccurrenceKey: Date]) -> Date? {
    if let tap = taps[row.occurrence.key] { return tap }
    guard row.ending == .skipped(.alreadyTaken) else { return nil }
    return taps.values.filter { row.occurrence.holds($0) }.max()
  }

  /// When the next dose of the medication may be recorded: its window is open and the spacing is over.
  private func nextFrom(_ medication: Medication, at now: Date, log: DoseLog, credited: [TapVerdict.Credited]) -> Date?
  {
    let mine = credited.filter { $0.key.medication == medication.id }
    let earlier = log.credits.filter { $0.key.medication == medication.id }.map(\.tappedAt)
    let last = (earlier + mine.map { _ in now }).max()
    for dose in log.ahead(of: medication, in: household, now: now, zone: zone)
    where !mine.contains(where: { $0.key == dose.key }) {
      let from = max(dose.opensAt, last.map { $0 + spacing(before: dose, of: medication) } ?? now, now)
      if from < dose.closesAt { return from }
    }
    return nil
  }

  private func spacing(before occurrence: Occurrence, of medication: Medication) -> TimeInterval {
    medication.minimumSpacing.map { Double($0) * 60 } ?? occurrence.spacing
  }
}
