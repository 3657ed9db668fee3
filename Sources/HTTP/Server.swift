package import Linux
internal import Synchronization

/// Where the server listens, and what its answers are made of.
package struct ServerSettings: Sendable {
  /// 127.0.0.1 or ::1; nothing else is bound.
  package var address: String
  /// 0: any free one.
  package var port: UInt16
  /// Names this run; pages forget what they knew when it changes.
  package var boot: String
  /// Names the page's files; a page that has others loads itself anew.
  package var asset: String
  package var timeZone: String

  package init(address: String, port: UInt16, boot: String, asset: String, timeZone: String) {
    self.address = address
    self.port = port
    self.boot = boot
    self.asset = asset
    self.timeZone = timeZone
  }
}

/// A strict HTTP/1.1 server with server-sent events on loopback, on one thread of its own.
///
/// Endpoints answer at once from what the agent has prepared; nothing here waits for anything but sockets. A slow page has
/// one snapshot pending, the newest, and is dropped when it takes nothing for 10 s.
package final class Server: Sendable {
  package enum BindError: Error, Equatable {
    case inUse
    case other(errno: Int32)
  }

  private struct Shared {
    /// The snapshot's number and text.
    var state: (v: Int, json: String)?
    var clock = "unsynced"
    var now = ""
    var changed = false
    var stopping = false
    var streams = 0
    var connections = 0
    var beat: Duration
    /// The thread waits for something to do; until when, nil: for ever.
    var isAsleep = false
    var sleepsUntil: Duration?
    var hasEnded = false
  }

  private let shared: Mutex<Shared>
  private let wake = WakeSignal()
  private let settings: ServerSettings
  private let limits: ServerLimits
  private let time: any TimeSource
  private let instant: (@Sendable () -> String)?
  private let answer: @Sendable (Request) -> Response

  /// - Parameters:
  ///   - instant: the wall clock as the snapshot writes instants, for heartbeats; nil: they say that of the last snapshot.
  ///   - answer: every endpoint but `/events`; runs on the server's thread and must not block.
  package convenience init(
    settings: ServerSettings, time: any TimeSource, instant: (@Sendable () -> String)? = nil,
    answer: @escaping @Sendable (Request) -> Response
  ) {
    self.init(settings: settings, time: time, limits: ServerLimits(), instant: instant, answer: answer)
  }

  init(
    settings: ServerSettings, time: any TimeSource, limits: ServerLimits, instant: (@Sendable () -> String)? = nil,
    answer: @escaping @Sendable (Request) -> Response
  ) {
    self.settings = settings
    self.time = time
    self.limits = limits
    self.instant = instant
    self.answer = answer
    shared = Mutex(Shared(beat: time.uptime()))
  }

  /// Binds and starts; returns the port. A server that has been stopped is not started again: make another.
  package func start() throws(BindError) -> UInt16 {
    let (listener, port) = try HTTPSockets.listen(settings.address, settings.port)
    Threads.start(name: "http") { [wake, limits, time, answer] in
      ServerLoop(
        listener: listener, wake: wake, gate: Gate(port: port), limits: limits, time: time, answer: answer, server: self
      ).run()
    }
    return port
  }

  /// The newest snapshot for every page; older ones that were not sent are forgotten.
  package func publish(v: Int, json: String, now: String, clockTrusted: Bool) {
    shared.withLock { shared in
      shared.state = (v, json)
      shared.now = now
      shared.clock = clockTrusted ? "ok" : "unsynced"
      shared.changed = true
    }
    wake.signal()
  }

  /// Says goodbye to the pages and ends the thread, at once: nothing is waited for.
  package func stop() {
    shared.withLock { $0.stopping = true }
    wake.signal()
  }

  /// The thread has ended and the port is free again.
  package var hasEnded: Bool { shared.withLock { $0.hasEnded } }

  /// Pages that hold an event stream.
  package var streamCount: Int { shared.withLock { $0.streams } }

  /// Open connections of any kind, each a descriptor.
  package var connectionCount: Int { shared.withLock { $0.connections } }

  /// When the thread last showed that it lives; uptime. While it waits and is not overdue it counts as alive: without pages
  /// it sleeps until somebody asks.
  package func heartbeat(at now: Duration) -> Duration {
    shared.withLock { shared in
      let sleeps = shared.isAsleep && (shared.sleepsUntil.map { now <= $0 } ?? true)
      return sleeps || shared.hasEnded ? now : shared.beat
    }
  }

  func takeChange() -> (changed: Bool, stopping: Bool) {
    shared.withLock { shared in
      defer { shared.changed = false }
      return (shared.changed, shared.stopping)
    }
  }

  func sleeps(until deadline: Duration?) {
    shared.withLock { shared in
      shared.isAsleep = true
      shared.sleepsUntil = deadline
    }
  }

  func wakes(at now: Duration) {
    shared.withLock { shared in
      shared.isAsleep = false
      shared.beat = now
    }
  }

  func note(streams: Int, connections: Int) {
    shared.withLock { shared in
      shared.streams = streams
      shared.connections = connections
    }
  }

  func ended() {
    shared.withLock { shared in
      shared.hasEnded = true
      shared.streams = 0
      shared.connections = 0
    }
  }

  var hello: [UInt8] {
    ResponseWriter.event(
      "hello",
      data: #"{"boot":"\#(settings.boot)","asset":"\#(settings.asset)","proto":1,"hb":10,"tz":"\#(settings.timeZone)"}"#
    )
  }

  /// The newest snapshot as an event, and its id.
  var state: (id: String, event: [UInt8])? {
    shared.withLock { shared in
      guard let state = shared.state else { return nil }
      let id = "\(settings.boot).\(state.v)"
      return (id, ResponseWriter.event("state", id: id, data: state.json))
    }
  }

  var heartbeatEvent: [UInt8] {
    let (v, last, clock) = shared.withLock { ($0.state?.v ?? 0, $0.now, $0.clock) }
    let now = instant.map { $0() } ?? last
    return ResponseWriter.event("hb", data: #"{"v":\#(v),"now":"\#(now)","clock":"\#(clock)"}"#)
  }
}
