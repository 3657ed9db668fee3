package import Linux
package import PCSC
internal import Synchronization

/// All tag readers of the machine: taps for whoever waits for them, and how the readers are.
///
/// A thread that watches and one a slot that reads talk to pcscd, because a wait holds its context and a read cannot be
/// cancelled; this actor starts and ends them. Waiting and delivering share one lock and no actor, so that a waiter whose
/// task was cancelled never takes a tap, and a tap reaches its waiter without a detour.
package actor SlotMonitor {
  private struct Waiting {
    var queue: WaiterQueue<TagEvent>
    var continuations: [UInt64: CheckedContinuation<TagEvent, any Error>] = [:]
    /// Who takes one tap after the other.
    var streams: [UInt64: AsyncStream<TagEvent>.Continuation] = [:]
    var nextID: UInt64 = 0
  }

  private let library: PCSCLibrary
  private let settings: ReaderSettings
  private let time: any TimeSource
  private let log: Log
  private let board: ReaderBoard
  private let waiting: Mutex<Waiting>
  /// Held while a tap is handed to a stream: two threads deliver, and the order is the order of the taps. Not `waiting`: a
  /// stream that ends takes that one under its task's own lock, which the handing over waits for.
  private let delivering = Mutex(())
  private let listeners = Listeners()
  /// What runs now; nil: nothing.
  private let running = Mutex<(monitor: Monitor, crew: Crew)?>(nil)

  package init(
    library: PCSCLibrary = .system, settings: ReaderSettings = ReaderSettings(),
    time: any TimeSource = SystemTime(), log: Log
  ) {
    self.library = library
    self.settings = settings
    self.time = time
    self.log = log
    board = ReaderBoard(settings: settings, now: time.uptime())
    waiting = Mutex(
      Waiting(
        queue: WaiterQueue(buffer: settings.buffer) { event in
          if case .read = event { true } else { false }
        }))
  }

  /// Reads until the task is cancelled. Once in a lifetime.
  ///
  /// Returns once its threads have left libpcsclite, and after 2 s without one that hangs in a call: then the process must
  /// end by `_exit`, since the library's own end at `exit` can crash under that thread.
  package func run() async {
    let crew = Crew()
    let decoders = DecodeThreads(crew) { [self] in
      DecodeThread(
        library: library, board: board, settings: settings, time: time, event: { [self] in deliver($0) })
    }
    let monitor = Monitor(
      library: library, board: board, time: time, log: log,
      listener: Monitor.Listener(
        began: { decoders.forReader($0.reader).read($0) }, lifted: { decoders.forReader($0).look() },
        slotSeen: { decoders.forReader($0).prepare() }, unreadable: { [self] in deliver(.unreadable($0)) },
        changed: { [self] in tellListeners() }))
    crew.start("reader-monitor") { monitor.run() }
    running.withLock { $0 = (monitor, crew) }
    while !Task.isCancelled { try? await time.sleep(for: .seconds(1_000_000_000)) }
    running.withLock { $0 = nil }
    board.stop()
    crew.start("reader-cancel") { monitor.stop() }
    decoders.lookAll()
    await crew.waitForAll(time: time)
  }

  /// Waits for a tap with a claim. Cancelled, it throws `CancellationError` and has taken no tap.
  ///
  /// Waiting with a claim above the tap loop's takes it for as long as the wait; to wait several times without letting a
  /// tap through in between, do it in `withClaim`.
  package nonisolated func nextEvent(claim: Claim) async throws -> TagEvent {
    let id = waiting.withLock { waiting in
      waiting.nextID += 1
      return waiting.nextID
    }
    defer { waiting.withLock { $0.queue.finished(id) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        perform { waiting in
          waiting.continuations[id] = continuation
          return waiting.queue.wait(id, claim: claim, at: time.uptime())
        }
      }
    } onCancel: {
      perform { $0.queue.cancel(id) }
    }
  }

  /// Every tap from now on, in order, for whoever takes them all: the tap loop. A burst waits here and is not cut down to
  /// what fits into the one-place buffer. It waits until its consumer ends.
  package nonisolated func taps() -> AsyncStream<TagEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: TagEvent.self)
    let id = waiting.withLock { waiting in
      waiting.nextID += 1
      waiting.streams[waiting.nextID] = continuation
      return waiting.nextID
    }
    continuation.onTermination = { [self] _ in
      perform { waiting in
        waiting.streams[id] = nil
        return waiting.queue.cancel(id)
      }
    }
    delivering.withLock { _ in
      perform { $0.queue.wait(id, claim: .tapLoop, isStanding: true, at: time.uptime()) }
    }
    return stream
  }

  /// Holds a claim while `body` runs: no tap goes to a lower one. What waits in the buffer before and after is dropped.
  package nonisolated func withClaim<T>(_ claim: Claim, _ body: () async throws -> T) async rethrows -> T {
    perform { $0.queue.take(claim) }
    defer { perform { $0.queue.end(claim) } }
    return try await body()
  }

  /// How the readers are, now and at every change; the newest wins.
  package nonisolated func summaries() -> AsyncStream<ReaderSummary> {
    listeners.stream { board.summary(at: time.uptime()) }
  }

  package nonisolated func summary() -> ReaderSummary { board.summary(at: time.uptime()) }

  /// A fault that only a restart mends; nil: none.
  package nonisolated func fault() -> ReaderFault? { board.fault(at: time.uptime()) }

  /// When each thread last showed that it lives; uptime.
  ///
  /// The monitor's thread looks after everything but itself: whoever asks for the beats, again and again, has it looked
  /// after. A wait that has grown too long is ended, and a fault that only the passing of time shows is told.
  package nonisolated func heartbeats() -> [String: Duration] {
    let now = time.uptime()
    if let (monitor, crew) = running.withLock({ $0 }) {
      monitor.endOverdueWait(at: now) { body in crew.start("reader-cancel", body) }
    }
    tellListeners()
    return board.beats(at: now)
  }

  private nonisolated func deliver(_ event: TagEvent) {
    delivering.withLock { _ in perform { $0.queue.deliver(event, at: time.uptime()) } }
    switch event {
    case .read(let tag):
      let milliseconds = (tag.readAt - tag.presentAt).inMilliseconds
      log.info("tag \(Log.redacted(uid: tag.uid)) on \(tag.reader), try \(tag.tries), after \(milliseconds) ms")
    case .unreadable(let tag):
      log.notice("unreadable tag on \(tag.reader): \(tag.reason.rawValue), \(tag.tries) tries")
    }
    tellListeners()
  }

  /// Changes the queue under the lock and answers the waiters outside it.
  private nonisolated func perform(_ change: (inout Waiting) -> [WaiterQueue<TagEvent>.Action]) {
    typealias Answer = (waiter: CheckedContinuation<TagEvent, any Error>, result: Result<TagEvent, any Error>)
    let (streamed, answers, dropped) = waiting.withLock { waiting in
      var streamed: [(id: UInt64, stream: AsyncStream<TagEvent>.Continuation, event: TagEvent)] = []
      var answers: [Answer] = []
      var dropped: [TagEvent] = []
      for action in change(&waiting) {
        switch action {
        case .resume(let id, let event):
          if let stream = waiting.streams[id] { streamed.append((id, stream, event)) }
          if let waiter = waiting.continuations.removeValue(forKey: id) { answers.append((waiter, .success(event))) }
        case .cancelled(let id):
          if let waiter = waiting.continuations.removeValue(forKey: id) {
            answers.append((waiter, .failure(CancellationError())))
          }
        case .dropped(let event): dropped.append(event)
        }
      }
      return (streamed, answers, dropped)
    }
    for (id, stream, event) in streamed {
      guard case .terminated = stream.yield(event) else { continue }
      // Its consumer has just gone: the tap is for whoever is next.
      perform { waiting in
        waiting.streams[id] = nil
        return waiting.queue.cancel(id) + waiting.queue.deliver(event, at: time.uptime())
      }
    }
    for answer in answers { answer.waiter.resume(with: answer.result) }
    if !dropped.isEmpty { log.warning("a tap went to nobody: who it was meant for did not wait for it in time") }
  }

  private nonisolated func tellListeners() { listeners.tell { board.summary(at: time.uptime()) } }
}
