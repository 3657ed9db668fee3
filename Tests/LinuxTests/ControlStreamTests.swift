import Dispatch
import Foundation
import Linux
import Synchronization
import TestSupport
import Testing

/// Answers that come line by line, for as long as somebody listens.
@Suite(.timeLimit(.minutes(1)))
struct ControlStreamTests {
  let path = NSTemporaryDirectory() + "stream-\(UUID().uuidString.prefix(8)).sock"

  /// A server that streams "1", "2", … every millisecond, and says when its stream was ended.
  private func server(
    longest: Duration = .seconds(30), count: Int = .max, ended: DispatchSemaphore
  ) throws -> ControlServer {
    try ControlServer(
      path, longest: longest,
      streams: { request in
        guard request == "count" else { return nil }
        return AsyncStream { continuation in
          let task = Task {
            var number = 0
            while number < count, !Task.isCancelled {
              number += 1
              continuation.yield("\(number)")
              try? await Task.sleep(for: .milliseconds(1))
            }
            continuation.finish()
          }
          continuation.onTermination = { _ in
            task.cancel()
            ended.signal()
          }
        }
      }
    ) { _ in ["one answer"] }
  }

  private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      Threads.start(name: "client") { continuation.resume(with: Result { try body() }) }
    }
  }

  @Test func `every line comes in its order, and the end is the end`() async throws {
    let ended = DispatchSemaphore(value: 0)
    let server = try server(count: 20, ended: ended)
    defer { server.stop() }
    let lines: [String] = try await onThread { [path] in
      var lines: [String] = []
      try ControlSocket.follow(path, "count", within: .seconds(10)) { line in
        lines.append(line)
        return true
      }
      return lines
    }
    #expect(lines == (1...20).map(String.init))
    let answer: [String] = try await onThread { [path] in try ControlSocket.ask(path, "other") }
    #expect(answer == ["one answer"])
  }

  @Test func `whoever asked and goes away ends the stream`() async throws {
    let ended = DispatchSemaphore(value: 0)
    let server = try server(ended: ended)
    defer { server.stop() }
    try await onThread { [path] () throws -> Void in
      try ControlSocket.follow(path, "count", within: .seconds(10)) { $0 != "3" }
    }
    let isOver: Bool = try await onThread { ended.wait(timeout: .now() + 5) == .success }
    #expect(isOver)
  }

  @Test func `a stream without end is ended at its deadline`() async throws {
    let ended = DispatchSemaphore(value: 0)
    let server = try server(longest: .milliseconds(100), ended: ended)
    defer { server.stop() }
    try await onThread { [path] () throws -> Void in
      try ControlSocket.follow(path, "count", within: .seconds(10)) { _ in true }
    }
    let isOver: Bool = try await onThread { ended.wait(timeout: .now() + 5) == .success }
    #expect(isOver)
  }
}
