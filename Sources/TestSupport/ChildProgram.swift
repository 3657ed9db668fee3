internal import CLinux
internal import Foundation
internal import Glibc
internal import Linux
internal import Synchronization

/// A program under test: its output is kept, and it is killed when the test lets go of it.
///
/// Not Foundation's `Process`: what that waits with is inherited by whatever another test starts just then, and an end is
/// then seen only when that has ended too.
package final class ChildProgram: Sendable {
  /// What the thread that reads keeps.
  private final class Life: Sendable {
    struct State {
      var text = ""
      /// As wait(2) tells it; nil: it runs.
      var status: Int32?
    }

    let state = Mutex(State())
  }

  private let life = Life()

  package let pid: Int32

  /// Starts `executable`; stdout and stderr come together, as on a terminal.
  ///
  /// - Parameters:
  ///   - environment: of its own.
  ///   - inherits: this process's environment too.
  ///   - input: where it reads from instead of /dev/null.
  ///   - output: where stdout goes instead.
  ///   - errors: where stderr goes instead.
  package init(
    _ executable: String, _ arguments: [String], environment: [String: String] = [:], inherits: Bool = true,
    directory: String? = nil, input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil
  ) throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw Waiting.TimedOut(description: "no pipe: errno \(errno)") }
    let (reading, writing) = (ends[0], ends[1])
    defer { close(writing) }
    let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(nothing) }
    do {
      pid = try Spawn(
        executable, arguments,
        environment: (inherits ? ProcessInfo.processInfo.environment : [:]).merging(environment) { $1 },
        directory: directory, descriptors: [input ?? nothing, output ?? writing, errors ?? writing]
      ).start()
    } catch {
      close(reading)
      throw error
    }
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    Thread.detachNewThread { [pid, life] in
      Self.follow(pid, reading, life)
      close(reading)
    }
  }

  deinit { signal(SIGKILL) }

  /// Reads until the program has ended. What it has left behind may hold its output for longer.
  private static func follow(_ pid: Int32, _ reading: Int32, _ life: Life) {
    let process = pidfd_open(pid, 0)
    defer { close(process) }
    var waits = [process, reading].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while waits[0].revents == 0 {
      guard unsafe poll(&waits, 2, -1) > 0 else { continue }
      if !read(reading, life) { waits[1].fd = -1 }
    }
    // In one: a number that was waited for may be another's.
    life.state.withLock { state in
      var status: Int32 = 0
      while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
      state.status = status
    }
  }

  /// Takes what is there; false: there will be no more.
  private static func read(_ reading: Int32, _ life: Life) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe Glibc.read(reading, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 && errno == EAGAIN }
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      life.state.withLock { $0.text += text }
    }
  }

  package var isRunning: Bool { life.state.withLock { $0.status == nil } }

  /// All that it has written so far.
  package var text: String { life.state.withLock { $0.text } }

  package func signal(_ number: Int32) {
    life.state.withLock { state in
      if state.status == nil { kill(pid, number) }
    }
  }

  /// The exit code, or -(signal number).
  package func waitForExit(within seconds: Double = Waiting.patience) throws -> Int32 {
    let status = try Waiting.value("exit of \(pid): \(text.suffix(2000))", within: seconds) {
      life.state.withLock { $0.status }
    }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }

  /// Waits for a piece of its output.
  package func waitFor(_ piece: String, within seconds: Double = Waiting.patience) throws {
    try Waiting.until("\(piece.debugDescription) in: \(text.suffix(2000))", within: seconds) {
      // Looked at first: what it said at its end is there by then.
      let hasEnded = !isRunning
      if text.contains(piece) { return true }
      if hasEnded { throw Waiting.TimedOut(description: "it ended: \(text.suffix(2000))") }
      return false
    }
  }
}
