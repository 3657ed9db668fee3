internal import Linux
internal import PCSC
internal import Synchronization

/// Reads the taps of one slot, on a thread and in a context of its own: a read that hangs or is repeated keeps no other
/// slot waiting.
final class DecodeThread: Sendable {
  /// After an unreadable tap the tag is tried again so often, once a second, while it stays.
  static let secondChances = 10
  /// A read that ended so long after the tag was seen may be another tag's: the counter is asked.
  static let promptness: Duration = .milliseconds(2)

  private struct Next {
    var job: Readings.Job?
    var prepare = false
  }

  private let library: PCSCLibrary
  private let board: ReaderBoard
  private let settings: ReaderSettings
  private let time: any TimeSource
  private let event: @Sendable (TagEvent) -> Void
  private let next = Mutex(Next())
  private let bell: Bell

  init(
    library: PCSCLibrary, board: ReaderBoard, settings: ReaderSettings, time: any TimeSource,
    event: @escaping @Sendable (TagEvent) -> Void
  ) {
    self.library = library
    self.board = board
    self.settings = settings
    self.time = time
    self.event = event
    bell = Bell(time: time)
  }

  /// Hands a tap over. One that still waits for its turn is over: its tag has left.
  func read(_ job: Readings.Job) {
    let missed = next.withLock { next in
      defer { next.job = job }
      return next.job
    }
    bell.ring()
    if let missed {
      report(Decoder.Failure(reason: .removedTooSoon), missed, tries: 0)
      board.close(missed)
    }
  }

  /// Connects to pcscd ahead of the first tap.
  func prepare() {
    next.withLock { $0.prepare = true }
    bell.ring()
  }

  /// Makes it look at the board: a tag was lifted, or all is to end.
  func look() { bell.ring() }

  /// Reads until the board says stop.
  func run() {
    var context: PCSCLibrary.Context?
    defer { if let context { library.release(context) } }
    while !board.isStopping {
      let order = next.withLock { next in
        defer { next = Next() }
        return next
      }
      if let job = order.job {
        decode(job, in: &context)
        board.close(job)
      } else if order.prepare {
        // A context from before a restart of pcscd is dead and does not show it.
        if let context { library.release(context) }
        context = try? library.establish()
      } else {
        bell.wait()
      }
    }
  }

  private func decode(_ job: Readings.Job, in context: inout PCSCLibrary.Context?) {
    var tries = 0
    var due = Duration.zero
    for chance in 0...Self.secondChances {
      if chance > 0, !stays(job, until: due) { return }
      let effort: Decoder.Effort = chance == 0 ? .full(reads: settings.decodeAttempts) : .once
      let outcome = attempt(job, in: &context, effort)
      let now = time.uptime()
      due = now + .seconds(1)
      switch outcome {
      case .uid(let uid, let count):
        let (lastSeen, resolves) = board.wasRead(uid, job, at: now)
        event(
          .read(
            TagRead(
              uid: uid, reader: job.reader, tries: tries + count, presentAt: job.presentAt, readAt: now,
              presence: job.presence, lastSeen: lastSeen, resolves: resolves)))
        return
      case .failed(let failure, let count):
        tries += count
        report(failure, job, tries: tries)
        // What the tag will always refuse is not asked again.
        if failure.isFinal, failure.reason == .refused { return }
      case .serviceLost(let count):
        report(Decoder.Failure(reason: .serviceLost), job, tries: tries + count)
        return
      }
    }
  }

  private func report(_ failure: Decoder.Failure, _ job: Readings.Job, tries: Int) {
    guard board.reportUnreadable(job) else { return }
    event(
      .unreadable(
        UnreadableTag(
          reason: failure.reason, statusWord: failure.statusWord, reader: job.reader, tries: tries,
          presentAt: job.presentAt, gaveUpAt: time.uptime(), presence: job.presence,
          lastLift: board.lastLift(from: job.reader))))
  }

  /// Waits until then; false as soon as the tag has left.
  private func stays(_ job: Readings.Job, until deadline: Duration) -> Bool {
    while board.isPresent(job) {
      if time.uptime() >= deadline { return true }
      bell.wait(until: deadline)
    }
    return false
  }

  private func attempt(
    _ job: Readings.Job, in context: inout PCSCLibrary.Context?, _ effort: Decoder.Effort
  ) -> Decoder.Outcome {
    board.callBegins(job, at: time.uptime())
    defer { board.callEnded(job) }
    let decoder = Decoder(
      library: library, uptime: { [time] in time.uptime() },
      stays: { [self] deadline in
        board.callEnded(job)
        defer { board.callBegins(job, at: time.uptime()) }
        return stays(job, until: deadline)
      })
    // A context that died while nothing was tapped shows only now: one new one, then the service counts as lost.
    for _ in 0..<2 {
      if context == nil { context = try? library.establish() }
      guard let open = context else { return .serviceLost(tries: 0) }
      let outcome = decoder.decode(job.reader, in: open, effort)
      switch outcome {
      case .uid(_, let tries):
        let wasPrompt = time.uptime() - job.presentAt < Self.promptness
        return wasPrompt || isStill(job, in: open)
          ? outcome : .failed(Decoder.Failure(reason: .removedTooSoon), tries: tries)
      case .failed: return outcome
      case .serviceLost:
        library.release(open)
        context = nil
      }
    }
    return .serviceLost(tries: 0)
  }

  /// Whether what was read is this tap's tag: at most lifted since, and not replaced by the next one, whose UID would then
  /// answer for this one too.
  private func isStill(_ job: Readings.Job, in context: PCSCLibrary.Context) -> Bool {
    guard let now = try? library.statusChange(context, 0, [ReaderStatus(name: job.reader)]).first else { return true }
    let steps = Int16(bitPattern: UInt16(truncatingIfNeeded: now.event >> 16) &- job.counter)
    return steps < 2
  }
}

/// The decode threads, one for each reader that was ever seen: as many as pcscd has names for.
final class DecodeThreads: Sendable {
  private let crew: Crew
  private let make: @Sendable () -> DecodeThread
  private let threads = Mutex<[String: DecodeThread]>([:])

  init(_ crew: Crew, _ make: @escaping @Sendable () -> DecodeThread) {
    self.crew = crew
    self.make = make
  }

  func forReader(_ name: String) -> DecodeThread {
    threads.withLock { threads in
      if let thread = threads[name] { return thread }
      let thread = make()
      threads[name] = thread
      crew.start("tag-decoder") { thread.run() }
      return thread
    }
  }

  func lookAll() { for thread in threads.withLock({ Array($0.values) }) { thread.look() } }
}
