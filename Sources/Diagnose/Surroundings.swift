package import Configuration
internal import Foundation
internal import Glibc
package import Linux
package import PCSC
package import Sound

/// All that checks look at. Tests plant faults in a folder and name it as the root.
package struct Surroundings: Sendable {
  /// The configuration as it was found.
  package struct Found: Sendable {
    package enum Problem: Equatable, Sendable {
      /// Not there, a folder, or not readable; in words.
      case unreadable(String)
      /// All that is wrong in it.
      case wrong([String])
    }

    package var path: String
    /// Whether somebody named it; the default one may be missing.
    package var isNamed: Bool
    package var isThere: Bool
    package var problem: Problem?
    /// What the agent would run with: the file's, or the last good copy's, or the defaults; nil: nothing.
    package var configuration: Configuration?

    package init(
      path: String, isNamed: Bool, isThere: Bool, problem: Problem? = nil, configuration: Configuration?
    ) {
      self.path = path
      self.isNamed = isNamed
      self.isThere = isThere
      self.problem = problem
      self.configuration = configuration
    }
  }

  /// Stands before /sys, /proc, /run, /etc, /usr and /dev; empty: this machine.
  package var root: String
  package var environment: [String: String]
  package var found: Found
  /// Absolute paths of the sounds in use.
  package var sounds: (success: String, failure: String)
  package var time: any TimeSource
  package var clock: ClockFacts
  package var pcsc: PCSCLibrary
  package var alsa: ALSALibrary
  /// How many taps `--tap` asks for; 0: none.
  package var taps = 0
  /// `--sound`.
  package var playsSound = false
  /// A line for the technician while a check is under way.
  package var tell: @Sendable (String) -> Void

  package init(
    root: String = "", environment: [String: String], found: Found, sounds: (success: String, failure: String),
    time: any TimeSource, clock: ClockFacts, pcsc: PCSCLibrary = .system, alsa: ALSALibrary = .system,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.root = root
    self.environment = environment
    self.found = found
    self.sounds = sounds
    self.time = time
    self.clock = clock
    self.pcsc = pcsc
    self.alsa = alsa
    self.tell = tell
  }

  /// Reasons to leave a check out that several have.
  static let noConfiguration = Finding.skip("The configuration cannot be used (C1).")
  static let noSystemd = Finding.skip("systemd does not run on this machine.")
  static let noAgent = Finding.skip("No agent runs.")

  // MARK: Files below the root

  func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  func isReadable(_ path: String) -> Bool { unsafe access(root + path, R_OK) == 0 }

  /// The text of a small file of the kernel or of a package, whatever bytes are in it; nil: it cannot be read.
  func text(_ path: String, limit: Int = 1 << 20) -> String? { Self.read(root + path, limit: limit) }

  /// At most `limit` bytes of a file.
  static func read(_ path: String, limit: Int) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = unsafe Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// One value of /sys.
  func value(_ path: String) -> String? { text(path, limit: 4096)?.trimmingCharacters(in: .whitespacesAndNewlines) }

  /// The names in a folder, sorted.
  func names(_ path: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
  }

  /// The last part of where a link leads; nil: no link.
  func linkTarget(_ path: String) -> String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: root + path)).map { ($0 as NSString).lastPathComponent }
  }

  // MARK: Programs

  /// What a program of this machine says; nil: it is not there, or did not answer in time.
  func output(of program: String, _ arguments: [String], within deadline: Duration = .seconds(3)) -> ChildProcess
    .Result?
  {
    let folders = ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"]
    guard let path = folders.map({ root + $0 + program }).first(where: { unsafe access($0, X_OK) == 0 }) else {
      return nil
    }
    let result = try? ChildProcess.run(
      path, arguments, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"], deadline: deadline,
      limit: 4 << 20, group: .ours, time: time)
    guard let result, case .exited = result.end else { return nil }
    return result
  }

  var isSystemdRunning: Bool { exists("/run/systemd/system") }

  /// Properties of a unit; nil: systemd does not answer.
  func properties(of unit: String, _ names: String) -> [String: String]? {
    guard isSystemdRunning, let shown = output(of: "systemctl", ["show", unit, "--property", names]) else { return nil }
    var properties: [String: String] = [:]
    for line in shown.text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { properties[String(parts[0])] = String(parts[1]) }
    }
    return properties.isEmpty ? nil : properties
  }

  /// Lines of the journal of the last 24 hours; nil: there is none, or it may not be read.
  func journal(_ selection: String...) -> [String]? {
    guard isSystemdRunning, ["/var/log/journal", "/run/log/journal"].contains(where: { isReadable($0) }) else {
      return nil
    }
    let arguments = selection + ["--since", "-24h", "--output", "cat", "--quiet", "--no-pager", "--lines", "5000"]
    guard let result = output(of: "journalctl", arguments, within: .seconds(4)), result.end == .exited(0) else {
      return nil
    }
    return result.text.split(separator: "\n").map(String.init)
  }

  // MARK: The agent

  /// The agent's account by the installed files.
  package static let accountName = "kiosk-agent"

  var configuration: Configuration? { found.configuration }

  var stateDirectory: String? { configuration?.stateDirectory }

  var controlSocket: String? { stateDirectory.map { "\($0)/\(ControlSocket.name)" } }

  /// The process that holds the state directory's lock, which is the agent; nil: none.
  ///
  /// The kernel's list is asked: taking the lock, however shortly, would stop an agent that starts now. Processes are this
  /// machine's, whatever the root.
  var agent: Int32? {
    guard let stateDirectory else { return nil }
    var info = stat()
    guard unsafe stat("\(stateDirectory)/lock", &info) == 0 else { return agentOfDeletedDirectory }
    guard let locks = Self.read("/proc/locks", limit: 1 << 20) else { return nil }
    for line in locks.split(separator: "\n") {
      // 1: FLOCK  ADVISORY  WRITE 14717 fe:00:16245096 0 EOF
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[3] == "WRITE", words[5].hasSuffix(":\(info.st_ino)") else {
        continue
      }
      return Int32(words[4])
    }
    return nil
  }

  /// The agent whose state directory was deleted under it: it still has the lock's file open.
  var agentOfDeletedDirectory: Int32? {
    let files = FileManager.default
    guard let lock = stateDirectory.map({ "\($0)/lock" }), unsafe access(lock, F_OK) != 0 else { return nil }
    return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }.first { process in
      ((try? files.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []).contains { descriptor in
        (try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(descriptor)")) == lock + " (deleted)"
      }
    }
  }

  /// Whom the agent runs as: the running one's user, else the installed account, else whoever asks.
  package var serviceUser: Account {
    if let agent {
      var info = stat()
      if unsafe stat("/proc/\(agent)", &info) == 0, let account = Account.numbered(info.st_uid) { return account }
    }
    return Account.named(Self.accountName) ?? Account.numbered(geteuid())
      ?? Account(name: "user \(geteuid())", user: geteuid(), group: getegid(), home: "/")
  }
}
