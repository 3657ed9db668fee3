internal import CLinux
internal import Glibc

/// The birth of another program: with no signal blocked or ignored (this process blocks some, see `Signal`), and of this
/// process's descriptors with those only that it is given.
package struct Spawn {
  /// A path.
  package var program: String
  package var arguments: [String]
  /// All of it; nothing is inherited.
  package var environment: [String: String]
  /// Where it begins; nil: where this process is.
  package var directory: String?
  /// What become its descriptors 0, 1, 2 and so on.
  package var descriptors: [Int32]
  /// It is the first of a process group of its own.
  package var hasOwnGroup = false

  package init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String? = nil,
    descriptors: [Int32], hasOwnGroup: Bool = false
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.descriptors = descriptors
    self.hasOwnGroup = hasOwnGroup
  }

  /// The number of the new process. Whoever starts it waits for its end.
  package func start() throws(ChildProcess.Failure) -> Int32 {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let count = Int32(descriptors.count)
    // One whose number an earlier one takes waits above them all.
    let given = descriptors.enumerated().map { $1 < $0 ? fcntl($1, F_DUPFD_CLOEXEC, count) : $1 }
    defer { for (kept, own) in zip(given, descriptors) where kept >= 0 && kept != own { close(kept) } }
    for (number, descriptor) in given.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    unsafe posix_spawn_file_actions_addclosefrom_np(&actions, count)
    if let directory { unsafe posix_spawn_file_actions_addchdir_np(&actions, directory) }

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let group = hasOwnGroup ? Int(POSIX_SPAWN_SETPGROUP) : 0
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(Int(POSIX_SPAWN_SETSIGMASK) | Int(POSIX_SPAWN_SETSIGDEF) | group))

    var argv = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      for index in unsafe argv.indices { unsafe free(argv[index]) }
      for index in unsafe envp.indices { unsafe free(envp[index]) }
    }
    var pid: Int32 = 0
    let code = unsafe posix_spawn(&pid, program, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw ChildProcess.Failure(program: program, errno: code) }
    return pid
  }
}
