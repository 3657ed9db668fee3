internal import Linux
internal import PCSC
internal import Synchronization

/// The monitor thread: one context that watches all slots and the coming and going of readers.
final class Monitor: Sendable {
  /// What it tells; called on its thread.
  struct Listener: Sendable {
    var began: @Sendable (Readings.Job) -> Void
    /// Whatever lay on that reader has left.
    var lifted: @Sendable (String) -> Void
    /// A tag slot is there to be read.
    var slotSeen: @Sendable (String) -> Void
    var unreadable: @Sendable (UnreadableTag) -> Void
    /// How the readers are may have changed.
    var changed: @Sendable () -> Void
  }

  /// The longest wait, in milliseconds: a cancel that comes just before one is lost, so a wait must be short.
  static let slice = 1000
  /// A monitor that shows no life for so long waits for longer than its slice, or its pause.
  static let overdue: Duration = .seconds(3)
  /// The pauses before pcscd is asked again; each is twice the one before.
  static let firstBackOff: Duration = .milliseconds(50)
  static let longestBackOff: Duration = .seconds(2)
  /// So many waits that return at once without news, within a second, are spinning.
  static let mostFruitless = 50
  static let spinPause: Duration = .milliseconds(250)

  private let library: PCSCLibrary
  private let board: ReaderBoard
  private let time: any TimeSource
  private let log: Log
  private let listener: Listener
  private let bell: Bell
  private let open = Mutex<PCSCLibrary.Context?>(nil)
  /// The beat of the wait that is being cancelled; nil: none is.
  private let overdueBeat = Mutex<Duration?>(nil)

  init(library: PCSCLibrary, board: ReaderBoard, time: any TimeSource, log: Log, listener: Listener) {
    self.library = library
    self.board = board
    self.time = time
    self.log = log
    self.listener = listener
    bell = Bell(time: time)
  }

  /// Ends it after the board was told. The cancel is a courtesy: when it is lost, the slice ends by itself. Blocks for as
  /// long as pcscd is frozen.
  func stop() {
    bell.ring()
    cancelWait()
  }

  /// Not under the lock, which the monitor's thread needs to go on; a context that has been released is refused.
  private func cancelWait() {
    if let context = open.withLock({ $0 }) { library.cancel(context) }
  }

  /// Ends a wait that has outlasted its slice.
  ///
  /// libpcsclite counts what is left of a wait with the wall clock: one that is set back by an hour makes the slice last an
  /// hour, which would look like a pcscd that hangs. Asked in vain when pcscd is frozen: the cancel then blocks, so it has a
  /// thread of its own, and there is one at a time.
  /// - Parameter start: runs its body on a new thread.
  func endOverdueWait(at now: Duration, on start: (@escaping @Sendable () -> Void) -> Void) {
    let beat = board.monitorBeat
    guard now - beat > Self.overdue else { return }
    let isFirst = overdueBeat.withLock { overdue in
      defer { overdue = overdue ?? beat }
      return overdue == nil
    }
    guard isFirst else { return }
    start { [self] in
      log.notice("a wait for pcscd has outlasted its slice: it is ended")
      cancelWait()
      overdueBeat.withLock { $0 = nil }
    }
  }

  /// Watches until the board says stop.
  func run() {
    var backOff = Self.firstBackOff
    var said: PCSCError?
    while !board.isStopping {
      board.beat(at: time.uptime())
      do throws(PCSCError) {
        let context = try library.establish()
        open.withLock { $0 = context }
        defer {
          open.withLock { $0 = nil }
          library.release(context)
        }
        board.connected()
        try watch(context) {
          if said != nil { log.notice("pcscd answers again") }
          said = nil
          backOff = Self.firstBackOff
        }
      } catch {
        board.disconnected(refused: error.code == .refused, at: time.uptime())
        listener.changed()
        if said?.code != error.code { log.warning("no readers: \(error)") }
        said = error
        pause(backOff)
        backOff = min(backOff * 2, Self.longestBackOff)
      }
    }
  }

  /// - Parameter answered: called after each wait that pcscd answered.
  private func watch(_ context: PCSCLibrary.Context, answered: () -> Void) throws(PCSCError) {
    var known: [String: ReaderStatus] = [:]
    var spin = SpinGuard()
    var listed: [String] = []
    while !board.isStopping {
      let now = time.uptime()
      board.beat(at: now)
      // pcscd before 2.3 notices only what happens during a wait: what is listed is looked at every time.
      let (names, gone) = board.list(try library.listReaders(context), at: now)
      for reader in gone { listener.lifted(reader) }
      for reader in names where !listed.contains(reader) { listener.slotSeen(reader) }
      known = known.filter { names.contains($0.key) || $0.key == ReaderStatus.hotplug }
      var isNews = names != listed
      listed = names
      board.looked(at: now)
      for tag in board.overdue(at: now) { listener.unreadable(tag) }
      listener.changed()

      board.beat(at: time.uptime())
      let asked = (names + [ReaderStatus.hotplug]).map { known[$0] ?? ReaderStatus(name: $0) }
      do throws(PCSCError) {
        let states = try library.statusChange(context, Self.slice, asked)
        let seen = time.uptime()
        for state in states {
          if state.name != ReaderStatus.hotplug { isNews = look(state, at: seen) || isNews }
          known[state.name] = state.carriedBack
        }
        // A wait that took its time marks nothing as changed.
        isNews = isNews || !states.contains { $0.event & ReaderStatus.changed != 0 }
        answered()
      } catch  where error.code == .unknownReader || error.code == .cancelled {
        known = [:]
      }
      if spin.turned(isNews: isNews, at: time.uptime()) {
        log.warning("pcscd reports changes that are none: waiting a little")
        pause(Self.spinPause)
      }
    }
  }

  /// Whether anything happened on the slot.
  private func look(_ state: ReaderStatus, at seen: Duration) -> Bool {
    let news = board.observe(state.name, state.event, at: seen)
    // In the order in which they happened: a failure that came after the read would take its thank-you from the wall.
    for tag in news.tooShort { listener.unreadable(tag) }
    if let job = news.began {
      listener.began(job)
    } else if news.lifted {
      listener.lifted(state.name)
    }
    return news != ReaderBoard.News()
  }

  private func pause(_ duration: Duration) {
    let end = time.uptime() + duration
    while !board.isStopping, time.uptime() < end { bell.wait(until: end) }
  }
}

/// Counts waits that return at once without news: pcscd can be brought to thousands a second. Pure.
struct SpinGuard {
  private var fruitless = 0
  private var since: Duration = .zero

  /// Whether to pause now.
  mutating func turned(isNews: Bool, at now: Duration) -> Bool {
    if isNews || now - since >= .seconds(1) {
      fruitless = 0
      since = now
    }
    fruitless += 1
    guard fruitless > Monitor.mostFruitless else { return false }
    fruitless = 0
    return true
  }
}
