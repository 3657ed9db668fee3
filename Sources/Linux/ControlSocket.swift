internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization

/// Why a request did not get its answer.
package enum ControlError: Error, Equatable {
  /// No agent listens there.
  case notRunning
  case timedOut
  /// A request or an answer is longer than `ControlSocket.limit`.
  case tooLong
  /// The agent closed without an answer.
  case noAnswer
  /// A file that is no socket stands in the way.
  case occupied(path: String)
  case failed(String, errno: Int32)

  /// What is wrong: what to do.
  package var sentence: String {
    switch self {
    case .notRunning: "no agent is running: start it"
    case .timedOut: "the agent does not answer: look at its log, or restart it"
    case .tooLong: "the request or its answer is too long: send less at once"
    case .noAnswer: "the agent closed without an answer: look at its log"
    case .occupied(let path): "\(path) is not a socket: move it away"
    case .failed(let doing, let errno):
      "the control socket failed while \(doing) (\(unsafe String(cString: strerror(errno)))): check the state directory"
    }
  }
}

/// How commands reach the running agent: `control.sock` in the state directory, 0600. One line of JSON asks; one line or
/// several answer, then the agent closes.
package enum ControlSocket {
  package static let name = "control.sock"

  /// Bytes of a request, and of an answer with all its lines.
  package static let limit = 1 << 20

  /// Sends one line and returns the lines of the answer. Blocks for at most `deadline`.
  package static func ask(
    _ path: String, _ request: String, within deadline: Duration = .seconds(5), time: any TimeSource = SystemTime()
  ) throws(ControlError) -> [String] {
    let deadline = time.uptime() + deadline
    let stream = try connected(path, request, deadline: deadline, time)
    let answer = try stream.receive(toEnd: true, limit: limit, deadline: deadline)
    guard answer.last == 0x0A else { throw .noAnswer }
    return answer.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Sends one line and is told each line of the answer when it comes, until the agent closes or `line` says
  /// that it is enough (false). Blocks for at most `deadline`. Leaving, in whatever way, ends what the agent does for it.
  package static func follow(
    _ path: String, _ request: String, within deadline: Duration, time: any TimeSource = SystemTime(),
    line: (String) -> Bool
  ) throws(ControlError) {
    let deadline = time.uptime() + deadline
    let stream = try connected(path, request, deadline: deadline, time)
    try stream.receiveLines(limit: limit, deadline: deadline, line)
  }

  /// Connects and asks.
  private static func connected(
    _ path: String, _ request: String, deadline: Duration, _ time: any TimeSource
  ) throws(ControlError) -> UnixStream {
    guard request.utf8.count <= limit else { throw .tooLong }
    let stream = UnixStream(descriptor: try makeSocket(), time: time)
    let result = try unsafe withUnixAddress(path) { unsafe connect(stream.descriptor, $0, $1) }
    if result != 0 {
      switch errno {
      case ENOENT, ECONNREFUSED, ENOTSOCK: throw .notRunning
      case EAGAIN: throw .timedOut  // its queue of connections is full
      case let code: throw .failed("connecting", errno: code)
      }
    }
    try stream.send(Array(request.utf8) + [0x0A], deadline: deadline)
    return stream
  }

  fileprivate static func makeSocket() throws(ControlError) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .failed("making a socket", errno: errno) }
    return descriptor
  }
}

/// The agent's end of `control.sock`. Listens on threads of its own until `stop`, or until the last reference goes.
package final class ControlServer: Sendable {
  /// The answer to a request line: the lines to send. No lines close the connection without an answer.
  package typealias Handler = @Sendable (String) async -> [String]

  /// The lines that a request asks to be told as they come; nil: it is answered by the handler. The stream is ended when
  /// the asking end closes.
  package typealias Streams = @Sendable (String) -> AsyncStream<String>?

  /// Connections at one time; more wait in the kernel's queue until one ends.
  static let mostConnections = 8

  /// The listening socket, shared with the accepting thread, which closes it.
  private final class Listener: Sendable {
    let descriptor: Int32
    private let isClosed = Mutex(false)

    init() throws(ControlError) { descriptor = try ControlSocket.makeSocket() }

    deinit { close() }

    /// Wakes whoever accepts; later accepts fail at once.
    func shutDown() { isClosed.withLock { if !$0 { shutdown(descriptor, Int32(SHUT_RDWR)) } } }

    func close() {
      isClosed.withLock { closed in
        if !closed { Glibc.close(descriptor) }
        closed = true
      }
    }
  }

  private let path: String
  private let listener: Listener
  private let isStopped = Mutex(false)

  /// Listens on `path`. A socket file that is there is dead and makes room: the caller holds the state directory's lock.
  /// - Parameters:
  ///   - exchange: the deadline for receiving a request, and again for sending its answer.
  ///   - work: the deadline of `handle`; then its task is cancelled and the connection closed.
  ///   - longest: the deadline of a stream.
  package init(
    _ path: String, exchange: Duration = .seconds(5), work: Duration = .seconds(60), longest: Duration = .seconds(180),
    time: any TimeSource = SystemTime(), streams: @escaping Streams = { _ in nil }, handle: @escaping Handler
  ) throws(ControlError) {
    let listener = try Listener()
    // Before anything is stored: what fails here must not end in `deinit`, which removes the file.
    try Self.listen(on: path, listener.descriptor)
    self.path = path
    self.listener = listener
    let slots = DispatchSemaphore(value: Self.mostConnections)
    Threads.start(name: "control") {
      while true {
        // A slot is free again after `exchange` + `work` + `exchange` at the latest.
        slots.wait()
        guard let connection = Self.acceptNext(listener.descriptor) else { break }
        let stream = UnixStream(descriptor: connection, time: time)
        Threads.start(name: "control-request") {
          if let line = Self.request(stream, exchange: exchange, time: time) {
            if let lines = streams(line) {
              ControlStream(stream, exchange: exchange, time: time).send(lines, until: time.uptime() + longest)
            } else {
              Self.serve(line, stream, exchange: exchange, work: work, time: time, handle)
            }
          }
          slots.signal()
        }
      }
      slots.signal()
      listener.close()
    }
  }

  deinit { stop() }

  /// Takes no further connections and removes the socket file; requests in work are still answered.
  package func stop() {
    let isFirst = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    guard isFirst else { return }
    unsafe unlink(path)
    listener.shutDown()
  }

  private static func listen(on path: String, _ listener: Int32) throws(ControlError) {
    var status = stat()
    if unsafe lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else { throw .occupied(path: path) }
      unsafe unlink(path)
    }
    // The file gets its mode from the socket, so there is no moment in which others could connect.
    fchmod(listener, 0o600)
    let bound = try unsafe withUnixAddress(path) { unsafe bind(listener, $0, $1) }
    guard bound == 0, Glibc.listen(listener, Int32(mostConnections)) == 0 else {
      throw .failed("listening on \(path)", errno: errno)
    }
  }

  /// nil when the socket was shut down.
  private static func acceptNext(_ listener: Int32) -> Int32? {
    while true {
      let connection = accept(listener, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return connection
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // Nothing to wait for: a moment later there may be a descriptor.
        _ = poll(nil, 0, 100)
      default: return nil
      }
    }
  }

  /// nil: whoever sends no whole request in time gets nothing; closing says so.
  private static func request(_ stream: UnixStream, exchange: Duration, time: any TimeSource) -> String? {
    let line = try? stream.receive(toEnd: false, limit: ControlSocket.limit, deadline: time.uptime() + exchange)
    return line.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func serve(
    _ line: String, _ stream: UnixStream, exchange: Duration, work: Duration, time: any TimeSource,
    _ handle: @escaping Handler
  ) {
    let answer = Mutex<[String]>([])
    let done = TimedSemaphore()
    let task = Task.detached {
      let lines = await handle(line)
      answer.withLock { $0 = lines }
      done.signal()
    }
    // This thread is the connection's own: waiting here holds up nothing.
    guard done.wait(atMost: work) else { return task.cancel() }
    let bytes = answer.withLock { Array($0.map { $0 + "\n" }.joined().utf8) }
    guard bytes.count <= ControlSocket.limit else { return }
    try? stream.send(bytes, deadline: time.uptime() + exchange)
  }
}
