internal import Glibc
internal import Synchronization

/// Sends the lines of one asking connection as they come. Blocks the connection's own thread.
struct ControlStream {
  private struct State {
    var waiting: [String] = []
    var hasEnded = false
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
    let wake = WakeSignal()
  }

  private let connection: UnixStream
  private let exchange: Duration
  private let time: any TimeSource

  /// - Parameter exchange: the deadline for sending what waits.
  init(_ connection: UnixStream, exchange: Duration, time: any TimeSource) {
    self.connection = connection
    self.exchange = exchange
    self.time = time
  }

  /// Returns when the lines have ended, the asking end has closed or the deadline has come; the stream is ended by then.
  func send(_ lines: AsyncStream<String>, until deadline: Duration) {
    let shared = Shared()
    let task = Task.detached {
      for await line in lines {
        shared.state.withLock { $0.waiting.append(line) }
        shared.wake.signal()
      }
      shared.state.withLock { $0.hasEnded = true }
      shared.wake.signal()
    }
    defer { task.cancel() }
    var waits = [shared.wake.descriptor, connection.descriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while true {
      let left = (deadline - time.uptime()).inMilliseconds
      guard left > 0 else { return }
      unsafe poll(&waits, 2, Int32(clamping: left))
      shared.wake.drain()
      let (waiting, hasEnded) = shared.state.withLock { state in
        defer { state.waiting = [] }
        return (state.waiting, state.hasEnded)
      }
      let bytes = Array(waiting.map { $0 + "\n" }.joined().utf8)
      guard bytes.isEmpty || (try? connection.send(bytes, deadline: time.uptime() + exchange)) != nil else { return }
      if hasEnded || connection.isLeft { return }
    }
  }
}
