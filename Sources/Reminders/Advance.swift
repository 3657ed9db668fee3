package import Foundation

/// What the passing of time writes: windows that open become rows, windows that close get an ending (DESIGN 5.2).
package struct Advance: Sendable {
  package let household: Household
  package let zone: TimeZone
  /// When a tap could have been recorded; sorted, not overlapping.
  package let recording: [DateInterval]

  /// How far back a wall that was off asks what it missed.
  package static let longestCatchUp: TimeInterval = 31 * 86_400

  /// A gap in recording that is forgiven: a restart of the agent or of pcscd takes seconds, and a person who taps into
  /// it hears nothing and taps again.
  package static let forgivenGap: TimeInterval = 30

  package init(household: Household, zone: TimeZone, recording: [DateInterval]) {
    self.household = household
    self.zone = zone
    self.recording = recording
  }

  /// The changes that bring `log` up to `now`, in the order in which they happened. Applied, a second call gives none.
  ///
  /// Only to be asked under a trusted clock: nothing is late or missed while the clock is wrong.
  package func changes(to log: DoseLog, now: Date) -> [DoseChange] {
    let opened = openings(log, now)
    let credited = Set(log.credits.map(\.key))
    var changes: [(at: Date, change: DoseChange)] = []
    for (planned, ending) in opened {
      changes.append((planned.occurrence.opensAt, .open(planned.occurrence)))
      if let ending { changes.append((planned.occurrence.opensAt, .end(planned.occurrence.key, ending))) }
    }
    let pending =
      log.rows.filter { $0.ending == nil && !credited.contains($0.occurrence.key) }.map(\.occurrence)
      + opened.filter { $0.ending == nil }.map(\.planned.occurrence)
    for occurrence in pending {
      if let ending = ending(of: occurrence, now: now, recordsLost: log.recordsLost) {
        changes.append((min(now, occurrence.closesAt), .end(occurrence.key, ending)))
      }
    }
    return changes.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element.change)
  }

  /// The windows that opened and are no rows yet, with the ending that some have from the start.
  private func openings(_ log: DoseLog, _ now: Date) -> [(planned: Schedule.Planned, ending: Ending?)] {
    let schedule = Schedule(zone: zone)
    let known = Set(log.rows.map(\.occurrence.key))
    let from = max(now - Self.longestCatchUp, min(log.advancedUntil ?? now, now))
    let people = Set(household.people.map(\.id))
    return household.medications.filter { people.contains($0.person) }.flatMap { medication in
      schedule.occurrences(of: medication, from: from, to: now)
        .filter { !known.contains($0.occurrence.key) }
        .map { ($0, endingAtOpening($0, log)) }
    }
  }

  private func endingAtOpening(_ planned: Schedule.Planned, _ log: DoseLog) -> Ending? {
    let occurrence = planned.occurrence
    if planned.isSkippedByClockChange { return .skipped(.clockChange) }
    // A rule that was entered after its window opened: what was taken in that window was taken for the old time.
    if let entered = planned.entered, occurrence.opensAt <= entered,
      log.credits.contains(where: {
        $0.key.medication == occurrence.key.medication && occurrence.opensAt <= $0.tappedAt
          && $0.tappedAt < occurrence.closesAt
      })
    {
      return .skipped(.alreadyTaken)
    }
    return nil
  }

  /// How an uncredited occurrence ends at `now`; nil while it is still open.
  private func ending(of occurrence: Occurrence, now: Date, recordsLost: [DateInterval]) -> Ending? {
    guard let person = household.person(of: occurrence.key) else { return .skipped(.ruleEnded) }
    // At once: a dose that may have been taken, and the row lost, is not to be called late for the rest of its window.
    if person.remindersEnabled, occurrence.lateAt != nil, recordsLost.contains(where: occurrence.overlaps) {
      return .unknown(.recordsLost)
    }
    guard occurrence.closesAt <= now else { return nil }
    if !person.remindersEnabled { return .skipped(.paused) }
    if occurrence.lateAt == nil { return .skipped(.enteredLate) }
    let quarter = (occurrence.closesAt - occurrence.opensAt) / 4
    return couldRecord(from: occurrence.closesAt - quarter, until: occurrence.closesAt)
      ? .missed : .unknown(.notRecording)
  }

  /// No gap longer than the forgiven one; and something was recorded, however short the time was.
  private func couldRecord(from: Date, until: Date) -> Bool {
    let spans = recording.filter { $0.end > from && $0.start < until }
    guard !spans.isEmpty else { return false }
    var reached = from
    for span in spans {
      guard span.start - reached <= Self.forgivenGap else { return false }
      reached = max(reached, span.end)
    }
    return until - reached <= Self.forgivenGap
  }
}
