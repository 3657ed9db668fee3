import Foundation
import Linux
import TestSupport
import Testing

@testable import Sound

/// Devices that are away, held, unplugged, that fail or hang: what is heard, and what is said.
@Suite(.timeLimit(.minutes(1)))
struct RecoveryTests {
  static let absences: [(code: Int32, node: String?, SoundHealth)] = [
    (ENODEV, nil, .noDevice), (ENOENT, nil, .noDevice),
    (ENODEV, "/dev/snd/controlC0", .noPermission(node: "/dev/snd/controlC0")),
    (EACCES, nil, .noPermission(node: "/dev/snd")), (EBUSY, nil, .busy), (EINVAL, nil, .failing(errno: EINVAL)),
  ]

  @Test(arguments: absences) func `without a device a result says why, and the device is tried again and again`(
    code: Int32, node: String?, health: SoundHealth
  ) async throws {
    let sound = try SoundHarness { state in
      state.openings = .init(repeating: code, count: 8)
      state.node = node
    }
    await sound.player.reach(health)
    for (index, pause) in [500, 1000, 2000, 4000, 8000, 10_000].enumerated() {
      try sound.alsa.waitForRest(index + 1)
      #expect(sound.alsa.with { $0.rests.last } == .milliseconds(pause))
      sound.alsa.pass()
    }
    try sound.alsa.waitForRest(7)
    // The seventh try was in vain; this is the eighth.
    sound.player.play(.success)
    #expect(await sound.event() == .failed(.success, health))
    try sound.alsa.waitForRest(8)
    #expect(sound.alsa.with { $0.rests.last } == .seconds(10), "a tap does not put the next try off")
    // Plugged in just now: a tap does not wait for the next try.
    sound.player.play(.failure)
    #expect(await sound.events(2) == [.started(.failure), .finished(.failure)])
    #expect(sound.player.health == .ok)
    #expect(Set(sound.alsa.with { $0.names }) == [SoundHarness.device])
  }

  @Test func `a speaker that arrives later is found without a tap`() async throws {
    let sound = try SoundHarness { $0.isAbsent = true }
    await sound.player.reach(.noDevice)
    try sound.alsa.waitForRest(1)
    sound.alsa.with { $0.isAbsent = false }
    sound.alsa.pass()
    await sound.player.reach(.ok)
    #expect(sound.lines.all == [])
  }

  @Test func `a speaker unplugged in the middle is opened again by its name, and the next result plays`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { state in
      state.writeFaults = [(12_000, ENODEV)]
      state.isAbsent = true
    }
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .failed(.success, .lost)])
    #expect(sound.player.health == .lost)
    // Two tries in vain, with a longer pause each.
    try sound.alsa.waitForRest(2)
    sound.alsa.pass()
    try sound.alsa.waitForRest(3)
    #expect(sound.alsa.with { $0.rests.suffix(2) } == [.milliseconds(500), .seconds(1)])
    sound.alsa.with { $0.isAbsent = false }
    sound.alsa.pass()
    await sound.player.reach(.ok)
    #expect(Set(sound.alsa.with { $0.names }) == [SoundHarness.device])
    sound.alsa.forget()
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
    #expect(sound.alsa.with { $0.taken } == Ramps.samples(.success))
    sound.expectNoLeak()
  }

  @Test func `a dead handle of a speaker that is back costs the tap nothing`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { $0.writeFaults = [(0, ENODEV)] }
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
    #expect(sound.alsa.with { $0.taken } == Ramps.samples(.success))
    #expect(sound.alsa.with { $0.calls }.prefix(2) == ["close", "open"])
    sound.expectNoLeak()
  }

  @Test func `a device that fails twice is closed twice`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { $0.writeFaults = [(0, EIO), (0, EIO), (0, EIO)] }
    sound.player.play(.success)
    #expect(await sound.event() == .failed(.success, .failing(errno: EIO)))
    try sound.alsa.waitForRest(2)
    #expect(sound.alsa.with { $0.live } == [])
    sound.expectNoLeak()
  }

  @Test func `a device that opens and plays nothing is never called well`() async throws {
    let sound = try SoundHarness { $0.isStuck = true }
    await sound.player.reach(.failing(errno: ETIMEDOUT))
    for index in 1...4 {
      try sound.alsa.waitForRest(index)
      #expect(sound.player.health == .failing(errno: ETIMEDOUT))
      sound.alsa.pass()
    }
    // Opened over and over, with the same growing pauses as one that is away.
    try sound.alsa.waitForRest(5)
    #expect(sound.alsa.with { $0.rests }.prefix(4) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
    sound.alsa.with { $0.isStuck = false }
    sound.alsa.pass()
    await sound.player.reach(.ok)
    sound.expectNoLeak()
  }

  @Test func `a speaker unplugged while nothing plays is noticed at once`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { state in
      state.state = .disconnected
      state.isAbsent = true
    }
    sound.alsa.reportFault()
    await sound.player.reach(.lost)
    sound.expectNoLeak()
  }

  @Test func `a speaker that says nothing when it goes is noticed within a minute`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { state in
      state.state = .disconnected
      state.isAbsent = true
    }
    #expect(sound.alsa.with { $0.rests.last } == .seconds(60))
    sound.alsa.pass()
    await sound.player.reach(.lost)
  }

  @Test func `a fault without a cause does not spin, and changes nothing`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.reportFault()
    try sound.alsa.waitForRest(2)
    // The descriptor of such a device is not looked at again until a sound has played.
    sound.alsa.reportFault()
    sound.player.play(.failure)
    #expect(await sound.events(2) == [.started(.failure), .finished(.failure)])
    try sound.alsa.waitForRest(4)
    #expect(sound.alsa.with { $0.rests } == [.seconds(60), .seconds(5), .seconds(60), .seconds(5)])
    #expect(sound.player.health == .ok)
  }

  @Test func `a device that ran dry while nothing plays is made ready again`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { $0.state = .underrun }
    sound.alsa.reportFault()
    try sound.alsa.waitForRest(2)
    #expect(sound.alsa.with { $0.calls } == ["prepare"])
    #expect(sound.player.health == .ok)
  }

  @Test func `a result that comes while the device is opened again is played when that is soon done`() async throws {
    let sound = try SoundHarness { $0.isAbsent = true }
    try sound.alsa.waitForRest(1)
    sound.alsa.with { [time = sound.time, player = sound.player] state in
      state.isAbsent = false
      state.openHook = {
        player.play(.success)
        time.advance(by: .milliseconds(1900))
      }
    }
    sound.alsa.pass()
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
    #expect(sound.player.health == .ok)
  }

  @Test func `a result is told as not heard when the opening takes longer, and never played late`() async throws {
    let sound = try SoundHarness { $0.isAbsent = true }
    try sound.alsa.waitForRest(1)
    sound.alsa.with { [time = sound.time, player = sound.player] state in
      state.isAbsent = false
      state.openHook = {
        player.play(.success)
        time.advance(by: .milliseconds(2100))
      }
    }
    sound.alsa.pass()
    #expect(await sound.event() == .expired(.success))
    await sound.player.reach(.ok)
    #expect(sound.alsa.with { $0.taken }.allSatisfy { $0 == 0 })
    #expect(sound.lines.all == ["sound: a success was not heard: the device was away for too long"])
  }

  @Test func `a write that never comes back shows in the beat and in the health, and no caller waits`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    let hang = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    sound.alsa.with { state in
      state.writeHook = (
        2400,
        {
          entered.signal()
          hang.wait()
        }
      )
    }
    let began = sound.time.uptime()
    sound.player.play(.failure)
    try Waiting.until("the write hangs") { entered.wait(timeout: .now()) == .success }
    sound.time.advance(by: .seconds(20))
    #expect(sound.player.heartbeat() == began)
    #expect(sound.player.health == .hung)
    sound.player.play(.success)
    sound.time.advance(by: .seconds(20))
    hang.signal()
    #expect(await sound.events(3) == [.started(.failure), .cut(.failure), .expired(.success)])
    try sound.alsa.waitForRest(2)
    #expect(sound.player.heartbeat() == sound.time.uptime())
    #expect(sound.player.health == .ok)
    #expect(sound.alsa.with { $0.taken }.allSatisfy { $0 <= 0 }, "the success is never heard")
    sound.expectNoLeak()
  }

  @Test func `an opening that never comes back shows, at the start and at every try`() async throws {
    let hang = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    let hook: @Sendable () -> Void = {
      entered.signal()
      hang.wait()
    }
    let sound = try SoundHarness { state in
      state.openHook = hook
      state.isAbsent = true
    }
    try Waiting.until("the first opening hangs") { entered.wait(timeout: .now()) == .success }
    var began = sound.time.uptime()
    sound.time.advance(by: .seconds(16))
    #expect(sound.player.heartbeat() == began)
    #expect(sound.player.health == .hung)
    hang.signal()
    try sound.alsa.waitForRest(1)
    #expect(sound.player.heartbeat() == sound.time.uptime())
    #expect(sound.player.health == .noDevice)

    sound.alsa.with { $0.openHook = hook }
    sound.alsa.pass()
    try Waiting.until("the second opening hangs") { entered.wait(timeout: .now()) == .success }
    began = sound.time.uptime()
    sound.time.advance(by: .seconds(16))
    #expect(sound.player.heartbeat() == began)
    hang.signal()
  }

  @Test func `nothing wakes the thread while nothing plays, and it still counts as alive`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.time.advance(by: .seconds(3600))
    #expect(sound.player.heartbeat() == sound.time.uptime())
    #expect(sound.player.health == .ok)
    #expect(sound.alsa.restCount == 1)
  }

  @Test func `a thread that does not take an order falls silent`() {
    let time = ManualTime()
    let desk = Desk(now: time.uptime())
    let ordered = time.uptime() + .seconds(100)
    let result = desk.park {
      #expect(desk.lastBeat(at: ordered) == ordered)
      #expect(desk.play(.success, at: ordered) == nil)
      #expect(desk.play(.failure, at: ordered + .seconds(5)) == .success)
      #expect(desk.lastBeat(at: ordered + .seconds(20)) == ordered)
      return .timedOut
    }
    #expect(result == .timedOut)
    #expect(desk.take(at: ordered + .seconds(21)) == .play(.failure, askedAt: ordered + .seconds(5)))
    #expect(desk.lastBeat(at: ordered + .seconds(30)) == ordered + .seconds(21))
  }
}
