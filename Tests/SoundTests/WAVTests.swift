import TestSupport
import Testing

@testable import Sound

struct WAVTests {
  @Test func `plain PCM gives its rate, channels and samples`() throws {
    let mono = try WAV.decode(WAVBytes.file([WAVBytes.format(), ("data", WAVBytes.data([0, 1, -1, 32767, -32768]))]))
    #expect(mono == WAV(rate: 48_000, channels: 1, samples: [0, 1, -1, 32767, -32768]))
    let stereo = try WAV.decode(
      WAVBytes.file([WAVBytes.format(channels: 2, rate: 44_100), ("data", WAVBytes.data([1, 2, 3, 4]))]))
    #expect(stereo == WAV(rate: 44_100, channels: 2, samples: [1, 2, 3, 4]))
    #expect(stereo.frames == 2)
  }

  static let accepted: [Example] = [
    .init(
      "a LIST chunk of odd size in front", WAVBytes.file([("LIST", [1, 2, 3]), WAVBytes.format(), WAVBytes.sound])),
    .init("a chunk in between", WAVBytes.file([WAVBytes.format(), ("fact", [0, 0, 0, 0]), WAVBytes.sound])),
    .init("anything after the data", WAVBytes.file([WAVBytes.format(), WAVBytes.sound]) + [9, 9, 9]),
    .init("WAVE_FORMAT_EXTENSIBLE", WAVBytes.file([WAVBytes.extensible(), WAVBytes.sound])),
    .init("a format chunk with an empty extension", WAVBytes.file([WAVBytes.format(extra: [0, 0]), WAVBytes.sound])),
    .init("a wrong size in the RIFF header", WAVBytes.file([WAVBytes.format(), WAVBytes.sound], riffSize: 7)),
  ]

  @Test(arguments: accepted) func `accepts`(example: Example) throws {
    #expect(try WAV.decode(example.bytes).samples == [1, -2, 3, -4])
  }

  static let refused: [Example] = [
    .init("it is no WAV file", []), .init("it is no WAV file", Array("RIFF".utf8)),
    .init("it is no WAV file", Array("RIFX....WAVEfmt ".utf8)),
    .init("it is no WAV file", Array("ID3 an MP3 file".utf8)),
    .init("it is no WAV file", Array("RIFF....AVI LIST".utf8)),
    .init("it holds no samples", Array("RIFF....WAVE".utf8)),
    .init("it holds no samples", WAVBytes.file([WAVBytes.format()])),
    .init("it holds no samples", WAVBytes.file([WAVBytes.format(), ("data", [])])),
    .init("its format comes after its samples", WAVBytes.file([WAVBytes.sound, WAVBytes.format()])),
    .init(
      "it is cut off: it says that it is longer than it is",
      WAVBytes.file([WAVBytes.format(), WAVBytes.sound]).dropLast(1)),
    .init(
      "it is cut off: it says that it is longer than it is",
      WAVBytes.file([WAVBytes.format()]) + Array("data".utf8) + [255, 255, 255, 255, 0, 0]),
    .init("its format is cut off", WAVBytes.file([("fmt ", [1, 0, 1, 0]), WAVBytes.sound])),
    .init(
      "it is compressed or floating point: it must be plain PCM",
      WAVBytes.file([WAVBytes.format(code: 3), WAVBytes.sound])),
    .init(
      "it is compressed or floating point: it must be plain PCM",
      WAVBytes.file([WAVBytes.format(code: 85), WAVBytes.sound])),
    .init(
      "it is compressed or floating point: it must be plain PCM",
      WAVBytes.file([WAVBytes.extensible(subtype: 3), WAVBytes.sound])),
    .init(
      "it is compressed or floating point: it must be plain PCM",
      WAVBytes.file([WAVBytes.format(code: 0xFFFE), WAVBytes.sound])),
    .init("it has 8 bits: it must have 16", WAVBytes.file([WAVBytes.format(bits: 8), WAVBytes.sound])),
    .init("it has 24 bits: it must have 16", WAVBytes.file([WAVBytes.format(bits: 24), WAVBytes.sound])),
    .init("it has 12 bits: it must have 16", WAVBytes.file([WAVBytes.extensible(valid: 12), WAVBytes.sound])),
    .init("it has 0 channels: it must have 1 or 2", WAVBytes.file([WAVBytes.format(channels: 0), WAVBytes.sound])),
    .init("it has 6 channels: it must have 1 or 2", WAVBytes.file([WAVBytes.format(channels: 6), WAVBytes.sound])),
    .init("its rate of 0 Hz is not playable", WAVBytes.file([WAVBytes.format(rate: 0), WAVBytes.sound])),
    .init("its rate of 7999 Hz is not playable", WAVBytes.file([WAVBytes.format(rate: 7999), WAVBytes.sound])),
  ]

  @Test(arguments: refused) func `refuses`(example: Example) {
    #expect(throws: WAV.Malformed(problem: example.name)) { try WAV.decode(example.bytes) }
  }

  @Test func `ten seconds and ten MiB are the limits`() throws {
    func sound(bytes: Int) -> [UInt8] {
      WAVBytes.file([WAVBytes.format(rate: 8000), ("data", .init(repeating: 0, count: bytes))])
    }
    #expect(try WAV.decode(sound(bytes: 160_000)).frames == 80_000)
    #expect(throws: WAV.Malformed(problem: "it is longer than 10 s")) { try WAV.decode(sound(bytes: 160_002)) }
    #expect(throws: WAV.Malformed(problem: "it is longer than 10 s")) { try WAV.decode(sound(bytes: WAV.limit - 44)) }
    #expect(throws: WAV.Malformed(problem: "it is larger than 10 MiB")) { try WAV.decode(sound(bytes: WAV.limit - 43)) }
  }

  @Test func `a file that is cut off anywhere is refused`() {
    let whole = WAVBytes.file([("LIST", [1, 2, 3]), WAVBytes.extensible(), WAVBytes.sound])
    for length in 0..<whole.count {
      #expect(throws: WAV.Malformed.self, "cut to \(length)") { try WAV.decode(Array(whole.prefix(length))) }
    }
  }

  @Test func `twenty thousand damaged files end in a sound or in a reason`() {
    let bases = [
      WAVBytes.file([("LIST", [1, 2, 3]), WAVBytes.format(channels: 2), WAVBytes.sound]),
      WAVBytes.file([WAVBytes.extensible(), WAVBytes.sound, ("LIST", [1, 2])]),
    ]
    var random = SplitMix(seed: 0x5EED)
    var decoded = 0
    for round in 0..<20_000 {
      let bytes = damaged(bases[round % bases.count], &random)
      guard let sound = try? WAV.decode(bytes) else { continue }
      decoded += 1
      let isSound =
        (1...2).contains(sound.channels) && WAV.rates.contains(sound.rate) && sound.frames > 0
        && sound.samples.count == sound.frames * sound.channels && sound.frames <= 10 * sound.rate
      #expect(isSound, "\(bytes)")
    }
    // Neither everything nor nothing gets through: the damage reaches the decoder's decisions.
    #expect((500...19_500).contains(decoded), "\(decoded)")
  }

  private func damaged(_ base: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var bytes = base
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let at = Int.random(in: 0..<max(bytes.count, 1), using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where at < bytes.count: bytes[at] = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
      case 1 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 2 where at < bytes.count: bytes.remove(at: at)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: min(at, bytes.count))
      default: bytes.removeLast(min(Int.random(in: 0...3, using: &random), bytes.count))
      }
    }
    return bytes
  }
}

/// A file and what it is or should give; its bytes stay out of the names of test cases.
struct Example: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]

  init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  var testDescription: String { name }
}
