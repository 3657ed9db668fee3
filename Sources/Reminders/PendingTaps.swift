package import Foundation

/// A tap of this boot that was stored while the clock could not be believed: it has only its boot time.
package struct PendingTap: Equatable, Sendable {
  package var uid: TagUID
  package var uptime: Duration

  package init(uid: TagUID, uptime: Duration) {
    self.uid = uid
    self.uptime = uptime
  }

  /// The instant it happened at, told by a clock that can be believed now.
  package func instant(now: Date, uptime: Duration) -> Date {
    let parts = (uptime - self.uptime).components
    return now - (Double(parts.seconds) + Double(parts.attoseconds) * 1e-18)
  }
}

extension TapDecision {
  /// Decides a tap under a clock that cannot be believed: it is kept for later, unless a pending tap of the same tag is
  /// nearer than any spacing its medications can have.
  package func decideUntrusted(_ uid: TagUID, uptime: Duration, pending: [PendingTap], now: Date) -> TapVerdict {
    let medications = medications(of: uid)
    guard let first = medications.first, let person = household.people.first(where: { $0.id == first.person }) else {
      return TapVerdict(outcome: .unknownTag)
    }
    var verdict = TapVerdict(outcome: .pendingTime, person: person.id, paused: !person.remindersEnabled)
    let spacing = medications.map { smallestSpacing(of: $0, around: now) }.min() ?? 0
    let last = pending.filter { $0.uid == uid }.map(\.uptime).max()
    if let last, abs((uptime - last).components.seconds) < Int64(spacing) {
      verdict.outcome = .alreadyTaken
      let tappedAt = PendingTap(uid: uid, uptime: last).instant(now: now, uptime: uptime)
      verdict.notCredited = medications.map { .init(medication: $0.id, reason: .alreadyTaken, at: tappedAt) }
    }
    return verdict
  }

  private func smallestSpacing(of medication: Medication, around now: Date) -> TimeInterval {
    if let minutes = medication.minimumSpacing { return Double(minutes) * 60 }
    return Schedule(zone: zone).occurrences(of: medication, from: now, to: now + Self.horizon)
      .filter { !$0.isSkippedByClockChange }.map(\.occurrence.spacing).min() ?? 0
  }
}
