package import Foundation

/// Names one dose for ever: the medication, the local day and the rule's local time of that day.
///
/// It does not hold the instant: a dose that a zone change or a clock change moves is still the same dose.
package struct OccurrenceKey: Hashable, Sendable {
  package var medication: String
  package var day: LocalDay
  package var at: LocalTime

  package init(medication: String, day: LocalDay, at: LocalTime) {
    self.medication = medication
    self.day = day
    self.at = at
  }
}

/// One dose due at one instant. As soon as its window opens it is a row of the ledger and never changes again.
package struct Occurrence: Equatable, Sendable {
  package var key: OccurrenceKey
  package var dueAt: Date
  /// The window is [opensAt, closesAt).
  package var opensAt: Date
  package var closesAt: Date
  /// Late from here while uncredited; nil: never late and never missed (due before its rule's `since`).
  package var lateAt: Date?
  /// Seconds between two taps that both count, by default half the distance back to the occurrence before it; an explicit
  /// `Medication.minimumSpacing` wins over it at the time of the tap.
  package var spacing: TimeInterval

  package init(
    key: OccurrenceKey, dueAt: Date, opensAt: Date, closesAt: Date, lateAt: Date?, spacing: TimeInterval
  ) {
    self.key = key
    self.dueAt = dueAt
    self.opensAt = opensAt
    self.closesAt = closesAt
    self.lateAt = lateAt
    self.spacing = spacing
  }
}

/// How an occurrence ended without a credit.
package enum Ending: Equatable, Sendable {
  /// Not to be taken or not to be asked for. A `paused` one can still be credited by a tap in its window.
  case skipped(SkipReason)
  /// Its window closed uncredited while the wall could record.
  case missed
  /// Its window closed while the wall could not record for all of its last quarter.
  case unknown(UnknownReason)
}

package enum SkipReason: String, Sendable, CaseIterable {
  /// The person is paused.
  case paused
  /// The clock change moved it onto another dose of the same medication.
  case clockChange
  /// The time is new or changed, and its window already held a credit of the medication.
  case alreadyTaken
  /// The time, its medication or its person is no longer in the rules.
  case ruleEnded
  /// It was due before its time was entered: it could be credited, but is neither late nor missed.
  case enteredLate
}

package enum UnknownReason: String, Sendable, CaseIterable {
  /// The wall could not record for all of the last quarter of the window.
  case notRecording
  /// Rows of that time may be missing from the ledger.
  case recordsLost
}

/// A dose marked taken by a tap; voided ones are not here.
package struct Credit: Equatable, Sendable {
  package var key: OccurrenceKey
  /// The instant of the tap that credited it.
  package var tappedAt: Date

  package init(key: OccurrenceKey, tappedAt: Date) {
    self.key = key
    self.tappedAt = tappedAt
  }
}

/// What the ledger knows of the doses that matter now: the input of every rule, and what the rules' changes apply to.
///
/// It holds at least every occurrence whose window closed no more than nine days before `now` or `advancedUntil`, the
/// earlier of them: a changed rule can keep a window open for seven days after due and a changed zone moves a dose by up to
/// 26 h, and the dose must be found to be a row, not made a second one. And it holds the credits from 23 days before that
/// instant to 14 days after `now`: a window is at most 14 days long, and a row must never be without its credit.
package struct DoseLog: Equatable, Sendable {
  package struct Row: Equatable, Sendable {
    package var occurrence: Occurrence
    package var ending: Ending?
    /// True when a person has acknowledged a missed or unknown dose.
    package var acknowledged: Bool

    package init(occurrence: Occurrence, ending: Ending? = nil, acknowledged: Bool = false) {
      self.occurrence = occurrence
      self.ending = ending
      self.acknowledged = acknowledged
    }
  }

  /// How long before the earlier of `now` and `advancedUntil` a window may have closed that must still be here, in seconds.
  package static let reachOfRows: TimeInterval = 9 * 86_400
  /// How long before those rows, and after `now`, a credit was tapped that must be here, in seconds.
  package static let reachOfCredits: TimeInterval = 14 * 86_400

  package var rows: [Row]
  package var credits: [Credit]
  /// Up to here every window that opened is a row and every one that closed has an ending; nil: no rule was ever applied,
  /// so nothing that closed before now is asked for.
  package var advancedUntil: Date?
  /// Spans whose rows may be missing from the ledger, oldest first; one that still waits for its end reaches up to `now`.
  package var recordsLost: [DateInterval]

  package init(
    rows: [Row] = [], credits: [Credit] = [], advancedUntil: Date? = nil, recordsLost: [DateInterval] = []
  ) {
    self.rows = rows
    self.credits = credits
    self.advancedUntil = advancedUntil
    self.recordsLost = recordsLost
  }

  /// The log after `changes`, which were decided at `now`.
  package func applying(_ changes: [DoseChange], at now: Date) -> DoseLog {
    var log = self
    log.advancedUntil = max(now, advancedUntil ?? now)
    for change in changes {
      switch change {
      case .open(let occurrence): log.rows.append(Row(occurrence: occurrence))
      case .end(let key, let ending):
        if let index = log.rows.firstIndex(where: { $0.occurrence.key == key }) { log.rows[index].ending = ending }
      }
    }
    return log
  }
}

/// What a rule wants written; the ledger applies them in order, in the transaction that asked.
package enum DoseChange: Equatable, Sendable {
  /// The window opened: the occurrence becomes a row.
  case open(Occurrence)
  case end(OccurrenceKey, Ending)
}

/// Every answer a tap can get. The names are fixed everywhere: logs, JSON, the page.
package enum TapOutcome: String, CaseIterable, Sendable {
  case taken, alreadyTaken, wrongWindow, unknownTag, unreadable, notRecorded, pendingTime, ignored
}

/// Why a medication of the tapped tag was not credited.
package enum NotCreditedReason: String, CaseIterable, Sendable {
  case alreadyTaken, tooSoon, notDue
}

/// What was decided for one tap: the facts, from which the ledger's rows, the sound and the texts are made.
package struct TapVerdict: Equatable, Sendable {
  package struct Credited: Equatable, Sendable {
    package var key: OccurrenceKey
    package var dueAt: Date

    package init(key: OccurrenceKey, dueAt: Date) {
      self.key = key
      self.dueAt = dueAt
    }
  }

  package struct NotCredited: Equatable, Sendable {
    package var medication: String
    package var reason: NotCreditedReason
    /// alreadyTaken: when that dose was tapped. tooSoon: when the next may be recorded. notDue: when the next window
    /// opens; nil when none will.
    package var at: Date?

    package init(medication: String, reason: NotCreditedReason, at: Date?) {
      self.medication = medication
      self.reason = reason
      self.at = at
    }
  }

  package var outcome: TapOutcome
  /// The person of the tag; nil when the tag is unknown or was not read.
  package var person: String?
  /// True when that person is paused: credited all the same, and told so.
  package var paused: Bool
  /// Ordered by due instant, then medication id.
  package var credited: [Credited]
  /// Ordered by the due instant of the dose each one speaks of, then medication id.
  package var notCredited: [NotCredited]
  /// The last credited tap of any of the tag's medications (for "already taken at").
  package var lastTakenAt: Date?
  /// When the next dose of the tag may be recorded: the later of spacing and window; nil when none is known.
  package var nextFrom: Date?
  /// Occurrences of the tag that were missed or unknown and not yet acknowledged, oldest first (for `wrongWindow`).
  package var missed: [OccurrenceKey]

  package init(
    outcome: TapOutcome, person: String? = nil, paused: Bool = false, credited: [Credited] = [],
    notCredited: [NotCredited] = [], lastTakenAt: Date? = nil, nextFrom: Date? = nil, missed: [OccurrenceKey] = []
  ) {
    self.outcome = outcome
    self.person = person
    self.paused = paused
    self.credited = credited
    self.notCredited = notCredited
    self.lastTakenAt = lastTakenAt
    self.nextFrom = nextFrom
    self.missed = missed
  }
}
