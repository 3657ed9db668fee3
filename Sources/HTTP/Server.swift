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

/// The limits of DESIGN 4.4.
enum ServerLimits {
  static let streams = 128
  static let others = 64
  static let head: Duration = .seconds(5)
  static let body: Duration = .seconds(10)
  static let idle: Duration = .seconds(15)
  static let stall: Duration = .seconds(10)
  static let heartbeat: Duration = .seconds(10)
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
    var beat: Duration
  }

  private let shared: Mutex<Shared>
  private let wake = WakeSignal()
  private let settings: ServerSettings
  private let time: any TimeSource
  private let answer: @Sendable (Request) -> Response

  /// - Parameter answer: every endpoint but `/events`; must not block.
  package init(settings: ServerSettings, time: any TimeSource, answer: @escaping @Sendable (Request) -> Response) {
    self.settings = settings
    self.time = time
    self.answer = answer
    shared = Mutex(Shared(beat: time.uptime()))
  }

  /// Binds and starts; returns the port.
  package func start() throws(BindError) -> UInt16 {
    let (listener, port) = try HTTPSockets.listen(settings.address, settings.port)
    let loop = ServerLoop(
      listener: listener, wake: wake, gate: Gate(port: port), time: time, answer: answer, server: self)
    Threads.start(name: "http") { loop.run() }
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

  /// Says goodbye to the pages and ends the thread.
  package func stop() {
    shared.withLock { $0.stopping = true }
    wake.signal()
  }

  package var streamCount: Int { shared.withLock { $0.streams } }

  /// When the thread last showed that it lives; uptime. It wakes for a heartbeat at least every 10 s while pages are open;
  /// without pages it sleeps until somebody asks, and counts as alive.
  package func heartbeat(at now: Duration) -> Duration { shared.withLock { $0.streams == 0 ? now : $0.beat } }

  func takeChange() -> (changed: Bool, stopping: Bool) {
    shared.withLock { shared in
      defer { shared.changed = false }
      return (shared.changed, shared.stopping)
    }
  }

  func note(streams: Int, at now: Duration) {
    shared.withLock { shared in
      shared.streams = streams
      shared.beat = now
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
    let (v, now, clock) = shared.withLock { ($0.state?.v ?? 0, $0.now, $0.clock) }
    return ResponseWriter.event("hb", data: #"{"v":\#(v),"now":"\#(now)","clock":"\#(clock)"}"#)
  }
}
