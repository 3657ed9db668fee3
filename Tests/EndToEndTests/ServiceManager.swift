import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// Does for the agent what systemd does by the unit: starts it, runs `reader-recover` after its end, starts it again.
/// `systemctl` is a program of the test's own that restarts the test's pcscd and keeps what it was asked.
final class ServiceManager {
  let agent: AgentUnderTest
  /// The exit code of every run that has ended, -(signal number) for a signal.
  private(set) var ends: [Int32] = []
  private let runtime: String
  private let calls: String

  init(_ agent: AgentUnderTest) throws {
    self.agent = agent
    runtime = agent.folder + "/runtime"
    calls = agent.folder + "/systemctl.calls"
    for folder in [runtime, agent.folder + "/bin"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try agent.write("bin/systemctl", "#!/bin/sh\necho \"$@\" >>'\(calls)'\n")
    unsafe chmod(agent.folder + "/bin/systemctl", 0o755)
    agent.runtimeDirectory = runtime
  }

  /// What `systemctl` was asked for.
  var asked: [String] {
    ((try? String(contentsOfFile: calls, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  func start() throws { try agent.start() }

  /// Waits for the end of the agent and does what systemd does then, up to the agent's next READY.
  func restartAfterEnd(within seconds: Double) throws {
    let code = try agent.process?.waitForExit(within: seconds) ?? 0
    ends.append(code)
    let result = code < 0 ? "signal" : code == 0 ? "success" : "exit-code"
    try stopPost(result: result, status: "\(code)")
    try agent.start()
  }

  /// Runs `reader-recover` as after an end with that `SERVICE_RESULT` and `EXIT_STATUS`, and restarts pcscd if it asks so.
  @discardableResult
  func stopPost(result: String, status: String) throws -> String {
    let before = asked.count
    let hook = try ChildProgram(
      "/bin/sh", [AgentUnderTest.root + "/systemd/reader-recover"],
      environment: [
        "SERVICE_RESULT": result, "EXIT_STATUS": status, "RUNTIME_DIRECTORY": runtime,
        "RECOVER_STAMP": agent.folder + "/pcscd-restarted",
        "PATH": agent.folder + "/bin:/usr/bin:/bin",
      ])
    #expect(try hook.waitForExit(within: 10) == 0, "\(hook.text)")
    if asked.count > before, agent.pcscd.pid != nil { try agent.pcscd.restart() }
    return hook.text
  }

  func leaveSilent(_ threads: String) throws { try agent.write("runtime/silent", threads) }

  /// As if pcscd had been restarted so many minutes ago.
  func age(minutes: Int) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -Double(minutes) * 60)],
      ofItemAtPath: agent.folder + "/pcscd-restarted")
  }
}
