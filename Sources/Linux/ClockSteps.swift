internal import CLinux
internal import Glibc

/// Tells when somebody sets the wall clock, and when the machine comes back from suspend with another time.
///
/// A timerfd armed with TFD_TIMER_CANCEL_ON_SET fails its read with ECANCELED at every discontinuous change of
/// CLOCK_REALTIME: no polling, no wake-up in between.
package enum ClockSteps {
  /// One value per step, until the stream's consumer goes away; only the newest waits to be taken.
  package static func watch() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let timer = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC))
      let stop = eventfd(0, Int32(EFD_CLOEXEC))
      guard timer >= 0, stop >= 0 else {
        if timer >= 0 { close(timer) }
        if stop >= 0 { close(stop) }
        continuation.finish()
        return
      }
      continuation.onTermination = { _ in _ = eventfd_write(stop, 1) }
      Threads.start(name: "clock-steps") {
        defer {
          close(timer)
          close(stop)
        }
        while armed(timer), waits(timer, stop) { continuation.yield() }
        continuation.finish()
      }
    }
  }

  /// Arms the timer for the far future: it never fires by itself.
  private static func armed(_ timer: Int32) -> Bool {
    var never = itimerspec()
    never.it_value.tv_sec = 1 << 40
    return unsafe timerfd_settime(
      timer, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &never, nil) == 0
  }

  /// True after a step, false when watching is over.
  private static func waits(_ timer: Int32, _ stop: Int32) -> Bool {
    var descriptors = [
      pollfd(fd: timer, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&descriptors, 2, -1) < 0, errno == EINTR {}
    if descriptors[1].revents != 0 { return false }
    var expirations: UInt64 = 0
    let count = unsafe read(timer, &expirations, 8)
    return count >= 0 || errno == ECANCELED || errno == EINTR
  }
}
