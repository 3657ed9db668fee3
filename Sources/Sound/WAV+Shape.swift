extension WAV {
  /// The same sound as samples for a device of this shape.
  ///
  /// `default` and `plughw:` convert by themselves and are opened with the sound's own rate and channels; this is for a
  /// plain `hw:` device and for two files that differ. A single channel goes to all channels, two go to one as their
  /// mean, more repeat in turn. Another rate is reached by straight lines between samples: for a chime that is enough.
  ///
  /// The end is filled with silence to a whole period: a card that drains plays its ring on to there, and behind the
  /// last frame lies an older sound.
  /// - Parameter period: frames.
  func samples(rate: Int, channels: Int, period: Int) -> [Int16] {
    var fitted = Self.spread(resampled(to: rate), from: self.channels, to: channels)
    let rest = period > 1 ? fitted.count / channels % period : 0
    if rest > 0 { fitted += [Int16](repeating: 0, count: (period - rest) * channels) }
    return fitted
  }

  private static func spread(_ samples: [Int16], from channels: Int, to wanted: Int) -> [Int16] {
    guard wanted != channels, wanted > 0 else { return samples }
    var out: [Int16] = []
    out.reserveCapacity(samples.count / channels * wanted)
    for start in stride(from: 0, to: samples.count, by: channels) {
      let frame = samples[start..<min(start + channels, samples.count)]
      if wanted == 1 {
        out.append(Int16(clamping: frame.reduce(0) { $0 + Int($1) } / channels))
      } else {
        for channel in 0..<wanted { out.append(frame[start + channel % frame.count]) }
      }
    }
    return out
  }

  private func resampled(to wanted: Int) -> [Int16] {
    guard wanted != rate, wanted > 0, frames > 0 else { return samples }
    let count = frames * wanted / rate
    var out: [Int16] = []
    out.reserveCapacity(count * channels)
    for frame in 0..<count {
      // Integers: the position is exact however long the sound is.
      let position = frame * rate
      let before = min(position / wanted, frames - 1)
      let after = min(before + 1, frames - 1)
      let share = position % wanted
      for channel in 0..<channels {
        let a = Int(samples[before * channels + channel])
        let b = Int(samples[after * channels + channel])
        out.append(Int16(clamping: a + (b - a) * share / wanted))
      }
    }
    return out
  }
}
