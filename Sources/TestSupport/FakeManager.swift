internal import Foundation
internal import Glibc

/// systemd's end of a notify socket, in the abstract namespace.
package final class FakeManager: Sendable {
  /// What belongs into `NOTIFY_SOCKET`.
  package let name = "@kiosk-" + UUID().uuidString
  private let descriptor: Int32

  package init() {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    address.sun_path.0 = 0
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
    }
    precondition(result == 0, "the notify socket of a test could not be bound")
  }

  deinit { close(descriptor) }

  /// All messages since the last call.
  package func received() -> [String] {
    var messages: [String] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0 { return messages }
      messages.append(String(decoding: buffer[..<count], as: UTF8.self))
    }
  }
}
