import Foundation
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Sound

/// A player with two sounds of its own over a sound card in memory. It ends with the test.
final class SoundHarness: Sendable {
  static let device = "plughw:CARD=Kitchen"

  let time = ManualTime()
  let alsa: FakeALSA
  let player: Player
  let folder = ScratchFolder()
  private let listener: Listener

  /// - Parameters:
  ///   - success: another file in the place of the sound of `Ramps`; so for `failure`.
  ///   - prepare: makes the card what it is before the player opens it.
  init(
    success: [UInt8]? = Ramps.file(.success), failure: [UInt8]? = Ramps.file(.failure),
    prepare: (inout sending FakeALSA.State) -> Void = { _ in }
  ) throws {
    alsa = FakeALSA(time: time)
    alsa.with { prepare(&$0) }
    if let success { try folder.write("success.wav", success) }
    if let failure { try folder.write("failure.wav", failure) }
    let (events, arrivals) = AsyncStream<PlayEvent>.makeStream()
    listener = Listener(events)
    let lines = Lines()
    self.lines = lines
    player = Player(
      device: Self.device, success: folder.path("success.wav"), failure: folder.path("failure.wav"),
      library: alsa.library, time: time, log: Log { _, text in lines.add(text) }, event: { arrivals.yield($0) })
  }

  deinit { player.stop() }

  let lines: Lines

  /// Waits until the device is open, proven and at rest, and forgets what it heard until then.
  func ready() async throws {
    await player.reach(.ok)
    try alsa.waitForRest(1)
    alsa.forget()
  }

  /// The next `count` events without their instants.
  func events(_ count: Int) async -> [PlayEvent] {
    var events: [PlayEvent] = []
    while events.count < count, let event = await listener.next() {
      if case .started(let chime, _) = event { events.append(.started(chime, at: .zero)) } else { events.append(event) }
    }
    return events
  }

  /// The next event as it came.
  func event() async -> PlayEvent? { await listener.next() }

  /// All handles but at most one are closed, and none was used afterwards.
  func expectNoLeak(sourceLocation: SourceLocation = #_sourceLocation) {
    let (most, misuses) = alsa.with { ($0.mostLive, $0.misuses) }
    #expect(most <= 1, sourceLocation: sourceLocation)
    #expect(misuses == [], sourceLocation: sourceLocation)
  }
}

/// Takes events one after the other; only one test waits at a time.
actor Listener {
  private var events: AsyncStream<PlayEvent>.Iterator

  init(_ events: AsyncStream<PlayEvent>) { self.events = events.makeAsyncIterator() }

  func next() async -> PlayEvent? {
    var mine = events
    let event = await mine.next(isolation: #isolation)
    events = mine
    return event
  }
}

/// Collects lines of a log.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func add(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }
}

extension Player {
  /// Waits for a health; the test's time limit is the deadline.
  func reach(_ wanted: SoundHealth) async {
    for await health in healths() where health == wanted { return }
  }
}

extension PlayEvent {
  static func started(_ chime: Chime) -> PlayEvent { .started(chime, at: .zero) }

  /// When this chime was started; nil: this is another event.
  func start(of chime: Chime) -> Duration? {
    if case .started(chime, let at) = self { at } else { nil }
  }
}

/// Two sounds whose every sample is different: 0.75 s upwards and 0.5 s downwards.
enum Ramps {
  static func samples(_ chime: Chime) -> [Int16] {
    switch chime {
    case .success: (1...36_000).map { Int16($0 % 30_000 + 1) }
    case .failure: (1...24_000).map { Int16(-$0) }
    case .reminder: Chime.reminder.spare.samples
    }
  }

  static func file(_ chime: Chime) -> [UInt8] {
    WAVBytes.file([WAVBytes.format(), ("data", WAVBytes.data(samples(chime)))])
  }
}
