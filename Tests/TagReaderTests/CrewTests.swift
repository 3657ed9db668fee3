import Linux
import Synchronization
import TestSupport
import Testing

@testable import TagReader

@Suite(.timeLimit(.minutes(1))) struct CrewTests {
  @Test func `a run ends with its threads`() async throws {
    let bench = Bench()
    let running = Task { await bench.monitor.run() }
    _ = try await bench.summary { $0.condition == .ready }
    bench.pcscd.put([1, 2, 3, 4])
    _ = try await bench.nextRead()
    running.cancel()
    await running.value
    // Every context is given back, which only a thread that has ended does.
    #expect(bench.pcscd.now.contexts.isEmpty)
  }

  @Test func `a thread that hangs in a call is waited for 2 s and no longer`() async throws {
    let bench = Bench()
    let running = Task { await bench.monitor.run() }
    _ = try await bench.summary { $0.condition == .ready }
    bench.pcscd.change { $0.isFrozen = true }
    try await bench.untilWaiting()
    let isOver = Mutex(false)
    let ending = Task {
      await running.value
      isOver.withLock { $0 = true }
    }
    running.cancel()
    await bench.time.waitForSleepers()
    bench.time.advance(by: .milliseconds(1999))
    #expect(isOver.withLock { $0 } == false)
    bench.time.advance(by: .milliseconds(1))
    await ending.value
    bench.pcscd.change { $0.isFrozen = false }
  }
}
