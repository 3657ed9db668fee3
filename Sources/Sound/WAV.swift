/// A decoded sound: 16-bit PCM, interleaved.
package struct WAV: Equatable, Sendable {
  package var rate: Int
  package var channels: Int
  package var samples: [Int16]

  package init(rate: Int, channels: Int, samples: [Int16]) {
    self.rate = rate
    self.channels = channels
    self.samples = samples
  }

  package var frames: Int { samples.count / channels }

  /// Why a file is not a sound that can be played.
  package struct Malformed: Error, Equatable, Sendable {
    package let problem: String

    package init(problem: String) { self.problem = problem }
  }

  /// Sounds are short; what is larger is another file.
  package static let limit = 10 << 20

  /// Plain PCM of 16 bits, 1 or 2 channels, 8 to 192 kHz; other chunks are passed over.
  package static func decode(_ bytes: [UInt8]) throws(Malformed) -> WAV {
    guard bytes.count <= limit else { throw Malformed(problem: "it is larger than 10 MiB") }
    guard bytes.count >= 12, bytes[0..<4].elementsEqual("RIFF".utf8), bytes[8..<12].elementsEqual("WAVE".utf8) else {
      throw Malformed(problem: "it is no WAV file")
    }
    var format: (rate: Int, channels: Int)?
    var index = 12
    while index + 8 <= bytes.count {
      let size = number(bytes, index + 4, 4)
      let body = index + 8
      let end = min(body + size, bytes.count)
      if bytes[index..<index + 4].elementsEqual("fmt ".utf8) {
        format = try parseFormat(bytes[body..<end])
      } else if bytes[index..<index + 4].elementsEqual("data".utf8) {
        guard let format else { throw Malformed(problem: "its format comes after its samples") }
        // A writer that was cut off leaves a size that is too large: what is there counts.
        return try parseSamples(bytes[body..<end], format)
      }
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
    // WAVE_FORMAT_EXTENSIBLE: the real tag begins the GUID.
    if tag == 0xFFFE, bytes.count >= 26 { tag = number(bytes, 24, 2) }
    guard tag == 1 else { throw Malformed(problem: "it is compressed or floating point: it must be plain PCM") }
    guard number(bytes, 14, 2) == 16 else {
      throw Malformed(problem: "it has \(number(bytes, 14, 2)) bits: it must have 16")
    }
    let channels = number(bytes, 2, 2)
    let rate = number(bytes, 4, 4)
    guard (1...2).contains(channels) else {
      throw Malformed(problem: "it has \(channels) channels: it must have 1 or 2")
    }
    guard (8000...192_000).contains(rate) else { throw Malformed(problem: "its rate of \(rate) Hz is not playable") }
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
