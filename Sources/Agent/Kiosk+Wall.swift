package import Foundation
internal import Ledger
internal import Linux
package import Reminders
package import Wall

extension Kiosk {
  /// What there is to show, and the uptime at which a source has something else; nil: none will by itself.
  func wallInput(_ status: DoseStatus, at now: Date, uptime: Duration) -> (WallInput, changesAt: Duration?) {
    var input = WallInput(
      agent: parts.agent, boot: parts.run, now: now, zone: parts.zone(), language: parts.language,
      clockTrusted: clockTrusted,
      reader: WallInput.Reader(
        state: shownReaderState, name: reader.name, since: now - (uptime - reader.since).inSeconds,
        isRefused: reader.refused, tagLying: reader.tagLying, fault: readerFault))
    input.overlay = shownOverlay(at: now, uptime: uptime)
    input.late = status.late.map(Self.dose)
    input.ended = status.ended.map { ended in
      WallInput.Ended(
        dose: Self.dose(ended.dose), closedAt: ended.dose.occurrence.closesAt, isMissed: ended.ending == .missed,
        isLost: ended.ending == .unknown(.recordsLost))
    }
    input.rail.doses = status.railDoses(at: now)
    input.names = Dictionary(lastView.household.people.map { ($0.id, $0.name) }) { first, _ in first }
    let changesAt = parts.sources.compactMap { $0.contribute(to: &input, at: uptime) }.min()
    input.railOrder = railOrder.arrange(input.railPlaces, at: uptime)
    input.ledgerFails = ledgerFault != nil
    input.recordsLostSince = lastView.log.recordsLost.last { now < $0.end + 86_400 }?.start
    if let report = speakerReport, !["ok", "starting"].contains(report.state) { input.speakerFault = report.state }
    input.tapsAtUnknownTime = tapsAtUnknownTime.map { id in
      lastView.household.people.first { $0.id == id }?.name ?? ""
    }
    input.zoneName = parts.zoneName
    input.night = parts.night
    input.configurationFellBack = parts.configurationFellBack
    input.isTesting = testWindows > 0
    return (input, changesAt)
  }

  /// A reader that hangs is what pcscd said of it last, and takes no taps.
  private var shownReaderState: String {
    readerFault != nil && reader.state == .ready ? ReaderReport.State.unavailable.rawValue : reader.state.rawValue
  }

  private func shownOverlay(at now: Date, uptime: Duration) -> WallInput.Shown? {
    overlay.shown.map { answer in
      WallInput.Shown(kind: answer.kind, texts: answer.texts, until: now + (answer.until - uptime).inSeconds)
    }
  }

  /// Publishes a snapshot when it looks different from the last one.
  func show(_ input: WallInput) {
    let snapshot = input.snapshot(v: (lastSnapshot?.v ?? 0) + 1)
    // An answer that comes back, or stays for longer, looks the same: the page must hear of it.
    if let lastSnapshot, snapshot.looksLike(lastSnapshot), publishedOverlay == overlay.shown { return }
    lastSnapshot = snapshot
    publishedOverlay = overlay.shown
    parts.publish(snapshot)
  }

  /// Publishes the last snapshot once more, for a server that has just come up.
  package func republish() {
    if let lastSnapshot { parts.publish(lastSnapshot) }
  }

  /// A reader with a fault takes no taps, whatever pcscd said of it last.
  package var readerIsReady: Bool { reader.state == .ready && readerFault == nil }

  func reportHealth(_ status: DoseStatus) {
    var health = WallEndpoints.Health()
    health.ledger = ledgerFault?.sentence
    health.readerState = shownReaderState
    health.readerFault = readerFault
    health.soundState = speakerReport?.state ?? "unknown"
    health.soundSentence = speakerReport?.sentence
    health.clockTrusted = clockTrusted
    let line =
      "reader \(readerFault ?? reader.state.rawValue), ledger \(ledgerFault == nil ? "ok" : "failing"), "
      + "clock \(clockTrusted ? "ok" : "not set"), \(status.late.count) late"
    if lastHealth?.health != health || lastHealth?.line != line { parts.report(health, line) }
    lastHealth = (health, line)
  }

  /// The answer to a tap goes out before the rest of the wall is worked out anew.
  func publishOverlayAtOnce() {
    guard var snapshot = lastSnapshot else { return }
    let now = parts.time.now()
    let zone = parts.zone()
    snapshot.overlay = shownOverlay(at: now, uptime: parts.time.uptime())?.overlay(in: zone)
    snapshot.v += 1
    snapshot.now = InstantText.text(now, in: zone)
    lastSnapshot = snapshot
    publishedOverlay = overlay.shown
    parts.publish(snapshot)
  }

  private static func dose(_ dose: DoseStatus.Dose) -> WallInput.Dose {
    WallInput.Dose(
      person: dose.person.name, medication: dose.medication.name, dose: dose.medication.dose,
      dueAt: dose.occurrence.dueAt)
  }
}

extension DoseStatus {
  /// The doses that people are reminded of in the rail: those that can be credited now or come next, of whoever is not
  /// paused. The late ones are among them; those that nobody can know of are not.
  package func railDoses(at now: Date) -> [RailInput.Dose] {
    let unknown = Set(ended.map(\.dose.occurrence.key))
    let openKeys = Set(open.map(\.occurrence.key))
    let lateKeys = Set(late.map(\.occurrence.key))
    return (open + next.filter { !openKeys.contains($0.occurrence.key) }).filter { dose in
      let key = dose.occurrence.key
      // What is over its lateness and not late is not asked for any more.
      let isAsked = lateKeys.contains(key) || dose.occurrence.lateAt.map { now < $0 } ?? false
      return isAsked && dose.person.remindersEnabled && !unknown.contains(key)
    }.map { dose in
      RailInput.Dose(
        personID: dose.person.id, person: dose.person.name, medication: dose.medication.name,
        dueAt: dose.occurrence.dueAt, isLate: lateKeys.contains(dose.occurrence.key))
    }
  }
}
