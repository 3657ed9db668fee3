package import Linux

/// Decides whether the service may tell systemd that it lives (DESIGN 5.1): only while every thread and loop beats.
///
/// A frozen pcscd ignores every time-out of its callers, so a blocked thread shows only by its silence.
package struct Watchdog: Sendable {
  /// How old a beat may be. Waits come in slices of 1 s and a read has 5 s; 10 s over that counts as dead.
  package static let limit: Duration = .seconds(15)

  /// By how much a look may be late on a busy machine; by more only on one that slept.
  static let delay: Duration = .seconds(5)

  /// The names of the beats that are too old, sorted.
  package static func silent(_ beats: [String: Duration], at uptime: Duration) -> [String] {
    beats.filter { uptime - $0.value > limit }.keys.sorted()
  }

  private let notify: NotifySocket
  private let time: any TimeSource
  private let log: Log
  private let beats: @Sendable () async -> [String: Duration]
  private let leave: @Sendable ([String]) -> Void

  /// - Parameter leave: takes the names of those that are silent, at every change: the last it took is the cause when
  ///   systemd ends this process.
  package init(
    notify: NotifySocket, time: any TimeSource, log: Log, beats: @escaping @Sendable () async -> [String: Duration],
    leave: @escaping @Sendable ([String]) -> Void
  ) {
    self.notify = notify
    self.time = time
    self.log = log
    self.beats = beats
    self.leave = leave
  }

  /// Looks at the beats at half the watchdog's period (every 5 s when there is none) and feeds systemd while all are fresh.
  package func run() async throws {
    let pause = min((notify.watchdogPeriod ?? .seconds(10)) / 2, .seconds(5))
    var said: [String] = []
    var lookedAt = time.uptime()
    while true {
      let beats = await beats()
      let now = time.uptime()
      // The machine slept: its threads have had no moment yet to say so. They have until the next look.
      let hasSlept = now - lookedAt > pause + Self.delay
      lookedAt = now
      let silent = hasSlept ? said : Self.silent(beats, at: now)
      // An agent that ends has said STOPPING.
      if silent.isEmpty, !Task.isCancelled { notify.watchdog() }
      if silent != said {
        leave(silent)
        if silent.isEmpty {
          log.notice("all threads answer again")
        } else {
          log.error("no sign of life from \(silent.joined(separator: ", ")): systemd is not told that the agent lives")
        }
        said = silent
      }
      try await time.sleep(for: pause)
    }
  }
}
