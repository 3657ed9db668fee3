internal import Dispatch
internal import Linux
internal import PCSC
internal import Synchronization

/// Time for threads that block: tests give one that only pretends to.
package struct ThreadTime: Sendable {
  package var uptime: @Sendable () -> Duration
  package var pause: @Sendable (Duration) -> Void

  package init(uptime: @escaping @Sendable () -> Duration, pause: @escaping @Sendable (Duration) -> Void) {
    self.uptime = uptime
    self.pause = pause
  }

  package static let system = ThreadTime(
    uptime: { SystemTime().uptime() },
    pause: { duration in
      let idle = DispatchSemaphore(value: 0)
      _ = idle.wait(timeout: .now() + .nanoseconds(Int(duration.inSeconds * 1e9)))
    })
}

/// The monitor thread: one context that watches all slots and the coming and going of readers.
struct Monitor: Sendable {
  let library: PCSCLibrary
  let board: ReaderBoard
  let time: ThreadTime
  let log: Log
  let work: @Sendable (ReaderBoard.Job) -> Void
  let event: @Sendable (TagEvent) -> Void
  let changed: @Sendable () -> Void

  /// The longest wait: a cancel that comes just before one is lost, so a wait must be short.
  static let slice = 1000

  /// Watches until the board says stop; a pcscd that is away is asked again after 50 ms to 2 s.
  func run() {
    var backOff = Duration.milliseconds(50)
    while !board.isStopping {
      board.beat(at: time.uptime())
      do throws(PCSCError) {
        let context = try library.establish()
        defer { library.release(context) }
        board.connected()
        backOff = .milliseconds(50)
        try watch(context)
      } catch {
        board.disconnected(refused: error.code == .refused, at: time.uptime())
        changed()
        time.pause(backOff)
        backOff = min(backOff * 2, .seconds(2))
      }
    }
  }

  private func watch(_ context: PCSCLibrary.Context) throws(PCSCError) {
    var known: [String: ReaderStatus] = [:]
    var fruitless = 0
    while !board.isStopping {
      let now = time.uptime()
      board.beat(at: now)
      // pcscd before 2.3 notices only what happens during a wait: what is listed is looked at every time.
      let names = board.list(try library.listReaders(context), at: now)
      changed()
      let asked = (names + [ReaderStatus.hotplug]).map { known[$0] ?? ReaderStatus(name: $0) }
      let states: [ReaderStatus]
      do throws(PCSCError) {
        states = try library.statusChange(context, Self.slice, asked)
      } catch  where error.code == .timeout {
        fruitless = 0
        continue
      } catch  where error.code == .unknownReader || error.code == .readerUnavailable {
        known = [:]
        fruitless = guardAgainstSpinning(fruitless + 1)
        continue
      }
      let seen = time.uptime()
      var isFruitless = true
      for (before, state) in zip(asked, states) {
        if state.carriedBack != before { isFruitless = false }
        known[state.name] = state.carriedBack
        guard state.name != ReaderStatus.hotplug else { continue }
        let (jobs, tooShort) = board.observe(state.name, state.event, at: seen)
        for job in jobs { work(job) }
        for tag in tooShort { event(.unreadable(tag)) }
      }
      known = known.filter { names.contains($0.key) || $0.key == ReaderStatus.hotplug }
      fruitless = isFruitless ? guardAgainstSpinning(fruitless + 1) : 0
    }
  }

  /// A wait that returns at once without news would be asked thousands of times a second.
  private func guardAgainstSpinning(_ fruitless: Int) -> Int {
    guard fruitless >= 10 else { return fruitless }
    log.warning("pcscd reports changes that are none: waiting a little")
    time.pause(.milliseconds(250))
    return 0
  }
}

/// The decode thread: a context of its own, one tap after the other.
final class DecodeThread: Sendable {
  private let library: PCSCLibrary
  private let board: ReaderBoard
  private let settings: ReaderSettings
  private let time: ThreadTime
  private let event: @Sendable (TagEvent) -> Void
  private let jobs = Mutex<[ReaderBoard.Job]>([])
  private let wake = DispatchSemaphore(value: 0)

  /// After an unreadable tap the tag is tried again so often, once a second, while it stays.
  private static let secondChances = 10

  init(
    library: PCSCLibrary, board: ReaderBoard, settings: ReaderSettings, time: ThreadTime,
    event: @escaping @Sendable (TagEvent) -> Void
  ) {
    self.library = library
    self.board = board
    self.settings = settings
    self.time = time
    self.event = event
  }

  func add(_ job: ReaderBoard.Job) {
    jobs.withLock { $0.append(job) }
    wake.signal()
  }

  func stop() { wake.signal() }

  /// Reads until the board says stop.
  func run() {
    var context: PCSCLibrary.Context?
    defer { if let context { library.release(context) } }
    while true {
      wake.wait()
      if board.isStopping { return }
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
      decode(job, in: &context)
    }
  }

  private func decode(_ job: ReaderBoard.Job, in context: inout PCSCLibrary.Context?) {
    var tries = 0
    for chance in 0...Self.secondChances {
      if chance > 0 {
        guard waitForSecondChance(job) else { return }
      }
      let outcome = attempt(job, in: &context, tries: chance == 0 ? settings.decodeAttempts : 1)
      let now = time.uptime()
      switch outcome {
      case .uid(let uid, let count):
        let lastSeen = board.lastSeen(uid, job)
        event(
          .read(
            TagRead(
              uid: uid, reader: job.reader, tries: tries + count, presentAt: job.presentAt, readAt: now,
              presence: job.presence, lastSeen: lastSeen, resolvesUnreadable: chance > 0)))
        return
      case .failed(let reason, let count):
        tries += count
        if chance == 0 { report(reason, job, tries: tries, at: now) }
      case .serviceLost(let count):
        tries += count
        if chance == 0 { report(.serviceLost, job, tries: tries, at: now) }
        return
      }
    }
  }

  private func report(_ reason: UnreadableReason, _ job: ReaderBoard.Job, tries: Int, at now: Duration) {
    board.countUnreadable()
    event(
      .unreadable(
        UnreadableTag(
          reason: reason, reader: job.reader, tries: tries, presentAt: job.presentAt, gaveUpAt: now,
          presence: job.presence)))
  }

  /// One second in small steps, so that the next tap is not kept waiting by one that is over.
  private func waitForSecondChance(_ job: ReaderBoard.Job) -> Bool {
    for _ in 0..<20 {
      guard board.isPresent(job), jobs.withLock({ $0.isEmpty }) else { return false }
      time.pause(.milliseconds(50))
    }
    return board.isPresent(job)
  }

  private func attempt(_ job: ReaderBoard.Job, in context: inout PCSCLibrary.Context?, tries: Int) -> Decoder.Outcome {
    board.decodeBegins(job.reader, at: time.uptime())
    defer { board.decodeEnded() }
    let decoder = Decoder(
      library: library, attempts: tries,
      pause: { [time, board] duration in
        // Waiting is no call: it does not count against the call's deadline.
        time.pause(duration)
        board.decodeBegins(job.reader, at: time.uptime())
      }, isPresent: { [board] in board.isPresent(job) })
    // A context that died while nothing was tapped shows only now: one new one, then the service counts as lost.
    for _ in 0..<2 {
      if context == nil { context = try? library.establish() }
      guard let open = context else { return .serviceLost(tries: 0) }
      let outcome = decoder.decode(job.reader, in: open)
      guard case .serviceLost = outcome else { return outcome }
      library.release(open)
      context = nil
    }
    return .serviceLost(tries: 0)
  }
}
