/// A decoded sound: 16-bit PCM, interleaved.
package struct WAV: Equatable, Sendable {
  /// Frames a second, 1 or more.
  package let rate: Int
  /// 1 or more.
  package let channels: Int
  /// One frame after the other; a frame is one sample of every channel.
  package let samples: [Int16]

  package init(rate: Int, channels: Int, samples: [Int16]) {
    self.rate = max(rate, 1)
    self.channels = max(channels, 1)
    self.samples = samples
  }

  package var frames: Int { samples.count / channels }

  /// Why a file is not a sound that can be played.
  package struct Malformed: Error, Equatable, Sendable {
    /// To stand behind the file's name: "it is no WAV file".
    package let problem: String

    package init(problem: String) { self.problem = problem }
  }

  /// Bytes. Sounds are short; what is larger is another file.
  package static let limit = 10 << 20
  /// What sound cards and alsa-lib's own conversion take, frames a second.
  package static let rates = 8000...192_000

  /// Plain PCM of 16 bits, 1 or 2 channels, at most 10 s (DESIGN 5.2 "Sounds"); other chunks are passed over. Whatever the
  /// bytes are, it throws or returns and never traps.
  ///
  /// A file that is shorter than it says is refused, too: half of a sound is taken for the other one.
  package static func decode(_ bytes: [UInt8]) throws(Malformed) -> WAV {
    guard bytes.count <= limit else { throw Malformed(problem: "it is larger than 10 MiB") }
    guard bytes.count >= 12, bytes[0..<4].elementsEqual("RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8) else {
      throw Malformed(problem: "it is no WAV file")
    }
    var format: (rate: Int, channels: Int)?
    var index = 12
    while index + 8 <= bytes.count {
      let isData = bytes[index..<index + 4].elementsEqual("data".utf8)
      let isFormat = bytes[index..<index + 4].elementsEqual("fmt ".utf8)
      let size = number(bytes, index + 4, 4)
      let body = index + 8
      guard size <= bytes.count - body else {
        throw Malformed(problem: "it is cut off: it says that it is longer than it is")
      }
      if isFormat { format = try parseFormat(bytes[body..<body + size]) }
      if isData {
        guard let format else { throw Malformed(problem: "its format comes after its samples") }
        return try parseSamples(bytes[body..<body + size], format)
      }
      // A chunk of odd size is followed by one byte that its size does not count.
      index = body + size + size % 2
    }
    throw Malformed(problem: "it holds no samples")
  }

  private static func number(_ bytes: [UInt8], _ index: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) }
  }

  private static func parseFormat(_ slice: ArraySlice<UInt8>) throws(Malformed) -> (rate: Int, channels: Int) {
    let bytes = Array(slice)
    guard bytes.count >= 16 else { throw Malformed(problem: "its format is cut off") }
    var tag = number(bytes, 0, 2)
    var bits = number(bytes, 14, 2)
    // WAVE_FORMAT_EXTENSIBLE: the real tag begins the GUID, the bits that count stand before it.
    if tag == 0xFFFE, bytes.count >= 26 {
      tag = number(bytes, 24, 2)
      if bits == 16 { bits = number(bytes, 18, 2) }
    }
    guard tag == 1 else { throw Malformed(problem: "it is compressed or floating point: it must be plain PCM") }
    guard bits == 16 else { throw Malformed(problem: "it has \(bits) bits: it must have 16") }
    let channels = number(bytes, 2, 2)
    let rate = number(bytes, 4, 4)
    guard (1...2).contains(channels) else {
      throw Malformed(problem: "it has \(channels) channels: it must have 1 or 2")
    }
    guard rates.contains(rate) else { throw Malformed(problem: "its rate of \(rate) Hz is not playable") }
    return (rate, channels)
  }

  private static func parseSamples(_ data: ArraySlice<UInt8>, _ format: (rate: Int, channels: Int)) throws(Malformed)
    -> WAV
  {
    let bytes = Array(data)
    let frames = bytes.count / (2 * format.channels)
    guard frames > 0 else { throw Malformed(problem: "it holds no samples") }
    guard frames <= 10 * format.rate else { throw Malformed(problem: "it is longer than 10 s") }
    let samples = (0..<frames * format.channels).map { Int16(truncatingIfNeeded: number(bytes, 2 * $0, 2)) }
    return WAV(rate: format.rate, channels: format.channels, samples: samples)
  }
}
