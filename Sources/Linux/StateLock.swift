internal import CLinux
internal import Foundation

/// One writer a state directory: an advisory lock that the kernel takes back when its holder dies (DESIGN 4.1).
@safe
package final class StateLock: Sendable {
  /// Why the lock was not had.
  package enum Failure: Error, Equatable {
    /// Another process holds it; its number when it can be read.
    case held(by: Int32?)
    case cannotOpen(errno: Int32)
  }

  private let descriptor: Int32

  /// Takes the lock at once or fails.
  package init(directory: String) throws(Failure) {
    let path = directory + "/lock"
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen(errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      let holder = (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
      throw .held(by: holder.flatMap { Int32($0) })
    }
    // For people and for messages only; the lock itself is the kernel's.
    let text = Array("\(getpid())\n".utf8)
    if ftruncate(descriptor, 0) == 0 { _ = unsafe pwrite(descriptor, text, text.count, 0) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
