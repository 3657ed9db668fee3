package import Foundation

/// What the wall has to say about doses at one instant.
package struct DoseStatus: Equatable, Sendable {
  package struct Dose: Equatable, Sendable {
    package var occurrence: Occurrence
    package var person: Person
    package var medication: Medication
  }

  package struct Ended: Equatable, Sendable {
    package var dose: Dose
    package var ending: Ending
  }

  /// Late and not credited, oldest first; never a paused person's.
  package var late: [Dose]
  /// In their window, not credited, oldest first; the late ones and those of paused people among them.
  package var open: [Dose]
  /// Missed and unknown ones that are still shown, oldest first.
  package var ended: [Ended]
  /// The next dose of each person that is not credited and not yet due, by due instant.
  package var next: [Dose]
  /// The earliest instant after `now` at which a rule has something to write or this status changes; nil: never.
  ///
  /// A dose that a clock change skips is written at the next one: nothing shown hangs on it.
  package var nextChange: Date?

  /// - Parameters:
  ///   - log: advanced to `now`.
  ///   - clockTrusted: false: nothing is late, missed or next while the clock is wrong.
  package static func of(_ household: Household, log: DoseLog, now: Date, zone: TimeZone, clockTrusted: Bool)
    -> DoseStatus
  {
    guard clockTrusted else { return DoseStatus(late: [], open: [], ended: [], next: [], nextChange: nil) }
    let credited = Set(log.credits.map(\.key))
    let creditable = log.rows
      .filter { !credited.contains($0.occurrence.key) && $0.isCreditable(in: household) }
      .sorted { Occurrence.inOrder($0.occurrence, $1.occurrence) }
    let holding = creditable.filter { $0.occurrence.holds(now) }
    let open = holding.compactMap { household.dose(of: $0.occurrence) }
    // A time that was taken away and entered again may have been taken under the other time; a dose whose row may be lost
    // may have been taken as well.
    let late = holding.filter { $0.ending != .skipped(.ruleEnded) && $0.ending != .unknown(.recordsLost) }
      .compactMap { household.dose(of: $0.occurrence) }
      .filter { dose in dose.person.remindersEnabled && (dose.occurrence.lateAt.map { $0 <= now } ?? false) }
    let unseen = log.unseen(at: now)
    let ended = unseen.compactMap { row -> Ended? in
      guard let dose = household.dose(of: row.occurrence), let ending = row.ending else { return nil }
      return Ended(dose: dose, ending: ending)
    }
    let ahead = household.medications.flatMap { log.ahead(of: $0, in: household, now: now, zone: zone) }
    let upcoming = ahead.filter { $0.dueAt > now }.sorted(by: Occurrence.inOrder).compactMap(household.dose)
    let rowsToEnd = log.rows.filter { $0.ending == nil && !credited.contains($0.occurrence.key) }
    let boundaries =
      (creditable + rowsToEnd).flatMap { [$0.occurrence.lateAt, $0.occurrence.closesAt] }.compactMap { $0 }
      + unseen.map { $0.occurrence.closesAt + 86_400 } + ahead.flatMap { [$0.opensAt, $0.dueAt] }
    return DoseStatus(
      late: late, open: open, ended: ended, next: firstOfEachPerson(upcoming),
      nextChange: boundaries.filter { $0 > now }.min())
  }

  private static func firstOfEachPerson(_ doses: [Dose]) -> [Dose] {
    var seen: Set<String> = []
    return doses.filter { seen.insert($0.person.id).inserted }
  }
}

extension Household {
  /// The person and medication of an occurrence; nil when one of them is gone.
  package func dose(of occurrence: Occurrence) -> DoseStatus.Dose? {
    guard let medication = medications.first(where: { $0.id == occurrence.key.medication }),
      let person = people.first(where: { $0.id == medication.person })
    else { return nil }
    return DoseStatus.Dose(occurrence: occurrence, person: person, medication: medication)
  }
}
