internal import Glibc

/// One open connection of the server's thread.
final class Connection {
  enum Kind {
    case request
    case stream
  }

  let descriptor: Int32
  var kind = Kind.request
  var input: [UInt8] = []
  private(set) var output: [UInt8] = []
  private var sent = 0
  /// Uptime at which it is given up: the head, the body or the next request is too late.
  var deadline: Duration
  /// Since when the peer takes nothing; nil: nothing waits to be sent.
  private(set) var stalledSince: Duration?
  var closesAfterOutput = false
  var headDone = false
  /// A stream that is still sending has missed a snapshot: the newest one follows.
  var wantsState = false

  init(descriptor: Int32, deadline: Duration) {
    self.descriptor = descriptor
    self.deadline = deadline
  }

  deinit { close(descriptor) }

  var hasOutput: Bool { sent < output.count }

  func queue(_ bytes: [UInt8], at now: Duration) {
    if !hasOutput {
      output = []
      sent = 0
      stalledSince = now
    }
    output += bytes
  }

  /// Sends what the peer takes now. False: the connection is dead.
  func flush(at now: Duration) -> Bool {
    while hasOutput {
      let count = unsafe output.withUnsafeBytes { buffer in
        unsafe send(
          descriptor, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN
      }
      sent += count
      stalledSince = now
    }
    output = []
    sent = 0
    stalledSince = nil
    return true
  }

  /// Reads what is there. False: the peer has closed or failed.
  func fill() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN
      }
      if count == 0 { return false }
      // A stream has nothing more to say; what it says is dropped.
      if kind == .request { input += buffer[..<count] }
      if input.count > RequestParser.headLimit + RequestParser.bodyLimit { return true }
      if count < buffer.count { return true }
    }
  }
}
