internal import Glibc

/// Tells systemd how the service is (sd_notify(3)), by one datagram a message and without libsystemd.
///
/// Without `NOTIFY_SOCKET` every message goes nowhere, so the agent says the same things when started by hand.
package struct NotifySocket: Sendable {
  private let path: [UInt8]?

  /// The watchdog's period from `WATCHDOG_USEC`, when it is meant for this process; nil: no watchdog.
  package let watchdogPeriod: Duration?

  package init(environment: [String: String], processID: Int32 = getpid()) {
    if let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
      name.utf8.count < Self.pathCapacity
    {
      path = Array(name.utf8)
    } else {
      path = nil
    }
    let isForUs = environment["WATCHDOG_PID"].map { $0 == String(processID) } ?? true
    if isForUs, let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init), microseconds > 0 {
      watchdogPeriod = .microseconds(microseconds)
    } else {
      watchdogPeriod = nil
    }
  }

  /// The service can do its work.
  package func ready() { send("READY=1") }

  /// What `systemctl status` shows, one line.
  package func status(_ text: String) { send("STATUS=" + Log.oneLine(text)) }

  package func watchdog() { send("WATCHDOG=1") }

  package func stopping() { send("STOPPING=1") }

  /// Start-up needs this much longer (a migration, an integrity check).
  package func extendTimeout(by duration: Duration) {
    send("EXTEND_TIMEOUT_USEC=\(duration.inMilliseconds * 1000)")
  }

  /// Whether the datagram left; a manager that is gone is no fault of the service.
  @discardableResult
  package func send(_ message: String) -> Bool {
    guard let path else { return false }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return false }
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    // "@name" is the abstract namespace: a leading NUL, and the length counts exactly the name.
    if path.first == UInt8(ascii: "@") { address.sun_path.0 = 0 }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let bytes = Array(message.utf8)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
    return sent == bytes.count
  }

  private static var pathCapacity: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) }
}
