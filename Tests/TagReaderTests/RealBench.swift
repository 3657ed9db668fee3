import Foundation
import Linux
import PCSC
import Synchronization
import TestSupport
import VirtualTag

@testable import TagReader

/// A monitor over the real libpcsclite and a real pcscd. In a process of its own: the library looks up its socket once.
struct RealBench: Sendable {
  let pcscd: PrivatePcscd
  let monitor: SlotMonitor
  private let events = Events()

  private final class Events: Sendable {
    let list = Mutex<[TagEvent]>([])
  }

  init(_ pcscd: PrivatePcscd) {
    for (name, value) in pcscd.environment { _ = unsafe setenv(name, value, 1) }
    self.pcscd = pcscd
    monitor = SlotMonitor(log: .none)
  }

  /// Starts the monitor, waits until it has seen the readers, and ends it after the test.
  func run(ready: Bool = true, _ body: () async throws -> Void) async throws {
    let running = Task { await monitor.run() }
    // Several wait, so that taps closer together than a task can wait again need no buffer.
    let collecting = (0..<8).map { _ in
      Task { [events] in
        while !Task.isCancelled {
          let event = try await monitor.nextEvent(claim: .tapLoop)
          events.list.withLock { $0.append(event) }
        }
      }
    }
    let result: Result<Void, any Error>
    do {
      if ready { try await summary { $0.condition == .ready } }
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
    for task in collecting { task.cancel() }
    running.cancel()
    // The process is to end only when no thread is in libpcsclite any more.
    await running.value
    try result.get()
  }

  /// In the order of the taps; a failure before the read that answers it.
  var all: [TagEvent] {
    events.list.withLock { $0 }.sorted { ($0.presence, $0.isRead ? 1 : 0) < ($1.presence, $1.isRead ? 1 : 0) }
  }

  @discardableResult
  func summary(
    within seconds: Double = Waiting.patience, where isDue: (ReaderSummary) -> Bool
  ) async throws -> ReaderSummary {
    try await eventually("summary", within: seconds) { isDue(monitor.summary()) }
    return monitor.summary()
  }

  /// The `count`-th event of all.
  func event(_ count: Int, within seconds: Double = Waiting.patience) async throws -> TagEvent {
    try await eventually("\(count) events", within: seconds) { all.count >= count }
    return all[count - 1]
  }

  func read(_ count: Int, within seconds: Double = Waiting.patience) async throws -> TagRead {
    let event = try await event(count, within: seconds)
    guard case .read(let tag) = event else { throw Bench.Overdue(description: "\(event)") }
    return tag
  }

  func unreadable(_ count: Int, within seconds: Double = Waiting.patience) async throws -> UnreadableTag {
    let event = try await event(count, within: seconds)
    guard case .unreadable(let tag) = event else { throw Bench.Overdue(description: "\(event)") }
    return tag
  }

  private func eventually(_ what: String, within seconds: Double, _ isDue: () -> Bool) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    while !isDue() {
      guard clock.now < end else {
        throw Bench.Overdue(description: "no \(what) in \(seconds) s: \(monitor.summary()), \(all.suffix(5))")
      }
      try await clock.sleep(for: .milliseconds(2))
    }
  }
}

extension TagEvent {
  fileprivate var isRead: Bool { if case .read = self { true } else { false } }

  var presence: UInt64 {
    switch self {
    case .read(let tag): tag.presence
    case .unreadable(let tag): tag.presence
    }
  }
}
