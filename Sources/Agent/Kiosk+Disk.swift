internal import Foundation
internal import Ledger
internal import Linux
internal import Reminders
internal import Wall

/// A disk that does not answer holds up the look at the ledger, and must not hold up the wall: what is known without it is
/// shown, with its fault. The look goes on meanwhile, and its end shows the rest.
extension Kiosk {
  /// Brings ledger and wall up to now, for whoever serves the wall first: returns after `patience` at the latest, and
  /// there is something to show.
  package func firstLook() async {
    let (hasEnded, end) = AsyncStream<Void>.makeStream()
    // On its own: a call that hangs in the disk cannot be cancelled.
    Task {
      await refresh()
      end.finish()
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in hasEnded {} }
      group.addTask { [time = parts.time] in try? await time.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
    if lastSnapshot == nil { showWithoutLedger() }
  }

  /// Says that the disk hangs when a look, or a tap, has waited for it for longer than `patience`; to be asked every few
  /// seconds.
  package func tellWhenStuck() {
    if parts.time.uptime() - turns.heartbeat() > Self.patience { showWithoutLedger() }
  }

  private func showWithoutLedger() {
    let now = parts.time.now().asStored
    let uptime = parts.time.uptime()
    if ledgerFault == nil { fail(LedgerError(kind: .io, doing: "looking at the ledger: the disk does not answer")) }
    overlay.expire(at: uptime)
    // What is said of the clock does not wait for the ledger either, which could only speak against it. Nothing is decided
    // by this.
    let weighed = clockTrusted
    clockTrusted = weighed || seemsTrusted
    defer { clockTrusted = weighed }
    advanceInMemory(to: now)
    showState(at: now, uptime: uptime)
  }
}
