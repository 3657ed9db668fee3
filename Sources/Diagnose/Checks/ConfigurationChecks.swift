internal import Configuration
internal import Foundation
internal import Glibc
internal import Linux
internal import Sound

/// C: what people write by hand, and the files it names.
enum ConfigurationChecks {
  static let all = [
    Check("C1", "Configuration", impact: .doses, eyes: .service) { configuration($0) },
    KeyCheck.check,
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
