internal import Foundation
internal import Glibc

/// A plain HTTP/1.1 client for tests: one request, one connection, and a reader of event streams. It says exactly the
/// bytes it is given, so that it can also say wrong ones.
package struct HTTPProbe: Sendable {
  package struct Answer: Sendable {
    package var status: Int
    package var headers: [String: String]
    package var body: String
  }

  /// What went wrong with the connection itself.
  package struct Failure: Error {
    package let reason: String
  }

  package let port: UInt16

  package init(port: UInt16) { self.port = port }

  /// - Parameter timeout: seconds for the whole answer.
  package func get(_ path: String, headers: [String: String] = [:], timeout: Int = 5) throws -> Answer {
    try send("GET", path, headers: headers, body: nil, timeout: timeout)
  }

  package func post(_ path: String, json: String, headers: [String: String] = [:]) throws -> Answer {
    var all = ["Content-Type": "application/json", "Origin": "http://127.0.0.1:\(port)"]
    all.merge(headers) { $1 }
    return try send("POST", path, headers: all, body: json, timeout: 5)
  }

  private func send(_ method: String, _ path: String, headers: [String: String], body: String?, timeout: Int) throws
    -> Answer
  {
    var all = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
    if let body { all["Content-Length"] = String(body.utf8.count) }
    all.merge(headers) { $1 }
    let head = "\(method) \(path) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    return try Self.parse(exchange(Array((head + (body ?? "")).utf8), timeout: timeout))
  }

  /// Sends raw bytes and returns all that comes until the server closes.
  package func exchange(_ bytes: [UInt8], timeout: Int = 5) throws -> [UInt8] {
    let descriptor = try connect(timeout: timeout)
    defer { close(descriptor) }
    guard unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw Failure(reason: "send: errno \(errno)")
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return answer }
      if count < 0 { throw Failure(reason: "recv: errno \(errno) after \(answer.count) bytes") }
      answer += buffer[..<count]
    }
  }

  /// A connected socket whose reads and writes give up after `timeout` seconds; the caller closes it.
  package func connect(timeout: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let code = errno
      close(descriptor)
      throw Failure(reason: "connect: errno \(code)")
    }
    return descriptor
  }

  private static func parse(_ bytes: [UInt8]) throws -> Answer {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let split = text.range(of: "\r\n\r\n") else { throw Failure(reason: "no head in \(bytes.count) bytes") }
    let lines = text[..<split.lowerBound].components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { throw Failure(reason: "no status in \(lines[0])") }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    return Answer(status: status, headers: headers, body: String(text[split.upperBound...]))
  }
}
