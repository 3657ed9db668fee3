internal import Foundation
internal import Glibc
internal import Linux

/// A plain HTTP/1.1 client for this machine: one request, one connection, a deadline.
struct LoopbackClient {
  struct Answer: Equatable {
    var status: Int
    var body: String
  }

  /// Bytes of an answer, at most.
  private static let limit = 2 << 20

  /// `127.0.0.1` or `::1`.
  let address: String
  let port: UInt16
  let time: any TimeSource

  /// nil: no whole answer within the deadline.
  func get(_ path: String, within deadline: Duration) -> Answer? {
    var received: [UInt8] = []
    guard
      exchange(
        path, until: time.uptime() + deadline,
        {
          received += $0; return true
        })
    else { return nil }
    let text = String(decoding: received, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n"), let status = text.split(separator: " ").dropFirst().first else {
      return nil
    }
    return Int(status).map { Answer(status: $0, body: String(text[end.upperBound...])) }
  }

  /// Whether a piece of text comes within the deadline.
  func hears(_ piece: String, from path: String, within deadline: Duration) -> Bool {
    var received: [UInt8] = []
    var isHeard = false
    _ = exchange(path, until: time.uptime() + deadline) { bytes in
      received += bytes
      isHeard = String(decoding: received, as: UTF8.self).contains(piece)
      return !isHeard
    }
    return isHeard
  }

  /// Sends the request and passes on what comes until the end (true), or until `each` has enough or time is over (false).
  private func exchange(_ path: String, until deadline: Duration, _ each: (ArraySlice<UInt8>) -> Bool) -> Bool {
    guard let descriptor = connected() else { return false }
    defer { close(descriptor) }
    let host = address.contains(":") ? "[\(address)]" : address
    let request = Array("GET \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n\r\n".utf8)
    guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
    var buffer = [UInt8](repeating: 0, count: 65536)
    var total = 0
    while total < Self.limit {
      let left = (deadline - time.uptime()).inMilliseconds
      guard left > 0 else { return false }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&wait, 1, Int32(clamping: left)) != 0 else { return false }
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return count == 0 }
      total += count
      if !each(buffer[..<count]) { return false }
    }
    return false
  }

  /// On loopback a connection is made or refused at once.
  private func connected() -> Int32? {
    let isIPv6 = address.contains(":")
    let descriptor = socket(
      isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var result: Int32
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      result = Self.connect(descriptor, &address)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      result = Self.connect(descriptor, &address)
    }
    if result == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
