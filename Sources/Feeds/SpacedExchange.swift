package import Linux
internal import Synchronization

extension Exchange {
  /// From the start of one request to the next, whatever they are for: to start a curl costs about 15 ms of a core, much
  /// of it in calls of the kernel that let nobody else in, and many sources are due at the same instant.
  package static let distance: Duration = .milliseconds(100)

  /// This, with `distance` between two starts. What a request waits for its start is taken from its deadline.
  package func spaced(_ time: any TimeSource) -> Exchange {
    let starts = Starts()
    return Exchange { request in
      let asked = time.uptime()
      let start = starts.next(from: asked)
      if start > asked { try await time.sleep(untilUptime: start) }
      var request = request
      let deadline = request.deadline
      request.deadline -= time.uptime() - asked
      guard request.deadline > .zero else { throw Fault.overdue(deadline) }
      return try await perform(request)
    }
  }
}

/// Hands out starts.
private final class Starts: Sendable {
  private let free = Mutex(Duration.zero)

  /// The uptime of a start that nobody else has.
  func next(from now: Duration) -> Duration {
    free.withLock { free in
      let start = max(free, now)
      free = start + Exchange.distance
      return start
    }
  }
}
