internal import Foundation
internal import Glibc
internal import Linux

/// The player's thread: owns the PCM.
struct Playback {
  let player: Player
  let library: ALSALibrary
  let time: any TimeSource
  let sounds: [Chime: WAV]

  private struct Open {
    let pcm: ALSALibrary.PCM
    let rate: Int
    let channels: Int
  }

  /// Frames a write: 10 ms, so that a newer result waits for no more.
  private static let slice = 480
  /// A sound that takes this much longer than it lasts is stuck.
  private static let patience: Duration = .seconds(2)

  /// Until the player is stopped.
  func run() {
    var open: Open?
    var wasThere = false
    var backOff = Duration.milliseconds(500)
    defer { if let open { library.close(open.pcm) } }
    tryOpening(&open, &wasThere)
    while true {
      switch player.next(retryIn: open == nil ? backOff : nil) {
      case .stop: return
      case .retry:
        backOff = min(backOff * 2, .seconds(10))
        tryOpening(&open, &wasThere)
        if open != nil { backOff = .milliseconds(500) }
      case .checkMixer: checkMixer(open)
      case .play(let chime):
        if open == nil { tryOpening(&open, &wasThere) }
        play(chime, &open, &wasThere)
        if open == nil { backOff = .milliseconds(500) }
      }
    }
  }

  private func tryOpening(_ open: inout Open?, _ wasThere: inout Bool) {
    guard let sound = sounds[.success] ?? sounds[.failure] else { return }
    do throws(ALSALibrary.Failure) {
      open = try self.open(sound)
      wasThere = true
      checkMixer(open)
    } catch {
      player.set(.of(error, wasThere: wasThere, hasForeignCards: hasForeignCards()))
    }
  }

  private func open(_ sound: WAV) throws(ALSALibrary.Failure) -> Open {
    let pcm = try library.open(player.device)
    do throws(ALSALibrary.Failure) {
      // A plain hardware device may take two channels only: then both get the same.
      do throws(ALSALibrary.Failure) {
        try library.configure(pcm, sound.rate, sound.channels)
        return Open(pcm: pcm, rate: sound.rate, channels: sound.channels)
      } catch  where sound.channels == 1 {
        try library.configure(pcm, sound.rate, 2)
        return Open(pcm: pcm, rate: sound.rate, channels: 2)
      }
    } catch {
      library.close(pcm)
      throw error
    }
  }

  /// Sound cards that are there but not for this user: alsa-lib calls them "no such device".
  private func hasForeignCards() -> Bool {
    let nodes = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
    let cards = nodes.filter { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
    return !cards.isEmpty && !cards.contains { unsafe access("/dev/snd/" + $0, R_OK | W_OK) == 0 }
  }

  private func checkMixer(_ open: Open?) {
    guard let open else { return }
    if sounds.count < Chime.allCases.count { return }
    if let mixer = library.mixer(Self.card(of: player.device)) {
      if !mixer.isOn || mixer.percent == 0 { return player.set(.muted) }
      if mixer.percent < 5 { return player.set(.quiet(percent: mixer.percent)) }
    }
    let isHDMI = (player.device + library.name(open.pcm)).lowercased().contains("hdmi")
    player.set(isHDMI ? .hdmi : .ok)
  }

  /// `hw:CARD=Device` of `plughw:CARD=Device,DEV=0`: mixers belong to cards.
  static func card(of device: String) -> String {
    guard let colon = device.firstIndex(of: ":") else { return "default" }
    let first = device[device.index(after: colon)...].split(separator: ",").first.map(String.init) ?? "0"
    return "hw:" + first
  }

  private func play(_ chime: Chime, _ open: inout Open?, _ wasThere: inout Bool) {
    guard let sound = sounds[chime], let device = open else {
      return player.tell(.failed(chime, player.health))
    }
    do throws(ALSALibrary.Failure) {
      try write(sound, chime, device)
    } catch {
      library.close(device.pcm)
      open = nil
      // A speaker that was unplugged and is back has a new number and the same name.
      if error.errno == ENODEV, let again = try? self.open(sound), (try? write(sound, chime, again)) != nil {
        open = again
        return
      }
      player.set(.of(error, wasThere: wasThere, hasForeignCards: false))
      player.tell(.failed(chime, player.health))
    }
  }

  private func write(_ sound: WAV, _ chime: Chime, _ open: Open) throws(ALSALibrary.Failure) {
    let frames = Self.frames(sound, for: open.channels)
    let deadline = time.uptime() + .milliseconds(sound.frames * 1000 / sound.rate) + Self.patience
    library.drop(open.pcm)
    try library.prepare(open.pcm)
    var index = 0
    var started = false
    while index < frames.count {
      if player.isOvertaken { return cut(chime, open) }
      guard time.uptime() < deadline else { throw ALSALibrary.Failure(errno: EIO, call: "snd_pcm_writei") }
      let end = min(index + Self.slice * open.channels, frames.count)
      do throws(ALSALibrary.Failure) {
        let written = try library.write(open.pcm, frames[index..<end], open.channels)
        index += written * open.channels
        if !started {
          started = true
          player.tell(.started(chime, at: time.uptime()))
        }
        player.beat()
      } catch  where error.errno == EAGAIN {
        library.wait(open.pcm, 50)
      } catch  where error.errno == EPIPE || error.errno == ESTRPIPE {
        // The device ran dry: it goes on from here, what was heard is not heard again.
        try library.prepare(open.pcm)
      }
    }
    while try !library.isDrained(open.pcm) {
      if player.isOvertaken { return cut(chime, open) }
      guard time.uptime() < deadline else { throw ALSALibrary.Failure(errno: EIO, call: "snd_pcm_drain") }
      player.beat()
      library.wait(open.pcm, 10)
      usleep(5000)
    }
    player.tell(.finished(chime))
  }

  private func cut(_ chime: Chime, _ open: Open) {
    library.drop(open.pcm)
    player.tell(.cut(chime))
  }

  private static func frames(_ sound: WAV, for channels: Int) -> [Int16] {
    channels == sound.channels ? sound.samples : sound.samples.flatMap { [$0, $0] }
  }
}
