package import Foundation

/// What became of one tap, as far as people are told.
package struct TapFacts: Equatable, Sendable {
  package struct Dose: Equatable, Sendable {
    package var medication: String
    package var dose: String?
    package var dueAt: Date

    package init(medication: String, dose: String?, dueAt: Date) {
      self.medication = medication
      self.dose = dose
      self.dueAt = dueAt
    }
  }

  /// A medication of the tag that was not credited (DESIGN 4.1 `notCredited`).
  package struct Refused: Equatable, Sendable {
    package enum Reason: String, Sendable { case alreadyTaken, tooSoon, notDue }

    package var medication: String
    package var reason: Reason
    /// alreadyTaken: when it was tapped; tooSoon, notDue: from when it may be recorded; nil: not known.
    package var at: Date?

    package init(medication: String, reason: Reason, at: Date?) {
      self.medication = medication
      self.reason = reason
      self.at = at
    }
  }

  /// The outcomes of DESIGN 4.1.
  package enum Outcome: String, CaseIterable, Sendable {
    case taken, alreadyTaken, wrongWindow, unknownTag, unreadable, notRecorded, pendingTime, ignored
  }

  package var outcome: Outcome
  /// When the tag was tapped: the day that the texts' times are told from.
  package var at: Date
  /// The name of whose tag it is; nil: nobody's.
  package var person: String?
  package var isPaused = false
  package var credited: [Dose] = []
  package var refused: [Refused] = []
  package var lastTakenAt: Date?
  /// From when a dose of the tag may be recorded again; nil: none is planned.
  package var nextFrom: Date?
  /// Oldest first.
  package var missed: [Dose] = []
  /// Doses that closed while the wall could not record; oldest first.
  package var notKnown: [Dose] = []
  /// Upper-case hex, for `unknownTag` only: so that the tag can be enrolled.
  package var uid: String?
  /// The UID is one that a phone makes up at every tap.
  package var isRandomUID = false
  /// The reason's stable name, for `unreadable`.
  package var unreadable: String?
  /// The stable name of what kept the tap from being stored, such as `full`, for `notRecorded`; nil: not known.
  package var cause: String?

  package init(outcome: Outcome, at: Date) {
    self.outcome = outcome
    self.at = at
  }
}

/// What the wall says about a tap.
package struct TapTexts: Equatable, Sendable {
  package enum Style: String, Sendable { case good, warn, bad }

  /// A few words, for the far side of the kitchen.
  package var headline: String
  package var detail: String
  package var style: Style

  /// One line: for the ledger, the history and a replay.
  package var message: String { detail.isEmpty ? headline : "\(headline): \(detail)" }
}

extension TapFacts.Outcome {
  /// How long the answer stays on the wall; `notRecorded` stays until the next tap, at most this long (DESIGN 5.2).
  package var stay: Duration {
    switch self {
    case .taken, .alreadyTaken, .unreadable: .seconds(6)
    case .wrongWindow, .unknownTag, .pendingTime, .ignored: .seconds(8)
    case .notRecorded: .seconds(60)
    }
  }

  /// `success`, `failure` or `none` (DESIGN 5.2 "Sounds").
  package var sound: String {
    switch self {
    case .taken, .pendingTime: "success"
    case .alreadyTaken, .wrongWindow, .unknownTag, .unreadable, .notRecorded: "failure"
    case .ignored: "none"
    }
  }
}
