internal import Agent
internal import Linux
internal import Sound
internal import TagReader

/// The real readers and the real player, for a technician to try while the agent runs.
struct RealTestBench: TestBench {
  let monitor: SlotMonitor
  let player: Player
  /// Is told of everything that `player` plays.
  let trial: SoundTrial

  func figures() -> TapFigures {
    let summary = monitor.summary()
    return TapFigures(
      taps: summary.counters.taps, unreadable: summary.counters.unreadable, tooShort: summary.counters.tooShort,
      tagSince: summary.tagSince)
  }

  func testTaps(opened: @Sendable () async -> Void, each: @Sendable (TapSighting) async -> Void) async throws {
    try await monitor.withClaim(.testWindow) {
      await opened()
      while true { await each(ReaderTaps.sighting(try await monitor.nextEvent(claim: .testWindow))) }
    }
  }

  func playSound() async -> SoundTrialReport {
    let outcome = await withCheckedContinuation { continuation in
      Threads.start(name: "sound-trial") {
        continuation.resume(returning: trial.play(on: player, within: .seconds(15)))
      }
    }
    return SoundTrialReport(
      startedMilliseconds: outcome.started?.inMilliseconds, lastedMilliseconds: outcome.lasted?.inMilliseconds,
      problem: outcome.lasted == nil ? player.health.sentence(device: player.device) : nil)
  }
}
