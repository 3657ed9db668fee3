import Linux
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ManualTimeTests {
  @Test func `a sleeper wakes when the clock reaches its deadline and not before`() async throws {
    let time = ManualTime()
    let sleeper = Task { try await time.sleep(for: .seconds(10)) }
    await time.waitForSleepers()
    time.advance(by: .seconds(9))
    #expect(time.sleeperCount == 1)
    time.advance(by: .seconds(1))
    try await sleeper.value
  }

  @Test func `a step of the wall clock wakes nobody`() async {
    let time = ManualTime()
    let before = time.uptime()
    let sleeper = Task { try await time.sleep(for: .seconds(10)) }
    await time.waitForSleepers()
    time.step(by: .seconds(3600))
    #expect(time.sleeperCount == 1)
    #expect(time.uptime() == before)
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `who waits for a sleeper that never comes waits until the test's time is over`()
    async
  {
    let time = ManualTime()
    let sleeper = Task { try await time.sleep(for: .seconds(10)) }
    await time.waitForSleepers()
    let waiting = Task { await time.waitForSleepers(2) }
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      await time.waitForSleepers(2)
    }
    waiting.cancel()
    late.cancel()
    await waiting.value
    await late.value
    sleeper.cancel()
  }
}
