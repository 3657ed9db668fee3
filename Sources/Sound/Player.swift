internal import Dispatch
internal import Foundation
internal import Glibc
package import Linux
internal import Synchronization

/// The two sounds of results.
package enum Chime: String, CaseIterable, Sendable {
  case success, failure
}

/// What became of a sound.
package enum PlayEvent: Equatable, Sendable {
  /// Its first sample was written; uptime.
  case started(Chime, at: Duration)
  case finished(Chime)
  /// A newer result took its place.
  case cut(Chime)
  /// It was not heard.
  case failed(Chime, SoundHealth)
}

/// Plays results at once, on a thread of its own.
///
/// The device stays open between sounds: opening a USB speaker costs more than the 5 ms that a result has. Idle, the thread
/// sleeps. A device that is away is tried again by its name, since the number of a card moves when it is plugged elsewhere.
package final class Player: Sendable {
  private struct State {
    var wanted: Chime?
    var checksMixer = false
    var stopping = false
    var beat: Duration
    var isBusy = false
    var health = SoundHealth.starting
    var listeners: [UInt64: AsyncStream<SoundHealth>.Continuation] = [:]
    var nextListener: UInt64 = 0
    var onEvent: (@Sendable (PlayEvent) -> Void)?
  }

  package let device: String
  private let library: ALSALibrary
  private let time: any TimeSource
  private let log: Log
  private let state: Mutex<State>
  private let wake = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - success: the path of a WAV file.
  ///   - event: told what becomes of each sound, on the player's thread.
  package init(
    device: String, success: String, failure: String, library: ALSALibrary = .system, time: any TimeSource, log: Log,
    event: (@Sendable (PlayEvent) -> Void)? = nil
  ) {
    self.device = device
    self.library = library
    self.time = time
    self.log = log
    state = Mutex(State(beat: time.uptime(), onEvent: event))
    Threads.start(name: "sound") { [self] in
      let sounds = decode([.success: success, .failure: failure])
      Playback(player: self, library: library, time: time, sounds: sounds).run()
    }
  }

  /// Returns at once; a second result cuts the first off.
  package func play(_ chime: Chime) {
    state.withLock { $0.wanted = chime }
    wake.signal()
  }

  /// Looks at the mixer soon.
  package func checkMixer() {
    state.withLock { $0.checksMixer = true }
    wake.signal()
  }

  package func stop() {
    state.withLock { $0.stopping = true }
    wake.signal()
  }

  package var health: SoundHealth { state.withLock { $0.health } }

  /// How the speaker is, now and at every change; the newest wins.
  package func healths() -> AsyncStream<SoundHealth> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let (id, health) = state.withLock { state in
        state.nextListener += 1
        state.listeners[state.nextListener] = continuation
        return (state.nextListener, state.health)
      }
      continuation.onTermination = { [self] _ in state.withLock { $0.listeners[id] = nil } }
      continuation.yield(health)
    }
  }

  /// When the thread last showed that it lives; idle it sleeps, and counts as alive.
  package func heartbeat() -> Duration { state.withLock { $0.isBusy ? $0.beat : time.uptime() } }

  // MARK: The thread's side

  enum Task {
    case play(Chime)
    case checkMixer
    case retry
    case stop
  }

  /// Waits for something to do; `retryIn` for at most that long.
  func next(retryIn: Duration?) -> Task {
    while true {
      let task = state.withLock { state -> Task? in
        if state.stopping { return .stop }
        if let chime = state.wanted.take() {
          state.isBusy = true
          state.beat = time.uptime()
          return .play(chime)
        }
        if state.checksMixer {
          state.checksMixer = false
          return .checkMixer
        }
        state.isBusy = false
        return nil
      }
      if let task { return task }
      guard let retryIn else {
        wake.wait()
        continue
      }
      if wake.wait(timeout: .now() + .milliseconds(retryIn.inMilliseconds)) == .timedOut { return .retry }
    }
  }

  /// Whether a newer result is waiting.
  var isOvertaken: Bool { state.withLock { $0.wanted != nil || $0.stopping } }

  func beat() {
    let now = time.uptime()
    state.withLock { $0.beat = now }
  }

  func tell(_ event: PlayEvent) { state.withLock { $0.onEvent }?(event) }

  func set(_ health: SoundHealth) {
    let listeners = state.withLock { state -> [AsyncStream<SoundHealth>.Continuation] in
      guard state.health != health else { return [] }
      state.health = health
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.yield(health) }
  }

  private func decode(_ paths: [Chime: String]) -> [Chime: WAV] {
    var sounds: [Chime: WAV] = [:]
    for (chime, path) in paths {
      do {
        guard let data = FileManager.default.contents(atPath: path) else {
          throw WAV.Malformed(problem: "there is no such file")
        }
        sounds[chime] = try WAV.decode(Array(data))
      } catch {
        log.error("the sound \(path) cannot be played: \(error)")
        set(.badFile("\(path): \((error as? WAV.Malformed)?.problem ?? "unreadable")"))
      }
    }
    return sounds
  }
}
