internal import CLinux
internal import Foundation

/// What the machine can say of its own wall clock.
package struct ClockFacts: Equatable, Sendable {
  /// Whether the kernel's clock is disciplined by a time service; nil when the kernel will not say (a sandbox).
  package var synchronised: Bool?
  /// Whether a battery-backed clock exists.
  package var hasHardwareClock: Bool
  /// Whether a time service runs or is being started: without one nothing will ever synchronise the clock.
  package var timeServiceRuns: Bool

  package init(synchronised: Bool?, hasHardwareClock: Bool, timeServiceRuns: Bool) {
    self.synchronised = synchronised
    self.hasHardwareClock = hasHardwareClock
    self.timeServiceRuns = timeServiceRuns
  }

  /// Reads the facts of this machine.
  ///
  /// `adjtimex` answers for every time service. `/run/systemd/timesync/synchronized` is timesyncd's own mark and counts
  /// too: a sandbox may refuse `adjtimex` (EPERM), which must read as unknown, not as unsynchronised.
  /// - Parameter root: another root for tests.
  package static func ofThisMachine(root: String = "") -> ClockFacts {
    let files = FileManager.default
    var synchronised: Bool?
    var status: Int32 = 0
    let state = unsafe kiosk_clock_state(&status)
    if state >= 0 { synchronised = state != kiosk_time_error && status & kiosk_sta_unsync == 0 }
    if files.fileExists(atPath: root + "/run/systemd/timesync/synchronized") { synchronised = true }
    return ClockFacts(
      synchronised: synchronised,
      hasHardwareClock: files.fileExists(atPath: root + "/sys/class/rtc/rtc0"),
      timeServiceRuns: timeServiceRuns(root: root))
  }

  private static let timeServices: Set<String> = ["systemd-timesyn", "chronyd", "ntpd", "ntpsec", "openntpd"]

  /// Looks for the process names (15 bytes, as the kernel keeps them) of the time services of Debian.
  private static func timeServiceRuns(root: String) -> Bool {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: root + "/proc")) ?? []
    return entries.contains { entry in
      guard entry.first?.isNumber == true,
        let name = try? String(contentsOfFile: "\(root)/proc/\(entry)/comm", encoding: .utf8)
      else { return false }
      return timeServices.contains(name.trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}

/// Names the running boot, so that a boot time can be told from one of another boot.
package enum BootID {
  /// The kernel's random id of this boot, or "unknown".
  package static func current() -> String {
    let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "unknown"
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
