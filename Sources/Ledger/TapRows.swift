package import Foundation
package import Reminders

/// One physical tap as it is to be stored.
package struct TapEntry: Equatable, Sendable {
  /// nil when it was not read.
  package var uid: TagUID?
  package var at: Date
  /// Seconds east of UTC of the wall's zone at `at`.
  package var zoneOffset: Int
  /// Boot time of the tap, and the boot it belongs to: what counts while the clock cannot be believed.
  package var uptime: Duration
  package var boot: String
  package var clockTrusted: Bool
  /// Why it was not read; nil when it was.
  package var unreadable: String?
  /// The stored tap that this one answers: an unreadable one that was read after all, a pending one that has its time.
  package var resolves: Int64?

  package init(
    uid: TagUID?, at: Date, zoneOffset: Int, uptime: Duration, boot: String, clockTrusted: Bool,
    unreadable: String? = nil, resolves: Int64? = nil
  ) {
    self.uid = uid
    self.at = at.asStored
    self.zoneOffset = zoneOffset
    self.uptime = uptime
    self.boot = boot
    self.clockTrusted = clockTrusted
    self.unreadable = unreadable
    self.resolves = resolves
  }
}

/// What the caller decided inside the transaction.
package struct DecidedTap: Equatable, Sendable {
  package var changes: [DoseChange]
  package var verdict: TapVerdict
  /// One line for people.
  package var message: String
  /// `success`, `failure` or `none`.
  package var sound: String

  package init(changes: [DoseChange], verdict: TapVerdict, message: String, sound: String) {
    self.changes = changes
    self.verdict = verdict
    self.message = message
    self.sound = sound
  }
}

/// A tap that is on disk.
package struct TapRecord: Equatable, Sendable {
  package var id: Int64
  package var entry: TapEntry
  package var decided: DecidedTap
}

/// A stored tap that waits for a clock to be believed.
package struct StoredPendingTap: Equatable, Sendable {
  package var id: Int64
  package var tap: PendingTap
}

/// What a decision may look at, all from one transaction.
package struct LedgerView: Sendable {
  package var household: Household
  package var log: DoseLog
  /// The undecided pending taps of the tap's boot, oldest first.
  package var pending: [StoredPendingTap]

  package init(household: Household, log: DoseLog, pending: [StoredPendingTap]) {
    self.household = household
    self.log = log
    self.pending = pending
  }
}

/// One line of what happened (DESIGN 4.1 `history`).
package struct HistoryItem: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case tap(Tap)
    case missed(Dose)
    case unknown(Dose, reason: String)
    case skip(Dose, reason: String)
    case undo(Dose)
  }

  package struct Dose: Equatable, Sendable {
    package var medication: String
    package var dueAt: Date
  }

  package struct Tap: Equatable, Sendable {
    package var uid: TagUID?
    package var outcome: String
    package var credited: [Dose]
    package var notCredited: [TapVerdict.NotCredited]
    package var message: String
    package var sound: String
    /// The instant of the tap that this one answers.
    package var resolves: Date?
  }

  package var at: Date
  package var kind: Kind
}
