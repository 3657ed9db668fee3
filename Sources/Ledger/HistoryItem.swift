package import Foundation
package import Reminders

/// One line of what happened (DESIGN 4.1 `history`).
package struct HistoryItem: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// A tap as it was answered; a credit that was undone later is still in there.
    case tap(Tap)
    case missed(Dose)
    case unknown(Dose, UnknownReason)
    case skip(Dose, SkipReason)
    /// A credit was taken back.
    case undo(Dose)
    /// A dose that was entered by hand, without a tap.
    case took(Dose)
  }

  package struct Dose: Equatable, Sendable {
    package var medication: String
    package var dueAt: Date

    package init(medication: String, dueAt: Date) {
      self.medication = medication
      self.dueAt = dueAt
    }
  }

  package struct Tap: Equatable, Sendable {
    package var id: Int64
    /// nil when unreadable.
    package var uid: TagUID?
    package var unreadable: String?
    package var outcome: TapOutcome
    package var person: String?
    /// By due instant, then medication.
    package var credited: [Dose]
    package var notCredited: [TapVerdict.NotCredited]
    package var message: String
    package var sound: TapSound
    /// The instant of the tap that this one answers.
    package var resolves: Date?
    /// False: the clock could not be believed, so `at` means little.
    package var clockTrusted: Bool
  }

  /// When it happened; for a tap what its clock said.
  package var at: Date
  package var kind: Kind
}
