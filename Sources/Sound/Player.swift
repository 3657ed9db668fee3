internal import Dispatch
package import Linux

/// Makes results heard at once, on a thread of its own (DESIGN 5.2 "Sounds").
///
/// Nobody who calls `play` ever waits for the device. Without one the rest of the agent goes on, and `health` says what is
/// missing. A device that is away is tried again by its name, since the number of a card moves when it is plugged
/// elsewhere.
package final class Player: Sendable {
  package let device: String
  private let library: ALSALibrary
  private let time: any TimeSource
  private let log: Log
  private let event: (@Sendable (PlayEvent) -> Void)?
  private let desk: Desk
  private let board: SoundBoard
  /// A broken USB speaker answers its mixer seconds late: no result waits for that.
  private let mixerQueue = DispatchQueue(label: "sound-mixer")

  /// A call into alsa-lib that takes longer is told as `hung`. Longer than any wait of ours, and shorter than the
  /// watchdog's limit, so that the log says why the agent is started again.
  static let hungAfter = Duration.seconds(5)

  /// Starts the thread, which opens the device.
  /// - Parameters:
  ///   - device: what `aplay -L` lists: `default`, `plughw:CARD=Device`, `hw:…`.
  ///   - success: the path of a WAV file.
  ///   - failure: the path of a WAV file.
  ///   - event: told what becomes of each sound, on the player's thread or in `play`.
  package init(
    device: String, success: String, failure: String, library: ALSALibrary = .system, time: any TimeSource, log: Log,
    event: (@Sendable (PlayEvent) -> Void)? = nil
  ) {
    self.device = device
    self.library = library
    self.time = time
    self.log = log
    self.event = event
    desk = Desk(now: time.uptime())
    board = SoundBoard(deviceName: device)
    Threads.start(name: "sound") { [self] in
      let sounds = ChimeSounds(success: success, failure: failure)
      for problem in sounds.problems { log.error("sound: a plain tone is heard in the place of \(problem)") }
      board.found(badFile: sounds.problems.first)
      SoundThread(
        deviceName: device, sounds: sounds, library: library, desk: desk, board: board, time: time,
        opened: { [self] in checkMixer() }, tell: { [self] in tell($0) }
      ).run()
    }
  }

  /// Makes a result heard. Returns at once. A second result cuts the first off: what counts is the newest tap. One that
  /// cannot be begun within 2 s is not heard at all.
  package func play(_ chime: Chime) {
    if let replaced = desk.play(chime, at: time.uptime()) { tell(.cut(replaced)) }
  }

  /// Looks soon whether the card's mixer lets sound through, and puts that into `health`. Returns at once. A speaker that
  /// is plugged in again comes with the volume its driver chooses, and a knob can be turned at any time: it is looked at
  /// after every opening, and the agent asks again and again.
  package func checkMixer() {
    guard board.askForMixer() else { return }
    mixerQueue.async { [self] in
      while let (open, name) = board.nextMixer() {
        board.heard(library.mixer(name).map(MixerVerdict.init), about: open)
      }
    }
  }

  /// Ends the thread and closes the device; a sound that plays is cut off.
  package func stop() { desk.stop(at: time.uptime()) }

  package var health: SoundHealth { board.health }

  /// How the speaker is, now and at every change; the newest wins.
  package func healths() -> AsyncStream<SoundHealth> { board.healths() }

  /// When the thread last showed that it lives, for the watchdog; uptime. A thread that waits for a result needs no
  /// wake-up for this; one that hangs in alsa-lib falls silent whatever it was doing, and `health` says so from the next
  /// look on.
  package func heartbeat() -> Duration {
    let now = time.uptime()
    let beat = desk.lastBeat(at: now)
    board.set(hung: now - beat > Self.hungAfter)
    return beat
  }

  private func tell(_ event: PlayEvent) {
    switch event {
    case .failed(let chime, let health):
      log.warning("sound: a \(chime.rawValue) was not heard: \(health.sentence(device: device) ?? health.name)")
    case .expired(let chime): log.warning("sound: a \(chime.rawValue) was not heard: the device was away for too long")
    case .started, .finished, .cut: break
    }
    self.event?(event)
  }
}
