internal import Glibc

/// One request and its answer over the virtual reader's control socket (SOCK_SEQPACKET: a packet is a message).
enum ControlSocket {
  /// The reader's longest answer is its log, below this.
  private static let longestAnswer = 70_000

  /// A connection of its own for each request: nothing to mend when pcscd was restarted in between.
  /// - Parameter milliseconds: the deadline of the answer, on the kernel's clock.
  static func ask(_ path: String, _ command: String, within milliseconds: Int) throws(VirtualTagError) -> String {
    let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(doing: "making a socket", errno: errno) }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let connected = try unsafe UnixAddress(path).with { address, length in
      retrying { unsafe connect(descriptor, address, length) }
    }
    guard connected == 0 else { throw failure(errno, path, command) }
    let bytes = Array(command.utf8)
    let sent = retrying { unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    guard sent == bytes.count else { throw failure(errno, path, command) }
    var answer = [UInt8](repeating: 0, count: longestAnswer)
    let count = retrying { unsafe recv(descriptor, &answer, longestAnswer, 0) }
    guard count > 0 else { throw count == 0 ? .notRunning(path: path) : failure(errno, path, command) }
    return String(decoding: answer[..<count], as: UTF8.self)
  }

  private static func failure(_ code: Int32, _ path: String, _ command: String) -> VirtualTagError {
    switch code {
    case ENOENT, ECONNREFUSED, ECONNRESET, EPIPE: .notRunning(path: path)
    case EAGAIN, EINPROGRESS, ETIMEDOUT: .noAnswer(path: path, command: command)
    default: .system(doing: "talking to \(path)", errno: code)
    }
  }

  private static func retrying<N: FixedWidthInteger>(_ call: () -> N) -> N {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}

/// The address of a unix socket with a path.
struct UnixAddress {
  private var address = sockaddr_un()
  private let length: socklen_t

  init(_ path: String) throws(VirtualTagError) {
    let bytes = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count < room else { throw .pathTooLong(path: path) }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + 1)
  }

  func with<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }
}
