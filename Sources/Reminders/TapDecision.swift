package import Foundation

/// Decides which doses one tap credits (DESIGN 5.2). The log must have been advanced to the instant of the tap.
///
/// Bounces and the clock's trust are settled before: see `Debounce` and `PendingTaps`.
package struct TapDecision: Sendable {
  package let household: Household
  package let zone: TimeZone
  private let schedule: Schedule

  package init(household: Household, zone: TimeZone) {
    self.household = household
    self.zone = zone
    schedule = Schedule(zone: zone)
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
    let known = tag.medications.compactMap { id in household.medications.first { $0.id == id } }
      .filter { people.contains($0.person) }
    return known.filter { $0.person == known.first?.person }
  }

  private enum Answer {
    case credit(OccurrenceKey)
    case refuse(NotCreditedReason, at: Date?)
  }

  /// The answer for one medication, with the due instant of the dose it speaks of.
  private func answer(for medication: Medication, at now: Date, log: DoseLog) -> (due: Date, answer: Answer) {
    let filled = Dictionary(
      log.credits.filter { $0.key.medication == medication.id }.map { ($0.key, $0.tappedAt) }, uniquingKeysWith: max)
    let open = log.rows
      .filter { $0.occurrence.key.medication == medication.id && $0.occurrence.holds(now) }
      .sorted { $0.occurrence.dueAt < $1.occurrence.dueAt }
    if let row = open.first(where: { filled[$0.occurrence.key] == nil && $0.isCreditable }) {
      let spacing = spacing(before: row.occurrence, of: medication)
      let tooNear = filled.values.filter { abs(now - $0) < spacing }
      guard let last = tooNear.max() else { return (row.occurrence.dueAt, .credit(row.occurrence.key)) }
      return (row.occurrence.dueAt, .refuse(.tooSoon, at: last + spacing))
    }
    if let row = open.last(where: { filled[$0.occurrence.key] != nil }) {
      return (row.occurrence.dueAt, .refuse(.alreadyTaken, at: filled[row.occurrence.key]))
    }
    let next = schedule.occurrences(of: medication, from: now, to: now + Self.horizon)
      .first { $0.occurrence.opensAt > now && !$0.isSkippedByClockChange && filled[$0.occurrence.key] == nil }
    return (next?.occurrence.dueAt ?? .distantFuture, .refuse(.notDue, at: next?.occurrence.opensAt))
  }

  /// When the next dose of the medication may be recorded: its window is open and the spacing is over.
  private func nextFrom(_ medication: Medication, at now: Date, log: DoseLog, credited: [TapVerdict.Credited]) -> Date?
  {
    var filled = Set(log.credits.map(\.key))
    var taps = log.credits.filter { $0.key.medication == medication.id }.map(\.tappedAt)
    for credit in credited where credit.key.medication == medication.id {
      filled.insert(credit.key)
      taps.append(now)
    }
    let ended = Set(log.rows.filter { !$0.isCreditable }.map(\.occurrence.key))
    let last = taps.max()
    for planned in schedule.occurrences(of: medication, from: now, to: now + Self.horizon)
    where !planned.isSkippedByClockChange && !filled.contains(planned.occurrence.key)
      && !ended.contains(planned.occurrence.key)
    {
      let spacing = spacing(before: planned.occurrence, of: medication)
      let from = max(planned.occurrence.opensAt, last.map { $0 + spacing } ?? now, now)
      if from < planned.occurrence.closesAt { return from }
    }
    return nil
  }

  private func spacing(before occurrence: Occurrence, of medication: Medication) -> TimeInterval {
    medication.minimumSpacing.map { Double($0) * 60 } ?? occurrence.spacing
  }

  /// Rules repeat every week, so what comes next comes within 8 days (a day more for a clock change).
  static let horizon: TimeInterval = 9 * 86_400
}

extension Occurrence {
  /// Windows are [opens, closes).
  package func holds(_ now: Date) -> Bool { opensAt <= now && now < closesAt }
}

extension DoseLog.Row {
  /// A paused person's dose can still be credited in its window; no other ended one can.
  package var isCreditable: Bool { ending == nil || ending == .skipped(.paused) }
}

extension DoseLog {
  /// Missed and unknown doses that the wall still shows: until acknowledged or 24 h after the window closed.
  package func unseen(at now: Date) -> [Row] {
    rows.filter { row in
      guard !row.acknowledged, row.occurrence.closesAt <= now, now < row.occurrence.closesAt + 86_400 else {
        return false
      }
      switch row.ending {
      case .missed, .unknown: return true
      case .skipped, nil: return false
      }
    }.sorted {
      ($0.occurrence.dueAt, $0.occurrence.key.medication) < ($1.occurrence.dueAt, $1.occurrence.key.medication)
    }
  }
}
