internal import CLinux
internal import Glibc

/// Another program, run to its end: with a deadline, a limit of what it may say, and nothing inherited that could hold it
/// or us up.
///
/// It is born as by `Spawn`, with nothing as input but what it is given, and no descriptor above 2. Blocks the calling
/// thread.
package enum ChildProcess {
  /// How it ended.
  package enum End: Equatable, Sendable {
    case exited(Int32)
    /// By a signal that was not ours.
    case signalled(Int32)
    /// It was killed at the deadline.
    case overdue
    /// It was killed because it said more than the limit.
    case talkative
    /// It was killed because nobody waits for it any more.
    case stopped
  }

  package struct Result: Equatable, Sendable {
    package var end: End
    /// What it wrote, as far as it was read: at most the limit.
    package var output: [UInt8]
    package var errors: [UInt8]
    package var took: Duration

    /// The output as text, whatever bytes are in it.
    package var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The program could not be started.
  package struct Failure: Error, Equatable, Sendable {
    package let program: String
    package let errno: Int32

    /// What is wrong: what to do.
    package var sentence: String {
      "\(program) cannot be started (\(unsafe String(cString: strerror(errno)))): install it, or look at its mode"
    }
  }

  /// What dies with it at the deadline.
  package enum Group: Sendable {
    /// A process group of its own: all that it has started.
    case own
    /// It stays in this process's group, so that whoever kills that group ends it too.
    case ours
  }

  /// How much of the machine it may have.
  package enum Claim: Sendable {
    /// As much as this process.
    case fair
    /// What is left: it gives way as far as a nice value goes, and of its output so much is taken a second; what is ahead
    /// of that waits in the pipe, and the child with it.
    ///
    /// The pace matters more than the nice value: since Linux 6.6 a woken thread may wait until even the nicest has used
    /// up its slice. SCHED_IDLE would not, but on a busy machine the child would not get to its end.
    case spare(bytesPerSecond: Int)
  }

  /// - Parameters:
  ///   - program: an absolute path.
  ///   - environment: all of it; nothing is inherited.
  ///   - input: what it reads on its standard input. The way for a secret: arguments and environment can be read by others.
  ///   - deadline: counted from now; then it is killed (SIGKILL).
  ///   - limit: bytes of output, and again of errors.
  ///   - stop: once it is signalled, the process is killed. It is not drained.
  ///   - line: told each whole line of the output as soon as it is there, on the calling thread.
  package static func run(
    _ program: String, _ arguments: [String], environment: [String: String], input: [UInt8] = [], deadline: Duration,
    limit: Int = 1 << 20, group: Group = .own, claim: Claim = .fair, stop: WakeSignal? = nil,
    time: any TimeSource = SystemTime(), line: ((String) -> Void)? = nil
  ) throws(Failure) -> Result {
    let started = time.uptime()
    var output = try Pipe(program)
    var errors = try Pipe(program)
    let feed = try Feed(input, program)
    let pid = try Spawn(
      program, arguments, environment: environment, descriptors: [feed.descriptor, output.writing, errors.writing],
      hasOwnGroup: group == .own
    ).start()
    // From here: posix_spawn does not know it, and a thread that gave way itself could not come back. A sandbox may forbid
    // it; then the child runs without.
    if case .spare = claim { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(pid), 19) }
    output.closeWriting()
    errors.closeWriting()
    let process = pidfd_open(pid, 0)
    defer { if process >= 0 { close(process) } }
    var collected = Collected(limit: limit, claim: claim, line: line)
    let end = watch(
      process, output.reading, errors.reading, stop?.descriptor ?? -1, until: started + deadline, time, &collected)
    // What it left behind goes too: it would hold the pipe, or a reader, for ever.
    if group == .own { kill(-pid, SIGKILL) } else if end != nil { kill(pid, SIGKILL) }
    let status = reap(pid, process)
    return Result(
      end: end ?? status, output: collected.output, errors: collected.errors, took: time.uptime() - started)
  }

  /// Reads until the process has ended (nil), or why it is to be killed.
  private static func watch(
    _ process: Int32, _ output: Int32, _ errors: Int32, _ stop: Int32, until deadline: Duration,
    _ time: any TimeSource, _ collected: inout Collected
  ) -> End? {
    // A descriptor of -1 is passed over by poll.
    var waits = [process, output, errors, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var isOpen = [true, true]
    while true {
      let now = time.uptime()
      let left = (deadline - now).inMilliseconds
      guard left > 0 else { return .overdue }
      let pause = collected.goesOnAt - now
      waits[1].fd = isOpen[0] && pause <= .zero ? output : -1
      waits[2].fd = isOpen[1] ? errors : -1
      // poll counts whole milliseconds, and a pause is not cut short.
      let atMost = pause > .zero ? min(left, pause.inMilliseconds + 1) : left
      if unsafe poll(&waits, 4, Int32(clamping: atMost)) <= 0 { continue }
      if waits[3].revents != 0 { return .stopped }
      let hasEnded = waits[0].revents != 0
      if isOpen[0], hasEnded || waits[1].revents != 0 {
        isOpen[0] = collected.drain(output, isOutput: true, toEnd: hasEnded, at: time.uptime())
      }
      if isOpen[1], hasEnded || waits[2].revents != 0 {
        isOpen[1] = collected.drain(errors, isOutput: false, toEnd: hasEnded, at: time.uptime())
      }
      if collected.isFull { return .talkative }
      if hasEnded { return nil }
    }
  }

  /// What was read, up to the limit.
  private struct Collected {
    let limit: Int
    let line: ((String) -> Void)?
    var output: [UInt8] = []
    var errors: [UInt8] = []
    /// The uptime from which more of the output is taken.
    private(set) var goesOnAt: Duration = .zero
    private let bytesPerSecond: Int?
    private var told = 0

    init(limit: Int, claim: Claim, line: ((String) -> Void)?) {
      self.limit = limit
      self.line = line
      if case .spare(let bytesPerSecond) = claim { self.bytesPerSecond = bytesPerSecond } else { bytesPerSecond = nil }
    }

    var isFull: Bool { output.count > limit || errors.count > limit }

    /// Takes what is there now, or one piece of it when more has its time; false once the writing end is closed.
    /// - Parameter now: uptime, after the wait for it. What came late is not made up for.
    mutating func drain(_ descriptor: Int32, isOutput: Bool, toEnd: Bool, at now: Duration) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 65536)
      while !isFull {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 && errno == EAGAIN }
        if isOutput { output += buffer[..<count] } else { errors += buffer[..<count] }
        if isOutput { tellLines() }
        if isOutput, !toEnd, let bytesPerSecond {
          goesOnAt = max(goesOnAt, now) + .seconds(1) * (Double(count) / Double(bytesPerSecond))
          break
        }
      }
      return true
    }

    private mutating func tellLines() {
      guard let line else { return }
      while let end = output[told...].firstIndex(of: 0x0A) {
        line(String(decoding: output[told..<end], as: UTF8.self))
        told = end + 1
      }
    }
  }

  /// Waits for the end of a process that has ended or was killed. One that cannot even be killed (a disk that hangs in the
  /// kernel) is waited for by a thread of its own.
  private static func reap(_ pid: Int32, _ process: Int32) -> End {
    var wait = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
    if process >= 0, unsafe poll(&wait, 1, 1000) == 0 {
      Threads.start(name: "reaper") { _ = waitpid(pid, nil, 0) }
      return .overdue
    }
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    // WIFEXITED and WTERMSIG (wait(2)), which Swift does not import.
    return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
  }

  /// What the child reads: a file without a name. A pipe could fill up, or raise SIGPIPE when nobody reads it.
  private struct Feed: ~Copyable {
    let descriptor: Int32

    init(_ input: [UInt8], _ program: String) throws(Failure) {
      descriptor =
        input.isEmpty ? unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) : unsafe memfd_create("input", kiosk_mfd_cloexec)
      guard descriptor >= 0 else { throw Failure(program: program, errno: errno) }
      var written = 0
      while written < input.count {
        let count = unsafe input[written...].withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw Failure(program: program, errno: errno) }
        written += count
      }
      if written > 0 { lseek(descriptor, 0, SEEK_SET) }
    }

    deinit { close(descriptor) }
  }

  /// Both ends of a pipe; what is still open is closed with it.
  private struct Pipe: ~Copyable {
    let reading: Int32
    private(set) var writing: Int32

    init(_ program: String) throws(Failure) {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw Failure(program: program, errno: errno) }
      (reading, writing) = (ends[0], ends[1])
      _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    mutating func closeWriting() {
      if writing >= 0 { close(writing) }
      writing = -1
    }

    deinit {
      if writing >= 0 { close(writing) }
      close(reading)
    }
  }
}
