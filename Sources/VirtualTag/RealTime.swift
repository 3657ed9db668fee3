internal import Glibc

/// Waiting for what another process does. That takes real time, whatever clock a test injects into the agent.
enum RealTime {
  /// Looks every 2 ms; false if the condition was not met within the seconds.
  static func until(within seconds: Int, _ condition: () -> Bool) -> Bool {
    let deadline = monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
    while !condition() {
      if monotonicNanoseconds() > deadline { return false }
      poll(nil, 0, 2)
    }
    return true
  }

  private static func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
