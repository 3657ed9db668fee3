/// Makes WAV files, right and wrong ones.
enum WAVBytes {
  typealias Chunk = (id: String, body: [UInt8])

  static let sound: Chunk = ("data", data([1, -2, 3, -4]))

  static func data(_ samples: [Int16]) -> [UInt8] { samples.flatMap { little(Int(UInt16(bitPattern: $0)), 2) } }

  static func format(
    code: Int = 1, channels: Int = 1, rate: Int = 48_000, block: Int? = nil, bits: Int = 16, extra: [UInt8] = []
  ) -> Chunk {
    let block = block ?? channels * bits / 8
    let head = little(code, 2) + little(channels, 2) + little(rate, 4) + little(rate * block, 4)
    return ("fmt ", head + little(block, 2) + little(bits, 2) + extra)
  }

  /// - Parameter tail: the last byte of the sub-format's GUID; 0x71 is right.
  static func extensible(valid: Int = 16, subtype: Int = 1, tail: UInt8 = 0x71) -> Chunk {
    let guid: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B]
    return format(
      code: 0xFFFE, extra: little(22, 2) + little(valid, 2) + little(4, 4) + little(subtype, 2) + guid + [tail])
  }

  static func file(_ chunks: [Chunk], riffSize: Int? = nil) -> [UInt8] {
    var body = Array("WAVE".utf8)
    for chunk in chunks {
      body += Array(chunk.id.utf8) + little(chunk.body.count, 4) + chunk.body
      if chunk.body.count % 2 == 1 { body.append(0) }
    }
    return Array("RIFF".utf8) + little(riffSize ?? body.count, 4) + body
  }

  private static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

/// Repeatable randomness.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
