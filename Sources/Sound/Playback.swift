internal import Glibc
internal import Linux

/// One sound on its way through an open device, from the first sample to the end of its drain.
struct Playback {
  enum Ending: Equatable {
    case finished
    /// The desk holds something more urgent.
    case overtaken
    /// Only opening again helps.
    case failed(ALSALibrary.Failure)
  }

  let library: ALSALibrary
  let device: ALSALibrary.Device
  let desk: Desk
  let time: any TimeSource

  /// How much longer than its own length a sound may take.
  static let patience = Duration.seconds(2)
  /// Frames a write, 50 ms: the first samples do not wait for the conversion of the last.
  private static let slice = 2400
  /// No wait is longer, so that the thread's beat goes on.
  private static let longestWait = Duration.seconds(1)
  /// A device that takes nothing over and over is not asked more often than this.
  private static let pause = Duration.milliseconds(10)
  /// Underruns are mended; a device with more of them in one sound plays nothing that anybody would recognise.
  private static let mostUnderruns = 20

  /// Plays samples of the device's shape on a prepared device. Blocks until they were heard or something ends it; the
  /// device then has to be prepared for the next sound, or closed.
  func play(_ samples: [Int16], started: () -> Void) -> Ending {
    let deadline = time.uptime() + length(samples.count / device.channels) + Self.patience
    do throws(ALSALibrary.Failure) {
      guard try feed(samples, until: deadline, started: started), try settle(until: deadline) else {
        return .overtaken
      }
      return .finished
    } catch {
      return .failed(error)
    }
  }

  /// Writes all samples; false when something more urgent came.
  private func feed(
    _ samples: [Int16], until deadline: Duration, started: () -> Void
  ) throws(ALSALibrary.Failure) -> Bool {
    var next = 0
    var fruitless = 0
    var underruns = 0
    while next < samples.count {
      if desk.interrupts { return false }
      try goOn(until: deadline, "snd_pcm_writei")
      let slice = samples[next..<min(next + Self.slice * device.channels, samples.count)]
      do throws(ALSALibrary.Failure) {
        let taken = try library.write(device.pcm, slice, device.channels)
        if taken > 0 {
          if next == 0 { started() }
          next += taken * device.channels
          fruitless = 0
          continue
        }
      } catch {
        switch error.errno {
        case EAGAIN, EINTR: break
        case EPIPE where underruns < Self.mostUnderruns, ESTRPIPE where underruns < Self.mostUnderruns:
          // It ran dry, or the machine slept: what was written before is not heard again, it goes on with the next frame.
          underruns += 1
          try library.prepare(device.pcm)
          continue
        default: throw error
        }
      }
      fruitless += 1
      // Some plug-ins say that there is room and then take nothing, at full speed.
      wait(fruitless > 1 ? nil : device.pcm, .room, fruitless > 1 ? Self.pause : Self.longestWait, deadline)
    }
    return true
  }

  /// Waits until the last sample was heard, and drains; false when something more urgent came.
  ///
  /// Most of the time is one wait of the right length, so that a newer result cuts in at once: some plug-ins block in the
  /// drain however the device was opened, and others never leave it by themselves but run empty.
  private func settle(until deadline: Duration) throws(ALSALibrary.Failure) -> Bool {
    var isDraining = false
    var isDeaf = false
    while true {
      if desk.interrupts { return false }
      try goOn(until: deadline, "snd_pcm_drain")
      switch library.state(device.pcm) {
      case .running, .draining, .prepared: break
      // An underrun with nothing left to write is the end.
      case .ended, .underrun: return true
      case .disconnected: throw .init(errno: ENODEV, call: "snd_pcm_state")
      case .other: throw .init(errno: EBADFD, call: "snd_pcm_state")
      }
      var pause = Self.pause
      do throws(ALSALibrary.Failure) {
        let left = length(try library.delay(device.pcm))
        let lastPeriod = length(device.period)
        if isDraining {
          pause = max(left, pause)
        } else if left > lastPeriod {
          pause = left - lastPeriod
        } else {
          isDraining = true
          try library.drain(device.pcm)
          return true
        }
      } catch {
        switch error.errno {
        case EAGAIN, EINTR: break
        case EPIPE: return true
        default: throw error
        }
      }
      // The state says what a fault is. One that it does not know would end every wait at once.
      isDeaf = wait(isDeaf ? nil : device.pcm, .faults, pause, deadline) == .fault
    }
  }

  /// A sign of life; throws when the sound has taken too long.
  private func goOn(until deadline: Duration, _ call: String) throws(ALSALibrary.Failure) {
    let now = time.uptime()
    desk.beat(at: now)
    if now >= deadline { throw .init(errno: ETIMEDOUT, call: call) }
  }

  @discardableResult
  private func wait(
    _ pcm: ALSALibrary.PCM?, _ interest: ALSALibrary.Interest, _ pause: Duration, _ deadline: Duration
  ) -> ALSALibrary.WaitResult {
    library.wait(pcm, interest, desk.descriptor, min(pause, Self.longestWait, deadline - time.uptime()))
  }

  private func length(_ frames: Int) -> Duration { .seconds(Double(frames) / Double(max(device.rate, 1))) }
}
