import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Linux

/// A child that does as it likes must not hold us up. Real processes; deadlines are kept short by killing.
@Suite(.timeLimit(.minutes(1)))
struct ChildProcessTests {
  private func shell(
    _ script: String, deadline: Duration = .seconds(10), limit: Int = 1 << 20, claim: ChildProcess.Claim = .fair,
    line: ((String) -> Void)? = nil
  ) throws -> ChildProcess.Result {
    try ChildProcess.run(
      "/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin", "NAME": "väl"], deadline: deadline,
      limit: limit, claim: claim, line: line)
  }

  @Test func `output, errors, environment and exit code come back`() throws {
    let result = try shell(#"printf "%s $HOME" "$NAME"; echo bad >&2; exit 7"#)
    #expect(result.end == .exited(7))
    #expect(result.text == "väl ")
    #expect(String(decoding: result.errors, as: UTF8.self) == "bad\n")
  }

  @Test func `a program that is not there is an error that names it`() {
    #expect(throws: ChildProcess.Failure(program: "/no/such/program", errno: ENOENT)) {
      try ChildProcess.run("/no/such/program", [], environment: [:], deadline: .seconds(1))
    }
  }

  @Test func `at the deadline it is killed with all that it has started`() throws {
    let result = try shell("sleep 97531 & echo $!; wait", deadline: .seconds(2))
    #expect(result.end == .overdue)
    #expect(result.took < .seconds(5))
    let grandchild = try #require(Int32(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    try Waiting.until("the grandchild is dead") {
      let state = try? String(contentsOfFile: "/proc/\(grandchild)/stat", encoding: .utf8)
      return state == nil || state?.contains(") Z ") == true
    }
  }

  @Test func `a child that ignores signals or has stopped itself is killed all the same`() throws {
    #expect(try shell("trap '' TERM INT HUP; while :; do :; done", deadline: .milliseconds(200)).end == .overdue)
    #expect(try shell("kill -STOP $$", deadline: .milliseconds(200)).end == .overdue)
  }

  @Test func `what it leaves behind with the pipe open does not keep us waiting`() throws {
    let result = try shell("sleep 97532 & echo done")
    #expect(result.end == .exited(0))
    #expect(result.text == "done\n")
    #expect(result.took < .seconds(5))
  }

  @Test func `it is born with no signal blocked or ignored, whatever this process blocks`() throws {
    let ended = Mutex<ChildProcess.End?>(nil)
    let done = DispatchSemaphore(value: 0)
    Threads.start(name: "blocked") {
      var set = sigset_t()
      unsafe sigfillset(&set)
      unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
      let end = try? ChildProcess.run(
        "/bin/sh", ["-c", "kill -TERM $$; sleep 5"], environment: [:], deadline: .seconds(3)
      ).end
      ended.withLock { $0 = end }
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 10) == .success)
    #expect(ended.withLock { $0 } == .signalled(SIGTERM))
  }

  @Test func `it gets no descriptor of ours and no input`() throws {
    let held = unsafe open("/dev/null", O_RDONLY)
    defer { close(held) }
    let result = try shell("ls /proc/self/fd; cat")
    // 3 is the folder that ls reads.
    #expect(result.text == "0\n1\n2\n3\n")
    #expect(result.end == .exited(0))
  }

  @Test(arguments: [0, 1, 100, 200_000]) func `it reads all of the input and no more`(count: Int) throws {
    let input = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let result = try ChildProcess.run(
      "/bin/cat", [], environment: [:], input: input, deadline: .seconds(10), limit: 1 << 20)
    #expect(result.end == .exited(0))
    #expect(result.output == input)
  }

  @Test func `one that does not read its input ends as it likes`() throws {
    let input = [UInt8](repeating: 0x41, count: 1 << 20)
    #expect(
      try ChildProcess.run("/bin/false", [], environment: [:], input: input, deadline: .seconds(10)).end == .exited(1))
  }

  @Test func `one that nobody waits for any more is killed at once`() throws {
    let stop = WakeSignal()
    let result = try ChildProcess.run(
      "/bin/sh", ["-c", "echo started; sleep 97533"], environment: [:], deadline: .seconds(60), stop: stop
    ) { _ in stop.signal() }
    #expect(result.end == .stopped)
    #expect(result.took < .seconds(5))
  }

  @Test func `one that says too much is cut off and killed`() throws {
    let result = try shell("yes", limit: 10_000)
    #expect(result.end == .talkative)
    #expect(result.output.count < 10_000 + 65_537)
    #expect(try shell("yes >&2", limit: 10_000).end == .talkative)
  }

  @Test func `one that may have what is left gives way to everything, and so does all that it starts`() throws {
    // It is told just after its birth.
    let script = "until [ \"$(nice)\" = 19 ]; do :; done; echo gives way"
    #expect(try shell(script, claim: .spare(bytesPerSecond: 1000)).text == "gives way\n")
    #expect(try shell("nice").text == "0\n")
  }

  /// As with a unit's `SystemCallFilter=~@resources`: a filter that answers EPERM holds for the thread that asks for it.
  @Test func `where a sandbox forbids to give way it is started all the same`() async throws {
    let text = try await withCheckedThrowingContinuation { continuation in
      Threads.start(name: "sandboxed") {
        continuation.resume(
          with: Result {
            guard Sandbox.forbidPriorities() else { return "no seccomp" }
            return try shell("echo started", claim: .spare(bytesPerSecond: 1000)).text
          })
      }
    }
    #expect(text == "started\n")
  }

  @Test(arguments: [1, 65_536, 65_537, 300_000])
  func `what is left of a line: all of the output comes, at its pace`(count: Int) throws {
    let rate = 1_000_000
    let result = try shell("head -c \(count) /dev/zero", claim: .spare(bytesPerSecond: rate))
    #expect(result.end == .exited(0))
    #expect(result.output.count == count)
    // A piece is taken at once, and what lies in the pipe when the child ends.
    let least = Double(count - 2 * 65_536) / Double(rate)
    #expect(result.took >= .seconds(max(0, least)), "\(result.took)")
  }

  @Test func `one that says nothing at first does not make up for it`() throws {
    let rate = 1_000_000
    let result = try shell(
      "sleep 0.5; dd if=/dev/zero bs=300000 count=1 status=none", claim: .spare(bytesPerSecond: rate))
    #expect(result.output.count == 300_000)
    #expect(result.took >= .seconds(0.5 + Double(300_000 - 2 * 65_536) / Double(rate)), "\(result.took)")
  }

  @Test func `one that never ends is read at its pace up to the deadline, or until it says too much`() throws {
    let claim = ChildProcess.Claim.spare(bytesPerSecond: 200_000)
    let overdue = try shell("yes", deadline: .milliseconds(500), claim: claim)
    #expect(overdue.end == .overdue)
    #expect(overdue.output.count <= 166_000 + 65_536, "\(overdue.output.count)")
    #expect(try shell("yes", limit: 10_000, claim: claim).end == .talkative)
  }

  @Test func `lines are told when they are there, and a last one without its break is none`() throws {
    var lines: [String] = []
    let result = try shell("echo one; printf 'two\\n\\nth'; printf ree") { lines.append($0) }
    #expect(lines == ["one", "two", ""])
    #expect(result.text == "one\ntwo\n\nthree")
  }

  @Test func `the death of a child is told by its signal`() throws {
    #expect(try shell("kill -SEGV $$").end == .signalled(SIGSEGV))
  }

  @Test func `accounts are known by name and by number`() throws {
    let root = try #require(Account.named("root"))
    #expect(root.user == 0 && root.home == "/root")
    #expect(Account.numbered(0) == root)
    #expect(Account.named("no such user") == nil)
    #expect(Account.name(of: 3_999_999) == "user 3999999")
  }
}

/// Giving up root's powers, in a process of its own.
struct AccountTests {
  @Test func `who has become another user is that user for good`() async {
    guard geteuid() == 0 else { return print("SKIP: only root can become another user") }
    await #expect(processExitsWith: .exitCode(42)) {
      guard let nobody = Account.named("nobody") else { exit(1) }
      let folder = NSTemporaryDirectory() + "barred-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      guard unsafe chmod(folder, 0o700) == 0 else { exit(1) }
      try nobody.become()
      let isNobody = getuid() == nobody.user && geteuid() == nobody.user && getegid() == nobody.group
      let isBarred = unsafe access(folder + "/.", R_OK) != 0
      let groups = getgroups(0, nil)
      exit(isNobody && isBarred && setuid(0) != 0 && groups <= 1 ? 42 : 1)
    }
  }
}
