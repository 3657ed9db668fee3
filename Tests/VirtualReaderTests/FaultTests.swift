import TestSupport
import Testing
import VirtualTag

/// Each fault is what it says, as a client of pcscd sees it. PC/SC codes: <pcsclite.h>.
struct FaultTests {
  private let pcscd: PrivatePcscd
  private let monitor: UIDMonitor
  private var tag: VirtualTag { pcscd.tag() }
  private let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3]

  init() throws {
    pcscd = try PrivatePcscd.started()
    monitor = try UIDMonitor(of: pcscd)
  }

  /// In, until the client has seen something of the kind, and out.
  private func tap(until kind: UIDMonitor.Sighting.Kind, count: Int = 1) throws -> UIDMonitor.Sighting {
    try tag.enter(uid: uid)
    let sighting = try monitor.waitFor(kind, count: count)
    let empty = monitor.sightings(.removed).count
    try tag.leave()
    try monitor.waitFor(.removed, count: empty + 1)
    return sighting
  }

  @Test func `a mute tag is present and does not power up`() throws {
    try tag.mute(.always)
    _ = try tap(until: .mute)
    #expect(try tag.log().map(\.kind) == [.noPower])
    try tag.mute(.off)
    _ = try tap(until: .uid)
  }

  @Test func `a tag that is mute for one power-up is readable at the next`() throws {
    try tag.mute(.times(1))
    _ = try tap(until: .mute)
    #expect(try tag.state()["mute"] == "0")
    _ = try tap(until: .uid)
  }

  @Test func `a torn read succeeds with one byte`() throws {
    try tag.tear(.times(1), bytes: 1)
    #expect(try tap(until: .fail).words[1...2] == ["answer", "04"])
    _ = try tap(until: .uid)
  }

  @Test func `a torn read succeeds with no byte`() throws {
    try tag.tear(.times(1), bytes: 0)
    #expect(try tap(until: .fail).words[1...2] == ["answer", "-"])
    _ = try tap(until: .uid)
  }

  @Test func `a communication error fails so many transmits as were asked for`() throws {
    try tag.failTransmits(.times(2))
    for count in 1...2 { #expect(try tap(until: .fail, count: count).words[1...2] == ["transmit", "80100016"]) }
    _ = try tap(until: .uid)
  }

  @Test func `an unavailable reader stays listed and comes back empty`() throws {
    try tag.unavailable(true)
    try monitor.waitFor(.unavailable)
    try tag.unavailable(false)
    try monitor.waitFor(.removed)
    _ = try tap(until: .uid)
    #expect(monitor.sightings(.ready).map(\.words) == [["1"]])
  }

  @Test func `a reader that cannot tell whether a tag is there is unavailable too`() throws {
    try tag.failStatus(true)
    try monitor.waitFor(.unavailable)
    try tag.failStatus(false)
    try monitor.waitFor(.removed)
  }

  @Test func `a tag lies in a reader that comes back`() throws {
    _ = try tap(until: .uid)
    try tag.unavailable(true)
    try monitor.waitFor(.unavailable)
    try tag.enter(uid: uid)
    try tag.unavailable(false)
    try monitor.waitFor(.uid, count: 2)
  }

  @Test func `a slow transmit takes its time and the tag may leave meanwhile`() throws {
    try tag.slow(.times(1), milliseconds: 300)
    let slow = try tap(until: .uid)
    #expect(slow.nanoseconds - slow.woken >= 300_000_000)
    try tag.slow(.times(1), milliseconds: 1000)
    let before = try tag.state()["lines"].flatMap { Int($0) } ?? 0
    try tag.enter(uid: uid)
    try Waiting.until("an APDU") { try tag.log(after: before).contains { $0.kind == .apdu } }
    try tag.leave()
    #expect(try monitor.waitFor(.fail).words[1...2] == ["transmit", "80100016"])
  }

  @Test func `any status word once`() throws {
    try tag.answer(.times(1), [0x63, 0x00])
    #expect(try tap(until: .fail).words[1...2] == ["answer", "6300"])
    _ = try tap(until: .uid)
  }

  @Test func `any status word always`() throws {
    try tag.answer(.always, [0x6A, 0x81])
    for count in 1...3 { #expect(try tap(until: .fail, count: count).words[1...2] == ["answer", "6A81"]) }
    try tag.answer(.off)
    _ = try tap(until: .uid)
  }

  @Test(arguments: [2, 3, 300, 4096, 65_538])
  func `answers of any length that pcsc-lite carries`(length: Int) throws {
    try tag.fill(.times(1), count: length)
    let expected = Hex.text((0..<length - 2).map { UInt8(truncatingIfNeeded: $0) })
    #expect(try tap(until: .uid).uid == expected)
    #expect(try tag.log().last { $0.kind == .answer }?.length == length)
  }

  @Test func `reset ends every fault and empties the field`() throws {
    try tag.mute(.always)
    try tag.failTransmits(.always)
    try tag.tear(.always)
    try tag.slow(.always, milliseconds: 60_000)
    try tag.answer(.always)
    try tag.enter(uid: uid)
    try tag.reset()
    let state = try tag.state()
    for name in ["present", "mute", "comm", "torn", "slow", "answer", "status", "unavailable"] {
      #expect(state[name] == "0", "\(name)")
    }
    _ = try tap(until: .uid)
  }
}
