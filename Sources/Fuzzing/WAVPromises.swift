internal import Sound

/// What the decoder of sounds promises.
enum WAVPromises {
  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let sound: WAV
    do throws(WAV.Malformed) { sound = try WAV.decode(bytes) } catch {
      try expect(!error.problem.isEmpty, "refused without a reason")
      return
    }
    try expect((1...2).contains(sound.channels), "\(sound.channels) channels")
    try expect(WAV.rates.contains(sound.rate), "\(sound.rate) frames a second")
    try expect(sound.frames > 0 && sound.frames <= 10 * sound.rate, "\(sound.frames) frames")
    try expect(sound.samples.count == sound.frames * sound.channels, "half of a frame")
    try expect(sound.samples.count * 2 <= bytes.count, "more samples than the file holds")
  }
}
