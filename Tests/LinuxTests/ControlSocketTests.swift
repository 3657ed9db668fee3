import Dispatch
import Foundation
import Glibc
import Linux
import Synchronization
import Testing

@testable import Linux

@Suite(.timeLimit(.minutes(5))) struct ControlSocketTests {
  let path = NSTemporaryDirectory() + "control-\(UUID().uuidString.prefix(8)).sock"

  /// Blocking client calls leave the test's thread alone.
  private func ask(_ request: String, within deadline: Duration = .seconds(30)) async -> Result<[String], ControlError>
  {
    let path = path
    return await withCheckedContinuation { continuation in
      Threads.start(name: "ask") {
        do throws(ControlError) {
          continuation.resume(returning: .success(try ControlSocket.ask(path, request, within: deadline)))
        } catch { continuation.resume(returning: .failure(error)) }
      }
    }
  }

  /// A connected socket of a client that does as it likes.
  private func rawClient() throws -> Int32 {
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let code = try unsafe withUnixAddress(path) { unsafe connect(client, $0, $1) }
    #expect(code == 0)
    return client
  }

  @Test func `a line is answered by one line or several, whatever is in them`() async throws {
    let server = try ControlServer(path) { request in request == "none" ? [] : [request, "", "Grüße 💊"] }
    defer { server.stop() }
    #expect(await ask(#"{"import":"é"}"#) == .success([#"{"import":"é"}"#, "", "Grüße 💊"]))
    #expect(await ask("none") == .failure(.noAnswer))
  }

  @Test func `only its owner may connect`() throws {
    let server = try ControlServer(path) { _ in [] }
    defer { server.stop() }
    var status = stat()
    #expect(unsafe lstat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `a dead agent's socket file makes room; another file does not`() async throws {
    let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(try unsafe withUnixAddress(path) { unsafe bind(stale, $0, $1) } == 0)
    close(stale)
    #expect(await ask("hello") == .failure(.notRunning))
    let server = try ControlServer(path) { _ in ["here"] }
    #expect(await ask("hello") == .success(["here"]))
    server.stop()
    #expect(await ask("hello") == .failure(.notRunning))

    try Data("precious".utf8).write(to: URL(filePath: path))
    #expect(throws: ControlError.occupied(path: path)) { _ = try ControlServer(path) { _ in [] } }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
    #expect(await ask("hello") == .failure(.notRunning))
    try FileManager.default.removeItem(atPath: path)
  }

  @Test func `whoever sends too much is cut off, on both ends`() async throws {
    let server = try ControlServer(path) { request in [String(repeating: "x", count: Int(request) ?? 0)] }
    defer { server.stop() }
    let limit = ControlSocket.limit
    #expect(await ask(String(repeating: "y", count: limit + 1)) == .failure(.tooLong))
    #expect(await ask("\(limit + 1)") == .failure(.noAnswer))
    #expect(try await ask("\(limit - 1)").get().map(\.utf8.count) == [limit - 1])

    let client = try rawClient()
    defer { close(client) }
    let flood = [UInt8](repeating: 0x79, count: 65536)
    var sent = 0
    while true {
      let count = unsafe send(client, flood, flood.count, Int32(MSG_NOSIGNAL))
      if count <= 0 { break }
      sent += count
    }
    // What the kernel buffers comes on top.
    #expect(sent < 4 * limit)
    #expect(await ask("1") == .success(["x"]))
  }

  @Test func `eight clients that say nothing hold up the next one for the deadline and no longer`() async throws {
    let server = try ControlServer(path, exchange: .milliseconds(300)) { _ in ["here"] }
    defer { server.stop() }
    let idle = try (0..<ControlServer.mostConnections).map { _ in try rawClient() }
    defer { for client in idle { close(client) } }
    #expect(await ask("hello", within: .seconds(10)) == .success(["here"]))
    var byte: UInt8 = 0
    #expect(unsafe recv(idle[0], &byte, 1, 0) == 0)
  }

  @Test func `a handler that does not end is cancelled, and its client hears nothing instead of waiting`() async throws
  {
    let cancelled = DispatchSemaphore(value: 0)
    let server = try ControlServer(path, work: .seconds(2)) { request in
      guard request == "stuck" else { return ["fine"] }
      let never = AsyncStream<String> { _ in }
      for await line in never { return [line] }
      cancelled.signal()
      return []
    }
    defer { server.stop() }
    #expect(await ask("stuck") == .failure(.noAnswer))
    #expect(await ask("other") == .success(["fine"]))
    #expect(
      await withCheckedContinuation { done in
        Threads.start(name: "wait") { done.resume(returning: cancelled.wait(timeout: .now() + 30) == .success) }
      })
  }

  @Test func `an agent that accepts and says nothing is given up at the deadline`() async throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(try unsafe withUnixAddress(path) { unsafe bind(listener, $0, $1) } == 0)
    #expect(listen(listener, 1) == 0)
    defer {
      close(listener)
      unsafe unlink(path)
    }
    #expect(await ask("hello", within: .milliseconds(100)) == .failure(.timedOut))
  }

  @Test func `a path that is too long for a socket is said`() {
    let long = "/tmp/" + String(repeating: "a", count: 120)
    #expect(throws: ControlError.self) { _ = try ControlServer(long) { _ in [] } }
    #expect(throws: ControlError.self) { _ = try ControlSocket.ask(long, "hello") }
  }
}
