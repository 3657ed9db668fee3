internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders
internal import Synchronization
internal import Wall

extension Kiosk {
  /// Takes taps at once and answers them in order, until cancelled.
  package nonisolated func answerTaps(from source: any TapSource) async throws {
    let (taps, arrivals) = AsyncStream<TapSighting>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // Waiting again at once: a second reader's tap must not wait for this one's disk.
        while true { arrivals.yield(try await source.nextTap()) }
      }
      group.addTask {
        for await tap in taps { await self.answer(tap) }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Decides one tap, stores it, sounds and shows: the answer comes after the commit.
  package func answer(_ tap: TapSighting) async {
    // A test tap that could not be read at once may be read when the test is over.
    if testPresences.contains(tap.presence) { return parts.log.info("tap: it was a test") }
    await weighClock()
    let uptime = parts.time.uptime()
    let at = (parts.time.now() - (uptime - tap.presentAt).inSeconds).asStored
    switch tap.content {
    case .unreadable(let reason): await answerUnreadable(reason, tap, at: at)
    case .uid(let bytes):
      let uid = TagUID(bytes)
      if debounce.isBounce(uid, presentAt: tap.presentAt, seenBefore: tap.lastSeen) {
        overlay.bounced(bytes, at: uptime)
        parts.log.info("tap \(uid): the same tap as before")
      } else {
        await answerRead(uid, tap, at: at)
      }
    }
    await refresh()
  }

  private func answerRead(_ uid: TagUID, _ tap: TapSighting, at: Date) async {
    let rules = rules(at: at)
    let trusted = clockTrusted
    let texts = Mutex<TapTexts?>(nil)
    var entry = entry(uid, tap, at: at)
    entry.resolves = tap.resolves.flatMap { unreadableRows.removeValue(forKey: $0) }
    do {
      let record = try await parts.ledger.recordTap(entry) { view in
        let (decided, told) =
          trusted
          ? rules.decide(uid, at: at, view: view)
          : rules.decideUntrusted(uid, uptime: tap.presentAt, at: at, view: view)
        texts.withLock { $0 = told }
        return decided
      }
      ledgerFault = nil
      let outcome = record.decided.verdict.outcome
      debounce.answered(uid, outcome, at: tap.presentAt)
      parts.log.info("tap \(uid): \(outcome.rawValue), \(record.decided.verdict.credited.count) credited")
      if let told = texts.withLock({ $0 }) { tell(TapFacts.Outcome(rawValue: outcome.rawValue) ?? .taken, told, tap) }
    } catch {
      fail(error)
      debounce.answered(uid, .notRecorded, at: tap.presentAt)
      parts.log.error("tap \(uid): not recorded")
      tell(.notRecorded, rules.notRecorded(ledgerFault?.kind.rawValue, at: at), tap)
    }
  }

  private func answerUnreadable(_ reason: String, _ tap: TapSighting, at: Date) async {
    let (decided, texts) = rules(at: at).unreadable(reason, at: at)
    var entry = entry(nil, tap, at: at)
    entry.unreadable = reason
    // The person is told before the row is written: no dose hangs on it.
    tell(.unreadable, texts, tap)
    do {
      let record = try await parts.ledger.recordTap(entry) { _ in decided }
      if unreadableRows.count > 16 { unreadableRows = [:] }
      unreadableRows[tap.presence] = record.id
      parts.log.info("tap unreadable: \(reason)")
    } catch {
      fail(error)
    }
  }

  /// Sound and picture, at the same time.
  private func tell(_ outcome: TapFacts.Outcome, _ texts: TapTexts, _ tap: TapSighting) {
    if let chime = Chime(rawValue: outcome.sound) { parts.speaker.play(chime) }
    let tag: [UInt8] = if case .uid(let bytes) = tap.content { bytes } else { [] }
    overlay.show(outcome, texts, presence: tap.presence, tag: tag, at: parts.time.uptime())
    publishOverlayAtOnce()
  }

  private func entry(_ uid: TagUID?, _ tap: TapSighting, at: Date) -> TapEntry {
    TapEntry(
      uid: uid, at: at, zoneOffset: parts.zone().secondsFromGMT(for: at), uptime: tap.presentAt, boot: parts.boot,
      clockTrusted: clockTrusted)
  }

  /// Decides the taps of this boot that waited for a clock, at the instants they really happened at.
  func decidePending(at now: Date, uptime: Duration) async {
    let rules = rules(at: now)
    do {
      for pending in try await parts.ledger.pendingTaps(boot: parts.boot) {
        let at = pending.tap.instant(now: now, uptime: uptime).asStored
        let uid = pending.tap.uid
        let entry = TapEntry(
          uid: uid, at: at, recordedAt: now, zoneOffset: parts.zone().secondsFromGMT(for: at),
          uptime: pending.tap.uptime,
          boot: parts.boot, clockTrusted: true, resolves: pending.id)
        let record = try await parts.ledger.recordTap(entry) { view in
          var decided = rules.decide(uid, at: at, view: view).decided
          // Nobody is tapping now: it was heard when it was.
          decided.sound = .none
          return decided
        }
        parts.log.notice("tap \(uid) from before the clock was set: \(record.decided.verdict.outcome.rawValue)")
      }
    } catch {
      fail(error)
    }
  }
}
