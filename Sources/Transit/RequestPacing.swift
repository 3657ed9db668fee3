/// Keeps requests of one key apart: at least 110 ms, and never two at a time.
///
/// The servers refuse what comes within 100 ms of the last request and count the refused one as the last. The distance is
/// kept from the end of a request, because only then the server has surely seen it: two requests that are sent 110 ms
/// apart can arrive closer than that.
package struct RequestPacing: Equatable, Sendable {
  package static let distance: Duration = .milliseconds(110)

  package enum Turn: Equatable, Sendable {
    /// Send now, and say `ended` when it is over, however it ended.
    case send
    /// Ask again when the clock shows this.
    case wait(until: Duration)
    /// Another request is running: ask again when it has ended.
    case busy
  }

  private var isRunning = false
  private var lastEnd: Duration?

  package init() {}

  /// Asks for a turn. Two callers never get the same one.
  ///
  /// - Parameter now: of a clock that never steps.
  package mutating func turn(at now: Duration) -> Turn {
    if isRunning { return .busy }
    if let lastEnd, now < lastEnd + Self.distance { return .wait(until: lastEnd + Self.distance) }
    isRunning = true
    return .send
  }

  package mutating func ended(at now: Duration) {
    isRunning = false
    lastEnd = now
  }
}
