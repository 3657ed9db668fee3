import Foundation
import TestSupport
import Testing

@testable import Sound

/// What a mixer does to a sound, and who waits for it.
@Suite(.timeLimit(.minutes(1)))
struct MixerTests {
  static let mixers: [(String, [MixerControl], MixerVerdict)] = [
    ("no controls", [], .audible),
    ("a USB speaker", [.init(name: "PCM", isOn: true, percent: 80)], .audible),
    ("its switch is off", [.init(name: "PCM", isOn: false, percent: 80)], .muted(control: "PCM")),
    ("0 % without a switch", [.init(name: "PCM", isOn: nil, percent: 0)], .muted(control: "PCM")),
    ("3 %", [.init(name: "PCM", isOn: true, percent: 3)], .quiet(percent: 3, control: "PCM")),
    ("5 % is enough", [.init(name: "PCM", isOn: true, percent: 5)], .audible),
    (
      "one master of two is off",
      [.init(name: "Master", isOn: true, percent: 90), .init(name: "PCM", isOn: nil, percent: 0)],
      .muted(control: "PCM")
    ),
    (
      "all outputs are off",
      [
        .init(name: "Master", isOn: true, percent: 90), .init(name: "Speaker", isOn: false, percent: 90),
        .init(name: "Headphone", isOn: false, percent: 90),
      ], .muted(control: "Speaker")
    ),
    (
      "one output of two is open",
      [.init(name: "Speaker", isOn: false, percent: 90), .init(name: "Headphone", isOn: true, percent: 90)], .audible
    ),
    (
      "the open output is faint",
      [
        .init(name: "Master", isOn: true, percent: 90), .init(name: "Speaker", isOn: true, percent: 2),
        .init(name: "Headphone", isOn: false, percent: 90),
      ], .quiet(percent: 2, control: "Speaker")
    ),
    (
      "a microphone's monitor and a beep do not count",
      [
        .init(name: "Mic", isOn: false, percent: 0), .init(name: "Headset Mic", isOn: false, percent: 0),
        .init(name: "Beep", isOn: false, percent: 0), .init(name: "PCM", isOn: true, percent: 50),
      ], .audible
    ),
    ("a Raspberry Pi", [.init(name: "Headphone", isOn: true, percent: 72)], .audible),
    (
      "a control named after its device", [.init(name: "UMC204HD", isOn: nil, percent: 1)],
      .quiet(percent: 1, control: "UMC204HD")
    ),
  ]

  @Test(arguments: mixers) func `the mixer's verdict`(what: String, controls: [MixerControl], verdict: MixerVerdict) {
    #expect(MixerVerdict(controls) == verdict, "\(what)")
  }

  @Test func `the card's own mixer is looked at after every opening and whenever it is asked for`() async throws {
    let sound = try SoundHarness { $0.mixer = [.init(name: "PCM", isOn: false, percent: 50)] }
    await sound.player.reach(.muted(mixer: "hw:1", control: "PCM"))
    #expect(sound.player.health.canPlay == false)
    sound.alsa.with { $0.mixer = [.init(name: "PCM", isOn: true, percent: 3)] }
    sound.player.checkMixer()
    await sound.player.reach(.quiet(percent: 3, mixer: "hw:1", control: "PCM"))
    sound.alsa.with { $0.mixer = nil }
    sound.player.checkMixer()
    await sound.player.reach(.ok)
    #expect(Set(sound.alsa.with { $0.mixers }) == ["hw:1"])
  }

  @Test func `a speaker plugged in again with its volume down is said`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { state in
      state.state = .disconnected
      state.mixer = [.init(name: "PCM", isOn: true, percent: 0)]
      state.shape.card = 2
    }
    sound.alsa.reportFault()
    await sound.player.reach(.lost)
    try sound.alsa.waitForRest(2)
    sound.alsa.pass()
    await sound.player.reach(.muted(mixer: "hw:2", control: "PCM"))
  }

  @Test func `what is no card is asked for a mixer of its own name`() async throws {
    let sound = try SoundHarness { $0.shape.card = nil }
    try await sound.ready()
    try Waiting.until("the mixer") { sound.alsa.with { $0.mixers } == [SoundHarness.device] }
  }

  @Test func `no result waits for a mixer that does not answer`() async throws {
    let hang = DispatchSemaphore(value: 0)
    defer { hang.signal() }
    let sound = try SoundHarness { $0.mixerHook = { hang.wait() } }
    try await sound.ready()
    try Waiting.until("the mixer hangs") { !sound.alsa.with { $0.mixers.isEmpty } }
    sound.player.checkMixer()
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
    #expect(sound.player.heartbeat() == sound.time.uptime())
    // Looks that nobody could make are not piled up.
    for _ in 0..<5 { sound.player.checkMixer() }
    sound.alsa.with { $0.mixerHook = nil }
    hang.signal()
    try Waiting.until("one more look") { sound.alsa.with { $0.mixers.count } == 2 }
    sound.player.checkMixer()
    try Waiting.until("the next look") { sound.alsa.with { $0.mixers.count } == 3 }
  }
}
