import Glibc

/// A connection to a control socket, kept open, whose user says and hears when it likes.
final class RawClient: Sendable {
  struct Refused: Error { let errno: Int32 }

  private let descriptor: Int32

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result != 0 { throw Refused(errno: errno) }
  }

  deinit { close(descriptor) }

  func say(_ text: String) { _ = unsafe send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

  /// The next answer, within 10 s; nil when there is none or the reader hung up.
  func hear() -> String? {
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var answer = [UInt8](repeating: 0, count: 1024)
    let count = unsafe recv(descriptor, &answer, answer.count, 0)
    return count > 0 ? String(decoding: answer[..<count], as: UTF8.self) : nil
  }
}
