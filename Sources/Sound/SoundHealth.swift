internal import Glibc

/// How the speaker is. The names are stable: `/healthz` and the wall use them.
package enum SoundHealth: Equatable, Sendable {
  /// It is open and has played to the end what it was given last.
  case ok
  /// Not tried yet.
  case starting
  case noDevice
  case busy
  /// It was there and is gone.
  case lost
  /// The file that may not be opened.
  case noPermission(node: String)
  /// The card's mixer and the control that lets nothing through.
  case muted(mixer: String, control: String)
  /// Below 5 %.
  case quiet(percent: Int, mixer: String, control: String)
  /// The sound goes to the screen and ends when the screen sleeps.
  case hdmi
  /// A sound file cannot be played; a plain tone is heard in its place. The file and what is wrong with it.
  case badFile(String)
  /// It is there and does not play.
  case failing(errno: Int32)
  /// A call into alsa-lib does not come back.
  case hung

  package var name: String {
    switch self {
    case .ok: "ok"
    case .starting: "starting"
    case .noDevice: "noDevice"
    case .busy: "busy"
    case .lost: "lost"
    case .noPermission: "noPermission"
    case .muted: "muted"
    case .quiet: "quiet"
    case .hdmi: "hdmi"
    case .badFile: "badFile"
    case .failing: "failing"
    case .hung: "hung"
    }
  }

  /// Whether a result would be heard, as far as one can know.
  package var canPlay: Bool {
    switch self {
    case .ok, .quiet, .hdmi, .badFile: true
    case .starting, .noDevice, .busy, .lost, .noPermission, .muted, .failing, .hung: false
    }
  }

  /// What is wrong and what to do; nil when nothing is.
  package func sentence(device: String) -> String? {
    switch self {
    case .ok, .starting: nil
    case .noDevice: "there is no sound device \(device): plug the speaker in, or name another in sound.device"
    case .busy: "another program holds the sound device \(device): find it with fuser -v /dev/snd/* and end it"
    case .lost: "the sound device \(device) has gone: plug the speaker in again"
    case .noPermission(let node):
      "the sound device \(device) may not be used (\(node)): add the agent's user to the group audio"
    case .muted(let mixer, let control):
      "the speaker is muted by \(control): amixer -D \(mixer) sset '\(control)' 80% unmute"
    case .quiet(let percent, let mixer, let control):
      "the speaker is at \(percent) %, nearly silent: amixer -D \(mixer) sset '\(control)' 80% unmute"
    case .hdmi:
      "the sound goes to the screen over HDMI and ends when the screen sleeps: name another card in sound.device"
    case .badFile(let problem):
      "a sound cannot be played, a plain tone is heard in its place, \(problem): put a plain 16-bit PCM WAV file there"
    case .failing(EINVAL):
      "the sound device \(device) does not take 16-bit sound: name it with plughw: in sound.device, as aplay -L lists it"
    case .failing(let code): "the sound device \(device) fails (errno \(code)): unplug the speaker and plug it in again"
    case .hung: "the sound device \(device) does not come back from a command: unplug the speaker and plug it in again"
    }
  }
}

extension SoundHealth {
  /// What an error of alsa-lib means.
  /// - Parameters:
  ///   - wasThere: it had been open before.
  ///   - forbiddenNode: looked up only where alsa-lib's answer leaves it open.
  package static func of(_ failure: ALSALibrary.Failure, wasThere: Bool, forbiddenNode: () -> String?) -> SoundHealth {
    switch failure.errno {
    case EBUSY: return .busy
    case EACCES, EPERM: return .noPermission(node: forbiddenNode() ?? "/dev/snd")
    case ENODEV, ENOENT, ENXIO:
      if let node = forbiddenNode() { return .noPermission(node: node) }
      return wasThere ? .lost : .noDevice
    default: return .failing(errno: failure.errno)
    }
  }

  /// The worst of what is known about a device that plays, the worst first: nothing is heard, nothing will be heard from
  /// afar, nothing will be heard at night, another sound is heard.
  static func ofWorking(
    _ device: ALSALibrary.Device, mixer: String, verdict: MixerVerdict?, badFile: String?
  ) -> SoundHealth {
    switch verdict {
    case .muted(let control): return .muted(mixer: mixer, control: control)
    case .quiet(let percent, let control): return .quiet(percent: percent, mixer: mixer, control: control)
    case .audible, nil: break
    }
    if device.isScreen { return .hdmi }
    return badFile.map { .badFile($0) } ?? .ok
  }
}
