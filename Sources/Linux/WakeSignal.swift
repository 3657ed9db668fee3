internal import CLinux
internal import Glibc

/// Wakes a thread that waits in `poll`: readable from the first `signal` until `drain`.
package final class WakeSignal: Sendable {
  /// What to poll.
  package let descriptor: Int32

  package init() { descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }

  deinit { close(descriptor) }

  package func signal() { _ = eventfd_write(descriptor, 1) }

  package func drain() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &count)
  }
}
