import Foundation
import TestSupport
import Testing
import VirtualTag

/// The same taps at a reader that nobody here wrote (vsmartcard's vpcd, polled every 400 ms).
@Suite(.enabled(if: FileManager.default.fileExists(atPath: VpcdTag.driver), "vsmartcard-vpcd is not installed"))
struct VpcdTests {
  private let pcscd: PrivatePcscd
  private let port: UInt16
  private let monitor: UIDMonitor

  init() throws {
    (pcscd, port) = try #require(try VpcdTag.pcscd())
    monitor = try UIDMonitor(of: pcscd)
  }

  @Test func `a tag comes, is read and goes`() throws {
    let tag = VpcdTag(port: port, uid: [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6])
    for round in 1...2 {
      try tag.insert()
      #expect(try monitor.waitFor(.uid, count: round).uid == "04A1B2C3D4E5F6")
      tag.remove()
      try monitor.waitFor(.removed, count: round)
    }
    #expect(tag.apdus == [[0xFF, 0xCA, 0, 0, 0], [0xFF, 0xCA, 0, 0, 0]])
  }

  @Test func `a tag whose answer to reset is too long is mute`() throws {
    let tag = VpcdTag(port: port, uid: [1, 2, 3, 4], atr: Array(repeating: 0x3B, count: 40))
    try tag.insert()
    try monitor.waitFor(.mute)
  }

  @Test func `a tag may be pulled out in the middle of a read`() throws {
    let tag = VpcdTag(port: port, uid: []) { _ in nil }
    try tag.insert()
    try monitor.waitFor(.fail)
    try monitor.waitFor(.removed)
  }

  @Test func `a tag may answer anything`() throws {
    let tag = VpcdTag(port: port, uid: []) { _ in [0x63, 0x00] }
    try tag.insert()
    #expect(try monitor.waitFor(.fail).words[1...2] == ["answer", "6300"])
  }
}
