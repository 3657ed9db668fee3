internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders

extension Kiosk {
  /// Weighs the clock and, when it has just become one to believe, decides the taps that waited for it.
  func weighClock() async {
    let now = parts.time.now()
    let uptime = parts.time.uptime()
    if newestTrusted == nil { newestTrusted = try? await parts.ledger.newestTrustedInstant() }
    let facts = parts.clockFacts()
    let trusted = trust.evaluate(facts, now: now, uptime: uptime, newestTrustedRow: newestTrusted)
    let isSynchronised = facts.synchronised == true
    // A clock that was ahead and believed (a hardware clock in local time) was set by its time service.
    let wasAhead = trusted && isSynchronised && newestTrusted.map { $0 > now } ?? false
    if trusted != clockTrusted {
      parts.log.notice(trusted ? "the clock is believed" : "the clock is not believed: taps are kept for later")
    }
    if trust.memory.differs(from: keptClock) {
      keptClock = trust.memory
      parts.keepClock(trust.memory)
    }
    if trusted != clockTrusted || wasAhead || trust.didStep { clockIsSettled = false }
    // What could be recorded before a step could not in the hours that it jumped over. A time service that sets the clock
    // right by seconds jumps over none.
    let wasFarAhead = wasAhead && newestTrusted.map { $0.timeIntervalSince(now) > ClockTrust.step } ?? false
    if trusted != clockTrusted || wasFarAhead || trust.didStep { spans.clockStepped(to: now) }
    if trusted, !clockIsSettled { await settleClock(at: now, uptime: uptime, isSynchronised: isSynchronised) }
    clockTrusted = trusted
  }

  /// What weighing the clock would say now, as far as newest rows are known.
  var seemsTrusted: Bool {
    var trust = trust
    return trust.evaluate(
      parts.clockFacts(), now: parts.time.now(), uptime: parts.time.uptime(), newestTrustedRow: newestTrusted)
  }

  /// Takes back what a clock that was ahead has written, and decides what waited for a clock. Tried again at the next look
  /// when the ledger fails: a tap that was thanked for must not wait for ever.
  private func settleClock(at now: Date, uptime: Duration, isSynchronised: Bool) async {
    do {
      if isSynchronised {
        if try await parts.ledger.correctClock(to: now, boot: parts.boot) {
          parts.log.warning("the clock was ahead: what it wrote is not believed any more")
        }
        newestTrusted = try await parts.ledger.newestTrustedInstant()
      }
      try await decidePending(at: now, uptime: uptime)
      clockIsSettled = true
    } catch {
      fail(error)
    }
  }

  /// Decides the taps of this boot that waited for a clock, at the instants they really happened at.
  private func decidePending(at now: Date, uptime: Duration) async throws {
    let rules = rules(at: now)
    for pending in try await parts.ledger.pendingTaps(boot: parts.boot) {
      let at = pending.tap.instant(now: now, uptime: uptime).asStored
      let uid = pending.tap.uid
      let entry = TapEntry(
        uid: uid, at: at, recordedAt: now, zoneOffset: rules.zone.secondsFromGMT(for: at), uptime: pending.tap.uptime,
        boot: parts.boot, clockTrusted: true, resolves: pending.id)
      let record = try await parts.ledger.recordTap(entry) { view in
        var decided = rules.decide(uid, at: at, view: view).decided
        // Nobody is tapping now: it was heard when it was.
        decided.sound = .none
        return decided
      }
      parts.log.notice("tap \(uid) from before the clock was set: \(record.decided.verdict.outcome.rawValue)")
    }
  }
}

extension ClockTrust {
  fileprivate mutating func evaluate(
    _ facts: ClockFacts, now: Date, uptime: Duration, newestTrustedRow: Date?
  ) -> Bool {
    evaluate(
      now: now, uptime: uptime, newestTrustedRow: newestTrustedRow, synchronised: facts.synchronised,
      wasSynchronised: facts.wasSynchronised, hasHardwareClock: facts.hasHardwareClock,
      timeServiceRuns: facts.timeServiceRuns)
  }
}
