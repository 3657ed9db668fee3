import Foundation
import Glibc
import TestSupport
import VirtualTag

/// A kiosk of the test's own, to be made ill: its pcscd with a virtual reader, its state, its sound, its agent when it is
/// started, and a planted folder for /sys and the like. Everything ends with it.
final class Patient {
  /// What `--diagnose --json` said.
  struct Diagnosis {
    let code: Int32
    let text: String
    let seconds: Double
    let lines: [String: [String: Any]]
    let summary: [String: Any]

    func status(_ id: String) -> String? { lines[id]?["status"] as? String }
    var first: String? { summary["first"] as? String }
    /// Ids of failures, in the order of the report.
    var failed: [String] {
      lines.filter { ["FAIL", "TIMEOUT", "CRASH"].contains($0.value["status"] as? String) }.keys.sorted()
    }
  }

  /// A command that did not end with 0.
  struct Failed: Error { let output: String }

  let folder: String
  let plant: Plant
  let pcscd: PrivatePcscd
  private(set) var agent: ChildProgram?
  var environment: [String: String]

  init(readers: [ReaderEntry] = [.acr122], startsPcscd: Bool = true, port: UInt16 = 0) throws {
    folder = FileManager.default.temporaryDirectory.path + "/kd-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    plant = try Plant()
    pcscd = try PrivatePcscd(readers: readers, libraries: BuildProducts.directory)
    if startsPcscd { try pcscd.start() }
    environment = pcscd.environment
    environment["ALSA_CONFIG_PATH"] = folder + "/asound.conf"
    environment["TZ"] = "America/Los_Angeles"
    environment["SWIFT_BACKTRACE"] = "enable=no"
    try write(
      "asound.conf",
      "</usr/share/alsa/alsa.conf>\npcm.!default { type file slave.pcm \"null\" file \"\(folder)/sound.raw\" format \"raw\" }\n"
    )
    try write("kiosk-agent.json5", "{ stateDirectory: '\(state)', wall: { listen: '127.0.0.1:\(port)' } }")
    try write("household.json5", Self.household())
    _ = try command("import", folder + "/household.json5")
  }

  deinit {
    agent?.signal(SIGCONT)
    agent?.signal(SIGKILL)
    _ = try? agent?.waitForExit()
    pcscd.kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  var state: String { folder + "/state" }
  var ledger: String { state + "/ledger.sqlite" }
  var configuration: String { folder + "/kiosk-agent.json5" }
  var tag: VirtualTag { pcscd.tag() }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
  }

  /// Starts the agent; a pcscd that is up is waited for.
  func startAgent() throws {
    let agent = try ChildProgram(
      BuildProducts.path("kiosk-agent"), ["run", "--config", configuration], environment: environment)
    self.agent = agent
    try agent.waitFor("the wall is on http://", within: 20)
    if pcscd.pid != nil { try agent.waitFor("reader: ready", within: 20) }
  }

  func stopAgent() throws {
    agent?.signal(SIGTERM)
    _ = try agent?.waitForExit()
    agent = nil
  }

  /// Runs another command of the same program.
  @discardableResult
  func command(_ words: String...) throws -> String {
    let program = try ChildProgram(
      BuildProducts.path("kiosk-agent"), words + ["--config", configuration], environment: environment)
    guard try program.waitForExit(within: 30) == 0 else { throw Failed(output: program.text) }
    return program.text
  }

  /// Starts `--diagnose` with more words.
  func doctor(_ words: [String]) throws -> ChildProgram {
    try ChildProgram(
      BuildProducts.path("kiosk-agent"), ["--diagnose", "--config", configuration, "--root", plant.root] + words,
      environment: environment)
  }

  func diagnose(_ words: String...) throws -> Diagnosis {
    let started = DispatchTime.now().uptimeNanoseconds
    let program = try doctor(words + ["--json"])
    let code = try program.waitForExit(within: 60)
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - started) / 1e9
    var lines: [String: [String: Any]] = [:]
    var summary: [String: Any] = [:]
    for line in program.text.split(separator: "\n") {
      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
      if let id = object["id"] as? String { lines[id] = object }
      if let end = object["summary"] as? [String: Any] { summary = end }
    }
    return Diagnosis(code: code, text: program.text, seconds: seconds, lines: lines, summary: summary)
  }

  func history() throws -> String { try command("history", "--json") }

  static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  /// One dose whose window holds now.
  static func household(now: Date = Date()) -> String {
    let minutes = Int(now.timeIntervalSince1970) / 60 - 10
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
    let due = calendar.dateComponents([.hour, .minute], from: Date(timeIntervalSince1970: Double(minutes * 60)))
    let at = String(format: "%02d:%02d", due.hour ?? 0, due.minute ?? 0)
    return """
      { people: [{ id: 'ann', name: 'Annabelle Canary' }],
        medications: [{ id: 'levo', person: 'ann', name: 'Canarythyroxine', dose: '1 tablet',
          times: [{ at: '\(at)', opensBefore: 120, closesAfter: 240, since: '2026-01-01T00:00:00-08:00' }] }],
        tags: [{ uid: '04A1B2C3D4E5F6', label: 'canary box', medications: ['levo'] }] }
      """
  }
}
