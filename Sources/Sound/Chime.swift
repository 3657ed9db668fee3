internal import Foundation

/// What is heard: the two sounds of results (DESIGN 5.2 "Sounds"), and a reminder.
package enum Chime: String, CaseIterable, Sendable {
  /// Rising: the tap is recorded as a dose.
  case success
  /// Low and doubled: it is not.
  case failure
  /// One soft note that neither rises nor is doubled, so that nobody takes it for the answer to a tap: an event that
  /// somebody chose begins soon. It has no file.
  case reminder

  /// The sounds of results, which have files.
  package static let results: [Chime] = [.success, .failure]
}

extension Chime {
  /// What is heard when the sound's file is missing or broken: no tap may be silent because of a file. Plainer than the
  /// installed sound, and told apart in the same way.
  var spare: WAV {
    switch self {
    case .success: WAV(rate: Self.rate, channels: 1, samples: Self.tone(600, 0.2) + Self.tone(900, 0.4))
    case .failure:
      WAV(
        rate: Self.rate, channels: 1,
        samples: Self.tone(220, 0.3) + [Int16](repeating: 0, count: Self.rate / 8) + Self.tone(220, 0.3))
    case .reminder: WAV(rate: Self.rate, channels: 1, samples: Self.tone(440, 0.7).map { $0 / 2 })
    }
  }

  private static let rate = 48_000

  /// With harmonics, since small speakers have no bass, and with soft edges, since a step is a click.
  private static func tone(_ frequency: Double, _ seconds: Double) -> [Int16] {
    let count = Int(seconds * Double(rate))
    return (0..<count).map { index in
      let angle = 2 * Double.pi * frequency * Double(index) / Double(rate)
      let edge = min(1, Double(min(index, count - 1 - index)) / 720)
      return Int16(clamping: Int(12_000 * edge * (sin(angle) + sin(2 * angle) / 2 + sin(3 * angle) / 3)))
    }
  }
}
