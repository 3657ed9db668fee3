import Foundation
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Agent

struct WatchdogTests {
  @Test(arguments: [
    (["monitor": Duration.seconds(99)], []),
    (["monitor": .seconds(85)], []),
    (["monitor": .seconds(84)], ["monitor"]),
    (["monitor": .seconds(1), "decode": .seconds(99), "http": .seconds(2)], ["http", "monitor"]),
    ([:], []),
  ])
  func `a beat older than 15 s is a sign of death`(beats: [String: Duration], silent: [String]) {
    #expect(Watchdog.silent(beats, at: .seconds(100)) == silent)
  }

  @Test(.timeLimit(.minutes(1)))
  func `systemd is not fed while a thread is silent, and is again when it answers`() async throws {
    let manager = FakeManager()
    let time = ManualTime(uptime: .seconds(1000))
    let left = Mutex<[[String]]>([])
    let beat = Mutex(Duration.seconds(1000))
    let watchdog = Watchdog(
      notify: NotifySocket(environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "30000000"]), time: time,
      log: .none, beats: { ["monitor": beat.withLock { $0 }] }, leave: { names in left.withLock { $0.append(names) } })
    let running = Task { try await watchdog.run() }
    await time.waitForSleepers()
    #expect(manager.received() == ["WATCHDOG=1"])
    for _ in 0..<3 {
      time.advance(by: .seconds(5))
      await time.waitForSleepers()
    }
    #expect(manager.received().count == 3, "15 s old is still alive")
    time.advance(by: .seconds(5))
    await time.waitForSleepers()
    #expect(manager.received() == [])
    beat.withLock { $0 = time.uptime() }
    time.advance(by: .seconds(5))
    await time.waitForSleepers()
    #expect(manager.received() == ["WATCHDOG=1"])
    #expect(left.withLock { $0 } == [["monitor"], []], "the cause is there to be found after the end")
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a machine that slept for hours is fed for, and its threads are judged at the next look`() async throws {
    let manager = FakeManager()
    let time = ManualTime(uptime: .seconds(1000))
    let left = Mutex<[[String]]>([])
    let watchdog = Watchdog(
      notify: NotifySocket(environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "30000000"]), time: time,
      log: .none, beats: { ["monitor": .seconds(1000)] }, leave: { names in left.withLock { $0.append(names) } })
    let running = Task { try await watchdog.run() }
    await time.waitForSleepers()
    #expect(manager.received() == ["WATCHDOG=1"])
    time.advance(by: .seconds(8 * 3600))
    await time.waitForSleepers()
    #expect(manager.received() == ["WATCHDOG=1"])
    #expect(left.withLock { $0 } == [])
    time.advance(by: .seconds(5))
    await time.waitForSleepers()
    #expect(manager.received() == [])
    #expect(left.withLock { $0 } == [["monitor"]])
    // One that was silent before is so after it.
    time.advance(by: .seconds(8 * 3600))
    await time.waitForSleepers()
    #expect(manager.received() == [])
    running.cancel()
    _ = await running.result
  }
}
