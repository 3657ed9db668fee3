internal import Linux

extension ServerLoop {
  /// Takes a request that is there and sends what the peer takes. False: the connection is over.
  ///
  /// One request a turn: hundreds fit into what is read at once, and every page would wait until all are answered.
  func proceed(_ connection: Connection, at now: Duration) -> Bool {
    connection.isDue = false
    var hasAnswered = false
    while !connection.hasOutput {
      if connection.closesAfterOutput {
        connection.closesAfterOutput = false
        connection.linger(limits.linger, at: now)
      }
      switch connection.kind {
      case .lingering: return true
      case .stream:
        guard connection.wantsState, let state = server.state else { return true }
        connection.wantsState = false
        connection.queue(state.event, at: now)
      case .request:
        if connection.phase == .answer { connection.enter(.idle, limits.idle, at: now) }
        if hasAnswered {
          connection.isDue = !connection.reader.isEmpty
          return true
        }
        guard step(connection, at: now) else { return true }
        hasAnswered = true
      }
      guard connection.flush(at: now) else { return false }
    }
    return true
  }

  /// Takes one request out of the input and queues its answer. False: none is complete.
  private func step(_ connection: Connection, at now: Duration) -> Bool {
    switch connection.reader.next() {
    case .idle: return false
    case .needsHead:
      if connection.phase == .idle { connection.enter(.head, limits.head, at: now) }
      return false
    case .needsBody:
      if connection.phase != .body { connection.enter(.body, limits.body, at: now) }
      return false
    case .refuse(let status): respond(connection, Response(status: status), keepAlive: false, at: now)
    case .request(let request): handle(request, connection, at: now)
    }
    return true
  }

  private func handle(_ request: Request, _ connection: Connection, at now: Duration) {
    let isHead = request.method == "HEAD"
    if let status = gate.refusal(request) {
      respond(connection, Response(status: status), head: isHead, keepAlive: false, at: now)
    } else if request.path == "/events" {
      switch request.method {
      case "GET": openStream(request, connection, at: now)
      case "HEAD": queueAnswer(connection, ResponseWriter.streamHead(retry: nil), keepAlive: false, at: now)
      default: respond(connection, Response(status: 405), keepAlive: false, at: now)
      }
    } else if count(.request) > limits.others {
      respond(connection, Response(status: 503), head: isHead, keepAlive: false, at: now)
    } else {
      respond(connection, answer(request), head: isHead, keepAlive: request.keepsAlive, at: now)
    }
  }

  /// Over the limit a page is told to come back later: any other answer would make it give up for ever.
  private func openStream(_ request: Request, _ connection: Connection, at now: Duration) {
    guard count(.stream) < limits.streams else {
      queueAnswer(connection, ResponseWriter.streamHead(retry: 30_000), keepAlive: false, at: now)
      return
    }
    connection.kind = .stream
    connection.reader = RequestReader()
    var bytes = ResponseWriter.streamHead(retry: 2000) + server.hello
    if let state = server.state, state.id != request.headers["last-event-id"] {
      bytes += state.event
    } else {
      bytes += server.heartbeatEvent
    }
    connection.queue(bytes, at: now)
  }

  /// Refuses a request that is not complete. False: the connection is dead.
  func refuse(_ connection: Connection, _ status: Int, at now: Duration) -> Bool {
    respond(connection, Response(status: status), keepAlive: false, at: now)
    return connection.flush(at: now) && proceed(connection, at: now)
  }

  private func respond(
    _ connection: Connection, _ response: Response, head: Bool = false, keepAlive: Bool, at now: Duration
  ) {
    queueAnswer(
      connection, ResponseWriter.bytes(response, head: head, keepAlive: keepAlive), keepAlive: keepAlive, at: now)
  }

  private func queueAnswer(_ connection: Connection, _ bytes: [UInt8], keepAlive: Bool, at now: Duration) {
    connection.enter(.answer, limits.answer, at: now)
    connection.closesAfterOutput = !keepAlive
    connection.queue(bytes, at: now)
  }
}
