import Foundation
import TestSupport
import Testing

@testable import Sound

/// The files of a configuration, and what is heard when they are no sounds.
@Suite(.timeLimit(.minutes(1)))
struct ChimeSoundsTests {
  private let folder = ScratchFolder()
  private let good = WAVBytes.file([WAVBytes.format(), WAVBytes.sound])

  @Test func `both files are decoded`() throws {
    let sounds = ChimeSounds(success: try folder.write("a.wav", good), failure: try folder.write("b.wav", good))
    #expect(sounds.problems == [])
    for chime in Chime.results { #expect(sounds.byChime[chime]?.samples == [1, -2, 3, -4]) }
  }

  @Test func `a file that cannot be read is named, and the chime's own spare tone stands in`() throws {
    let fine = try folder.write("fine.wav", good)
    let pipe = folder.path("pipe")
    let made = unsafe mkfifo(pipe, 0o600)
    let large = try folder.write("large.wav", [])
    let grown = unsafe truncate(large, WAV.limit + 1)
    #expect((made, grown) == (0, 0))
    let cases: [(String, String)] = [
      (folder.path("missing.wav"), "there is no such file"), (folder.path(""), "it is not a file"),
      (pipe, "it is not a file"), ("/dev/zero", "it is not a file"), (large, "it is larger than 10 MiB"),
      (try folder.write("empty.wav", []), "it is no WAV file"),
    ]
    for (path, problem) in cases {
      let sounds = ChimeSounds(success: path, failure: fine)
      #expect(sounds.problems == ["\(path): \(problem)"])
      #expect(sounds.byChime[.success] == Chime.success.spare)
      #expect(sounds.byChime[.failure]?.samples == [1, -2, 3, -4])
    }
  }

  @Test func `with a file missing the player runs, sounds and says so`() async throws {
    let sound = try SoundHarness(failure: nil)
    await sound.player.reach(.badFile("\(sound.folder.path("failure.wav")): there is no such file"))
    try sound.alsa.waitForRest(1)
    sound.alsa.forget()
    sound.player.play(.failure)
    #expect(await sound.events(2) == [.started(.failure), .finished(.failure)])
    let spare = Chime.failure.spare.samples
    #expect(sound.alsa.with { $0.taken }.prefix(spare.count) == spare[...])
    #expect(sound.lines.all.count == 1)
    #expect(sound.lines.all.first?.hasSuffix("failure.wav: there is no such file") == true)
  }

  @Test func `a broken file does not hide that the device is away, nor the other way round`() async throws {
    let sound = try SoundHarness(success: [1, 2, 3]) { $0.isAbsent = true }
    await sound.player.reach(.noDevice)
    try sound.alsa.waitForRest(1)
    sound.alsa.with { $0.isAbsent = false }
    sound.alsa.pass()
    await sound.player.reach(.badFile("\(sound.folder.path("success.wav")): it is no WAV file"))
  }

  @Test func `the spare tones are as different as the installed sounds, and as loud as is safe`() {
    let success = Chime.success.spare
    let failure = Chime.failure.spare
    #expect(Spectrum.bursts(success) == 1)
    #expect(Spectrum.bursts(failure) == 2)
    #expect(Spectrum.dominant(success, from: 0.05) < Spectrum.dominant(success, from: 0.3))
    #expect(Spectrum.dominant(success, from: 0.05) > 500)
    #expect(Spectrum.dominant(failure, from: 0.1) < 300)
    // A reminder is no answer: one note, lower than a success and higher than a failure, and softer than both.
    let reminder = Chime.reminder.spare
    #expect(Spectrum.bursts(reminder) == 1)
    #expect((400...480).contains(Spectrum.dominant(reminder, from: 0.05)))
    #expect(Spectrum.dominant(reminder, from: 0.05) == Spectrum.dominant(reminder, from: 0.5))
    for sound in [success, failure] {
      let peak = sound.samples.map { abs(Int($0)) }.max() ?? 0
      #expect((10_000...24_000).contains(peak), "\(peak)")
    }
  }
}
