import Foundation
import Glibc
import Linux
import Testing

struct StateLockTests {
  let directory = NSTemporaryDirectory() + "state-lock-\(UUID().uuidString.prefix(8))"

  init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }

  private func take() -> StateLock.Failure? {
    do {
      _ = try StateLock(directory: directory)
      return nil
    } catch { return error }
  }

  @Test func `the second one learns who holds the lock, and gets it when the first lets go`() throws {
    do {
      let first = try StateLock(directory: directory)
      #expect(take() == .held(by: getpid()))
      withExtendedLifetime(first) {}
    }
    #expect(take() == nil)
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// As a child has it between its fork and its exec.
  @Test func `who lets go has let go, also while another one has the same file`() throws {
    var copy: Int32 = -1
    do {
      let first = try StateLock(directory: directory)
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
      let path = URL(filePath: directory + "/lock").resolvingSymlinksInPath().path
      let held = descriptors.first {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      }
      copy = dup(try #require(held))
      withExtendedLifetime(first) {}
    }
    #expect(copy >= 0)
    #expect(take() == nil)
    close(copy)
    try? FileManager.default.removeItem(atPath: directory)
  }

  @Test func `a killed holder leaves no lock behind`() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
      let lock = try StateLock(directory: directory)
      kill(getpid(), SIGKILL)
      withExtendedLifetime(lock) {}
    }
    #expect(FileManager.default.fileExists(atPath: directory + "/lock"))
    #expect(take() == nil)
    try? FileManager.default.removeItem(atPath: directory)
  }

  @Test func `rubbish in the lock file is no process number`() throws {
    try Data("a shopping list, and a long one at that".utf8).write(to: URL(filePath: directory + "/lock"))
    let descriptor = unsafe open(directory + "/lock", O_RDWR | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(take() == .held(by: nil))
    close(descriptor)
    try? FileManager.default.removeItem(atPath: directory)
  }

  @Test func `a directory that is not there is said with its path`() {
    try? FileManager.default.removeItem(atPath: directory)
    #expect(take() == .cannotOpen(path: directory + "/lock", errno: ENOENT))
    #expect(take()?.sentence.contains(directory) == true)
  }
}
