internal import CLinux
internal import Glibc

/// Lets one thread wait for another for a bounded time.
///
/// The time is that of CLOCK_MONOTONIC. On Linux Dispatch turns the time-out of its semaphore into an instant of the wall
/// clock, and a step of that clock then stretches or cuts the wait.
@safe
package final class TimedSemaphore: Sendable {
  // Lives as long as this object; in between only the sem_ functions touch it, which every thread may call.
  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

  package init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  package func signal() { unsafe sem_post(semaphore) }

  /// Blocks the thread until there is a signal, and takes it; false: none came within `limit`.
  package func wait(atMost limit: Duration) -> Bool {
    var deadline = Self.now(plus: limit)
    while unsafe sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  private static func now(plus limit: Duration) -> timespec {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    // A year is as good as for ever, and leaves the sum in its range.
    let (seconds, attoseconds) = min(max(limit, .zero), .seconds(366 * 86_400)).components
    let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
    return timespec(
      tv_sec: time.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }
}
