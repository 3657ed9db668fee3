internal import Glibc
internal import Linux

/// The thread that alone talks to the sound device: opens it by its name, keeps it open and ready, plays what lies on the
/// desk, and opens it again after it went.
///
/// The device stays open while nothing plays: opening a USB speaker costs more than the 5 ms that a result has, an open
/// device says at once that it was unplugged, and nobody else plays on a kiosk. Prepared and without samples it costs no
/// wake-up.
final class SoundThread {
  private let deviceName: String
  private let sounds: ChimeSounds
  private let library: ALSALibrary
  private let desk: Desk
  private let board: SoundBoard
  private let time: any TimeSource
  private let opened: () -> Void
  private let tell: (PlayEvent) -> Void

  private var device: ALSALibrary.Device?
  /// In the shape of the open device.
  private var samples: [Chime: [Int16]] = [:]
  private var wasThere = false
  private var backOff = SoundThread.firstBackOff
  private var retryAt = Duration.zero
  /// The open device has played something.
  private var isProven = false
  /// The device reported a fault that is none: it would do so again at once, so it is looked at from time to time instead.
  private var isDeaf = false

  static let firstBackOff = Duration.milliseconds(500)
  static let longestBackOff = Duration.seconds(10)
  /// A sound that comes later is taken for that of another tap.
  static let freshness = Duration.seconds(2)
  /// Between two looks at a device that nothing happens to.
  static let idleLook = Duration.seconds(60)
  static let deafLook = Duration.seconds(5)

  /// - Parameters:
  ///   - opened: called after every opening.
  ///   - tell: what becomes of every result.
  init(
    deviceName: String, sounds: ChimeSounds, library: ALSALibrary, desk: Desk, board: SoundBoard,
    time: any TimeSource, opened: @escaping () -> Void, tell: @escaping (PlayEvent) -> Void
  ) {
    self.deviceName = deviceName
    self.sounds = sounds
    self.library = library
    self.desk = desk
    self.board = board
    self.time = time
    self.opened = opened
    self.tell = tell
  }

  /// Works until the desk says stop.
  func run() {
    openInTurn()
    while true {
      switch desk.take(at: time.uptime()) {
      case .play(let chime, let askedAt): play(chime, askedAt)
      case .stop(let abandoned):
        if let abandoned { tell(.cut(abandoned)) }
        if let device { library.close(device.pcm) }
        return
      case nil: rest()
      }
    }
  }

  private func play(_ chime: Chime, _ askedAt: Duration) {
    // Twice: a speaker that was unplugged and is back is known by its name alone, the open device is dead.
    for attempt in 0..<2 where attempt == 0 || isFresh(askedAt) {
      // Whoever just plugged the speaker in and taps does not wait for the back-off.
      if device == nil { open() }
      guard let device else { break }
      guard isFresh(askedAt) else { return tell(.expired(chime)) }
      let playback = Playback(library: library, device: device, desk: desk, time: time)
      switch playback.play(samples[chime] ?? [], started: { tell(.started(chime, at: time.uptime())) }) {
      case .finished:
        havePlayed(device)
        return tell(.finished(chime))
      case .overtaken:
        library.drop(device.pcm)
        makeReady(device)
        return tell(.cut(chime))
      case .failed(let failure): lose(device, failure)
      }
    }
    tell(.failed(chime, board.health))
  }

  private func isFresh(_ askedAt: Duration) -> Bool { time.uptime() - askedAt <= Self.freshness }

  /// Waits for an order, for a fault of the device, or for the time of the next try.
  private func rest() {
    guard let device else {
      let pause = retryAt - time.uptime()
      if pause <= .zero { return openInTurn() }
      _ = desk.park { library.wait(nil, .faults, desk.descriptor, pause) }
      return
    }
    if !isProven { return prove(device) }
    let result = desk.park {
      library.wait(isDeaf ? nil : device.pcm, .faults, desk.descriptor, isDeaf ? Self.deafLook : Self.idleLook)
    }
    if result == .woken { return }
    isDeaf = isDeaf || result == .fault
    switch library.state(device.pcm) {
    case .disconnected: lose(device, .init(errno: ENODEV, call: "snd_pcm_state"))
    case .prepared: break
    case .ended, .running, .draining, .underrun, .other: makeReady(device)
    }
  }

  private func openInTurn() {
    open()
    if device == nil { retryLater() }
  }

  /// Some devices open and take nothing: one is believed only when it has played something, and silence is enough for
  /// that. A result that comes meanwhile cuts it off and is the proof itself.
  private func prove(_ device: ALSALibrary.Device) {
    let silence = [Int16](repeating: 0, count: device.rate / 10 * device.channels)
    let playback = Playback(library: library, device: device, desk: desk, time: time)
    switch playback.play(silence, started: {}) {
    case .finished: havePlayed(device)
    case .overtaken:
      library.drop(device.pcm)
      makeReady(device)
    case .failed(let failure): lose(device, failure)
    }
  }

  private func open() {
    guard let shape = sounds.byChime[.success] else { return }
    desk.beat(at: time.uptime())
    do throws(ALSALibrary.Failure) {
      let fresh = try library.open(deviceName, shape.rate, shape.channels)
      device = fresh
      samples = sounds.byChime.mapValues {
        $0.samples(rate: fresh.rate, channels: fresh.channels, period: fresh.period)
      }
      wasThere = true
      isProven = false
      isDeaf = false
      board.opened(fresh)
      opened()
    } catch {
      board.closed(.of(error, wasThere: wasThere, forbiddenNode: library.forbiddenNode))
    }
    desk.beat(at: time.uptime())
  }

  private func havePlayed(_ device: ALSALibrary.Device) {
    isProven = true
    isDeaf = false
    backOff = Self.firstBackOff
    board.played()
    makeReady(device)
  }

  private func makeReady(_ device: ALSALibrary.Device) {
    do throws(ALSALibrary.Failure) {
      try library.prepare(device.pcm)
    } catch {
      lose(device, error)
    }
  }

  private func lose(_ device: ALSALibrary.Device, _ failure: ALSALibrary.Failure) {
    library.close(device.pcm)
    self.device = nil
    samples = [:]
    board.closed(.of(failure, wasThere: true, forbiddenNode: { nil }))
    retryLater()
  }

  private func retryLater() {
    retryAt = time.uptime() + backOff
    backOff = min(backOff * 2, Self.longestBackOff)
  }
}
