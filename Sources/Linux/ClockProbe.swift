internal import CLinux
internal import Foundation
internal import Synchronization

/// What the machine can say of its own wall clock.
package struct ClockFacts: Equatable, Sendable {
  /// Whether the kernel's clock is disciplined by a time service; nil when the kernel will not say (a sandbox).
  package var synchronised: Bool?
  /// Whether a time service left a mark that it has set the clock since boot.
  package var wasSynchronised: Bool
  /// Whether a battery-backed clock exists.
  package var hasHardwareClock: Bool
  /// Whether a time service runs or is being started: without one nothing will ever synchronise the clock.
  package var timeServiceRuns: Bool

  package init(synchronised: Bool?, wasSynchronised: Bool = false, hasHardwareClock: Bool, timeServiceRuns: Bool) {
    self.synchronised = synchronised
    self.wasSynchronised = wasSynchronised
    self.hasHardwareClock = hasHardwareClock
    self.timeServiceRuns = timeServiceRuns
  }
}

/// Asks this machine about its clock. What the kernel says is asked every time; whether a time service runs, which costs
/// more and matters less, is asked again after 10 s.
package final class ClockProbe: Sendable {
  /// The units of Debian's time services.
  private static let units = [
    "systemd-timesyncd.service", "chrony.service", "chronyd.service", "ntpsec.service", "ntp.service",
    "openntpd.service",
  ]
  /// Their process names (15 bytes, as the kernel keeps them).
  private static let processes: Set<String> = ["systemd-timesyn", "chronyd", "ntpd", "ntpsec", "openntpd"]
  private static let keptFor: Duration = .seconds(10)

  private let root: String
  private let services = Mutex<(run: Bool, askedAt: Duration)?>(nil)

  /// - Parameter root: another root for tests.
  package init(root: String = "") { self.root = root }

  /// `adjtimex` answers for every time service, and knows when somebody else set the clock since. `/run/systemd/timesync/
  /// synchronized` is timesyncd's own mark: it stays, whatever becomes of the clock, so it stands in only where a sandbox
  /// refuses `adjtimex` (EPERM), which must read as unknown, not as unsynchronised.
  /// - Parameter now: uptime.
  package func facts(at now: Duration) -> ClockFacts {
    var synchronised: Bool?
    var status: Int32 = 0
    let state = unsafe kiosk_clock_state(&status)
    if state >= 0 { synchronised = state != kiosk_time_error && status & kiosk_sta_unsync == 0 }
    let wasSynchronised = exists("/run/systemd/timesync/synchronized")
    return ClockFacts(
      synchronised: synchronised ?? (wasSynchronised ? true : nil), wasSynchronised: wasSynchronised,
      hasHardwareClock: exists("/sys/class/rtc/rtc0"),
      timeServiceRuns: timeServiceRuns(at: now))
  }

  private func timeServiceRuns(at now: Duration) -> Bool {
    services.withLock { known in
      if let known, now - known.askedAt < Self.keptFor { return known.run }
      // The unit's sandbox (ProtectProc) hides other users' processes; their control groups are there to be seen.
      let run =
        exists("/run/systemd/system")
        ? Self.units.contains { exists("/sys/fs/cgroup/system.slice/\($0)") } : hasProcess()
      known = (run, now)
      return run
    }
  }

  private func hasProcess() -> Bool {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: root + "/proc")) ?? []
    return entries.contains { entry in
      guard entry.first?.isNumber == true,
        let name = FileManager.default.contents(atPath: "\(root)/proc/\(entry)/comm")
      else { return false }
      return Self.processes.contains(String(decoding: name, as: UTF8.self).trimmingCharacters(in: .newlines))
    }
  }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + path) }
}

/// Names the running boot, so that a boot time can be told from one of another boot.
package enum BootID {
  /// What stands for a boot that the kernel will not name.
  package static let unknown = "unknown"

  /// The kernel's random id of this boot, or `unknown`.
  package static func current() -> String {
    let text = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? unknown
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
