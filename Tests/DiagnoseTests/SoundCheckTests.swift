import Foundation
import Sound
import TestSupport
import Testing

@testable import Diagnose

struct SoundCheckTests {
  /// The installed sounds, which have 48,000 Hz, as if they had these rates.
  private func plant(success: UInt32, failure: UInt32) throws -> Plant {
    let plant = try Plant()
    for (name, rate) in [("success", success), ("failure", failure)] {
      var bytes = try Data(contentsOf: URL(filePath: "\(AgentUnderTest.root)/sounds/\(name).wav"))
      for (index, shift) in [0, 8, 16, 24].enumerated() { bytes[24 + index] = UInt8(truncatingIfNeeded: rate >> shift) }
      try bytes.write(to: URL(filePath: "\(plant.root)/\(name).wav"))
    }
    return plant
  }

  @Test(
    arguments: [
      (48_000, 48_000, []), (44_100, 48_000, ["success from 44100 to 48000 Hz"]),
      (22_050, 44_100, ["success from 22050 to 48000 Hz", "failure from 44100 to 48000 Hz"]),
    ] as [(UInt32, UInt32, [String])])
  func `a sound that the device will not play at its own rate is named`(
    success: UInt32, failure: UInt32, resampled: [String]
  ) async throws {
    let alsa = FakeALSA(time: ManualTime())
    let plant = try plant(success: success, failure: failure)
    var box = plant.surroundings()
    box.alsa = alsa.library
    let found = try await plant.run("A3", box)
    #expect(found.status == .pass)
    #expect(found.seen.filter { $0.name == "resampled" }.map(\.value) == resampled)
    #expect(alsa.with { $0.live }.isEmpty)
  }
}
