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
    let last = pending.filter { $0.uid == uid }.map(\.uptime).max()
    if let last, let spacing = medications.compactMap({ $0.smallestSpacing }).min(),
      uptime - last < .seconds(spacing)
    {
      verdict.outcome = .alreadyTaken
      // Not when: a clock that is not believed cannot tell.
      verdict.notCredited = medications.map { .init(medication: $0.id, reason: .alreadyTaken, at: nil) }
    }
    return verdict
  }
}

extension Medication {
  /// The shortest spacing in seconds that any of its doses can have in a week without a clock change; nil: it has no dose.
  ///
  /// Told from the local times alone, because it is asked for when the day is not known.
  var smallestSpacing: Int? {
    if let minimumSpacing { return minimumSpacing * 60 }
    let minutes = times.flatMap { time in
      Weekday.allCases.indices.filter { time.days.contains(Weekday.allCases[$0]) }
        .map { ($0 * 24 + time.at.hour) * 60 + time.at.minute }
    }.sorted()
    guard let first = minutes.first else { return nil }
    // Half a distance in minutes is thirty times it in seconds.
    return zip(minutes, minutes.dropFirst() + [first + 7 * 24 * 60]).map { ($1 - $0) * 30 }.min()
  }
}
