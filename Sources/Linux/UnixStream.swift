internal import CLinux
internal import Glibc

/// One end of a connected unix stream socket. Every read and write has a deadline on the boot clock.
final class UnixStream: Sendable {
  let descriptor: Int32
  private let time: any TimeSource

  /// Takes over `descriptor` and closes it at the end.
  init(descriptor: Int32, time: any TimeSource) {
    self.descriptor = descriptor
    self.time = time
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { close(descriptor) }

  /// Sends all of `bytes`.
  func send(_ bytes: [UInt8], deadline: Duration) throws(ControlError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else {
        try retry(Int16(POLLOUT), deadline: deadline, doing: "sending")
      }
    }
  }

  /// Receives up to and without the first line break, or up to the end of the stream.
  /// - Parameter toEnd: line breaks end nothing.
  func receive(toEnd: Bool, limit: Int, deadline: Duration) throws(ControlError) -> [UInt8] {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return received }
      guard count > 0 else {
        try retry(Int16(POLLIN), deadline: deadline, doing: "receiving")
        continue
      }
      received += buffer[..<count]
      if !toEnd, let end = received.firstIndex(of: 0x0A) {
        guard end <= limit else { throw .tooLong }
        return Array(received[..<end])
      }
      guard received.count <= limit else { throw .tooLong }
    }
  }

  /// Receives line by line, without their breaks, until the other end closes or `line` says that it is enough (false). A
  /// last piece without a break is no line.
  func receiveLines(limit: Int, deadline: Duration, _ line: (String) -> Bool) throws(ControlError) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return }
      guard count > 0 else {
        try retry(Int16(POLLIN), deadline: deadline, doing: "receiving")
        continue
      }
      received += buffer[..<count]
      while let end = received.firstIndex(of: 0x0A) {
        guard line(String(decoding: received[..<end], as: UTF8.self)) else { return }
        received.removeSubrange(...end)
      }
      guard received.count <= limit else { throw .tooLong }
    }
  }

  /// Whether the other end has closed, or says something though nothing was asked.
  var isLeft: Bool {
    var byte: UInt8 = 0
    let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count >= 0 || (errno != EAGAIN && errno != EINTR)
  }

  /// After a call that did nothing: waits until it is worth trying again.
  private func retry(_ events: Int16, deadline: Duration, doing: String) throws(ControlError) {
    let code = errno
    if code == EINTR { return }
    guard code == EAGAIN else { throw .failed(doing, errno: code) }
    let left = (deadline - time.uptime()).inMilliseconds
    guard left > 0 else { throw .timedOut }
    var wait = pollfd(fd: descriptor, events: events, revents: 0)
    unsafe poll(&wait, 1, Int32(clamping: left))
  }
}

/// The address of a unix socket, for as long as `body` runs.
func withUnixAddress(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws(ControlError) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
    throw .failed("using \(path) (a socket's path has at most 107 bytes)", errno: ENAMETOOLONG)
  }
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
  let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + 1)
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
  }
}
