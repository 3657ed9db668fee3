internal import Foundation
internal import Glibc
internal import Synchronization

/// A program under test: its output is kept, and it is killed when the test lets go of it.
package final class ChildProgram: Sendable {
  private struct Output {
    var text = ""
    var closed = false
  }

  // Foundation.Process is not Sendable; it is only touched by whoever holds this lock.
  private let process: Mutex<Process>
  private let output = Mutex(Output())

  package let pid: Int32

  /// Starts `executable`; stdout and stderr come together, as on a terminal.
  package init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    var all = ProcessInfo.processInfo.environment
    all.merge(environment) { $1 }
    process.environment = all
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
    let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
    Thread.detachNewThread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard let self else { break }
        if count <= 0 {
          self.output.withLock { $0.closed = true }
          break
        }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        self.output.withLock { $0.text += text }
      }
      close(descriptor)
    }
  }

  deinit {
    if isRunning { kill(pid, SIGKILL) }
  }

  package var isRunning: Bool { process.withLock { $0.isRunning } }

  /// All that it has written so far.
  package var text: String { output.withLock { $0.text } }

  package func signal(_ number: Int32) { kill(pid, number) }

  /// The exit code, or -(signal number).
  package func waitForExit(within seconds: Double = 10) throws -> Int32 {
    try Waiting.until("exit of \(pid): \(text.suffix(2000))", within: seconds) {
      !isRunning && output.withLock { $0.closed }
    }
    return process.withLock { $0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus }
  }

  /// Waits for a piece of its output.
  package func waitFor(_ piece: String, within seconds: Double = 10) throws {
    try Waiting.until("\(piece.debugDescription) in: \(text.suffix(2000))", within: seconds) {
      if text.contains(piece) { return true }
      if !isRunning { throw Waiting.TimedOut(description: "it ended: \(text.suffix(2000))") }
      return false
    }
  }
}
