internal import Foundation
internal import Reminders
internal import Wall

extension Configuration {
  /// A configuration file (DESIGN 4.2); what it leaves out has its default.
  ///
  /// - Parameter folder: the absolute path that relative paths in it start from: the file's own folder.
  /// - Throws: every problem of the file at once.
  package static func parse(_ bytes: [UInt8], folder: String) throws(DocumentError) -> Configuration {
    let document: JSON5Value
    do { document = try JSON5Parser.parse(bytes) } catch { throw DocumentError(error) }
    let file = DocumentReader(
      document, keys: ["stateDirectory", "timeZone", "reader", "sound", "wall", "sources"])
    var configuration = Configuration(stateDirectory: "/var/lib/kiosk-agent")
    if let path = file.text("stateDirectory") { configuration.stateDirectory = absolute(path, folder) }
    if let name = file.text("timeZone") {
      configuration.timeZone = TimeZone(identifier: name)
      configuration.timeZoneName = name
      if configuration.timeZone == nil {
        file.report("timeZone", "\(JSON5Parser.quoted(name)) is no time zone: say one such as America/Los_Angeles")
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
    guard
      let section = file.object("wall", keys: ["listen", "viewingDistance", "panelInches", "language", "night"])
    else { return }
    if let night = section.object("night", keys: ["from", "to"]), let from = night.timeOfDay("from"),
      let to = night.timeOfDay("to")
    {
      wall.night = NightHours(from: from.hour * 60 + from.minute, to: to.hour * 60 + to.minute)
    }
    if let listen = section.text("listen") { read(listen: listen, section) }
    wall.viewingDistance = section.number("viewingDistance", in: 0.3...20) ?? wall.viewingDistance
    wall.panelInches = section.number("panelInches", in: 5...120) ?? wall.panelInches
    if let language = section.text("language") {
      if TapTextWriter.languages.contains(language) {
        wall.language = language
      } else {
        section.report(
          "language",
          "\(JSON5Parser.quoted(language)) is not there: say \(TapTextWriter.languages.joined(separator: " or "))")
      }
    }
  }

  /// `127.0.0.1:8437`, `localhost:8437` or `[::1]:8437`.
  private mutating func read(listen: String, _ section: DocumentReader) {
    let colon = listen.lastIndex(of: ":") ?? listen.endIndex
    let digits = listen[colon...].dropFirst()
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits) else {
      section.report("listen", "\(JSON5Parser.quoted(listen)) has no port: say one such as 127.0.0.1:8437")
      return
    }
    switch listen[..<colon] {
    case "127.0.0.1", "localhost": wall.address = "127.0.0.1"
    case "[::1]": wall.address = "::1"
    default:
      section.report(
        "listen",
        "\(JSON5Parser.quoted(listen)) is refused: the wall holds health data and listens on loopback only, "
          + "such as 127.0.0.1:8437")
    }
    wall.port = port
  }

  private mutating func read(sources file: DocumentReader, _ folder: String) {
    guard let section = file.object("sources", keys: Self.feeds + ["calendars"]) else { return }
    for name in Self.feeds {
      guard let source = section.object(name, keys: ["baseURL", "keyFile"]) else { continue }
      sources[name] = Source(
        baseURL: Self.url("baseURL", of: source) ?? (name == "onebusaway" ? Source.pugetSound : nil),
        keyFile: source.text("keyFile").map { Self.absolute($0, folder) })
    }
    var ids: Set<String> = []
    for entry in section.objects("calendars", keys: ["id", "name", "file", "url", "owners", "picks"]) ?? [] {
      guard let id = entry.required("id") else { continue }
      if !ids.insert(id).inserted { entry.report("id", "\(JSON5Parser.quoted(id)) stands twice") }
      if entry.has("file") == entry.has("url") {
        entry.report(
          entry.has("url") ? "url" : "file",
          entry.has("url") ? "stands beside file: a calendar has one" : "or url is missing")
      }
      calendars.append(
        CalendarSource(
          id: id, name: entry.text("name", limit: 100), file: entry.text("file").map { Self.absolute($0, folder) },
          url: Self.url("url", of: entry), owners: entry.texts("owners") ?? [], picks: Self.picks(of: entry, folder)))
    }
  }

  private static func picks(of calendar: DocumentReader, _ folder: String) -> CalendarSource.Picks? {
    guard let section = calendar.object("picks", keys: ["files", "remind", "sound"]) else { return nil }
    var picks = CalendarSource.Picks()
    picks.files = section.texts("files").map { $0.map { absolute($0, folder) } }
    picks.remind = section.whole("remind", in: 0...30) ?? picks.remind
    if !CalendarSource.Picks.leads.contains(picks.remind) {
      section.report("remind", "must be 0, 5, 10, 15 or 30 minutes")
    }
    picks.sound = section.bool("sound") ?? picks.sound
    return picks
  }

  /// An address to fetch from: https, or plain http on this machine.
  static func url(_ key: String, of section: DocumentReader) -> String? {
    guard let text = section.text(key) else { return nil }
    if let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty {
      let scheme = parts.scheme?.lowercased()
      if scheme == "https" { return text }
      if scheme == "http", ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host.lowercased()) { return text }
    }
    // The address itself may hold a key and is not repeated.
    section.report(key, "must be an https address, or http on this machine")
    return nil
  }

  static func absolute(_ path: String, _ folder: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}
