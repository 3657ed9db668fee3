internal import Glibc
internal import Linux

/// The server's thread: the only one that touches connections.
final class ServerLoop: Sendable {
  private let listener: Int32
  private let wake: WakeSignal
  private let gate: Gate
  private let time: any TimeSource
  private let answer: @Sendable (Request) -> Response
  private let server: Server

  init(
    listener: Int32, wake: WakeSignal, gate: Gate, time: any TimeSource,
    answer: @escaping @Sendable (Request) -> Response,
    server: Server
  ) {
    self.listener = listener
    self.wake = wake
    self.gate = gate
    self.time = time
    self.answer = answer
    self.server = server
  }

  func run() {
    var connections: [Int32: Connection] = [:]
    var nextHeartbeat = time.uptime() + ServerLimits.heartbeat
    var acceptsAgainAt: Duration?
    while true {
      let now = time.uptime()
      var polls = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)]
      let listens = acceptsAgainAt.map { $0 <= now } ?? true
      polls.append(pollfd(fd: listens ? listener : -1, events: Int16(POLLIN), revents: 0))
      polls += connections.values.map { connection in
        pollfd(
          fd: connection.descriptor, events: Int16(POLLIN) | (connection.hasOutput ? Int16(POLLOUT) : 0), revents: 0)
      }
      let pause = wait(
        connections, nextHeartbeat: nextHeartbeat, acceptsAgainAt: listens ? nil : acceptsAgainAt, now: now)
      let count = unsafe poll(&polls, nfds_t(polls.count), pause)
      if count < 0, errno != EINTR { break }
      let later = time.uptime()
      if polls[0].revents != 0 { wake.drain() }
      let change = server.takeChange()
      if change.stopping { break }
      for poll in polls.dropFirst(2) where poll.revents != 0 {
        guard let connection = connections[poll.fd] else { continue }
        if !serve(connection, poll.revents, &connections, at: later) { connections[poll.fd] = nil }
      }
      if change.changed { publish(&connections, at: later) }
      if later >= nextHeartbeat {
        beat(&connections, at: later)
        nextHeartbeat = later + ServerLimits.heartbeat
      }
      if polls[1].revents != 0 { acceptsAgainAt = accept(&connections, at: later) }
      expire(&connections, at: later)
      server.note(streams: connections.values.count { $0.kind == .stream }, at: later)
    }
    close(listener)
    let goodbye = ResponseWriter.event("bye", data: #"{"why":"restart","back_s":10}"#)
    for connection in connections.values where connection.kind == .stream && !connection.hasOutput {
      connection.queue(goodbye, at: time.uptime())
      _ = connection.flush(at: time.uptime())
    }
  }

  /// Milliseconds until the next deadline; -1: none, so an idle wall without pages sleeps for ever.
  private func wait(
    _ connections: [Int32: Connection], nextHeartbeat: Duration, acceptsAgainAt: Duration?, now: Duration
  )
    -> Int32
  {
    var times = connections.values.map { connection -> Duration in
      if let stalled = connection.stalledSince { return stalled + ServerLimits.stall }
      return connection.kind == .stream ? nextHeartbeat : connection.deadline
    }
    if let acceptsAgainAt { times.append(acceptsAgainAt) }
    guard let next = times.min() else { return -1 }
    return Int32(clamping: max(0, (next - now).inMilliseconds + 1))
  }

  private func accept(_ connections: inout [Int32: Connection], at now: Duration) -> Duration? {
    while let descriptor = HTTPSockets.accept(listener) {
      connections[descriptor] = Connection(descriptor: descriptor, deadline: now + ServerLimits.head)
    }
    // Out of descriptors the listener stays readable: wait a little instead of spinning.
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? now + .milliseconds(500) : nil
  }

  /// False: the connection is over.
  private func serve(
    _ connection: Connection, _ events: Int16, _ connections: inout [Int32: Connection], at now: Duration
  ) -> Bool {
    if events & Int16(POLLERR | POLLHUP | POLLNVAL) != 0, events & Int16(POLLIN) == 0 { return false }
    if events & Int16(POLLOUT) != 0 {
      guard connection.flush(at: now) else { return false }
      if !connection.hasOutput {
        if connection.closesAfterOutput { return false }
        if connection.wantsState { sendState(connection, at: now) }
      }
    }
    if events & Int16(POLLIN) != 0 {
      guard connection.fill() else { return false }
      while connection.kind == .request, !connection.closesAfterOutput, !connection.input.isEmpty {
        guard step(connection, connections, at: now) else { break }
      }
    }
    guard connection.flush(at: now) else { return false }
    return connection.hasOutput || !connection.closesAfterOutput
  }

  /// Takes one request out of the input. False: none is complete.
  private func step(_ connection: Connection, _ connections: [Int32: Connection], at now: Duration) -> Bool {
    switch RequestParser.parse(connection.input) {
    case .incomplete(let headDone):
      if headDone, !connection.headDone {
        connection.headDone = true
        connection.deadline = now + ServerLimits.body
      }
      return false
    case .refuse(let status):
      respond(connection, Response(status: status), head: false, keepAlive: false, at: now)
      return true
    case .request(let request, let length):
      connection.input.removeFirst(length)
      connection.headDone = false
      connection.deadline = now + ServerLimits.idle
      handle(request, connection, connections, at: now)
      return true
    }
  }

  private func handle(
    _ request: Request, _ connection: Connection, _ connections: [Int32: Connection], at now: Duration
  ) {
    let isHead = request.method == "HEAD"
    let keepAlive = request.headers["connection"]?.lowercased() != "close"
    if let status = gate.refusal(request) {
      respond(connection, Response(status: status), head: isHead, keepAlive: false, at: now)
    } else if request.path == "/events", request.method == "GET" {
      openStream(request, connection, connections, at: now)
    } else if connections.values.count(where: { $0.kind == .request }) > ServerLimits.others {
      respond(connection, Response(status: 503), head: isHead, keepAlive: false, at: now)
    } else {
      respond(connection, answer(request), head: isHead, keepAlive: keepAlive, at: now)
    }
  }

  /// Over the limit a page is told to come back later: any other answer would make it give up for ever.
  private func openStream(
    _ request: Request, _ connection: Connection, _ connections: [Int32: Connection], at now: Duration
  ) {
    guard connections.values.count(where: { $0.kind == .stream }) < ServerLimits.streams else {
      connection.queue(ResponseWriter.streamHead(retry: 30_000), at: now)
      connection.closesAfterOutput = true
      return
    }
    connection.kind = .stream
    connection.input = []
    var bytes = ResponseWriter.streamHead(retry: 2000) + server.hello
    if let state = server.state, state.id != request.headers["last-event-id"] {
      bytes += state.event
    } else {
      bytes += server.heartbeatEvent
    }
    connection.queue(bytes, at: now)
  }

  private func respond(_ connection: Connection, _ response: Response, head: Bool, keepAlive: Bool, at now: Duration) {
    connection.queue(ResponseWriter.bytes(response, head: head, keepAlive: keepAlive), at: now)
    if !keepAlive { connection.closesAfterOutput = true }
  }

  private func sendState(_ connection: Connection, at now: Duration) {
    connection.wantsState = false
    guard let state = server.state else { return }
    connection.queue(state.event, at: now)
  }

  private func publish(_ connections: inout [Int32: Connection], at now: Duration) {
    for connection in connections.values where connection.kind == .stream {
      if connection.hasOutput {
        connection.wantsState = true
      } else {
        sendState(connection, at: now)
        if !connection.flush(at: now) { connections[connection.descriptor] = nil }
      }
    }
  }

  private func beat(_ connections: inout [Int32: Connection], at now: Duration) {
    let event = server.heartbeatEvent
    for connection in connections.values where connection.kind == .stream && !connection.hasOutput {
      connection.queue(event, at: now)
      if !connection.flush(at: now) { connections[connection.descriptor] = nil }
    }
  }

  /// Gives up who is too late and who takes nothing.
  private func expire(_ connections: inout [Int32: Connection], at now: Duration) {
    for connection in connections.values {
      let isStalled = connection.stalledSince.map { now - $0 >= ServerLimits.stall } ?? false
      let isLate = connection.kind == .request && !connection.hasOutput && now >= connection.deadline
      if isStalled || isLate { connections[connection.descriptor] = nil }
    }
  }
}
