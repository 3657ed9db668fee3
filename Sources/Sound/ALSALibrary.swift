/// alsa-lib as a table: the calls that are used, typed by their negative errno. Tests put another table in its place.
///
/// All calls on one device come from the player's thread. The mixer is another handle and is read beside it.
package struct ALSALibrary: Sendable {
  package struct Failure: Error, Equatable, Sendable {
    /// As errno: ENODEV, EBUSY, EPIPE …
    package let errno: Int32
    package let call: String

    package init(errno: Int32, call: String) {
      self.errno = errno
      self.call = call
    }
  }

  /// A PCM as an opaque number.
  package typealias PCM = UInt

  /// What opening gave.
  package struct Device: Equatable, Sendable {
    package var pcm: PCM
    /// Frames a second that the device agreed to: near what was asked for, not always the same.
    package var rate: Int
    /// 1 or more.
    package var channels: Int
    /// Frames between two interrupts of the device.
    package var period: Int
    /// The card's number until it is unplugged; nil for what is no card (`null`, a sound server).
    package var card: Int?
    /// What the driver calls the card and the device, in one text.
    package var names: String

    package init(pcm: PCM, rate: Int, channels: Int, period: Int, card: Int?, names: String) {
      self.pcm = pcm
      self.rate = rate
      self.channels = channels
      self.period = period
      self.card = card
      self.names = names
    }

    /// The sound goes over the screen's cable and ends when the panel sleeps. A Raspberry Pi has it in the card's name
    /// alone, a PC in the device's.
    package var isScreen: Bool {
      let words = names.lowercased()
      return ["hdmi", "displayport", "display port"].contains { words.contains($0) }
    }
  }

  /// What a device is doing (`snd_pcm_state_t`).
  package enum State: Equatable, Sendable {
    /// Opened or played out: nothing is under way and the next sound needs a `prepare`.
    case ended
    case prepared, running, draining, underrun, disconnected, other
  }

  /// What a wait is to end for, beside a wake-up.
  package enum Interest: Equatable, Sendable {
    /// Room for more samples.
    case room
    /// Only that the device fails or goes: costs nothing while it does not.
    case faults
  }

  package enum WaitResult: Equatable, Sendable {
    case woken, room, fault, timedOut
  }

  /// Opens for playing without waiting for anybody: 16 bit, interleaved, near this rate and number of channels, prepared.
  package var open: @Sendable (_ name: String, _ rate: Int, _ channels: Int) throws(Failure) -> Device
  package var close: @Sendable (PCM) -> Void
  package var prepare: @Sendable (PCM) throws(Failure) -> Void
  /// Stops at once and throws away what has not been heard.
  package var drop: @Sendable (PCM) -> Void
  /// Frames taken now; EAGAIN when there is no room. The first start the device.
  package var write: @Sendable (PCM, _ samples: ArraySlice<Int16>, _ channels: Int) throws(Failure) -> Int
  /// Frames between the next one written and the ear.
  package var delay: @Sendable (PCM) throws(Failure) -> Int
  /// Asks the device to play out what was written. EAGAIN while that goes on, and on plain hardware after it, too: the
  /// kernel gives no other answer without blocking. What tells the end is `state`.
  package var drain: @Sendable (PCM) throws(Failure) -> Void
  package var state: @Sendable (PCM) -> State
  /// Blocks until `wake` is readable, the device has what is asked for, or the time is over. `woken` wins over the
  /// others. Without a PCM it waits for the wake-up alone.
  package var wait: @Sendable (PCM?, Interest, _ wake: Int32, _ atMost: Duration) -> WaitResult
  /// The playback controls of a mixer, such as `hw:0`; nil: it is not there or cannot be read.
  package var mixer: @Sendable (_ name: String) -> [MixerControl]?
  /// A file of a sound card that is there and may not be opened; nil when there is none. alsa-lib says "no such device"
  /// for both.
  package var forbiddenNode: @Sendable () -> String?

  package init(
    open: @escaping @Sendable (String, Int, Int) throws(Failure) -> Device,
    close: @escaping @Sendable (PCM) -> Void, prepare: @escaping @Sendable (PCM) throws(Failure) -> Void,
    drop: @escaping @Sendable (PCM) -> Void,
    write: @escaping @Sendable (PCM, ArraySlice<Int16>, Int) throws(Failure) -> Int,
    delay: @escaping @Sendable (PCM) throws(Failure) -> Int,
    drain: @escaping @Sendable (PCM) throws(Failure) -> Void, state: @escaping @Sendable (PCM) -> State,
    wait: @escaping @Sendable (PCM?, Interest, Int32, Duration) -> WaitResult,
    mixer: @escaping @Sendable (String) -> [MixerControl]?, forbiddenNode: @escaping @Sendable () -> String?
  ) {
    self.open = open
    self.close = close
    self.prepare = prepare
    self.drop = drop
    self.write = write
    self.delay = delay
    self.drain = drain
    self.state = state
    self.wait = wait
    self.mixer = mixer
    self.forbiddenNode = forbiddenNode
  }
}
