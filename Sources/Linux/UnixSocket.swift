internal import CLinux
internal import Foundation
internal import Glibc
internal import Synchronization

/// Requests and answers of one line each over a unix socket: how commands reach the running agent.
package enum UnixSocket {
  package struct Failure: Error, Equatable {
    package let doing: String
    package let errno: Int32
  }

  /// The longest request or answer.
  package static let limit = 4 << 20

  /// Sends one line and returns the answer line.
  /// - Parameter seconds: the deadline of each read and write.
  package static func ask(_ path: String, _ request: String, seconds: Int = 10) throws(Failure) -> String {
    let descriptor = try connect(path)
    defer { close(descriptor) }
    setDeadline(descriptor, seconds: seconds)
    try send(descriptor, request)
    return try receive(descriptor)
  }

  /// Accepts one connection at a time on a thread of its own until the process ends; each gets the answer of `handle`.
  ///
  /// The socket file is made anew (the caller holds the state lock, so an old one is dead) and only its owner may use it.
  package static func serve(_ path: String, handle: @escaping @Sendable (String) async -> String) throws(Failure) {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure(doing: "making the control socket", errno: errno) }
    unsafe unlink(path)
    let mask = umask(0o177)
    let bound = try unsafe withAddress(path) { address, length in unsafe bind(listener, address, length) }
    let code = errno
    umask(mask)
    guard bound == 0, listen(listener, 8) == 0 else {
      close(listener)
      throw Failure(doing: "listening on \(path)", errno: bound == 0 ? errno : code)
    }
    Threads.start(name: "control") {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 {
          if errno == EBADF || errno == EINVAL { return }
          // Out of descriptors or the like: give the machine a moment instead of spinning.
          if errno != EINTR { usleep(100_000) }
          continue
        }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        setDeadline(connection, seconds: 5)
        answer(connection, handle)
        close(connection)
      }
    }
  }

  private static func answer(_ connection: Int32, _ handle: @escaping @Sendable (String) async -> String) {
    guard let request = try? receive(connection) else { return }
    let done = DispatchSemaphore(value: 0)
    let answer = Box("")
    Task {
      answer.set(await handle(request))
      done.signal()
    }
    // This thread is the control socket's own: waiting here holds up nothing but other commands.
    done.wait()
    try? send(connection, answer.value)
  }

  private static func connect(_ path: String) throws(Failure) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(doing: "making a socket", errno: errno) }
    let result = try unsafe withAddress(path) { address, length in unsafe Glibc.connect(descriptor, address, length) }
    guard result == 0 else {
      let code = errno
      close(descriptor)
      throw Failure(doing: "connecting to \(path)", errno: code)
    }
    return descriptor
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(Failure) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure(doing: "using \(path): a socket's path has at most 107 bytes", errno: ENAMETOOLONG)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + 1)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }

  private static func setDeadline(_ descriptor: Int32, seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  private static func send(_ descriptor: Int32, _ line: String) throws(Failure) {
    var rest = (Array(line.utf8) + [0x0A])[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Failure(doing: "sending", errno: errno)
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func receive(_ descriptor: Int32) throws(Failure) -> String {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while line.last != 0x0A {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0, line.count + count <= limit else {
        throw Failure(doing: "receiving", errno: count == 0 ? ECONNRESET : count < 0 ? errno : EMSGSIZE)
      }
      line += buffer[..<count]
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }
}

/// A value that one task sets and one thread reads after a semaphore.
private final class Box: Sendable {
  private let box: Mutex<String>

  init(_ value: String) { box = Mutex(value) }

  var value: String { box.withLock { $0 } }
  func set(_ value: String) { box.withLock { $0 = value } }
}
