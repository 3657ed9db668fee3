internal import Configuration
internal import Foundation
internal import Glibc
internal import Linux
internal import Sound

/// C: what people write by hand, and the files it names.
enum ConfigurationChecks {
  static let all = [
    Check("C1", "Configuration", impact: .doses, eyes: .service) { configuration($0) },
    Check("C2", "Keys of feeds", impact: .wall) { keys($0) },
    Check("C3", "Sound files", impact: .sound, eyes: .service) { sounds($0) },
  ]

  private static func configuration(_ box: Surroundings) -> Finding {
    let found = box.found
    switch found.problem {
    case nil: break
    case .unreadable(let reason):
      return .fail(
        [.init("file", found.path), .init("reading", reason)], "The agent cannot start with this configuration (78).",
        "Put the file there, readable by the agent.")
    case .wrong(let problems):
      var seen = [Finding.Fact("file", found.path)]
      for (index, problem) in problems.prefix(5).enumerated() {
        seen.append(.init("problem \(index + 1)", Redaction.problem(problem)))
      }
      if problems.count > 5 { seen.append(.init("more problems", problems.count - 5)) }
      return .fail(
        seen,
        found.configuration == nil
          ? "The agent cannot start with this configuration (78)." : "The agent runs on the last good configuration.",
        "sudo nano \(found.path)", "sudo systemctl restart kiosk-agent")
    }
    guard let configuration = found.configuration else { return Surroundings.noConfiguration }
    guard unsafe !found.isThere || access(found.path, R_OK) == 0 else {
      return .fail(
        [.init("file", found.path), .init("user", box.serviceUser.name)],
        "The agent's user may not read its configuration.",
        "sudo chmod 644 \(found.path)")
    }
    // Only keys that hold no secret and nobody's name.
    return .pass([
      .init("file", found.isThere ? found.path : "none: defaults"),
      .init("stateDirectory", configuration.stateDirectory),
      .init("timeZone", configuration.timeZone?.identifier ?? "the system's"),
      .init("listen", "\(configuration.wall.address) port \(configuration.wall.port)"),
      .init("device", configuration.sound.device),
    ])
  }

  /// The feeds that answer nobody without a key.
  private static let needKeys = ["onebusaway", "trafiklab"]

  private static func keys(_ box: Surroundings) -> Finding {
    guard let configuration = box.configuration else { return Surroundings.noConfiguration }
    let sources = configuration.sources.filter { needKeys.contains($0.key) || $0.value.keyFile != nil }
    guard !sources.isEmpty else { return .skip("No feed needs a key.") }
    let credentials = box.properties(of: "kiosk-agent.service", "LoadCredential")?["LoadCredential"] ?? ""
    var seen: [Finding.Fact] = []
    var worst: Finding?
    for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
      let (state, finding) = key(of: name, source, credentials, box)
      seen.append(.init(name, state))
      if let finding, worst == nil || (finding.status == .fail && worst?.status == .warn) { worst = finding }
    }
    guard var worst else { return .pass(seen) }
    worst.seen = seen
    return worst
  }

  /// In the order in which the agent looks for it (DESIGN 4.2).
  private static func key(
    of name: String, _ source: Configuration.Source, _ credentials: String, _ box: Surroundings
  ) -> (state: String, finding: Finding?) {
    if source.baseURL?.contains(#/[?&](key|apikey|api_key|token)=/#.ignoresCase()) == true {
      return ("in its address", .warn([], "A key stands in the configuration itself.", "Put it into a file, keyFile."))
    }
    if credentials.contains("\(name)-key") { return ("a systemd credential", nil) }
    if let file = source.keyFile { return keyFile(file, box) }
    if box.environment["KIOSK_AGENT_\(name.uppercased())_KEY"] != nil { return ("in the environment", nil) }
    return ("missing", .warn([], "The feed \(name) answers nobody without a key.", "Name a file with it: keyFile."))
  }

  private static func keyFile(_ path: String, _ box: Surroundings) -> (state: String, finding: Finding?) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else {
      return ("no file", .fail([], "The file with the key is not there.", "Put it there: \(path)"))
    }
    guard info.st_mode & 0o077 == 0 else {
      return (
        "readable by others", .fail([], "Others can read the key, so the agent refuses it.", "sudo chmod 600 \(path)")
      )
    }
    guard let text = Surroundings.read(path, limit: 4096) else { return ("set, not readable by you", nil) }
    if text.allSatisfy(\.isWhitespace) {
      return ("empty", .fail([], "The file with the key is empty.", "Write the key into \(path)"))
    }
    if text.hasPrefix("\u{FEFF}") || text.dropLast().contains(where: \.isNewline) {
      return ("more than one line", .warn([], "The file holds more than the key.", "Leave only the key in \(path)"))
    }
    return ("set, \(text.trimmingCharacters(in: .whitespacesAndNewlines).count) characters", nil)
  }

  private static func sounds(_ box: Surroundings) -> Finding {
    var seen: [Finding.Fact] = []
    var problem: String?
    for (name, path) in [("success", box.sounds.success), ("failure", box.sounds.failure)] {
      do throws(WAV.Malformed) {
        guard unsafe access(path, R_OK) == 0, let data = FileManager.default.contents(atPath: path) else {
          throw WAV.Malformed(problem: "it cannot be read")
        }
        let sound = try WAV.decode(Array(data))
        seen.append(.init(name, "\(sound.frames * 1000 / sound.rate) ms, \(sound.rate) Hz"))
      } catch {
        seen.append(.init(name, "\(path): \(error.problem)"))
        problem = path
      }
    }
    guard let problem else { return .pass(seen) }
    return .fail(seen, "A tap will not be heard.", "Put a plain 16-bit PCM WAV there: \(problem)")
  }
}
