import Linux
import PCSC
import Synchronization
import TestSupport
import Testing

@testable import TagReader

/// A running monitor over a fake pcscd and a manual clock.
struct Bench: Sendable {
  struct Overdue: Error, CustomStringConvertible { let description: String }

  let pcscd: FakePcscd
  let time: ManualTime
  let monitor: SlotMonitor

  /// - Parameter prepare: what is so before the monitor starts; one reader is plugged in.
  init(_ prepare: (FakePcscd) -> Void = { _ in }) {
    pcscd = FakePcscd()
    time = ManualTime()
    pcscd.plug()
    prepare(pcscd)
    monitor = SlotMonitor(library: pcscd.library, time: time, log: .none)
  }

  func run(_ body: (Bench) async throws -> Void) async throws {
    let running = Task { await monitor.run() }
    // Nothing hangs on after a test.
    defer {
      pcscd.change { state in
        state.isFrozen = false
        state.isStretched = false
        for name in state.readers.keys { state.readers[name]?.isHung = false }
      }
      running.cancel()
    }
    _ = try await summary { $0.condition != .starting }
    try await body(self)
  }

  func nextRead(advancing: Bool = true) async throws -> TagRead {
    guard case .read(let tag) = try await next(advancing) else { throw Overdue(description: "unreadable, not read") }
    return tag
  }

  func nextUnreadable(advancing: Bool = true) async throws -> UnreadableTag {
    guard case .unreadable(let tag) = try await next(advancing) else {
      throw Overdue(description: "read, not unreadable")
    }
    return tag
  }

  func nextEventReason() async throws -> UnreadableReason { try await nextUnreadable(advancing: false).reason }

  /// The next event; the clock goes on in steps of 20 ms while the threads have nothing to do but wait for it.
  private func next(_ advancing: Bool) async throws -> TagEvent {
    let event = Mutex<Result<TagEvent, any Error>?>(nil)
    let waiter = Task { [monitor] in
      do {
        let next = try await monitor.nextEvent(claim: .tapLoop)
        event.withLock { $0 = .success(next) }
      } catch { event.withLock { $0 = .failure(error) } }
    }
    defer { waiter.cancel() }
    try await eventually("an event", advancing: advancing) { event.withLock { $0 != nil } }
    return try event.withLock { try $0!.get() }
  }

  func summary(advancing: Bool = false, where isDue: @Sendable (ReaderSummary) -> Bool) async throws -> ReaderSummary {
    try await eventually("a summary", advancing: advancing) { isDue(monitor.summary()) }
    return monitor.summary()
  }

  func until(_ what: String, _ isDue: (FakePcscd.State) -> Bool) async throws {
    try await eventually(what, advancing: true) { isDue(pcscd.now) }
  }

  /// The monitor has looked at every slot since now.
  func untilLooked(advancing step: Duration = .zero) async throws {
    time.advance(by: step)
    let waits = pcscd.now.waits
    try await eventually("two looks", advancing: false) { pcscd.now.waits >= waits + 2 }
  }

  /// The monitor is in a call that does not end.
  func untilWaiting() async throws {
    try await eventually("a wait that does not end", advancing: false) { pcscd.now.hasCaughtWait }
  }

  private func eventually(_ what: String, advancing: Bool, _ isDue: () -> Bool) async throws {
    for _ in 0..<2000 {
      if isDue() { return }
      try await Task.sleep(for: .milliseconds(5))
      if advancing, time.sleeperCount > 1 { time.advance(by: .milliseconds(20)) }
    }
    throw Overdue(description: "no \(what): \(monitor.summary())")
  }
}
