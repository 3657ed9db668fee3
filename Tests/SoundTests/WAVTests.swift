import Foundation
import Testing

@testable import Sound

struct WAVTests {
  private static let folder =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/sounds/"

  private func bytes(_ name: String) -> [UInt8] {
    Array(FileManager.default.contents(atPath: Self.folder + name + ".wav") ?? Data())
  }

  @Test(arguments: ["success", "failure"])
  func `our own sounds are plain, long enough and below full scale`(name: String) throws {
    let sound = try WAV.decode(bytes(name))
    #expect(sound.rate == 48000 && sound.channels == 1)
    #expect(sound.frames > 28_800, "at least 0.6 s")
    let peak = sound.samples.map { abs(Int($0)) }.max() ?? 0
    #expect((20_000...24_000).contains(peak), "-3 dB")
  }

  @Test func `success is high and failure low, told by how often they cross zero`() throws {
    func crossings(_ name: String) throws -> Double {
      let samples = try WAV.decode(bytes(name)).samples.prefix(7000)
      return Double(zip(samples, samples.dropFirst()).count { ($0 < 0) != ($1 < 0) })
    }
    #expect(try crossings("success") > 2 * crossings("failure"))
  }

  @Test(arguments: [0, 4, 12, 20, 43])
  func `a file that is cut off is refused`(length: Int) {
    #expect(throws: WAV.Malformed.self) { try WAV.decode(Array(bytes("success").prefix(length))) }
  }

  @Test func `no bytes make the decoder trap`() {
    let seed = Array(bytes("success").prefix(400))
    var state: UInt64 = 7
    var refused = 0
    for _ in 0..<20_000 {
      var damaged = seed
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        damaged[Int(state >> 33) % 60] = UInt8(truncatingIfNeeded: state >> 20)
      }
      if (try? WAV.decode(damaged)) == nil { refused += 1 }
    }
    #expect(refused > 1000)
  }

  @Test(arguments: [("default", "default"), ("plughw:CARD=Device,DEV=0", "hw:CARD=Device"), ("hw:1,0", "hw:1")])
  func `a device's mixer is that of its card`(device: String, card: String) {
    #expect(Playback.card(of: device) == card)
  }
}
