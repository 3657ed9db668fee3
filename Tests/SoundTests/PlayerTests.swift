import Foundation
import Linux
import TestSupport
import Testing

@testable import Sound

/// What becomes of one result on a device that is there, with what devices do in the middle of a sound.
@Suite(.timeLimit(.minutes(1)))
struct PlayerTests {
  @Test func `a result is heard from the first to the last sample, and ends in one drain`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    let began = sound.time.uptime()
    sound.player.play(.success)
    #expect(await sound.event() == .started(.success, at: began))
    #expect(await sound.event() == .finished(.success))
    // 36,000 frames at 48 kHz. The kernel says EAGAIN to a drain for ever: the end is seen all the same.
    let took = sound.time.uptime() - began
    #expect((.milliseconds(750)...(.milliseconds(850))).contains(took), "\(took)")
    #expect(sound.alsa.with { $0.taken } == Ramps.samples(.success))
    try sound.alsa.waitForRest(2)
    #expect(sound.alsa.with { $0.calls } == ["drain", "prepare"])
    #expect(sound.player.health == .ok)
    sound.expectNoLeak()
  }

  @Test func `a newer result cuts the older off in the middle`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { [player = sound.player] state in state.writeHook = (12_000, { player.play(.failure) }) }
    sound.player.play(.success)
    #expect(await sound.events(4) == [.started(.success), .cut(.success), .started(.failure), .finished(.failure)])
    #expect(sound.alsa.with { $0.taken } == Ramps.samples(.success).prefix(12_000) + Ramps.samples(.failure))
    #expect(sound.alsa.with { $0.calls }.prefix(2) == ["drop", "prepare"])
    sound.expectNoLeak()
  }

  @Test func `a newer result cuts in while the older plays out`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    // All of it fits into the buffer: after the last write there is only waiting.
    sound.alsa.with { [player = sound.player] state in state.writeHook = (24_000, { player.play(.success) }) }
    sound.player.play(.failure)
    #expect(await sound.events(4) == [.started(.failure), .cut(.failure), .started(.success), .finished(.success)])
    #expect(sound.alsa.with { $0.calls }.first == "drop")
  }

  @Test func `of two results at once only the newer is begun, and the older is told as cut`() async throws {
    let opening = DispatchSemaphore(value: 0)
    let sound = try SoundHarness { $0.openHook = { opening.wait() } }
    sound.player.play(.success)
    sound.player.play(.failure)
    opening.signal()
    #expect(await sound.events(3) == [.cut(.success), .started(.failure), .finished(.failure)])
    #expect(sound.player.health == .ok)
  }

  @Test func `a reminder is heard when all is quiet, gives way to a result, and never cuts one off`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.player.play(.reminder)
    #expect(await sound.events(2) == [.started(.reminder), .finished(.reminder)])
    try sound.alsa.waitForRest(2)
    sound.alsa.with { [player = sound.player] state in
      state.taken = []
      state.writeHook = (12_000, { player.play(.failure) })
    }
    sound.player.play(.reminder)
    #expect(await sound.events(4) == [.started(.reminder), .cut(.reminder), .started(.failure), .finished(.failure)])
    try sound.alsa.waitForRest(3)
    sound.alsa.with { [player = sound.player] state in
      state.taken = []
      state.writeHook = (12_000, { player.play(.reminder) })
    }
    sound.player.play(.success)
    #expect(await sound.events(3) == [.started(.success), .cut(.reminder), .finished(.success)])
    #expect(sound.alsa.with { $0.taken } == Ramps.samples(.success))
  }

  @Test func `an underrun goes on where it was and repeats nothing`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with {
      $0.writeFaults = [(0, EPIPE), (24_000, EPIPE), (26_400, ESTRPIPE), (28_800, EINTR), (28_800, EAGAIN)]
    }
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
    #expect(sound.alsa.with { $0.taken } == Ramps.samples(.success))
    #expect(!sound.alsa.with { $0.calls }.contains("open"))
  }

  @Test func `a device that only underruns is given up and opened again`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { state in
      state.writeFaults = .init(repeating: (2400, EPIPE), count: 21)
      state.openings = [EBUSY]
    }
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .failed(.success, .busy)])
    sound.expectNoLeak()
  }

  @Test func `a device that takes nothing is given up at the deadline`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { $0.isStuck = true }
    let began = sound.time.uptime()
    sound.player.play(.failure)
    #expect(await sound.event() == .failed(.failure, .failing(errno: ETIMEDOUT)))
    // Its own half second and two more.
    let took = sound.time.uptime() - began
    #expect((.milliseconds(2500)...(.milliseconds(2600))).contains(took), "\(took)")
    #expect(sound.player.health == .failing(errno: ETIMEDOUT))
    sound.expectNoLeak()
  }

  @Test func `a device that does not play out is given up at the deadline, and the thread lives`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { [alsa = sound.alsa] state in state.writeHook = (24_000, { alsa.with { $0.isStuck = true } }) }
    sound.player.play(.failure)
    #expect(await sound.events(2) == [.started(.failure), .failed(.failure, .failing(errno: ETIMEDOUT))])
    sound.alsa.with { $0.isStuck = false }
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
    #expect(sound.player.health == .ok)
    sound.expectNoLeak()
  }

  @Test func `a device that never leaves the drain by itself ends when it has run empty`() async throws {
    let sound = try SoundHarness { $0.drainIsDeaf = true }
    try await sound.ready()
    sound.player.play(.failure)
    #expect(await sound.events(2) == [.started(.failure), .finished(.failure)])
    #expect(sound.player.health == .ok)
  }

  @Test func `no wait within a sound starves the beat`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { $0.isStuck = true }
    sound.player.play(.failure)
    _ = await sound.event()
    #expect(sound.alsa.with { $0.longestWait } <= .seconds(1))
    #expect(sound.alsa.with { $0.longestWait } > .zero)
  }

  @Test func `a device of another shape gets each sound in its own`() async throws {
    // 44.1 kHz, one channel against the device's 48 kHz, two: a sound played raw would be too low and too short.
    let other = WAVBytes.file([
      WAVBytes.format(rate: 44_100), ("data", WAVBytes.data(.init(repeating: 1000, count: 4410))),
    ])
    let sound = try SoundHarness(failure: other) { state in
      state.shape.channels = 2
      state.shape.period = 7000
    }
    try await sound.ready()
    sound.player.play(.failure)
    #expect(await sound.events(2) == [.started(.failure), .finished(.failure)])
    let taken = sound.alsa.with { $0.taken }
    #expect(
      taken == .init(repeating: 1000, count: 9600) + .init(repeating: 0, count: 4400), "a tenth of a second, one period"
    )
    sound.alsa.forget()
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .finished(.success)])
    #expect(sound.alsa.with { $0.taken }.prefix(72_000) == Ramps.samples(.success).flatMap { [$0, $0] }[...])
  }

  @Test func `the end cuts the sound off and closes the device`() async throws {
    let sound = try SoundHarness()
    try await sound.ready()
    sound.alsa.with { [player = sound.player] state in state.writeHook = (12_000, { player.stop() }) }
    sound.player.play(.success)
    #expect(await sound.events(2) == [.started(.success), .cut(.success)])
    try Waiting.until("closed") { sound.alsa.with { $0.calls.last == "close" && $0.live.isEmpty } }
    #expect(sound.alsa.with { $0.taken } == Array(Ramps.samples(.success).prefix(12_000)))
  }
}
