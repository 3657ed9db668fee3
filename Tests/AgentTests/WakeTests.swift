import Linux
import TestSupport
import Testing

@testable import Agent

/// What a loop that sleeps until something happens can rely on.
@Suite(.timeLimit(.minutes(2))) struct WakeTests {
  private let time = ManualTime()
  private let wake = Wake()

  @Test func `when a wake has returned, nobody sleeps any more`() async throws {
    let sleeping = Task { [time, wake] in try await time.sleep(.seconds(60), orUntil: wake) }
    await time.waitForSleepers()
    wake.wake()
    #expect(time.sleeperCount == 0)
    try await sleeping.value
  }

  @Test func `a wake while nobody sleeps ends the next sleep, and only that`() async throws {
    wake.wake()
    wake.wake()
    try await time.sleep(.seconds(60), orUntil: wake)
    let sleeping = Task { [time, wake] in try await time.sleep(.seconds(60), orUntil: wake) }
    await time.waitForSleepers()
    time.advance(by: .seconds(60))
    try await sleeping.value
  }

  @Test func `a wake that is forgotten wakes nobody`() async throws {
    wake.wake()
    wake.forget()
    let sleeping = Task { [time, wake] in try await time.sleep(.seconds(60), orUntil: wake) }
    await time.waitForSleepers()
    #expect(time.sleeperCount == 1)
    time.advance(by: .seconds(60))
    try await sleeping.value
  }

  @Test func `who is cancelled sleeps no longer, and takes no wake with them`() async throws {
    let sleeping = Task { [time, wake] in try await time.sleep(.seconds(60), orUntil: wake) }
    await time.waitForSleepers()
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
    wake.wake()
    try await time.sleep(.seconds(60), orUntil: wake)
    #expect(time.sleeperCount == 0)
  }
}
