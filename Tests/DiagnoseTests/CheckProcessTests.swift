import Foundation
import Glibc
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Diagnose

/// A check that throws, hangs or traps is a finding of its own, never the end of the run.
@Suite(.timeLimit(.minutes(1)))
struct CheckProcessTests {
  private let folder = NSTemporaryDirectory() + "check-\(UUID().uuidString.prefix(8))"

  /// Runs a script in the place of the program.
  private func finding(
    _ script: String, deadline: Duration = .seconds(10), told: @escaping @Sendable (String) -> Void = { _ in }
  )
    async throws -> Finding
  {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let program = folder + "/program"
    try Data("\(script)\n".utf8).write(to: URL(filePath: program))
    let check = Check(
      "S5", "pcscd answers", impact: .doses, deadline: deadline, overdue: ("pcscd is frozen.", "restart it")
    ) { _ in .pass([]) }
    return await CheckProcess(
      program: "/bin/sh", arguments: [program, "--check"], environment: ["PATH": "/usr/bin:/bin"], time: SystemTime(),
      tell: told
    ).run(check)
  }

  @Test func `the finding comes back, and lines before it go to the technician`() async throws {
    let told = Mutex<[String]>([])
    let line = CheckProcess.line(.warn([.init("é", "💊 \"x\"")], "m", "d"))
    let found = try await finding("echo tap 1; printf '%s\\n' '\(line)'") { line in told.withLock { $0.append(line) } }
    #expect(found == .warn([.init("é", "💊 \"x\"")], "m", "d"))
    #expect(told.withLock { $0 } == ["tap 1"])
  }

  @Test func `one that hangs is TIMEOUT with what that means here`() async throws {
    let found = try await finding("sleep 600", deadline: .milliseconds(200))
    #expect(found.status == .timeout)
    #expect(found.means == "pcscd is frozen.")
    #expect(found.remedies == ["restart it"])
  }

  @Test(arguments: [
    ("kill -SEGV $$", "signal 11"), ("kill -ILL $$", "signal 4"), ("exit 1", "exit code 1"), ("exit 0", "exit code 0"),
    ("echo finding no JSON", "exit code 0"),
    ("echo 'finding {\"status\":\"GOOD\",\"seen\":[],\"remedies\":[]}'", "exit code 0"),
    ("yes", "it said more than can be read"),
  ])
  func `one that breaks is CRASH and says how`(script: String, how: String) async throws {
    let found = try await finding(script)
    #expect(found.status == .crash)
    #expect(found.seen.first?.value == how)
  }

  @Test func `what it said when it broke is told without secrets`() async throws {
    let found = try await finding("echo 'Fatal error: tag 04A1B2C3D4E5F6 key=SECRET' >&2; kill -TRAP $$")
    let said = try #require(found.seen.first { $0.name == "said" }?.value)
    #expect(said.contains("Fatal error"))
    #expect(!said.contains("A1B2C3") && !said.contains("SECRET"))
  }

  @Test func `a program that cannot be started is CRASH too`() async {
    let check = Check("S5", "x", impact: .doses) { _ in .pass([]) }
    let found = await CheckProcess(
      program: "/no/such", arguments: [], environment: [:], time: SystemTime(), tell: { _ in }
    ).run(check)
    #expect(found.status == .crash)
  }
}
