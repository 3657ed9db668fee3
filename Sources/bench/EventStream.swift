import Foundation
import Glibc
import Synchronization
import TestSupport

/// An open page as the server sees it: reads `/events` and stamps what comes.
final class EventStream: Sendable {
  private let received = Mutex<[(at: Int64, text: String)]>([])
  private let descriptor: Int32

  init(_ web: HTTPProbe) throws {
    descriptor = try web.connect(timeout: 600)
    let request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(web.port)\r\nAccept: text/event-stream\r\n\r\n"
    let bytes = Array(request.utf8)
    guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw BenchError("send: errno \(errno)")
    }
    let descriptor = descriptor
    Thread.detachNewThread { [weak self] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0, let self else { return }
        let at = monotonic()
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        self.received.withLock { $0.append((at, text)) }
      }
    }
    try Waiting.until("the first snapshot") { received.withLock { !$0.isEmpty } }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// When something that contains `piece` came, at or after `instant`; CLOCK_MONOTONIC, ns.
  func waitFor(_ piece: String, after instant: Int64) throws -> Int64 {
    do {
      return try Waiting.value("\(piece) on the page") {
        received.withLock { $0.first { $0.at >= instant && $0.text.contains(piece) }?.at }
      }
    } catch {
      let last = received.withLock { $0.last?.text.prefix(1000) ?? "" }
      throw BenchError("\(error); the last that came: \(last)")
    }
  }
}
