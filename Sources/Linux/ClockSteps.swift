internal import CLinux
internal import Glibc

/// Tells when somebody sets the wall clock or the system's zone, and when the machine comes back from suspend.
///
/// A timerfd armed with TFD_TIMER_CANCEL_ON_SET fails its read with ECANCELED at every discontinuous change of
/// CLOCK_REALTIME; the zone is a link in /etc, which inotify watches. No polling, no wake-up in between.
package enum ClockSteps {
  /// One value per step, until the stream's consumer goes away; only the newest waits to be taken.
  package static func watch() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let timer = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC))
      let stop = eventfd(0, Int32(EFD_CLOEXEC))
      let zone = inotify_init1(Int32(IN_CLOEXEC))
      guard timer >= 0, stop >= 0, zone >= 0 else {
        for descriptor in [timer, stop, zone] where descriptor >= 0 { close(descriptor) }
        continuation.finish()
        return
      }
      _ = unsafe inotify_add_watch(zone, "/etc", UInt32(IN_CREATE | IN_MOVED_TO))
      continuation.onTermination = { _ in _ = eventfd_write(stop, 1) }
      Threads.start(name: "clock-steps") {
        while let didStep = armed(timer) {
          if didStep { continuation.yield() }
          guard waits(timer, zone, stop) else { break }
          continuation.yield()
        }
        for descriptor in [timer, stop, zone] { close(descriptor) }
        continuation.finish()
      }
    }
  }

  /// Arms the timer for the far future: it never fires by itself.
  ///
  /// - Returns: whether the clock was set since the last read; nil: it cannot be armed.
  private static func armed(_ timer: Int32) -> Bool? {
    var never = itimerspec()
    never.it_value.tv_sec = 1 << 40
    let code = unsafe timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &never, nil)
    if code == 0 { return false }
    // It is armed all the same (timerfd_create(2), ECANCELED).
    return errno == ECANCELED ? true : nil
  }

  /// True after a step or a change of the zone, false when watching is over.
  private static func waits(_ timer: Int32, _ zone: Int32, _ stop: Int32) -> Bool {
    while true {
      var descriptors = [timer, zone, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if unsafe poll(&descriptors, 3, -1) < 0 {
        if errno == EINTR { continue }
        return false
      }
      if descriptors[2].revents != 0 { return false }
      if descriptors[0].revents != 0 {
        var expirations: UInt64 = 0
        let count = unsafe read(timer, &expirations, 8)
        return count >= 0 || errno == ECANCELED || errno == EINTR
      }
      if descriptors[1].revents != 0, names(of: zone).contains("localtime") { return true }
    }
  }

  /// The names of the entries of /etc that changed.
  private static func names(of inotify: Int32) -> Set<String> {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(inotify, &buffer, buffer.count)
    guard count > 0 else { return [] }
    var names: Set<String> = []
    var offset = 0
    let header = MemoryLayout<inotify_event>.size
    while offset + header <= count {
      let length = unsafe buffer.withUnsafeBytes {
        unsafe Int($0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self).len)
      }
      guard length >= 0, offset + header + length <= count else { break }
      names.insert(
        String(decoding: buffer[offset + header..<offset + header + length].prefix { $0 != 0 }, as: UTF8.self))
      offset += header + length
    }
    return names
  }
}
