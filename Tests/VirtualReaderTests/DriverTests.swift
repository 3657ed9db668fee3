import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// What pcscd asks of the driver, asked without pcscd. Eight readers at a time: one test after the other.
@Suite(.serialized) struct DriverTests {
  private typealias Result = Driver.Result
  private static let getUID: [UInt8] = [0xFF, 0xCA, 0, 0, 0]

  @Test func `an answer that does not fit is an error, never a part of it`() throws {
    let driver = try Driver(number: 1)
    try driver.tag.enter(uid: [1, 2, 3, 4, 5, 6, 7])
    #expect(try driver.transmit(Self.getUID, room: 9) == (Result.success, [1, 2, 3, 4, 5, 6, 7, 0x90, 0x00]))
    #expect(try driver.transmit(Self.getUID, room: 8) == (Result.insufficientBuffer, []))
    #expect(try driver.tag.log().map(\.kind) == [.apdu, .answer, .apdu, .overrun])
  }

  @Test func `an escape command is answered 90 00 and noted`() throws {
    let driver = try Driver(number: 1)
    let led: [UInt8] = [0xFF, 0x00, 0x40, 0x0D, 0x04, 1, 1, 1, 1]
    #expect(try driver.control(0x4200_0001, led, room: 2) == (Result.success, [0x90, 0x00]))
    #expect(try driver.control(0x4200_0001, led, room: 1) == (Result.insufficientBuffer, []))
    #expect(try driver.control(0x4200_0000 + 3400, [], room: 6) == (Result.success, [0x13, 4, 0x42, 0, 0, 1]))
    #expect(try driver.control(0x4200_0000 + 9, led, room: 9) == (Result.notSupported, []))
    let log = try driver.tag.log()
    #expect(log.map(\.kind) == [.escape, .escape] && log[0].bytes == led)
    try driver.tag.unavailable(true)
    #expect(try driver.control(0x4200_0001, led, room: 2) == (Result.noSuchDevice, []))
  }

  @Test func `a storage tag knows the UID and nothing else`() throws {
    let driver = try Driver(number: 1)
    #expect(try driver.transmit(Self.getUID) == (Result.communicationError, []))
    try driver.tag.enter(uid: [1, 2, 3, 4])
    #expect(try driver.transmit([0xFF, 0xCA, 0x01, 0, 0]).answer == [0x6A, 0x81])
    #expect(try driver.transmit([0x00, 0xA4, 0x04, 0, 0]).answer == [0x6A, 0x81])
    #expect(try driver.transmit([0xFF, 0x00, 0x52, 0x00, 0]).answer == [0x90, 0x00])
    #expect(try driver.transmit([0xFF, 0xCA]).answer == [0x67, 0x00])
  }

  @Test func `powering up takes a tag that is not mute`() throws {
    let driver = try Driver(number: 1)
    #expect(try driver.power(500) == (Result.powerAction, []))
    try driver.tag.enter(uid: [1, 2, 3, 4], atr: [0x3B, 0x00])
    #expect(try driver.power(500) == (Result.success, [0x3B, 0x00]))
    #expect(try driver.power(501).result == Result.success)
    try driver.tag.mute(.times(2))
    for _ in 1...2 { #expect(try driver.power(502) == (Result.powerAction, [])) }
    #expect(try driver.power(502) == (Result.success, [0x3B, 0x00]))
    try driver.tag.unavailable(true)
    #expect(try driver.power(500) == (Result.noSuchDevice, []))
    #expect(
      try driver.tag.log().map(\.kind) == [.noPower, .powerUp, .powerDown, .noPower, .noPower, .reset, .noPower])
  }

  @Test func `presence is what was set`() throws {
    let driver = try Driver(number: 1)
    #expect(try driver.presence == Result.notPresent)
    try driver.tag.enter(uid: [])
    #expect(try driver.presence == Result.present)
    try driver.tag.failStatus(true)
    #expect(try driver.presence == Result.communicationError)
    try driver.tag.unavailable(true)
    #expect(try driver.presence == Result.noSuchDevice)
    try driver.tag.reset()
    #expect(try driver.presence == Result.notPresent)
  }

  @Test func `the capabilities that pcscd asks for`() throws {
    let driver = try Driver(number: 1)
    // TAG_IFD_SLOTS_NUMBER, SIMULTANEOUS_ACCESS, THREAD_SAFE, SLOT_THREAD_SAFE, POLLING_THREAD_KILLABLE
    for (tag, value) in [(0x0FAE, 1), (0x0FAF, 8), (0x0FAD, 1), (0x0FAC, 0), (0x0FB1, 0)] as [(UInt, UInt8)] {
      #expect(try driver.capability(tag) == (Result.success, value))
    }
    #expect(try driver.capability(0x0FAB).result == Result.errorTag)
  }

  @Test func `whoever waits for an event is woken by a change, by a stop and at the deadline`() throws {
    let driver = try Driver(number: 1, watched: false)
    let events = try Events(lun: 1 << 16)
    let clock = ContinuousClock()
    #expect(clock.measure { _ = events.await(milliseconds: 50) } >= .milliseconds(50))
    #expect(events.stop() == Result.success)
    #expect(clock.measure { _ = events.await(milliseconds: 60_000) } < .seconds(30))
    let woken = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = events.await(milliseconds: 60_000)
      woken.signal()
    }
    #expect(try driver.tag.enter(uid: [1]).noticed)
    #expect(woken.wait(timeout: .now() + 30) == .success)
  }

  @Test func `a change that nobody notices is made after two seconds and says so`() throws {
    let driver = try Driver(number: 1, watched: false)
    #expect(try driver.tag.enter(uid: [1]).noticed == false)
    #expect(try driver.presence == Result.present)
  }

  @Test func `eight readers fit, each number once, and a path that can be bound`() throws {
    var drivers = try (1...8).map { try Driver(number: $0) }
    #expect(try Driver.open(lun: 9 << 16, device: "/dev/null:/tmp/kiosk-ninth") == Result.communicationError)
    drivers.removeLast()
    #expect(try Driver.open(lun: 1 << 16, device: "/dev/null:/tmp/kiosk-twice") == Result.communicationError)
    let taken = drivers[0].tag.socketPath
    for device in [
      "/dev/null", "/dev/null:relative", "/dev/null:/nowhere/reader", "/dev/null:/etc/hostname",
      "/dev/null:/tmp/" + String(repeating: "x", count: 108), "/dev/null:" + taken,
    ] {
      #expect(try Driver.open(lun: 9 << 16, device: device) == Result.communicationError, "\(device)")
    }
    #expect(try drivers[0].tag.state()["present"] == "0")
    drivers.append(try Driver(number: 8))
    #expect(try drivers[7].tag.state()["present"] == "0")
  }
}
