import Linux
import Synchronization
import TestSupport
import Testing

@testable import Agent

struct SupervisorTests {
  struct Broken: Error {}

  @Test(.timeLimit(.minutes(1)))
  func `a service that fails is started again with back-off, and its neighbour never notices`() async {
    let time = ManualTime()
    let starts = Mutex<[Duration]>([])
    let neighbour = Mutex(0)
    let supervisor = Supervisor(time: time, log: .none)
    let running = Task {
      await supervisor.run([
        Supervisor.Service("broken") {
          starts.withLock { $0.append(time.uptime()) }
          throw Broken()
        },
        Supervisor.Service("sound") {
          neighbour.withLock { $0 += 1 }
          try await time.sleep(for: .seconds(100_000))
        },
      ])
    }
    for _ in 0..<9 {
      await time.waitForSleepers(2)
      let next = (time.nextDeadline ?? .zero) - time.uptime()
      time.advance(by: next)
    }
    await time.waitForSleepers(2)
    let times = starts.withLock { $0 }
    let pauses = zip(times, times.dropFirst()).map { ($1 - $0).inSeconds }
    #expect(pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30])
    #expect(neighbour.withLock { $0 } == 1)
    running.cancel()
    await running.value
  }

  @Test func `a service that ran for a minute starts over with the shortest pause`() {
    var backOff = Supervisor.BackOff()
    for _ in 0..<5 { _ = backOff.next(ranFor: .seconds(1)) }
    let pauses = [60, 1].map { backOff.next(ranFor: .seconds($0)) }
    #expect(pauses == [.milliseconds(500), .seconds(1)])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a service that returns by itself is started again`() async {
    let time = ManualTime()
    let starts = Mutex(0)
    let running = Task {
      await Supervisor(time: time, log: .none).run([
        Supervisor.Service("short") { starts.withLock { $0 += 1 } }
      ])
    }
    await time.waitForSleepers()
    time.advance(by: .seconds(1))
    await time.waitForSleepers()
    #expect(starts.withLock { $0 } == 2)
    running.cancel()
    await running.value
  }
}
