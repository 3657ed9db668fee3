internal import Dispatch
internal import Linux

/// What a thread that may not sleep waits at: until somebody rings, or until the injected clock says so.
///
/// It may ring without need, so whoever waits looks again at what it waits for.
final class Bell: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let time: any TimeSource

  init(time: any TimeSource) { self.time = time }

  func ring() { semaphore.signal() }

  /// Waits for a ring and nothing else: for a thread that has nothing to do, and is rung at the end too.
  func wait() { semaphore.wait() }

  /// Waits for a ring, at most until that uptime.
  func wait(until deadline: Duration) {
    guard time.uptime() < deadline else { return }
    // The clock only speaks to tasks; this one lives no longer than the wait.
    let alarm = Task.detached { [time, semaphore] in
      if (try? await time.sleep(untilUptime: deadline)) != nil { semaphore.signal() }
    }
    semaphore.wait()
    alarm.cancel()
  }
}
