import Foundation
import TestSupport
import Testing

@testable import Sound

/// A sound in the shape of a device.
struct ShapeTests {
  static let shapes: [(WAV, channels: Int, [Int16])] = [
    (WAV(rate: 48_000, channels: 1, samples: [1, -2, 3]), 1, [1, -2, 3]),
    (WAV(rate: 48_000, channels: 1, samples: [1, -2, 3]), 2, [1, 1, -2, -2, 3, 3]),
    (WAV(rate: 48_000, channels: 2, samples: [10, 20, -10, 10]), 1, [15, 0]),
    (WAV(rate: 48_000, channels: 2, samples: [.max, .max, .min, .min]), 1, [.max, .min]),
    (WAV(rate: 48_000, channels: 2, samples: [1, 2, 3, 4]), 4, [1, 2, 1, 2, 3, 4, 3, 4]),
    (WAV(rate: 48_000, channels: 1, samples: []), 2, []),
  ]

  @Test(arguments: shapes) func `channels are spread and gathered`(sound: WAV, channels: Int, samples: [Int16]) {
    #expect(sound.samples(rate: 48_000, channels: channels, period: 0) == samples)
  }

  @Test(arguments: [(48_000, 44_100), (44_100, 48_000), (8000, 192_000), (192_000, 8000)])
  func `another rate keeps the length and the tone`(from: Int, to: Int) {
    func sine(_ rate: Int) -> WAV {
      WAV(
        rate: rate, channels: 1,
        samples: (0..<rate / 2).map { Int16(20_000 * sin(440 * 2 * .pi * Double($0) / Double(rate))) })
    }
    let fitted = sine(from).samples(rate: to, channels: 1, period: 0)
    let wanted = sine(to).samples
    #expect(fitted.count == wanted.count)
    // Straight lines between the samples of a sine are off by at most (w/rate)^2/8 of it: 1.5 % at 8 kHz.
    // Behind the last sample there is nothing to draw a line to: it is held.
    let worst = zip(fitted, wanted).dropLast(to / from).map { abs(Int($0) - Int($1)) }.max() ?? .max
    #expect(worst < 350)
  }

  @Test func `the end is filled with silence to a whole period`() {
    let sound = WAV(rate: 48_000, channels: 2, samples: [1, 2, 3, 4, 5, 6])
    #expect(sound.samples(rate: 48_000, channels: 2, period: 2) == [1, 2, 3, 4, 5, 6, 0, 0])
    #expect(sound.samples(rate: 48_000, channels: 2, period: 3) == sound.samples)
    #expect(sound.samples(rate: 48_000, channels: 1, period: 2) == [1, 3, 5, 0])
  }
}
