internal import Synchronization

/// What is known about the speaker: the sound thread, the mixer's reader and the watchdog write, anybody reads.
final class SoundBoard: Sendable {
  /// A device and the opening it came from: a mixer read before it went says nothing about the next one.
  struct Open: Equatable {
    let device: ALSALibrary.Device
    let opening: UInt64
  }

  private struct State {
    var open: Open?
    var openings: UInt64 = 0
    /// Why nothing is believed to be heard; nil once the device has played.
    var fault: SoundHealth? = .starting
    var isHung = false
    var badFile: String?
    var verdict: MixerVerdict?
    var mixerIsRead = false
    var mixerIsAskedFor = false
    var health = SoundHealth.starting
    var listeners: [AsyncStream<SoundHealth>.Continuation] = []
  }

  private let deviceName: String
  private let state = Mutex(State())

  init(deviceName: String) { self.deviceName = deviceName }

  var health: SoundHealth { state.withLock { $0.health } }

  /// A fault that stood before stands until the device has played.
  func opened(_ device: ALSALibrary.Device) {
    update { state in
      state.openings += 1
      state.open = Open(device: device, opening: state.openings)
      state.verdict = nil
    }
  }

  /// The device has played to the end what it was given.
  func played() { update { $0.fault = nil } }

  func closed(_ fault: SoundHealth) {
    update { state in
      state.open = nil
      state.verdict = nil
      state.fault = fault
    }
  }

  func found(badFile: String?) { update { $0.badFile = badFile } }

  func set(hung: Bool) { update { $0.isHung = hung } }

  /// Asks for a look at the mixer. True: nobody reads it now, so the caller has to.
  func askForMixer() -> Bool {
    state.withLock { state in
      state.mixerIsAskedFor = true
      defer { state.mixerIsRead = true }
      return !state.mixerIsRead
    }
  }

  /// What to read next; nil when the reading ends.
  func nextMixer() -> (open: Open, name: String)? {
    state.withLock { state in
      guard state.mixerIsAskedFor, let open = state.open else {
        state.mixerIsRead = false
        state.mixerIsAskedFor = false
        return nil
      }
      state.mixerIsAskedFor = false
      return (open, mixerName(open.device))
    }
  }

  /// The mixer's verdict about this opening; nil: it has none.
  func heard(_ verdict: MixerVerdict?, about open: Open) {
    update { if $0.open == open { $0.verdict = verdict } }
  }

  /// The present health first, then every change; the newest wins.
  func healths() -> AsyncStream<SoundHealth> {
    let (stream, continuation) = AsyncStream<SoundHealth>.makeStream(bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      state.listeners.append(continuation)
      // Inside the lock: a change that comes now is yielded after it.
      continuation.yield(state.health)
    }
    return stream
  }

  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      let before = state.health
      change(&state)
      state.health = health(of: state)
      guard state.health != before else { return }
      // Inside the lock, so that the newest is yielded last.
      // Who has gone is found out here: `onTermination` runs under the lock of the task that is cancelled, which a `yield`
      // under ours waits for.
      state.listeners.removeAll { if case .terminated = $0.yield(state.health) { true } else { false } }
    }
  }

  private func health(of state: borrowing State) -> SoundHealth {
    if state.isHung { return .hung }
    if let fault = state.fault { return fault }
    guard let device = state.open?.device else { return .starting }
    return .ofWorking(device, mixer: mixerName(device), verdict: state.verdict, badFile: state.badFile)
  }

  /// A card's mixer goes by the card; what is no card may have one of the same name, as sound servers do.
  private func mixerName(_ device: ALSALibrary.Device) -> String { device.card.map { "hw:\($0)" } ?? deviceName }
}
