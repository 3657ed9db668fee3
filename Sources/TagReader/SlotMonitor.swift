internal import Dispatch
package import Linux
package import PCSC
internal import Synchronization

/// All tag readers of the machine: taps for whoever waits for them, and how the readers are.
///
/// Two threads talk to pcscd, because a wait holds its context and a read cannot be cancelled; this actor starts and ends
/// them. Waiting and delivering share one lock, so that a waiter whose task was cancelled never takes a tap.
package actor SlotMonitor {
  private struct Waiting {
    var queue: WaiterQueue<TagEvent>
    var continuations: [UInt64: CheckedContinuation<TagEvent, any Error>] = [:]
    var nextID: UInt64 = 0
  }

  private let library: PCSCLibrary
  private let settings: ReaderSettings
  private let time: ThreadTime
  private let log: Log
  private let board: ReaderBoard
  private let waiting: Mutex<Waiting>
  private let listeners = Mutex<[UInt64: AsyncStream<ReaderSummary>.Continuation]>([:])
  private let lastSummary = Mutex<ReaderSummary?>(nil)

  package init(
    library: PCSCLibrary = .system, settings: ReaderSettings = ReaderSettings(), time: ThreadTime = .system, log: Log
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
  package func run() async {
    let decoder = DecodeThread(
      library: library, board: board, settings: settings, time: time, event: { [self] in deliver($0) })
    let monitor = Monitor(
      library: library, board: board, time: time, log: log, work: { decoder.add($0) },
      event: { [self] in deliver($0) }, changed: { [self] in tellListeners() })
    let ended = AsyncStream<Void>.makeStream()
    Threads.start(name: "tag-decoder") { decoder.run() }
    Threads.start(name: "reader-monitor") {
      monitor.run()
      ended.continuation.finish()
    }
    await withTaskCancellationHandler {
      for await _ in ended.stream {}
      // The stream ends at once when the task is cancelled; the threads see the board within a slice.
    } onCancel: {
      board.stop()
      decoder.stop()
      ended.continuation.finish()
    }
  }

  /// Waits for a tap with a claim. Cancelled, it throws `CancellationError` and has taken no tap.
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

  /// Holds a claim: until it is ended no tap goes to a lower one. What waits in the buffer is dropped.
  package nonisolated func take(_ claim: Claim) { waiting.withLock { $0.queue.take(claim) } }

  /// Gives a claim back; a tap that nobody took during it is dropped.
  package nonisolated func end(_ claim: Claim) { waiting.withLock { $0.queue.end(claim) } }

  /// How the readers are, now and at every change; the newest wins.
  package nonisolated func summaries() -> AsyncStream<ReaderSummary> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let id = listeners.withLock { listeners in
        let id = (listeners.keys.max() ?? 0) + 1
        listeners[id] = continuation
        return id
      }
      continuation.onTermination = { [self] _ in listeners.withLock { $0[id] = nil } }
      continuation.yield(board.summary(at: time.uptime()))
    }
  }

  package nonisolated func summary() -> ReaderSummary { board.summary(at: time.uptime()) }

  /// A fault that only a restart mends; nil: none.
  package nonisolated func fault() -> ReaderFault? { board.fault(at: time.uptime()) }

  /// When each thread last showed that it lives; uptime.
  package nonisolated func heartbeats() -> [String: Duration] { board.beats(at: time.uptime()) }

  private nonisolated func deliver(_ event: TagEvent) {
    perform { $0.queue.deliver(event, at: time.uptime()) }
    tellListeners()
  }

  /// Changes the queue under the lock and answers the waiters outside it.
  private nonisolated func perform(_ change: (inout Waiting) -> [WaiterQueue<TagEvent>.Action]) {
    let answers = waiting.withLock { waiting in
      change(&waiting).compactMap {
        action -> (CheckedContinuation<TagEvent, any Error>, Result<TagEvent, any Error>)? in
        switch action {
        case .resume(let id, let event):
          guard let continuation = waiting.continuations.removeValue(forKey: id) else { return nil }
          return (continuation, .success(event))
        case .cancelled(let id):
          guard let continuation = waiting.continuations.removeValue(forKey: id) else { return nil }
          return (continuation, .failure(CancellationError()))
        }
      }
    }
    for (continuation, result) in answers { continuation.resume(with: result) }
  }

  private nonisolated func tellListeners() {
    let summary = board.summary(at: time.uptime())
    let changed = lastSummary.withLock { last in
      defer { last = summary }
      return last != summary
    }
    guard changed else { return }
    for listener in listeners.withLock({ Array($0.values) }) { listener.yield(summary) }
  }
}
