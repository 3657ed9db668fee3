internal import CLinux
internal import Glibc

/// Signals as values. The main thread blocks them before any other thread exists and then does nothing but wait.
///
/// An `async main` would park the main thread with an empty mask, so that a blocked SIGTERM kills the process; a Dispatch
/// signal source loses what comes before it is registered. `sigwait` does neither.
package enum Signal: Int32, CaseIterable, Sendable {
  case interrupt = 2
  case terminate = 15
  case hangUp = 1

  /// Call first thing in `main`: every thread started later inherits the mask. A child inherits it too and must reset it.
  ///
  /// SIGPIPE and SIGXFSZ are ignored: a client that went away, or a file-size limit, is an errno of one write and not
  /// the end of the agent.
  package static func block() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var set = Self.set
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Blocks the calling thread until one of the signals arrives.
  package static func wait() -> Signal {
    var set = Self.set
    while true {
      var number: Int32 = 0
      if unsafe sigwait(&set, &number) == 0, let signal = Signal(rawValue: number) { return signal }
    }
  }

  private static var set: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in allCases { unsafe sigaddset(&set, signal.rawValue) }
    return set
  }
}
