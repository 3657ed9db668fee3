import Foundation
import TestSupport
import Testing

@testable import Sound

/// The two WAV files that are installed. They are told apart by people who do not hear high tones, and in a noisy room.
struct InstalledSoundsTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "sounds/").path()

  private func sound(_ chime: Chime) throws -> WAV {
    try WAV.decode(Array(Data(contentsOf: URL(filePath: "\(Self.folder)\(chime.rawValue).wav"))))
  }

  @Test func `they are what the script makes`() throws {
    let scratch = ScratchFolder()
    let script = try ChildProgram("/usr/bin/env", ["python3", "\(Self.folder)make-sounds.py", scratch.root])
    #expect(try script.waitForExit(within: 60) == 0, "\(script.text)")
    for chime in Chime.results {
      let made = try WAV.decode(Array(Data(contentsOf: URL(filePath: scratch.path("\(chime.rawValue).wav")))))
      #expect(made == (try sound(chime)), "\(chime)")
    }
  }

  @Test(arguments: Chime.results) func `48 kHz, short enough, 3 dB below full, without clicks and DC`(
    chime: Chime
  ) throws {
    let sound = try sound(chime)
    #expect(sound.rate == 48_000 && sound.channels == 1)
    #expect((28_800...57_600).contains(sound.frames), "0.6 to 1.2 s")
    let samples = sound.samples.map(Int.init)
    let peak = samples.map(abs).max() ?? 0
    #expect(abs(20 * log10(Double(peak) / 32768) + 3) < 0.05)
    #expect(abs(Double(samples.reduce(0, +)) / Double(samples.count)) < 2)
    // A click is a step from or to silence: the first and last quarter of a millisecond are soft.
    for edge in [samples.prefix(12), samples.suffix(12)] { #expect((edge.map(abs).max() ?? 0) < peak / 20) }
  }

  @Test func `success rises in the band that old ears keep`() throws {
    let sound = try sound(.success)
    let tones = [0.03, 0.2, 0.45].map { Spectrum.dominant(sound, from: $0) }
    #expect(tones == tones.sorted() && Set(tones).count == 3, "\(tones)")
    #expect(tones.allSatisfy { (500...2000).contains($0) }, "\(tones)")
  }

  @Test func `failure stays low`() throws {
    let sound = try sound(.failure)
    for start in [0.1, 0.55] { #expect(Spectrum.dominant(sound, from: start) < 300) }
  }

  @Test func `failure is doubled and success is one figure`() throws {
    #expect(Spectrum.bursts(try sound(.success)) == 1)
    #expect(Spectrum.bursts(try sound(.failure)) == 2)
  }
}

/// What a sound of one channel is made of.
enum Spectrum {
  /// The strongest of 100, 110 … 3000 Hz in a tenth of a second.
  static func dominant(_ sound: WAV, from start: Double) -> Int {
    let piece = sound.samples.dropFirst(Int(start * Double(sound.rate))).prefix(sound.rate / 10).map(Double.init)
    let strengths = stride(from: 100, through: 3000, by: 10).map { ($0, strength($0, piece, sound.rate)) }
    return strengths.max { $0.1 < $1.1 }?.0 ?? 0
  }

  /// Goertzel's algorithm.
  private static func strength(_ frequency: Int, _ samples: [Double], _ rate: Int) -> Double {
    let factor = 2 * cos(2 * .pi * Double(frequency) / Double(rate))
    var (a, b) = (0.0, 0.0)
    for sample in samples { (a, b) = (sample + factor * a - b, a) }
    return a * a + b * b - factor * a * b
  }

  /// Stretches of sound with at least 80 ms of silence between them.
  static func bursts(_ sound: WAV) -> Int {
    let gap = sound.rate * 8 / 100
    var count = 0
    var silent = gap
    for sample in sound.samples {
      if abs(Int(sample)) < 300 {
        silent += 1
      } else {
        if silent >= gap { count += 1 }
        silent = 0
      }
    }
    return count
  }
}
