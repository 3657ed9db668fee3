import Foundation
import Glibc
import Linux
import Testing

struct NotifySocketTests {
  /// A manager's end of the socket.
  final class Manager {
    let descriptor: Int32

    init(name: String) {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(name.utf8)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
      if name.hasPrefix("@") { address.sun_path.0 = 0 }
      let length = socklen_t(2 + bytes.count)
      _ = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
      }
    }

    deinit { close(descriptor) }

    func receive() -> String {
      var buffer = [UInt8](repeating: 0, count: 512)
      let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 ? "" : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  @Test(arguments: [
    FileManager.default.temporaryDirectory.path + "/notify-\(UUID().uuidString.prefix(8)).sock",
    "@kiosk-notify-\(UUID().uuidString.prefix(8))",
  ])
  func `messages reach a manager on a path and in the abstract namespace`(name: String) {
    let manager = Manager(name: name)
    let socket = NotifySocket(environment: ["NOTIFY_SOCKET": name])
    socket.ready()
    #expect(manager.receive() == "READY=1")
    socket.status("reader ok\nWATCHDOG=1")
    #expect(manager.receive() == "STATUS=reader ok WATCHDOG=1", "a status cannot smuggle a second assignment")
    if name.hasPrefix("/") { unsafe unlink(name) }
  }

  @Test func `without a manager nothing is sent and nothing fails`() {
    #expect(!NotifySocket(environment: [:]).send("READY=1"))
    #expect(!NotifySocket(environment: ["NOTIFY_SOCKET": "/nonexistent/notify"]).send("READY=1"))
    #expect(!NotifySocket(environment: ["NOTIFY_SOCKET": "@" + String(repeating: "x", count: 200)]).send("READY=1"))
  }

  @Test(arguments: [
    (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
    (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"], Duration.seconds(30)),
    (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "41"], nil),
    (["WATCHDOG_USEC": "no"], nil),
    (["WATCHDOG_USEC": "-5"], nil),
    ([:], nil),
  ])
  func `the watchdog's period is taken only when it is meant for this process`(
    environment: [String: String], period: Duration?
  ) {
    #expect(NotifySocket(environment: environment, processID: 42).watchdogPeriod == period)
  }
}
