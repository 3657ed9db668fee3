import Dispatch
import Foundation
import Linux
import TestSupport
import Testing

@testable import Sound

/// How long a sound took, by what the player tells.
struct SoundTrialTests {
  /// A player without sounds: it plays nothing and only says so.
  private func player(_ time: ManualTime, _ trial: SoundTrial) -> Player {
    Player(
      device: "null", success: "/no/such.wav", failure: "/no/such.wav", time: time, log: .none,
      event: { trial.note($0) })
  }

  @Test func `a sound that cannot be played was never heard`() {
    let time = ManualTime()
    let trial = SoundTrial(time: time)
    #expect(trial.play(on: player(time, trial), within: .seconds(5)) == SoundTrial.Outcome())
  }

  @Test func `events before the order and of the other sound do not count`() {
    let time = ManualTime()
    let trial = SoundTrial(time: time)
    trial.note(.started(.success, at: .seconds(1)))
    trial.note(.finished(.success))
    let player = player(time, trial)
    #expect(trial.play(on: player, within: .seconds(5)) == SoundTrial.Outcome())
  }
}
