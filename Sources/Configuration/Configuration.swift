package import Foundation
package import Wall

/// The configuration of DESIGN 4.2, every key with its value.
package struct Configuration: Equatable, Sendable {
  package struct Reader: Equatable, Sendable {
    /// Parts of reader names; empty: every reader that is not excluded.
    package var match: [String] = []
    package var exclude: [String] = ["SAM"]
    /// Reads of one tap before it counts as unreadable, 1 to 10.
    package var decodeAttempts = 3
    /// How long a tap waits for somebody who takes it, 0 to 60 s.
    package var bufferSeconds = 2
    /// After how long without its reader the agent is to be restarted, 1 to 3600 s.
    package var failAfterSeconds = 30
  }

  package struct Sound: Equatable, Sendable {
    /// An ALSA device.
    package var device = "default"
    /// The absolute path of a WAV; nil: where sounds are installed.
    package var success: String?
    package var failure: String?
  }

  package struct Wall: Equatable, Sendable {
    /// On loopback: `127.0.0.1` or `::1`.
    package var address = "127.0.0.1"
    /// 0: any free port, for tests.
    package var port: UInt16 = 8437
    /// Metres, 0.3 to 20.
    package var viewingDistance = 2.5
    /// The diagonal, 5 to 120.
    package var panelInches = 32.0
    /// One of `TapTextWriter.languages`.
    package var language = "en"
    /// When it is dark.
    package var night = NightHours.usual
  }

  /// Where a feed is fetched from.
  package struct Source: Equatable, Sendable {
    static let pugetSound = "https://api.pugetsound.onebusaway.org"

    /// nil: the file does not say.
    package var baseURL: String?
    /// The absolute path of a file with the key.
    package var keyFile: String?

    package init(baseURL: String?, keyFile: String? = nil) {
      self.baseURL = baseURL
      self.keyFile = keyFile
    }
  }

  /// A calendar has either a file or a URL.
  package struct CalendarSource: Equatable, Sendable {
    package var id: String
    package var name: String?
    /// An absolute path.
    package var file: String?
    package var url: String?
    /// Mail addresses of whose calendar it is: what they have declined is not shown.
    package var owners: [String] = []
    /// What of it somebody has chosen; nil: nobody chooses, all of it is shown.
    package var picks: Picks?

    /// What is chosen of a calendar: only that is shown, with clashes, the way from one to the next, and reminders.
    package struct Picks: Equatable, Sendable {
      package static let leads = [0, 5, 10, 15, 30]

      /// Absolute paths of files with ids of events, one for each place that keeps some; nil: the calendar is one of chosen
      /// events, all of them.
      package var files: [String]?
      /// How long before an event its reminder comes, in minutes; one of `leads`.
      package var remind = 10
      /// Reminders are heard too.
      package var sound = false

      package init(files: [String]? = nil, remind: Int = 10, sound: Bool = false) {
        self.files = files
        self.remind = remind
        self.sound = sound
      }
    }

    package init(
      id: String, name: String? = nil, file: String? = nil, url: String? = nil, owners: [String] = [],
      picks: Picks? = nil
    ) {
      self.id = id
      self.name = name
      self.file = file
      self.url = url
      self.owners = owners
      self.picks = picks
    }
  }

  /// OneBusAway, that of the Puget Sound when the file does not say.
  package var oneBusAway: Source { sources["onebusaway"] ?? Source(baseURL: Source.pugetSound) }

  /// The feeds that a file may name.
  static let feeds = ["onebusaway", "gtfs", "trafiklab"]

  /// An absolute path.
  package var stateDirectory: String
  /// nil: the system's, which may change.
  package var timeZone: TimeZone?
  /// The zone as it was written: `TimeZone` knows some by another name.
  package var timeZoneName: String?
  package var reader = Reader()
  package var sound = Sound()
  package var wall = Wall()
  /// By name: `onebusaway`, `gtfs`, `trafiklab`; only those that the file names.
  package var sources: [String: Source] = [:]
  package var calendars: [CalendarSource] = []

  /// The defaults.
  package init(stateDirectory: String) { self.stateDirectory = stateDirectory }

  /// What holds when there is no configuration file: state under `$XDG_STATE_HOME` or `~/.local/state`. A relative
  /// `$XDG_STATE_HOME` is to be ignored (XDG Base Directory Specification).
  package static func withoutFile(environment: [String: String]) -> Configuration {
    let base =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? "/tmp") + "/.local/state"
    return Configuration(stateDirectory: base + "/kiosk-agent")
  }
}
