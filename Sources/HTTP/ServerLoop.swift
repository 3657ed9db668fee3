internal import Glibc
internal import Linux

/// The server's thread: the only one that touches connections. It lives and ends on that thread.
final class ServerLoop {
  private let listener: Int32
  private let wake: WakeSignal
  private let time: any TimeSource
  let gate: Gate
  let limits: ServerLimits
  let answer: @Sendable (Request) -> Response
  let server: Server
  private(set) var connections: [Int32: Connection] = [:]
  private var nextHeartbeat: Duration
  private var acceptsAgainAt: Duration?
  private var buffer = [UInt8](repeating: 0, count: 16384)

  init(
    listener: Int32, wake: WakeSignal, gate: Gate, limits: ServerLimits, time: any TimeSource,
    answer: @escaping @Sendable (Request) -> Response, server: Server
  ) {
    self.listener = listener
    self.wake = wake
    self.gate = gate
    self.limits = limits
    self.time = time
    self.answer = answer
    self.server = server
    nextHeartbeat = time.uptime() + limits.heartbeat
  }

  /// Serves until the server is stopped.
  func run() {
    while turn() {}
    close(listener)
    let now = time.uptime()
    let goodbye = ResponseWriter.event("bye", data: #"{"why":"restart","back_s":10}"#)
    for connection in connections.values where connection.kind == .stream && !connection.hasOutput {
      connection.queue(goodbye, at: now)
      _ = connection.flush(at: now)
    }
    connections = [:]
    server.ended()
  }

  /// Waits for something to do and does it. False: the server is stopped.
  private func turn() -> Bool {
    let before = time.uptime()
    if let again = acceptsAgainAt, again <= before { acceptsAgainAt = nil }
    let accepts = acceptsAgainAt == nil && canAccept
    var polls = [
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: accepts ? listener : -1, events: Int16(POLLIN), revents: 0),
    ]
    polls += connections.values.map { pollfd(fd: $0.descriptor, events: $0.interest, revents: 0) }
    let next = nextDeadline
    server.sleeps(until: next)
    let isDue = connections.values.contains { $0.isDue }
    let pause = isDue ? 0 : next.map { Int32(clamping: max(0, ($0 - before).inMilliseconds + 1)) } ?? -1
    // Out of memory the kernel cannot look: try again soon, neither ending nor spinning.
    if unsafe poll(&polls, nfds_t(polls.count), pause) < 0, errno != EINTR { _ = poll(nil, 0, 100) }
    let now = time.uptime()
    server.wakes(at: now)
    if polls[0].revents != 0 { wake.drain() }
    let change = server.takeChange()
    if change.stopping { return false }
    for poll in polls.dropFirst(2) {
      guard let connection = connections[poll.fd], poll.revents != 0 || connection.isDue else { continue }
      if !serve(connection, poll.revents, at: now) { drop(connection) }
    }
    if change.changed, let state = server.state { publish(state.event, at: now) }
    if now >= nextHeartbeat {
      beat(at: now)
      nextHeartbeat = now + limits.heartbeat
    }
    if polls[1].revents != 0 { accept(at: now) }
    expire(at: now)
    server.note(streams: count(.stream), connections: connections.count)
    return true
  }

  func drop(_ connection: Connection) { connections[connection.descriptor] = nil }

  func count(_ kind: Connection.Kind) -> Int { connections.values.count { $0.kind == kind } }

  /// The earliest uptime at which something is to be done; nil: an idle wall without pages sleeps for ever.
  private var nextDeadline: Duration? {
    var times = connections.values.map { connection in
      let own = connection.kind == .stream ? nextHeartbeat : connection.deadline
      return connection.stalledSince.map { min(own, $0 + limits.stall) } ?? own
    }
    if let acceptsAgainAt { times.append(acceptsAgainAt) }
    return times.min()
  }

  private func accept(at now: Duration) {
    for _ in 0..<limits.welcomes where canAccept {
      guard let descriptor = HTTPSockets.accept(listener) else {
        // Out of descriptors the listener stays readable: wait a little instead of spinning.
        if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) { acceptsAgainAt = now + .milliseconds(500) }
        return
      }
      let connection = Connection(descriptor: descriptor, limits.head, at: now)
      makeRoom(at: now)
      connections[descriptor] = connection
      // A browser says its request at once: it is answered before anyone can come in between.
      if !serve(connection, Int16(POLLIN), at: now) { drop(connection) }
    }
  }

  /// False: the connection is over.
  private func serve(_ connection: Connection, _ events: Int16, at now: Duration) -> Bool {
    if events & Int16(POLLERR | POLLNVAL) != 0 { return false }
    if events & Int16(POLLHUP) != 0, events & Int16(POLLIN) == 0 { return false }
    if events & Int16(POLLOUT) != 0, !connection.flush(at: now) { return false }
    if events & Int16(POLLIN) != 0, !connection.fill(&buffer) { return false }
    return proceed(connection, at: now)
  }

  private func publish(_ event: [UInt8], at now: Duration) {
    for connection in connections.values where connection.kind == .stream {
      if connection.hasOutput {
        connection.wantsState = true
      } else {
        send(event, to: connection, at: now)
      }
    }
  }

  private func beat(at now: Duration) {
    let event = server.heartbeatEvent
    for connection in connections.values where connection.kind == .stream && !connection.hasOutput {
      send(event, to: connection, at: now)
    }
  }

  private func send(_ event: [UInt8], to connection: Connection, at now: Duration) {
    connection.queue(event, at: now)
    if !connection.flush(at: now) { drop(connection) }
  }

  /// Gives up who is too late and who takes nothing.
  private func expire(at now: Duration) {
    for connection in connections.values {
      let isStalled = connection.stalledSince.map { now - $0 >= limits.stall } ?? false
      let isLate = connection.kind != .stream && now >= connection.deadline
      guard isStalled || isLate else { continue }
      // A half-said request gets an answer; what waits unused is just closed.
      let isHalfSaid = connection.kind == .request && !connection.hasOutput && connection.reader.next() != .idle
      if !isHalfSaid || !refuse(connection, 408, at: now) { drop(connection) }
    }
  }
}
