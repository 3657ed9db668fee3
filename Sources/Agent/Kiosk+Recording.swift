internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders

/// When taps could be recorded, which tells missed from unknown (DESIGN 5.2).
extension Kiosk {
  /// Before anything is decided: what happened while nobody looked.
  func catchUp() async {
    if !spansAreRecalled,
      let stored = try? await parts.ledger.recordingSpans(since: parts.time.now() - RecordingSpans.memory)
    {
      spans.recall(stored)
      spansAreRecalled = true
    }
    await noteSleep()
    await weighClock()
  }

  /// The wall looks once a minute at least. When it did not for much longer, the machine slept: what was due meanwhile
  /// could not be recorded, and nobody has missed it.
  private func noteSleep() async {
    let uptime = parts.time.uptime()
    defer { lookedAt = uptime }
    guard let lookedAt, uptime - lookedAt > Self.sleep else { return }
    let fellAsleep = parts.time.now() - (uptime - lookedAt).inSeconds
    guard spans.note(able: false, at: fellAsleep), let span = spans.spans.last else { return }
    parts.log.notice("the machine slept for \(Int((uptime - lookedAt).inSeconds)) s")
    do { try await parts.ledger.keep(span) } catch { fail(error) }
  }

  /// Keeps when taps could be recorded: in memory always, on disk once a minute while a dose waits for its tap.
  func noteRecording(at now: Date, uptime: Duration) async {
    guard clockTrusted else { return }
    let changed = spans.note(able: readerIsReady && ledgerFault == nil, at: now)
    spans.forget(before: now - RecordingSpans.memory)
    let isOpen = lastView.log.rows.contains { $0.ending == nil && $0.occurrence.holds(now) }
    let isDue = keptSpanAt.map { uptime - $0 >= .seconds(60) } ?? true
    guard changed || (isOpen && isDue), let span = spans.all(until: now).last, ledgerFault == nil else { return }
    keptSpanAt = uptime
    do { try await parts.ledger.keep(span) } catch { fail(error) }
  }
}
