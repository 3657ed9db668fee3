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
    let input = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    let output = unsafe open(outputFile, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { for descriptor in [input, output] where descriptor >= 0 { close(descriptor) } }
    guard input >= 0, output >= 0 else { return .failure(.system(doing: "opening \(outputFile)", errno: errno)) }
    do {
      let birth = Spawn(
        program, arguments, environment: environment, descriptors: [input, output, output, listener])
      return .success(try birth.start())
    } catch {
      return .failure(.system(doing: "starting \(program)", errno: error.errno))
    }
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
