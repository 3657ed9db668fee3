internal import CLinux
internal import Foundation
internal import Glibc

/// Starts other programs: with a clean signal mask, only the descriptors it is given, and no shell in between.
package enum ChildProcess {
  package struct Failure: Error, Equatable {
    package let program: String
    package let errno: Int32
  }

  /// - Parameters:
  ///   - program: an absolute path.
  ///   - environment: all of it.
  ///   - descriptors: the child's number for each of ours; 0, 1 and 2 are /dev/null and ours unless given.
  /// - Returns: its process id; the caller must `wait` for it.
  package static func spawn(
    _ program: String, _ arguments: [String], environment: [String: String], descriptors: [Int32: Int32] = [:]
  ) throws(Failure) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if descriptors[0] == nil { unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) }
    // Ours are close-on-exec; dup2 onto another number clears that, but must not overwrite one that is still needed.
    let high = descriptors.keys.max().map { $0 + 64 } ?? 64
    for (index, pair) in descriptors.sorted(by: { $0.key < $1.key }).enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, pair.value, high + Int32(index))
    }
    for (index, pair) in descriptors.sorted(by: { $0.key < $1.key }).enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, high + Int32(index), pair.key)
      unsafe posix_spawn_file_actions_addclose(&actions, high + Int32(index))
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var reset = sigset_t()
    unsafe sigemptyset(&reset)
    unsafe sigaddset(&reset, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &reset)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let argv = CStrings([program] + arguments)
    let envp = CStrings(environment.map { "\($0)=\($1)" })
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, program, &actions, &attributes, argv.pointers, envp.pointers)
    guard code == 0 else { throw Failure(program: program, errno: code) }
    return pid
  }

  /// Waits for a child to end. Blocks.
  /// - Returns: the exit code, or -(signal number).
  @discardableResult
  package static func wait(_ pid: Int32) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 {
      if errno != EINTR { return -SIGKILL }
    }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
  }
}

/// A NULL-terminated array of C strings that lives as long as this object.
@safe
private final class CStrings {
  var pointers: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [String]) { unsafe pointers = strings.map { unsafe strdup($0) } + [nil] }

  deinit { unsafe pointers.forEach { unsafe free($0) } }
}
