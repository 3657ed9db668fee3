package import Foundation
package import Reminders

/// One physical tap as it is to be stored.
package struct TapEntry: Equatable, Sendable {
  /// nil when it was not read.
  package var uid: TagUID?
  /// The instant of the tap, to the millisecond.
  package var at: Date
  /// The wall clock at the moment of writing; differs from `at` when a pending tap is decided.
  package var recordedAt: Date
  /// Seconds east of UTC of the wall's zone at `at`.
  package var zoneOffset: Int
  /// Boot time of the tap, and the boot it belongs to: what counts while the clock cannot be believed.
  package var uptime: Duration
  package var boot: String
  package var clockTrusted: Bool
  /// Why it was not read, as the reader's stable name for it; nil when it was read.
  package var unreadable: String?
  /// The stored tap that this one answers: an unreadable one that was read after all, a pending one that has its time.
  package var resolves: Int64?

  /// - Parameter recordedAt: nil: the same as `at`.
  package init(
    uid: TagUID?, at: Date, recordedAt: Date? = nil, zoneOffset: Int, uptime: Duration, boot: String,
    clockTrusted: Bool, unreadable: String? = nil, resolves: Int64? = nil
  ) {
    self.uid = uid
    self.at = at.asStored
    self.recordedAt = (recordedAt ?? at).asStored
    self.zoneOffset = zoneOffset
    self.uptime = uptime
    self.boot = boot
    self.clockTrusted = clockTrusted
    self.unreadable = unreadable
    self.resolves = resolves
  }
}

/// What a tap sounded like.
package enum TapSound: String, Sendable {
  case success, failure, none
}

/// What the caller decided inside the transaction.
package struct DecidedTap: Equatable, Sendable {
  /// What the passing of time wrote before the tap was decided.
  package var changes: [DoseChange]
  package var verdict: TapVerdict
  /// One line for people.
  package var message: String
  package var sound: TapSound

  package init(changes: [DoseChange] = [], verdict: TapVerdict, message: String, sound: TapSound) {
    self.changes = changes
    self.verdict = verdict
    self.message = message
    self.sound = sound
  }
}

/// A tap that is on disk.
package struct TapRecord: Equatable, Sendable {
  /// Grows with every tap; what `TapEntry.resolves` names.
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
package struct LedgerView: Equatable, Sendable {
  package var household: Household
  package var log: DoseLog
  /// The undecided pending taps of the tap's boot, oldest first; empty where no tap is decided.
  package var pending: [StoredPendingTap]
  /// The taps of the tap's boot that credit a dose; empty unless the clock is not trusted.
  package var taken: [PendingTap]

  package init(
    household: Household, log: DoseLog, pending: [StoredPendingTap] = [], taken: [PendingTap] = []
  ) {
    self.household = household
    self.log = log
    self.pending = pending
    self.taken = taken
  }
}
