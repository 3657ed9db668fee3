package import Feeds
package import Linux
internal import Synchronization
internal import Transit

extension Exchange {
  /// This, with the distance between two requests that OneBusAway's servers want (`RequestPacing`).
  package func paced(_ time: any TimeSource) -> Exchange {
    let pace = Pace(time)
    return Exchange { request in
      try await pace.turn()
      defer { pace.ended() }
      return try await perform(request)
    }
  }
}

private final class Pace: Sendable {
  private let pacing = Mutex(RequestPacing())
  private let time: any TimeSource

  /// Another process may have asked with the same key a moment ago, such as the command before this one.
  init(_ time: any TimeSource) {
    self.time = time
    ended()
  }

  func turn() async throws {
    while true {
      let now = time.uptime()
      switch pacing.withLock({ $0.turn(at: now) }) {
      case .send: return
      case .wait(let until): try await time.sleep(untilUptime: until)
      case .busy: try await time.sleep(for: RequestPacing.distance)
      }
    }
  }

  func ended() {
    let now = time.uptime()
    pacing.withLock { $0.ended(at: now) }
  }
}
