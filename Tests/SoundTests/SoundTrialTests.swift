import Dispatch
import Foundation
import Linux
import TestSupport
import Testing

@testable import Sound

/// How long a sound took, by what the player tells.
struct SoundTrialTests {
  private func player(_ device: String, _ time: ManualTime, _ trial: SoundTrial) -> Player {
    Player(
      device: device, success: "/no/such.wav", failure: "/no/such.wav", time: time, log: .none,
      event: { trial.note($0) })
  }

  @Test func `a sound is measured from its first sample to its end, and an earlier one does not count`() {
    let time = ManualTime(uptime: .seconds(1000))
    let trial = SoundTrial(time: time)
    trial.note(.started(.success, at: .seconds(1)))
    trial.note(.finished(.success))
    // ALSA's `null` takes everything at once; on this clock that is no time at all.
    let player = player("null", time, trial)
    defer { player.stop() }
    #expect(trial.play(on: player, within: .seconds(10)) == SoundTrial.Outcome(started: .zero, lasted: .zero))
  }

  @Test func `a sound that has no device was never heard`() {
    let time = ManualTime()
    let trial = SoundTrial(time: time)
    let player = player("hw:CARD=NoSuchCard", time, trial)
    defer { player.stop() }
    #expect(trial.play(on: player, within: .milliseconds(300)) == SoundTrial.Outcome())
  }
}
