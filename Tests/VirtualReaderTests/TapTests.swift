import TestSupport
import Testing
import VirtualTag

/// Taps through the real pcscd, seen by a C program on libpcsclite.
struct TapTests {
  @Test func `fifty taps of 4 ms all arrive, in order`() throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    let tag = pcscd.tag()
    let uids = (0..<50).map { [0x04, 0xA1, 0xB2, 0xC3, UInt8($0)] }
    for uid in uids {
      let tap = try tag.tap(uid: uid, milliseconds: 4)
      #expect(tap.entered.noticed && tap.left.noticed)
      #expect(tap.left.nanoseconds - tap.entered.nanoseconds >= 4_000_000)
    }
    try monitor.waitFor(.removed)
    try Waiting.until("fifty taps") { monitor.sightings.filter(\.isTap).count >= 50 }
    // On a machine as busy as one under test a tap may be over before the client has read it, or the next tag be there
    // in its place. It is never unseen.
    let taps = monitor.sightings.filter(\.isTap)
    #expect(taps.count == 50)
    let read = taps.filter { $0.kind == .uid }.map(\.uid)
    #expect(read.count >= 1, "\(taps.map(\.kind))")
    #expect(read == read.sorted() && Set(read).isSubset(of: uids.map(Hex.text)))
    #expect(try tag.log().filter { $0.kind == .powerUp }.count >= 50)
    try tag.enter(uid: [1, 2, 3, 4])
    try Waiting.until("one that stays is read") { monitor.sightings.last?.uid == Hex.text([1, 2, 3, 4]) }
  }

  @Test func `UIDs of every length arrive whole`() throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    for length in 0...32 {
      let uid = (0..<length).map { UInt8(truncatingIfNeeded: 0xF0 + $0) }
      try pcscd.tag().enter(uid: uid)
      #expect(try monitor.waitFor(.uid, count: length + 1).uid == Hex.text(uid))
      try pcscd.tag().leave()
    }
  }

  @Test func `a tap is answered with the moment since which pcscd could see it`() throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    let entered = try pcscd.tag().enter(uid: [1, 2, 3, 4]).nanoseconds
    let sighting = try monitor.waitFor(.uid)
    #expect(entered < sighting.woken && sighting.woken < sighting.nanoseconds)
    #expect(sighting.nanoseconds - entered < 2_000_000_000)
    let powerUp = try #require(try pcscd.tag().log().first { $0.kind == .powerUp })
    #expect(entered < powerUp.nanoseconds && powerUp.nanoseconds < sighting.nanoseconds)
  }

  @Test func `a tag that is there before the client is no tap`() throws {
    let pcscd = try PrivatePcscd.started()
    try pcscd.tag().enter(uid: [1, 2, 3, 4])
    let monitor = try UIDMonitor(of: pcscd)
    try monitor.waitFor(.lying)
    try pcscd.tag().leave()
    try monitor.waitFor(.removed)
    #expect(monitor.sightings(.uid).isEmpty)
  }

  @Test func `one tag in the place of another is two taps only when the field was empty between`() throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    try pcscd.tag().enter(uid: [1, 1, 1, 1])
    try monitor.waitFor(.uid)
    try pcscd.tag().enter(uid: [2, 2, 2, 2])
    try pcscd.tag().leave()
    try pcscd.tag().enter(uid: [3, 3, 3, 3])
    try monitor.waitFor(.uid, count: 2)
    #expect(monitor.sightings(.uid).map(\.uid) == ["01010101", "03030303"])
  }

  @Test func `two readers have names of their own and do not disturb each other`() throws {
    let pcscd = try PrivatePcscd.started(readers: [.acr122, ReaderEntry(name: "ACS ACR1252 Dual Reader SAM")])
    // A SAM slot is a reader whose card never leaves.
    try pcscd.tag(1).enter(uid: [], atr: [0x3B, 0x00])
    let monitor = try UIDMonitor(of: pcscd)
    #expect(try monitor.waitFor(.lying).words.dropFirst() == ["ACS", "ACR1252", "Dual", "Reader", "SAM", "01", "00"])
    try pcscd.tag(0).enter(uid: [1, 2, 3, 4])
    let sighting = try monitor.waitFor(.uid)
    #expect(sighting.words.dropFirst(3).joined(separator: " ") == "ACS ACR122U PICC Interface 00 00")
    #expect(monitor.sightings(.uid).count == 1)
  }

  @Test func `eight readers live in one pcscd`() throws {
    let pcscd = try PrivatePcscd.started(readers: Array(repeating: .acr122, count: 8))
    let monitor = try UIDMonitor(of: pcscd)
    #expect(try monitor.waitFor(.ready).words == ["8"])
    for index in 0..<8 { try pcscd.tag(index).enter(uid: [UInt8(index), 0, 0, 0]) }
    try monitor.waitFor(.uid, count: 8)
    for sighting in monitor.sightings(.uid) {
      #expect(sighting.uid.prefix(2) == sighting.words[sighting.words.count - 2])
    }
  }
}
