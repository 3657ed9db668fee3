internal import CLinux
internal import Foundation
internal import Glibc

/// One writer a state directory: an advisory lock on its file `lock`, which the kernel takes back when its holder dies
/// (DESIGN 4.1). Held for as long as this object lives.
package final class StateLock: Sendable {
  /// Why the lock was not had.
  package enum Failure: Error, Equatable {
    /// Another process holds it; its number when it can be read.
    case held(by: Int32?)
    case cannotOpen(path: String, errno: Int32)

    /// What is wrong: what to do.
    package var sentence: String {
      switch self {
      case .held(let holder):
        "another kiosk-agent\(holder.map { " (process \($0))" } ?? "") uses the state directory: stop it first"
      case .cannotOpen(let path, let errno):
        "\(path) cannot be opened (\(unsafe String(cString: strerror(errno)))): check who owns the state directory"
      }
    }
  }

  private let descriptor: Int32

  /// Takes the lock at once or fails.
  /// - Parameter directory: exists.
  package init(directory: String) throws(Failure) {
    let path = "\(directory)/lock"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      let holder = Self.number(in: descriptor)
      close(descriptor)
      throw code == EWOULDBLOCK ? .held(by: holder) : .cannotOpen(path: path, errno: code)
    }
    // For people and for messages only; the lock itself is the kernel's.
    let text = Array("\(getpid())\n".utf8)
    if ftruncate(descriptor, 0) == 0 { _ = unsafe pwrite(descriptor, text, text.count, 0) }
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone would leave it to a child that another thread starts just now and that has not reached its exec.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func number(in descriptor: Int32) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
    return Int32(String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self))
  }
}
