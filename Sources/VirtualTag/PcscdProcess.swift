internal import Dispatch
internal import Glibc
internal import Linux
internal import Synchronization

/// A pcscd that this process started, with a socket handed over as systemd does it.
final class PcscdProcess: Sendable {
  private enum State {
    case running
    case stopped
    case ended
  }

  let pid: Int32
  private let state = Mutex(State.running)

  /// - Parameters:
  ///   - environment: all of it; nothing is inherited.
  ///   - listener: becomes its descriptor 3.
  ///   - outputFile: where its output goes, behind what is there.
  init(
    arguments: [String], environment: [String: String], listener: Int32, outputFile: String
  ) throws(PrivatePcscdError) {
    let result = Spawner.run { Self.spawn(PcscdProgram.path, arguments, environment, listener, outputFile) }
    pid = try result.get()
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String], _ listener: Int32,
    _ outputFile: String
  ) -> Result<Int32, PrivatePcscdError> {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // First, in case this process had 0, 1 or 2 closed and the listener took the number.
    unsafe posix_spawn_file_actions_adddup2(&actions, listener, 3)
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, outputFile, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)

    // A process that waits for its signals (sigwait) blocks them; the child is to be born with none blocked or ignored.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var argv = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      for index in unsafe argv.indices { unsafe free(argv[index]) }
      for index in unsafe envp.indices { unsafe free(envp[index]) }
    }
    var pid: Int32 = 0
    let code = unsafe posix_spawn(&pid, program, &actions, &attributes, &argv, &envp)
    return code == 0 ? .success(pid) : .failure(.system(doing: "starting \(program)", errno: code))
  }

  var isRunning: Bool { look() != .ended }

  /// Sends a signal, unless the process has ended (its number may be another's by now).
  func kill(_ signal: Int32) {
    state.withLock { state in
      Self.update(&state, pid)
      if state != .ended { _ = Glibc.kill(pid, signal) }
    }
  }

  func waitForEnd(within seconds: Int) -> Bool { RealTime.until(within: seconds) { look() == .ended } }

  /// True once SIGSTOP has done its work, or the process has ended.
  func waitForStop(within seconds: Int) -> Bool { RealTime.until(within: seconds) { look() != .running } }

  /// Blocks until the process has ended, however long that takes.
  func awaitEnd() {
    var information = unsafe siginfo_t()
    // WNOWAIT: its number stays its own until `update` has seen the end too.
    while look() != .ended, unsafe waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  private func look() -> State {
    state.withLock { state in
      Self.update(&state, pid)
      return state
    }
  }

  private static func update(_ state: inout State, _ pid: Int32) {
    guard state != .ended else { return }
    var status: Int32 = 0
    let changed = unsafe waitpid(pid, &status, WNOHANG | WUNTRACED | WCONTINUED)
    if changed == 0 || (changed < 0 && errno == EINTR) { return }
    // The macros WIFSTOPPED and WIFCONTINUED (wait(2)), which Swift does not import.
    if changed == pid, status & 0xFF == 0x7F {
      state = .stopped
    } else if changed == pid, status == 0xFFFF {
      state = .running
    } else {
      state = .ended
    }
  }
}

/// Starts children on a thread that never ends. "Die with the parent" (PR_SET_PDEATHSIG) means the thread that made the
/// child, and the threads of a pool come and go.
private enum Spawner {
  private final class Job: Sendable {
    let work: @Sendable () -> Result<Int32, PrivatePcscdError>
    let result = Mutex(Result<Int32, PrivatePcscdError>.failure(.system(doing: "starting a process", errno: EAGAIN)))
    let done = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Result<Int32, PrivatePcscdError>) { self.work = work }
  }

  private static let jobs = Mutex<[Job]>([])
  private static let waiting = DispatchSemaphore(value: 0)

  private static let started: Void = Threads.start(name: "spawner") {
    while true {
      waiting.wait()
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
      let result = job.work()
      job.result.withLock { $0 = result }
      job.done.signal()
    }
  }

  /// Runs the work on that thread and waits for it.
  static func run(_ work: @escaping @Sendable () -> Result<Int32, PrivatePcscdError>) -> Result<
    Int32, PrivatePcscdError
  > {
    _ = started
    let job = Job(work)
    jobs.withLock { $0.append(job) }
    waiting.signal()
    job.done.wait()
    return job.result.withLock { $0 }
  }
}
