import Foundation
import Glibc
import TestSupport
import Testing

/// A folder with a configuration, a state directory and household files, and the built binary to use them with.
///
/// Nothing of the machine reaches the program but PATH: no configuration, no zone, no reader.
final class Kitchen {
  struct Answer {
    var code: Int32
    var out: String
    var err: String

    var lines: [String] { out.split(separator: "\n").map(String.init) }

    /// The one line of an error, without the program's name.
    func problem(_ code: Int32) throws -> String {
      try #require(self.code == code, "exit \(self.code): \(out)\(err)")
      #expect(out == "", "an error prints nothing else")
      let lines = err.split(separator: "\n", omittingEmptySubsequences: false)
      try #require(lines.count == 2 && lines[1] == "", "one line: \(err)")
      let line = try #require(lines[0].hasPrefix("kiosk-agent: ") ? lines[0].dropFirst(13) : nil, "\(err)")
      #expect(line.contains(": "), "what is wrong: what to do (\(line))")
      return String(line)
    }
  }

  let folder: String

  /// - Parameter configuration: the file's text; nil: there is none.
  init(_ configuration: String? = "{ stateDirectory: 'state', timeZone: 'America/Los_Angeles' }") throws {
    folder = FileManager.default.temporaryDirectory.path + "/kac-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if let configuration { try write("kiosk-agent.json5", configuration) }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var state: String { folder + "/state" }
  var configuration: String { folder + "/kiosk-agent.json5" }

  func path(_ name: String) -> String { folder + "/" + name }

  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(filePath: path(name)))
    return path(name)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// Runs a command with this kitchen's configuration to its end.
  func agent(_ words: String..., environment: [String: String] = [:]) throws -> Answer {
    try bare(words + ["--config", configuration], environment: environment)
  }

  /// Runs a command as it is given.
  ///
  /// - Parameter out: where stdout goes; nil: into the answer.
  func bare(_ words: [String], environment: [String: String] = [:], out: Int32? = nil) throws -> Answer {
    let number = UUID().uuidString.prefix(8)
    let files = [path("out-\(number)"), path("err-\(number)")]
    let ends = files.map { unsafe open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    defer { for end in ends { close(end) } }
    let program = try ChildProgram(
      BuildProducts.path("kiosk-agent"), words, environment: self.environment.merging(environment) { $1 },
      inherits: false, directory: folder, output: out ?? ends[0], errors: ends[1])
    return Answer(
      code: try program.waitForExit(within: 30), out: try String(contentsOfFile: files[0], encoding: .utf8),
      err: try String(contentsOfFile: files[1], encoding: .utf8))
  }

  /// Starts `run`; it is killed when the test lets go of it.
  func start(environment: [String: String] = [:]) throws -> ChildProgram {
    try ChildProgram(
      BuildProducts.path("kiosk-agent"), ["run", "--config", configuration],
      environment: self.environment.merging(environment) { $1 }, inherits: false)
  }

  /// No pcscd is there, and sound goes nowhere.
  var environment: [String: String] {
    [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder, "TZ": "UTC",
      "PCSCLITE_CSOCK_NAME": path("no-pcscd.sock"), "ALSA_CONFIG_PATH": path("no-alsa.conf"),
    ]
  }
}

/// The household most tests begin with: Ann's two doses a day, Bob's one.
let household = """
  {
    people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }],
    medications: [
      { id: 'levo', person: 'ann', name: 'Levothyroxine', dose: '1 tablet', times: [{ at: '08:00' }, { at: '20:00' }] },
      { id: 'drops', person: 'bob', name: 'Eye drops', times: [{ at: '09:30', days: ['mon', 'fri'], lateAfter: 15 }] },
    ],
    tags: [{ uid: '04a1b2c3d4e5f6', label: 'blue box', medications: ['levo'] },
      { uid: '04B0B0B0B0B0B0', medications: ['drops'] }],
    watches: [{ id: 'school', source: 'onebusaway', stop: '1_75403', route: '1_100225' }],
  }
  """
