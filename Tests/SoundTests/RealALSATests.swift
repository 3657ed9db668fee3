import Foundation
import Glibc
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Sound

/// The real libasound, with devices that need no hardware: its own `null` and `file`.
@Suite(.timeLimit(.minutes(2)))
struct RealALSATests {
  private let folder = ScratchFolder()

  /// Everything that is played, as raw samples.
  private var file: String { "file:FILE=\(folder.path("heard.raw")),FORMAT=raw" }

  /// A player that gives its events to `body` and ends with it.
  private func withPlayer(
    _ device: String, sounds: String = InstalledSoundsTests.folder, library: ALSALibrary = .system,
    _ body: (Player, Listener) async throws -> Void
  ) async throws {
    let (events, arrivals) = AsyncStream<PlayEvent>.makeStream()
    let player = Player(
      device: device, success: sounds + "success.wav", failure: sounds + "failure.wav", library: library,
      time: SystemTime(), log: .none, event: { arrivals.yield($0) })
    defer { player.stop() }
    try await body(player, Listener(events))
  }

  private func heard() throws -> [Int16] {
    let bytes = try Array(Data(contentsOf: URL(filePath: folder.path("heard.raw"))))
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
  }

  private func samples(_ chime: Chime) throws -> [Int16] {
    try WAV.decode(Array(Data(contentsOf: URL(filePath: InstalledSoundsTests.folder + "\(chime.rawValue).wav"))))
      .samples
  }

  @Test func `every sample of the file reaches the device, and then silence to the end of a period`() async throws {
    try await withPlayer(file) { player, events in
      await player.reach(.ok)
      for chime in Chime.results {
        player.play(chime)
        #expect(await events.next()?.start(of: chime) != nil)
        #expect(await events.next() == .finished(chime))
      }
      var rest = try heard()[...]
      // What the device is proven with.
      #expect(rest.prefix(4800).allSatisfy { $0 == 0 })
      rest = rest.dropFirst(4800)
      for chime in Chime.results {
        let samples = try samples(chime)
        #expect(rest.prefix(samples.count) == samples[...], "\(chime)")
        rest = rest.dropFirst(samples.count)
        let padding = (2400 - samples.count % 2400) % 2400
        #expect(rest.prefix(padding).allSatisfy { $0 == 0 })
        rest = rest.dropFirst(padding)
      }
      #expect(rest.isEmpty)
    }
  }

  @Test func `a second result cuts the first off, and the device hears it whole`() async throws {
    // The file device is not paced: the second result comes within a write.
    let second = Mutex<(@Sendable () -> Void)?>(nil)
    var library = ALSALibrary.system
    library.write = { pcm, samples, channels throws(ALSALibrary.Failure) in
      let taken = try ALSALibrary.system.write(pcm, samples, channels)
      if samples.contains(where: { $0 != 0 }) { second.withLock { $0.take() }?() }
      return taken
    }
    try await withPlayer(file, library: library) { player, events in
      await player.reach(.ok)
      second.withLock { $0 = { player.play(.failure) } }
      player.play(.success)
      #expect(await events.next()?.start(of: .success) != nil)
      #expect(await events.next() == .cut(.success))
      #expect(await events.next()?.start(of: .failure) != nil)
      #expect(await events.next() == .finished(.failure))
      let heard = try heard().dropFirst(4800)
      #expect(heard.prefix(2400) == (try samples(.success)).prefix(2400))
      let failure = try samples(.failure)
      #expect(heard.dropFirst(2400).prefix(failure.count) == failure[...])
    }
  }

  @Test(arguments: ["null", "plug:null"]) func `a device that swallows everything plays and drains`(
    device: String
  ) async throws {
    try await withPlayer(device) { player, events in
      player.play(.failure)
      #expect(await events.next()?.start(of: .failure) != nil)
      #expect(await events.next() == .finished(.failure))
      #expect(player.health == .ok)
      // No card, no mixer.
      player.checkMixer()
      #expect(ALSALibrary.system.mixer(device) == nil)
      #expect(player.health == .ok)
    }
  }

  @Test(arguments: ["hw:CARD=NoSuchSpeaker", "plughw:CARD=NoSuchSpeaker", "no_such_name"])
  func `a name that leads to nothing is told`(device: String) async throws {
    try await withPlayer(device) { player, events in
      await player.reach(.noDevice)
      player.play(.success)
      #expect(await events.next() == .failed(.success, .noDevice))
    }
  }

  @Test func `a configuration of its own is read again at every try`() async throws {
    await #expect(processExitsWith: .success) {
      let folder = ScratchFolder()
      let path = try folder.write("asound.conf", Array("pcm.other { type null }\n".utf8))
      _ = unsafe setenv("ALSA_CONFIG_PATH", path, 1)
      let player = Player(
        device: "later", success: InstalledSoundsTests.folder + "success.wav",
        failure: InstalledSoundsTests.folder + "failure.wav", time: SystemTime(), log: .none)
      await player.reach(.noDevice)
      try folder.write("asound.conf", Array("pcm.later { type null }\n".utf8))
      await player.reach(.ok)
      withExtendedLifetime(folder) {}
    }
  }

  @Test func `alsa-lib writes nothing of its own to stderr`() async throws {
    let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      for _ in 0..<3 { _ = try? ALSALibrary.system.open("no_such_name", 48_000, 1) }
      _ = ALSALibrary.system.mixer("no_such_name")
    }
    #expect(child.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "")
  }

  /// Judged beside what this machine takes to wake any thread just then: other tests run on it, too.
  @Test func `from play to the first sample at most 5 ms on an idle device`() async throws {
    let rests = Atomic(0)
    var library = ALSALibrary.system
    library.wait = { pcm, interest, wake, atMost in
      if atMost > .seconds(1) { rests.add(1, ordering: .relaxed) }
      return ALSALibrary.system.wait(pcm, interest, wake, atMost)
    }
    var taken: [Duration] = []
    var wakes: [Duration] = []
    let sleeper = Sleeper()
    try await withPlayer(file, library: library) { player, events in
      await player.reach(.ok)
      for round in 0..<200 {
        try Waiting.until("at rest") { rests.load(ordering: .relaxed) > round }
        let chime: Chime = round.isMultiple(of: 2) ? .success : .failure
        let asked = SystemTime().uptime()
        player.play(chime)
        let at = try #require(await events.next()?.start(of: chime))
        taken.append(at - asked)
        #expect(await events.next() == .finished(chime))
        wakes.append(try sleeper.wakes())
      }
    }
    taken.sort()
    wakes.sort()
    print("play to first sample, 200 runs: median \(taken[100]), p95 \(taken[189]), worst \(taken[199])")
    print("a thread's waking beside it: median \(wakes[100]), p95 \(wakes[189]), worst \(wakes[199])")
    #expect(taken[100] <= .milliseconds(5), "median of 200")
    #expect(
      taken[189] - wakes[189] <= .milliseconds(5), "p95 of 200, beyond that of a wake: \(taken[189]), \(wakes[189])")
  }
}

/// A thread that does nothing but tell when it was woken.
private final class Sleeper: Sendable {
  /// What it shares with its thread, which outlives it by one wake.
  private final class Life: Sendable {
    struct State {
      var isOver = false
      var rests = 0
      var wokenAt: [Duration] = []
    }

    let bell = WakeSignal()
    let state = Mutex(State())
  }

  private let life = Life()

  init() {
    Threads.start(name: "sleeper") { [life] in
      while !life.state.withLock({ $0.isOver }) {
        life.state.withLock { $0.rests += 1 }
        var waits = [pollfd(fd: life.bell.descriptor, events: Int16(POLLIN), revents: 0)]
        _ = unsafe poll(&waits, 1, -1)
        let now = SystemTime().uptime()
        life.bell.drain()
        life.state.withLock { $0.wokenAt.append(now) }
      }
    }
  }

  deinit {
    life.state.withLock { $0.isOver = true }
    life.bell.signal()
  }

  /// How long the thread takes to be awake, as from a wait of the player's.
  func wakes() throws -> Duration {
    let before = life.state.withLock { $0.wokenAt.count }
    try Waiting.until("at rest") { life.state.withLock { $0.rests } > before }
    let asked = SystemTime().uptime()
    life.bell.signal()
    return try Waiting.value("woken") { life.state.withLock { $0.wokenAt.count > before ? $0.wokenAt[before] : nil } }
      - asked
  }
}
