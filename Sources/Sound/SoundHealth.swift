internal import Glibc

/// How the speaker is. The names are stable: `/healthz` and the wall use them.
package enum SoundHealth: Equatable, Sendable {
  case ok
  /// Not opened yet.
  case starting
  case noDevice
  case busy
  /// It was there and is gone.
  case lost
  case noPermission
  case muted
  case quiet(percent: Int)
  /// The sound goes to the screen and ends when the screen sleeps.
  case hdmi
  /// A sound file cannot be played.
  case badFile(String)
  case failing(errno: Int32)

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
    }
  }

  /// Whether a result would be heard, as far as one can know.
  package var canPlay: Bool {
    switch self {
    case .ok, .quiet, .hdmi: true
    default: false
    }
  }

  /// What is wrong and what to do; nil when nothing is.
  package func sentence(device: String) -> String? {
    switch self {
    case .ok, .starting: nil
    case .noDevice: "there is no sound device \(device): plug the speaker in, or name another in sound.device"
    case .busy: "another program holds the sound device \(device): find it with fuser -v /dev/snd/* and end it"
    case .lost: "the sound device \(device) has gone: plug the speaker in again"
    case .noPermission: "the sound device \(device) may not be used: add the agent's user to the group audio"
    case .muted: "the speaker is muted: amixer set Master unmute"
    case .quiet(let percent): "the speaker is at \(percent) %, nearly silent: amixer set Master 80%"
    case .hdmi:
      "the sound goes to the screen over HDMI and ends when the screen sleeps: name another card in sound.device"
    case .badFile(let problem): "a sound cannot be played, \(problem): put a plain 16-bit PCM WAV file there"
    case .failing(let code): "the sound device \(device) fails (errno \(code)): unplug the speaker and plug it in again"
    }
  }

  /// What an error of alsa-lib means. It says "no such device" when the permission is missing, too.
  package static func of(_ failure: ALSALibrary.Failure, wasThere: Bool, hasForeignCards: Bool) -> SoundHealth {
    switch failure.errno {
    case EBUSY: .busy
    case EACCES, EPERM: .noPermission
    case ENODEV, ENOENT, ENXIO: hasForeignCards ? .noPermission : wasThere ? .lost : .noDevice
    default: .failing(errno: failure.errno)
    }
  }
}
