internal import Glibc

/// One open connection of the server's thread.
final class Connection {
  enum Kind {
    case request
    case stream
    /// Our side is closed. Closing all of it while the peer still sends would take the answer away from it (RFC 9112 9.6).
    case lingering
  }

  /// What the deadline of a request connection is about.
  enum Phase {
    case idle
    case head
    case body
    case answer
  }

  let descriptor: Int32
  var kind = Kind.request
  var phase = Phase.head
  var reader = RequestReader()
  /// Uptime at which `phase` began.
  private(set) var since: Duration
  /// Uptime at which `phase` is over; streams have none.
  private(set) var deadline: Duration
  var closesAfterOutput = false
  /// A stream that is still sending has missed a snapshot: the newest one follows.
  var wantsState = false
  /// More requests than one came together: the next has its turn when everybody else has had theirs.
  var isDue = false
  /// Since when the peer takes nothing; nil: nothing waits to be sent.
  private(set) var stalledSince: Duration?
  private var output: [UInt8] = []
  private var sent = 0

  /// - Parameter limit: for the head of the first request, from now.
  init(descriptor: Int32, _ limit: Duration, at now: Duration) {
    self.descriptor = descriptor
    since = now
    deadline = now + limit
  }

  deinit { close(descriptor) }

  var hasOutput: Bool { sent < output.count }

  /// A request has begun, and its end is not there.
  var isHalfSaid: Bool { kind == .request && !hasOutput && !isDue && !reader.isEmpty }

  /// What to poll for. A client that does not take its answers, or has more to say than its share, is not read further:
  /// what it costs stays bounded.
  var interest: Int16 {
    switch kind {
    case .stream: Int16(POLLIN) | (hasOutput ? Int16(POLLOUT) : 0)
    case .request: hasOutput ? Int16(POLLOUT) : isDue ? 0 : Int16(POLLIN)
    case .lingering: Int16(POLLIN)
    }
  }

  /// The request's next phase; at most `limit` from now.
  func enter(_ phase: Phase, _ limit: Duration, at now: Duration) {
    self.phase = phase
    since = now
    deadline = now + limit
  }

  /// Only while nothing waits to be sent, so that one answer or event is the most that waits.
  func queue(_ bytes: [UInt8], at now: Duration) {
    output = bytes
    sent = 0
    stalledSince = now
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

  /// Reads what is there, a bounded piece. False: the peer has closed or failed.
  func fill(_ buffer: inout [UInt8]) -> Bool {
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN
      }
      // A stream has nothing more to say, a lingering peer neither; what they say is dropped.
      if count > 0, kind == .request { reader.append(buffer[..<count]) }
      return count > 0
    }
  }

  /// Closes our side and gives the peer so long to close its own.
  func linger(_ limit: Duration, at now: Duration) {
    kind = .lingering
    reader = RequestReader()
    since = now
    deadline = now + limit
    shutdown(descriptor, Int32(SHUT_WR))
  }
}
