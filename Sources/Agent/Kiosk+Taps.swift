internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders
internal import Synchronization
internal import Wall

extension Kiosk {
  /// How long a tap waits for its answer. A ledger that is locked or full says so by itself in less; after this the disk
  /// hangs in a call, and silence would be a lie.
  static let patience: Duration = .seconds(6)

  /// Takes taps at once and answers them in order, until cancelled. One whose answer is not there in time is told as not
  /// recorded, also while another one keeps it waiting; when it is recorded after all, that is told as well.
  package nonisolated func answerTaps(from source: any TapSource) async throws {
    let (queue, arrivals) = AsyncStream<(tap: TapSighting, alarm: Task<Void, Never>)>.makeStream()
    // Those that nobody will answer must not keep the wall waiting.
    defer { turns.release(.max) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await tap in source.taps() {
          self.turns.claim()
          arrivals.yield((tap, await self.alarm(for: tap)))
        }
      }
      group.addTask {
        for await (tap, alarm) in queue {
          await self.answerClaimed(tap)
          alarm.cancel()
        }
      }
      try await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  private func alarm(for tap: TapSighting) -> Task<Void, Never> {
    untold.append(tap)
    let deadline = tap.readAt + Self.patience
    return Task { [time = parts.time] in
      guard (try? await time.sleep(untilUptime: deadline)) != nil else { return }
      self.tellOverdue(tap)
    }
  }

  /// Says nothing of a tap that was told already, though the wall may still wait for the disk after it, and nothing of one
  /// that needs no answer of its own.
  private func tellOverdue(_ tap: TapSighting) {
    guard isUntold(tap), !testPresences.contains(tap.presence), !isEchoOfAnother(tap) else { return }
    let now = parts.time.now().asStored
    parts.log.error("a tap waits for the disk for \(Self.patience.inMilliseconds) ms: it is told as not recorded")
    if ledgerFault == nil { fail(LedgerError(kind: .io, doing: "storing a tap: the disk does not answer")) }
    tell(.notRecorded, rules(at: now).notRecorded(LedgerError.Kind.io.rawValue, at: now), tap)
  }

  /// Whether nobody was told of the tap before; from now on somebody was.
  @discardableResult
  private func isUntold(_ tap: TapSighting) -> Bool {
    guard let index = untold.firstIndex(of: tap) else { return false }
    untold.remove(at: index)
    return true
  }

  /// A bounce, or the flicker of a tag that was lifted.
  private func isEchoOfAnother(_ tap: TapSighting) -> Bool {
    guard case .uid(let bytes) = tap.content else {
      return Debounce.isTrailing(presentAt: tap.presentAt, lastLift: tap.lastLift)
    }
    var debounce = debounce
    return debounce.isBounce(TagUID(bytes), presentAt: tap.presentAt, seenBefore: tap.lastSeen)
  }

  /// Decides one tap, stores it, sounds and shows: the answer comes after the commit.
  package func answer(_ tap: TapSighting) async {
    turns.claim()
    await answerClaimed(tap)
  }

  /// Answers a tap whose turn was claimed when it came.
  func answerClaimed(_ tap: TapSighting) async {
    // A test tap that could not be read at once may be read when the test is over.
    if testPresences.contains(tap.presence) {
      turns.release()
      isUntold(tap)
      return parts.log.info("tap: it was a test")
    }
    await turns.takeClaimed { await decide(tap) }
  }

  private func decide(_ tap: TapSighting) async {
    await catchUp()
    let uptime = parts.time.uptime()
    let at = (parts.time.now() - (uptime - tap.happenedAt).inSeconds).asStored
    switch tap.content {
    case .unreadable(let reason):
      if Debounce.isTrailing(presentAt: tap.presentAt, lastLift: tap.lastLift) {
        parts.log.info("tap unreadable: the end of the one before")
      } else {
        await answerUnreadable(reason, tap, at: at)
      }
    case .uid(let bytes):
      let uid = TagUID(bytes)
      if debounce.isBounce(uid, presentAt: tap.presentAt, seenBefore: tap.lastSeen) {
        overlay.bounced(bytes, presence: tap.presence, otherwise: rules(at: at).stillThere(at: at), at: uptime)
        parts.log.info("tap \(uid): the same tap as before")
      } else {
        await answerRead(uid, tap, at: at)
      }
    }
    // A bounce has no answer of its own.
    isUntold(tap)
    await bringUpToNow(givingWay: true)
    // The loop's own look is due no later than this answer leaves the wall.
    wake.wake()
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
          : rules.decideUntrusted(uid, uptime: tap.happenedAt, at: at, view: view)
        texts.withLock { $0 = told }
        return decided
      }
      ledgerFault = nil
      let outcome = record.decided.verdict.outcome
      debounce.answered(uid, outcome, at: tap.presentAt)
      // Should the disk fail before the next look, what is thanked for now is not called late.
      lastView.log.credits += record.decided.verdict.credited.map { Credit(key: $0.key, tappedAt: at) }
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
    isUntold(tap)
    if let chime = Chime(rawValue: outcome.sound) { parts.speaker.play(chime) }
    let tag: [UInt8] = if case .uid(let bytes) = tap.content { bytes } else { [] }
    overlay.show(outcome, texts, presence: tap.presence, tag: tag, at: parts.time.uptime())
    publishOverlayAtOnce()
  }

  private func entry(_ uid: TagUID?, _ tap: TapSighting, at: Date) -> TapEntry {
    TapEntry(
      uid: uid, at: at, zoneOffset: parts.zone().secondsFromGMT(for: at), uptime: tap.happenedAt, boot: parts.boot,
      clockTrusted: clockTrusted)
  }
}
