package import Foundation

/// The configuration of DESIGN 4.2, every key with its value.
package struct Configuration: Equatable, Sendable {
  package struct Reader: Equatable, Sendable {
    package var match: [String] = []
    package var exclude: [String] = ["SAM"]
    package var decodeAttempts = 3
    package var bufferSeconds = 2
    package var failAfterSeconds = 30
  }

  package struct Sound: Equatable, Sendable {
    package var device = "default"
    /// nil: where sounds are installed.
    package var success: String?
    package var failure: String?
  }

  package struct Wall: Equatable, Sendable {
    package var address = "127.0.0.1"
    package var port: UInt16 = 8437
    /// Metres.
    package var viewingDistance = 2.5
    /// The diagonal.
    package var panelInches = 32.0
    package var language = "en"
  }

  /// Where a source of the wall is fetched from; kept for the sources that are configured.
  package struct Source: Equatable, Sendable {
    package var baseURL: String?
    package var keyFile: String?
  }

  package struct CalendarSource: Equatable, Sendable {
    package var id: String
    package var name: String?
    package var file: String?
    package var url: String?
  }

  package var stateDirectory: String
  package var timeZone: TimeZone?
  package var reader = Reader()
  package var sound = Sound()
  package var wall = Wall()
  /// By name: `onebusaway`, `gtfs`, `trafiklab`.
  package var sources: [String: Source] = [:]
  package var calendars: [CalendarSource] = []

  package init(stateDirectory: String) { self.stateDirectory = stateDirectory }
}

extension Configuration {
  /// Where state lives when there is no configuration file: `$XDG_STATE_HOME` or `~/.local/state`.
  package static func withoutFile(environment: [String: String]) -> Configuration {
    let base =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? "/tmp") + "/.local/state"
    return Configuration(stateDirectory: base + "/kiosk-agent")
  }

  /// - Parameter folder: what relative paths in it are relative to.
  package static func parse(_ bytes: [UInt8], folder: String) throws(DocumentError) -> Configuration {
    let document: JSON5Value
    do {
      document = try JSON5Parser.parse(bytes)
    } catch {
      throw DocumentError(problems: ["\(error.problem) (line \(error.line), column \(error.column))"])
    }
    let file = DocumentReader(
      document, keys: ["stateDirectory", "timeZone", "reader", "sound", "wall", "sources"])
    var configuration = Configuration(stateDirectory: "/var/lib/kiosk-agent")
    if let path = file.text("stateDirectory") { configuration.stateDirectory = absolute(path, folder) }
    if let name = file.text("timeZone") {
      configuration.timeZone = TimeZone(identifier: name)
      if configuration.timeZone == nil {
        file.report("timeZone", "\(name.debugDescription) is no time zone: say one such as America/Los_Angeles")
      }
    }
    configuration.read(reader: file)
    configuration.read(sound: file, folder)
    configuration.read(wall: file)
    configuration.read(sources: file, folder)
    guard file.problems.all.isEmpty else { throw DocumentError(problems: file.problems.all) }
    return configuration
  }

  private mutating func read(reader file: DocumentReader) {
    guard
      let section = file.object(
        "reader", keys: ["match", "exclude", "decodeAttempts", "bufferSeconds", "failAfterSeconds"])
    else { return }
    reader.match = section.texts("match") ?? reader.match
    reader.exclude = section.texts("exclude") ?? reader.exclude
    reader.decodeAttempts = section.whole("decodeAttempts", in: 1...10) ?? reader.decodeAttempts
    reader.bufferSeconds = section.whole("bufferSeconds", in: 0...60) ?? reader.bufferSeconds
    reader.failAfterSeconds = section.whole("failAfterSeconds", in: 1...3600) ?? reader.failAfterSeconds
  }

  private mutating func read(sound file: DocumentReader, _ folder: String) {
    guard let section = file.object("sound", keys: ["device", "success", "failure"]) else { return }
    sound.device = section.text("device") ?? sound.device
    sound.success = section.text("success").map { Self.absolute($0, folder) }
    sound.failure = section.text("failure").map { Self.absolute($0, folder) }
  }

  private mutating func read(wall file: DocumentReader) {
    guard let section = file.object("wall", keys: ["listen", "viewingDistance", "panelInches", "language"]) else {
      return
    }
    if let listen = section.text("listen") {
      let colon = listen.lastIndex(of: ":") ?? listen.startIndex
      let host = String(listen[..<colon])
      if let port = UInt16(listen[colon...].dropFirst()), ["127.0.0.1", "localhost", "[::1]"].contains(host) {
        wall.address = host == "localhost" ? "127.0.0.1" : host == "[::1]" ? "::1" : host
        wall.port = port
      } else {
        section.report(
          "listen",
          "\(listen.debugDescription) is refused: the wall holds health data and listens on loopback only, such as 127.0.0.1:8437"
        )
      }
    }
    wall.viewingDistance = section.number("viewingDistance", in: 0.3...20) ?? wall.viewingDistance
    wall.panelInches = section.number("panelInches", in: 5...120) ?? wall.panelInches
    if let language = section.text("language") {
      if ["en", "de"].contains(language) {
        wall.language = language
      } else {
        section.report("language", "\(language.debugDescription) is not there: say en or de")
      }
    }
  }

  private mutating func read(sources file: DocumentReader, _ folder: String) {
    guard let section = file.object("sources", keys: ["onebusaway", "gtfs", "trafiklab", "calendars"]) else { return }
    for name in ["onebusaway", "gtfs", "trafiklab"] {
      guard let source = section.object(name, keys: ["baseURL", "keyFile"]) else { continue }
      let url = source.text("baseURL")
      if let url, !Self.isAllowed(url) { source.report("baseURL", "must be https, or http on this machine") }
      sources[name] = Source(baseURL: url, keyFile: source.text("keyFile").map { Self.absolute($0, folder) })
    }
    var ids: Set<String> = []
    for entry in section.objects("calendars", keys: ["id", "name", "file", "url"]) ?? [] {
      guard let id = entry.required("id") else { continue }
      if !ids.insert(id).inserted { entry.report("id", "stands twice") }
      let path = entry.text("file").map { Self.absolute($0, folder) }
      let url = entry.text("url")
      if (path == nil) == (url == nil) { entry.report("id", "needs either a file or a url") }
      if let url, !Self.isAllowed(url) { entry.report("url", "must be https, or http on this machine") }
      calendars.append(CalendarSource(id: id, name: entry.text("name", limit: 100), file: path, url: url))
    }
  }

  /// Plain http is for feeds on this machine only.
  static func isAllowed(_ url: String) -> Bool {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else { return false }
    return parts.scheme == "https"
      || (parts.scheme == "http" && ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host))
  }

  static func absolute(_ path: String, _ folder: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}
