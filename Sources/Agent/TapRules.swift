package import Foundation
package import Ledger
package import Reminders
package import Wall

/// The rules of one tap put together: what the passing of time did, which doses it credits, and what people are told. Pure;
/// `run`, `replay` and tests decide with the same one.
package struct TapRules: Sendable {
  package let zone: TimeZone
  package let language: String
  /// When taps could be recorded.
  package let recording: [DateInterval]

  package init(zone: TimeZone, language: String, recording: [DateInterval]) {
    self.zone = zone
    self.language = language
    self.recording = recording
  }

  /// What is to be written up to `now`.
  package func advance(_ view: LedgerView, to now: Date) -> [DoseChange] {
    Advance(household: view.household, zone: zone, recording: recording).changes(to: view.log, now: now)
  }

  /// Decides a tap that was read, under a clock that is believed.
  package func decide(_ uid: TagUID, at now: Date, view: LedgerView) -> (decided: DecidedTap, texts: TapTexts) {
    let changes = advance(view, to: now)
    let log = view.log.applying(changes, at: now)
    let verdict = TapDecision(household: view.household, zone: zone).decide(uid, at: now, log: log)
    return told(verdict, changes, uid: uid, at: now, view: view, log: log)
  }

  /// Decides a tap that was read while the clock is not believed: nothing is credited yet.
  package func decideUntrusted(_ uid: TagUID, uptime: Duration, at now: Date, view: LedgerView)
    -> (decided: DecidedTap, texts: TapTexts)
  {
    let verdict = TapDecision(household: view.household, zone: zone)
      .decideUntrusted(uid, uptime: uptime, pending: view.pending.map(\.tap) + view.taken)
    var (decided, texts) = told(verdict, [], uid: uid, at: now, view: view, log: view.log)
    if verdict.outcome == .alreadyTaken {
      // The time of the earlier tap is as little known as this one's.
      var facts = TapFacts(outcome: .alreadyTaken, at: now)
      facts.person = view.household.people.first { $0.id == verdict.person }?.name
      texts = TapTextWriter(language: language, zone: zone).texts(facts)
      decided.message = texts.message
    }
    return (decided, texts)
  }

  /// The answer to a tap that could not be read.
  package func unreadable(_ reason: String, at now: Date) -> (decided: DecidedTap, texts: TapTexts) {
    var facts = TapFacts(outcome: .unreadable, at: now)
    facts.unreadable = reason
    let texts = TapTextWriter(language: language, zone: zone).texts(facts)
    let verdict = TapVerdict(outcome: .unreadable)
    return (
      DecidedTap(
        changes: [], verdict: verdict, message: texts.message, sound: TapSound(rawValue: facts.outcome.sound) ?? .none),
      texts
    )
  }

  /// The answer to a bounce whose own answer is too old to be shown again.
  package func stillThere(at now: Date) -> TapTexts {
    TapTextWriter(language: language, zone: zone).texts(TapFacts(outcome: .ignored, at: now))
  }

  /// The answer to a tap that could not be stored.
  ///
  /// - Parameter cause: the name of the ledger's fault.
  package func notRecorded(_ cause: String?, at now: Date) -> TapTexts {
    var facts = TapFacts(outcome: .notRecorded, at: now)
    facts.cause = cause
    return TapTextWriter(language: language, zone: zone).texts(facts)
  }

  private func told(
    _ verdict: TapVerdict, _ changes: [DoseChange], uid: TagUID, at now: Date, view: LedgerView, log: DoseLog
  ) -> (decided: DecidedTap, texts: TapTexts) {
    let facts = facts(verdict, uid: uid, at: now, household: view.household, log: log)
    let texts = TapTextWriter(language: language, zone: zone).texts(facts)
    return (
      DecidedTap(
        changes: changes, verdict: verdict, message: texts.message,
        sound: TapSound(rawValue: facts.outcome.sound) ?? .none), texts
    )
  }

  private func facts(_ verdict: TapVerdict, uid: TagUID, at now: Date, household: Household, log: DoseLog) -> TapFacts {
    let medications = Dictionary(household.medications.map { ($0.id, $0) }) { first, _ in first }
    let rows = Dictionary(log.rows.map { ($0.occurrence.key, $0) }) { first, _ in first }
    func dose(_ key: OccurrenceKey, _ dueAt: Date) -> TapFacts.Dose {
      .init(
        medication: medications[key.medication]?.name ?? key.medication, dose: medications[key.medication]?.dose,
        dueAt: dueAt)
    }
    var facts = TapFacts(outcome: TapFacts.Outcome(rawValue: verdict.outcome.rawValue) ?? .unknownTag, at: now)
    facts.person = household.people.first { $0.id == verdict.person }?.name
    facts.isPaused = verdict.paused
    facts.credited = verdict.credited.map { dose($0.key, $0.dueAt) }
    facts.refused = verdict.notCredited.map { refused in
      .init(
        medication: medications[refused.medication]?.name ?? refused.medication,
        reason: TapFacts.Refused.Reason(rawValue: refused.reason.rawValue) ?? .notDue, at: refused.at)
    }
    facts.lastTakenAt = verdict.lastTakenAt
    facts.nextFrom = verdict.nextFrom
    // What could not be recorded is not called missed.
    let ended = verdict.missed.compactMap { rows[$0] }
    facts.missed = ended.filter { $0.ending == .missed }.map { dose($0.occurrence.key, $0.occurrence.dueAt) }
    facts.notKnown = ended.filter { $0.ending != .missed }.map { dose($0.occurrence.key, $0.occurrence.dueAt) }
    facts.uid = uid.hex
    facts.isRandomUID = uid.isRandom
    return facts
  }
}
