internal import Foundation
package import Glibc
internal import Linux
package import VirtualTag

/// A kiosk of the test's own, to be made ill: an agent with its pcscd, state and sound, and a planted folder for /sys and
/// the like. Secrets are planted in it (`Secrets`). Everything ends with it.
package final class Patient {
  /// A command that did not end with 0.
  package struct Failed: Error { let output: String }

  /// What cannot be made on this machine, by this user.
  package struct NotPossible: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
  }

  /// The agent and what it uses.
  package let kiosk: AgentUnderTest
  package let plant: Plant
  /// Whom it fetches buses and its calendar from.
  package let buses: FakeOneBusAway
  package let calendars: FakeCalendar
  /// What its school publishes; nil: it has no school, or one elsewhere.
  package internal(set) var school: FakeSchool?
  /// Whether the planted folder stands for this machine; otherwise checks look at the machine itself.
  package var usesPlant = true
  private let hasReader: Bool
  /// What `--diagnose` is run by; empty: nothing.
  package var wrapper: [String] = []
  private var programs: [ChildProgram] = []
  private var mounts: [String] = []
  private var frozenFolders: [String] = []

  package init(
    readers: [ReaderEntry] = [.acr122], startsPcscd: Bool = true, clockOffset: Int64? = nil
  ) throws {
    kiosk = try AgentUnderTest(clockOffset: clockOffset, readers: readers, startsPcscd: startsPcscd)
    plant = try Plant()
    hasReader = !readers.isEmpty
    buses = try FakeOneBusAway(.sample, key: Secrets.fileKey.planted, time: SystemTime())
    calendars = try FakeCalendar()
    kiosk.variables = [
      "TZ": "America/Los_Angeles", "SWIFT_BACKTRACE": "enable=no",
      "KIOSK_AGENT_TRAFIKLAB_KEY": Secrets.environmentKey.planted,
    ]
    try kiosk.write("key", Secrets.fileKey.planted + "\n")
    unsafe chmod(keyFile, 0o600)
    try configure()
    try enter(Secrets.household())
  }

  deinit {
    buses.stop()
    for program in programs { program.signal(SIGKILL) }
    kiosk.process?.signal(SIGKILL)
    _ = try? kiosk.process?.waitForExit()
    for folder in frozenFolders { _ = try? Self.run("/usr/bin/chattr", ["-i", folder]) }
    for point in mounts.reversed() { _ = try? Self.run("/bin/umount", ["--lazy", point]) }
  }

  // MARK: Its parts

  package var pcscd: PrivatePcscd { kiosk.pcscd }
  package var tag: VirtualTag { kiosk.tag }
  package var state: String { kiosk.state }
  package var ledger: String { kiosk.state + "/ledger.sqlite" }
  /// The file with a feed's key.
  package var keyFile: String { kiosk.folder + "/key" }

  /// Writes a right configuration.
  /// - Parameters:
  ///   - more: other sections, each with a comma behind it.
  ///   - sources: the section of that name; by default one with secrets in it.
  package func configure(listen: String = "127.0.0.1:0", _ more: String = "", sources: String? = nil) throws {
    let sources =
      sources ?? Secrets.sources(keyFile: keyFile, buses: buses.address, calendars: calendars.address)
    try kiosk.write(
      "kiosk-agent.json5",
      "{ stateDirectory: '\(state)', wall: { listen: '\(listen)' },\n  \(more)\n  \(sources) }")
  }

  /// Imports a household.
  package func enter(_ household: String) throws {
    try kiosk.write("household.json5", household)
    try command("import", kiosk.folder + "/household.json5")
  }

  /// Starts the agent; a reader that is there is waited for.
  /// - Parameter showsPage: whether a browser has its page open from then on.
  package func startAgent(showsPage: Bool = true) throws {
    try kiosk.start()
    if pcscd.pid != nil, hasReader { try kiosk.process?.waitFor("reader: ready", within: 20) }
    if showsPage, let agent = kiosk.process { try openPage(of: agent) }
  }

  /// Opens the page that a program says it serves, as the wall's browser does.
  package func openPage(of agent: ChildProgram) throws {
    let said = agent.text.ranges(of: "the wall is on http://").last.map { agent.text[$0.upperBound...] } ?? ""
    let address = said.prefix { $0 != "/" }
    guard let colon = address.lastIndex(of: ":") else { throw NotPossible("no page is served: \(agent.text)") }
    try bring(
      python: Script.openPage, String(address[..<colon]), String(address[colon...].dropFirst()),
      untilItSays: "opened")
  }

  /// The user of an agent that is not root's.
  package static let ordinaryUser: uid_t = 65534

  /// Gives the kiosk to an ordinary user and starts the agent as that user, as the service does. Only root can.
  package func startAgentAsOrdinaryUser() throws {
    let user = "\(Self.ordinaryUser)"
    let become = ["--reuid", user, "--regid", user, "--clear-groups", "--"]
    let agent = kiosk.program
    guard try Self.run("/bin/chown", ["-R", "\(user):\(user)", kiosk.folder]) == 0,
      try Self.run("/usr/bin/setpriv", become + ["/usr/bin/test", "-x", agent]) == 0
    else { throw NotPossible("only root can, and only where others may run what was built") }
    unsafe chmod(pcscd.folder, 0o711)
    unsafe chmod(pcscd.socketPath, 0o666)
    let program = try bring(
      "/usr/bin/setpriv", become + [agent, "run", "--config", kiosk.configuration], environment: kiosk.environment,
      untilItSays: "reader: ready")
    try program.waitFor("the wall is on http://")
    try openPage(of: program)
  }

  package func stopAgent() throws {
    kiosk.process?.signal(SIGTERM)
    _ = try kiosk.process?.waitForExit()
  }

  /// The planted tag is tapped, and the agent has stored its dose.
  package func takeDose(with uid: [UInt8] = Secrets.uid) throws {
    try tag.tap(uid: uid, milliseconds: 200)
    try kiosk.process?.waitFor("taken, 1 credited")
  }

  /// Runs another command of the same program.
  @discardableResult
  package func command(_ words: String...) throws -> String {
    let program = try ChildProgram(
      kiosk.program, words + ["--config", kiosk.configuration], environment: kiosk.environment)
    guard try program.waitForExit(within: 30) == 0 else { throw Failed(output: program.text) }
    return program.text
  }

  // MARK: The technician

  /// Starts `--diagnose` with more words.
  package func doctor(_ words: [String]) throws -> ChildProgram {
    let command =
      wrapper + [kiosk.program, "--diagnose", "--config", kiosk.configuration]
      + (usesPlant ? ["--root", plant.root] : []) + words
    return try ChildProgram(command[0], Array(command.dropFirst()), environment: kiosk.environment)
  }

  /// Runs `--diagnose --json` to its end.
  package func diagnose(_ words: [String]) throws -> Diagnosis {
    let (code, text, seconds) = try report(words + ["--json"])
    return try Diagnosis(code: code, text: text, seconds: seconds)
  }

  package func diagnose(_ words: String...) throws -> Diagnosis { try diagnose(words) }

  /// Runs `--diagnose` as people do: its exit code, its output, and how long it took.
  package func report(_ words: [String]) throws -> (code: Int32, text: String, seconds: Double) {
    let started = DispatchTime.now().uptimeNanoseconds
    let program = try doctor(words)
    let code = try program.waitForExit(within: 60)
    return (code, program.text, Double(DispatchTime.now().uptimeNanoseconds - started) / 1e9)
  }

  // MARK: What comes from outside

  /// Starts a program that goes on until the kiosk ends, and waits for what it says.
  @discardableResult
  package func bring(
    _ program: String, _ words: [String], environment: [String: String]? = nil, untilItSays said: String
  ) throws -> ChildProgram {
    let program = try ChildProgram(program, words, environment: environment ?? pcscd.environment)
    programs.append(program)
    try program.waitFor(said)
    return program
  }

  /// The same with a program in Python.
  @discardableResult
  package func bring(python script: String, _ words: String..., untilItSays said: String) throws -> ChildProgram {
    try bring("/usr/bin/python3", ["-c", script] + words, untilItSays: said)
  }

  /// Taps without end, `milliseconds` each and a second between them.
  package func bringTapping(milliseconds: Int) throws {
    let tap = "'\(BuildProducts.path("virtual-tag"))' tap --socket '\(pcscd.controlSocket(0))' --hold \(milliseconds)"
    try bring(
      "/bin/sh", ["-c", "echo begun; while \(tap) --uid \(Secrets.tag.planted); do sleep 1; done"],
      untilItSays: "begun")
  }

  /// Mounts something; it is taken off with the kiosk.
  package func mount(_ words: [String], at point: String) throws {
    guard try Self.run("/bin/mount", words + [point]) == 0 else {
      throw NotPossible("nothing can be mounted by this user")
    }
    mounts.append(point)
  }

  /// The state moves to a disk of its own, in memory; whether that is believed to be one is up to the planted mounts.
  package func moveState(toDiskWith options: String) throws {
    let kept = state + ".kept"
    try FileManager.default.moveItem(atPath: state, toPath: kept)
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
    try mount(["-t", "tmpfs", "-o", options + ",mode=0700", "tmpfs"], at: state)
    guard try Self.run("/bin/cp", ["-a", kept + "/.", state]) == 0 else { throw Failed(output: "cp") }
  }

  /// Takes from everybody, root too, the right to write into a folder.
  package func freeze(folder: String) throws {
    guard geteuid() == 0 else {
      unsafe chmod(folder, 0o500)
      return
    }
    guard try Self.run("/usr/bin/chattr", ["+i", folder]) == 0 else {
      throw NotPossible("this file system lets root write everywhere")
    }
    frozenFolders.append(folder)
  }

  static func run(_ program: String, _ words: [String]) throws -> Int32 {
    try ChildProgram(program, words).waitForExit(within: 20)
  }
}
