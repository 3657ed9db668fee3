internal import Foundation
internal import Glibc
package import VirtualTag

/// The built agent, run for real: the machine's own pcscd with a virtual reader, ALSA into a file, SQLite in a folder of
/// the test's own. Everything ends with it.
package final class AgentUnderTest {
  /// Its own folder below the temporary one; removed with it.
  package let folder: String
  /// With one virtual ACR122U unless other readers were asked for.
  package let pcscd: PrivatePcscd
  /// The run that was started last.
  package private(set) var process: ChildProgram?
  /// The built one, or that of KIOSK_AGENT: the release.
  package var program = ProcessInfo.processInfo.environment["KIOSK_AGENT"] ?? BuildProducts.path("kiosk-agent")
  /// systemd's `RUNTIME_DIRECTORY` for the agent; nil: as started by hand.
  package var runtimeDirectory: String?
  /// More of its environment.
  package var variables: [String: String] = [:]
  private let clockFile: String
  private let usesFakeClock: Bool

  /// The source tree.
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// - Parameter clockOffset: seconds that the agent's wall clock is off; nil: the machine's clock.
  package init(
    clockOffset: Int64? = nil, readers: [ReaderEntry] = [.acr122], startsPcscd: Bool = true, port: UInt16 = 0
  ) throws {
    folder = FileManager.default.temporaryDirectory.path + "/ka-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    pcscd = try PrivatePcscd(readers: readers, libraries: BuildProducts.directory)
    if startsPcscd { try pcscd.start() }
    clockFile = folder + "/clock"
    usesFakeClock = clockOffset != nil
    setClock(offset: clockOffset ?? 0)
    try write("kiosk-agent.json5", "{ stateDirectory: '\(state)', wall: { listen: '127.0.0.1:\(port)' } }")
    try write(
      "asound.conf",
      "</usr/share/alsa/alsa.conf>\npcm.!default { type file slave.pcm \"null\" file \"\(folder)/sound.raw\" format \"raw\" }\n"
    )
  }

  deinit {
    process?.signal(SIGKILL)
    pcscd.kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The state directory.
  package var state: String { folder + "/state" }
  /// The path of the configuration file.
  package var configuration: String { folder + "/kiosk-agent.json5" }
  package var tag: VirtualTag { pcscd.tag() }

  /// Writes a file into the folder.
  package func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
  }

  /// Moves the clocks of an agent that was made with a `clockOffset`.
  ///
  /// - Parameters:
  ///   - offset: of the wall clock, seconds from the machine's.
  ///   - asleep: seconds that the machine has slept since, which the clock since boot counts.
  package func setClock(offset: Int64, asleep: Int64 = 0) {
    let bytes = unsafe [offset, asleep].withUnsafeBytes { unsafe Data($0) }
    if let handle = FileHandle(forWritingAtPath: clockFile) {
      // In place: the agent has the file mapped.
      handle.write(bytes)
      try? handle.close()
    } else {
      _ = FileManager.default.createFile(atPath: clockFile, contents: bytes)
    }
  }

  /// What leads the agent, and whatever else is run beside it, to the pcscd, sound and clock of this test.
  package var environment: [String: String] {
    var environment = pcscd.environment
    environment["ALSA_CONFIG_PATH"] = folder + "/asound.conf"
    environment["TZ"] = "UTC"
    environment["RUNTIME_DIRECTORY"] = runtimeDirectory
    environment.merge(variables) { $1 }
    if usesFakeClock {
      environment["LD_PRELOAD"] = BuildProducts.path("libFakeClock.so")
      environment["KIOSK_FAKE_CLOCK"] = clockFile
    }
    return environment
  }

  /// Starts `run` and waits until the page is served.
  package func start() throws {
    let process = try ChildProgram(
      program, ["run", "--config", configuration], environment: environment)
    self.process = process
    try process.waitFor("the wall is on http://", within: 30)
  }

  /// Starts `run` and returns at once.
  package func startWithoutWaiting() throws -> ChildProgram {
    let process = try ChildProgram(
      program, ["run", "--config", configuration], environment: environment)
    self.process = process
    return process
  }

  /// Runs another command; its output and exit code.
  package func command(_ words: String...) throws -> (output: String, code: Int32) {
    let program = try ChildProgram(
      program, words + ["--config", configuration], environment: environment)
    let code = try program.waitForExit(within: 30)
    return (program.text, code)
  }

  /// Asks the page that the last run serves.
  package var web: HTTPProbe {
    let text = process?.text ?? ""
    let port = text.ranges(of: "the wall is on http://127.0.0.1:").last.flatMap { range in
      UInt16(text[range.upperBound...].prefix { $0.isNumber })
    }
    return HTTPProbe(port: port ?? 0)
  }

  /// The snapshot.
  package func wall() throws -> [String: Any] {
    let body = try web.get("/api/wall").body
    return try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any] ?? [:]
  }

  /// The kind of the answer that is on the wall now.
  package func overlay() throws -> String? { (try wall()["overlay"] as? [String: Any])?["kind"] as? String }

  /// Waits for an answer of that kind on the wall.
  package func waitForOverlay(_ kind: String, within seconds: Double = Waiting.patience) throws {
    try Waiting.until("overlay \(kind): \(process?.text.suffix(500) ?? "")", within: seconds) { try overlay() == kind }
  }

  /// Waits until the wall says so of the reader.
  package func waitForReader(_ state: String, within seconds: Double = Waiting.patience) throws {
    try Waiting.until(
      "reader \(state): \((try? wall()["reader"]) ?? "no wall"), \(process?.text.suffix(2000) ?? "")", within: seconds
    ) {
      (try wall()["reader"] as? [String: Any])?["state"] as? String == state
    }
  }

  /// The stored taps, oldest first.
  package func history() throws -> [[String: Any]] {
    let (output, code) = try command("history", "--json")
    guard code == 0 else { throw CocoaError(.fileReadUnknown, userInfo: [NSDebugDescriptionErrorKey: output]) }
    return try output.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// Which sound the samples after `offset` of what was played are.
  package func soundPlayed(after offset: Int) throws -> String? {
    let played = try Data(contentsOf: URL(filePath: folder + "/sound.raw")).dropFirst(offset)
    let folder = Self.root + "/sounds/"
    return try ["success", "failure"].first { name in
      // 44 bytes of header; a tenth of a second is enough to tell them apart.
      let samples = try Data(contentsOf: URL(filePath: folder + name + ".wav")).dropFirst(44).prefix(9600)
      return played.range(of: samples) != nil
    }
  }

  /// How much has been played so far.
  package var soundBytes: Int {
    (try? FileManager.default.attributesOfItem(atPath: folder + "/sound.raw")[.size] as? Int) ?? 0
  }
}
