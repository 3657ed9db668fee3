import Dispatch
import Foundation
import Glibc
import Linux
import TestSupport
import Testing

@testable import HTTP

/// One after the other: they count this process's descriptors and measure time.
@Suite(.serialized) struct SocketTests {}

/// A server on a free port, with endpoints that are easy to recognise, stopped when the test lets it go.
final class TestServer {
  let server: Server
  let port: UInt16
  let probe: HTTPProbe

  init(_ change: (inout ServerLimits) -> Void = { _ in }) throws {
    var limits = ServerLimits()
    change(&limits)
    server = Server(
      settings: ServerSettings(
        address: "127.0.0.1", port: 0, boot: "b1", asset: "a1", timeZone: "America/Los_Angeles"),
      time: SystemTime(), limits: limits
    ) { request in
      switch request.path {
      case "/": Response(body: Array("hello".utf8))
      case "/wall": Self.page.index(snapshot: Self.snapshot(0), live: true)
      case "/large": Response(body: [UInt8](repeating: 0x61, count: 4 << 20))
      case "/display/ack": .json(String(decoding: request.body, as: UTF8.self))
      default: Response(status: 404)
      }
    }
    port = try server.start()
    probe = HTTPProbe(port: port)
  }

  private static let page = Page(language: "en", viewingDistance: 2.5, panelInches: 32)

  /// As large as that of a full day.
  static func snapshot(_ v: Int) -> String {
    #"{"v":\#(v),"x":"\#(String(repeating: "x", count: 8 << 10))","end":\#(v)}"#
  }

  deinit { server.stop() }

  func publish(_ v: Int, _ json: String? = nil) {
    server.publish(v: v, json: json ?? #"{"v":\#(v)}"#, now: "2026-11-30T08:00:00-08:00", clockTrusted: true)
  }

  /// What a request without a body looks like.
  func request(_ line: String, _ fields: String = "") -> String {
    "\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n"
  }
}

/// A connection that did not do what the test needs.
struct PeerFailure: Error {
  let reason: String
}

/// A socket of a page: says what it is told and reads only when asked.
final class Peer {
  let descriptor: Int32
  private var bytes = Data()

  convenience init(_ server: TestServer, says: String, timeout: Int = 10) throws {
    try self.init(port: server.port, says: Array(says.utf8), timeout: timeout)
  }

  /// - Parameter timeout: seconds that a read or write may wait.
  init(port: UInt16, says: [UInt8], timeout: Int = 10) throws {
    descriptor = try HTTPProbe(port: port).connect(timeout: timeout)
    try say(says)
  }

  deinit { close(descriptor) }

  func say(_ text: String) throws { try say(Array(text.utf8)) }

  func say(_ bytes: [UInt8]) throws {
    guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw PeerFailure(reason: "send: errno \(errno)")
    }
  }

  /// Reads until `mark` has come; all that came since the last such call.
  @discardableResult
  func read(until mark: String) throws -> String {
    let mark = Data(mark.utf8)
    var searched = 0
    while bytes.range(of: mark, in: max(0, searched - mark.count)..<bytes.count) == nil {
      searched = bytes.count
      guard try readMore() else { throw PeerFailure(reason: "closed before \(mark): \(bytes.count) bytes") }
    }
    defer { bytes = Data() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Nothing comes, neither bytes nor the end, for so long.
  func isQuiet(forMilliseconds limit: Int32) -> Bool {
    var polls = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    return unsafe poll(&polls, 1, limit) == 0
  }

  /// Reads until the server closes.
  func readToEnd() throws -> String { String(decoding: try readBytes(), as: UTF8.self) }

  func readBytes() throws -> [UInt8] {
    while try readMore() {}
    return Array(bytes)
  }

  /// Reads until the server closes and keeps nothing; how many bytes came.
  func dropAll() throws -> Int {
    var count = 0
    while try readMore() {
      count += bytes.count
      bytes = Data()
    }
    return count
  }

  /// Says no more; it can still be answered.
  func endsSpeech() { shutdown(descriptor, Int32(SHUT_WR)) }

  private func readMore() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count < 0, errno != ECONNRESET {
      throw PeerFailure(reason: "recv: errno \(errno) after \(bytes.count) bytes")
    }
    bytes += buffer[..<max(0, count)]
    return count > 0
  }
}

/// Milliseconds that `body` takes.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = DispatchTime.now().uptimeNanoseconds
  try body()
  return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
}

/// The open descriptors of this process, that of looking not counted.
func descriptorCount() -> Int {
  max(0, ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0) - 1)
}
