internal import Linux
internal import PCSC
internal import Synchronization

/// What the reader threads share: the slots, the tags on them, and how the threads are. Guarded by one lock that is never
/// held across a call into pcscd.
final class ReaderBoard: Sendable {
  /// What one look at a slot brought.
  struct News: Equatable {
    var began: Readings.Job?
    var lifted = false
    var tooShort: [UnreadableTag] = []
  }

  fileprivate struct State {
    var slots: [String: Slot] = [:]
    var presences: [String: UInt64] = [:]
    /// Since when a tag is on the slot without a break.
    var tagSince: [String: Duration] = [:]
    var nextPresence: UInt64 = 1
    var sightings = Sightings()
    var readings = Readings()
    var absences = Absences()
    /// Tag slots in pcscd's order.
    var names: [String] = []
    /// Whether pcscd has said since it is there which readers it has.
    var isListed = false
    /// nil before the first answer.
    var connected: Bool?
    var refusals = Refusals()
    var seenReader: String?
    var counters = ReaderCounters()
    var monitorBeat: Duration
    /// When the monitor last looked at all slots; nil: not since pcscd is there.
    var lookedAt: Duration?
    var condition = ReaderSummary.Condition.starting
    var since: Duration
    var stopping = false
  }

  private let state: Mutex<State>
  private let settings: ReaderSettings

  init(settings: ReaderSettings, now: Duration) {
    self.settings = settings
    state = Mutex(State(monitorBeat: now, since: now))
  }

  // MARK: The monitor's side

  func beat(at now: Duration) { state.withLock { $0.monitorBeat = now } }

  /// pcscd is there again; everything that was known of slots is void.
  func connected() {
    state.withLock { state in
      state.connected = true
      state.isListed = false
      state.lookedAt = nil
      state.refusals = Refusals()
      state.slots = [:]
      state.presences = [:]
      state.tagSince = [:]
    }
  }

  /// pcscd is away. The time without it does not count against the readers.
  func disconnected(refused: Bool, at now: Duration) {
    state.withLock { state in
      if state.connected == true { state.counters.reconnects += 1 }
      state.connected = false
      state.lookedAt = nil
      state.refusals.count(refused, at: now)
      for reader in state.slots.keys { state.sightings.lifted(from: reader, at: now) }
      state.slots = [:]
      state.presences = [:]
      state.tagSince = [:]
      state.absences.pause(at: now)
    }
  }

  /// The tag slots among `names`, which is all that pcscd lists; as many as one wait can watch. A slot that is gone is
  /// forgotten, and a tag on it counts as lifted.
  func list(_ names: [String], at now: Duration) -> (slots: [String], lifted: [String]) {
    let tagSlots = Array(names.filter(settings.isTagSlot).prefix(PCSCLibrary.watchLimit - 1))
    let lifted = state.withLock { state in
      state.names = tagSlots
      state.isListed = true
      let gone = state.slots.keys.filter { !tagSlots.contains($0) }
      for reader in gone {
        state.slots[reader] = nil
        state.presences[reader] = nil
        state.tagSince[reader] = nil
        state.sightings.lifted(from: reader, at: now)
      }
      return gone
    }
    return (tagSlots, lifted)
  }

  /// Takes one look at a slot.
  func observe(_ reader: String, _ event: UInt, at now: Duration) -> News {
    state.withLock { state in
      var slot = state.slots[reader] ?? Slot()
      let actions = slot.observe(event, at: now)
      state.slots[reader] = slot
      if actions != [] || !slot.isPresent { state.tagSince[reader] = nil }
      if slot.isPresent, state.tagSince[reader] == nil { state.tagSince[reader] = now }
      var news = News()
      for action in actions {
        switch action {
        case .tapBegan:
          let job = Readings.Job(
            reader: reader, presence: state.newPresence(), presentAt: now, counter: slot.counter)
          state.presences[reader] = job.presence
          state.readings.add(job, at: now)
          news.began = job
        case .lifted:
          state.presences[reader] = nil
          state.sightings.lifted(from: reader, at: now)
          news.lifted = true
        case .tooShort(let count):
          for _ in 0..<count {
            news.tooShort.append(
              UnreadableTag(
                reason: .tooShort, reader: reader, tries: 0, presentAt: now, gaveUpAt: now,
                presence: state.newPresence(), lastLift: state.sightings.lastLift(from: reader)))
            state.counters.unreadable += 1
            state.counters.tooShort += 1
          }
        }
      }
      return news
    }
  }

  /// Brings the count of missing readers up to date, once all slots were looked at.
  ///
  /// What nobody looked at for longer than a wait ever takes is held against no reader: the machine slept.
  func looked(at now: Duration) {
    state.withLock { state in
      if let last = state.lookedAt, now - last > ReaderFault.sleep {
        state.absences.forgive(now - last)
        state.readings.forgive(now - last)
      }
      state.lookedAt = now
      let available = state.names.filter { state.slots[$0]?.condition == .ready }
      state.absences.update(available: available.map(ReaderSummary.displayName), at: now)
    }
  }

  /// Taps whose reading has passed its deadline since the last time.
  func overdue(at now: Duration) -> [UnreadableTag] {
    state.withLock { state in
      state.readings.overdue(at: now).map { job in
        state.counters.unreadable += 1
        return UnreadableTag(
          reason: .timedOut, reader: job.reader, tries: 1, presentAt: job.presentAt, gaveUpAt: now,
          presence: job.presence, lastLift: state.sightings.lastLift(from: job.reader))
      }
    }
  }

  // MARK: The decode threads' side

  func isPresent(_ job: Readings.Job) -> Bool {
    state.withLock { $0.presences[job.reader] == job.presence && !$0.stopping }
  }

  func callBegins(_ job: Readings.Job, at now: Duration) { state.withLock { $0.readings.callBegins(job, at: now) } }
  func callEnded(_ job: Readings.Job) { state.withLock { $0.readings.callEnded(job) } }
  func close(_ job: Readings.Job) { state.withLock { $0.readings.close(job) } }

  /// The tap was read: when the tag was last seen before, and which failure this answers.
  func wasRead(_ uid: [UInt8], _ job: Readings.Job, at now: Duration) -> (lastSeen: Duration?, resolves: UInt64?) {
    state.withLock { state in
      let before = state.sightings.read(uid, on: job.reader, presence: job.presence, presentAt: job.presentAt)
      // It may have left while it was being read.
      if state.presences[job.reader] != job.presence { state.sightings.lifted(from: job.reader, at: now) }
      return (before, state.readings.resolves(job))
    }
  }

  /// When a tag that was read last left the reader; uptime.
  func lastLift(from reader: String) -> Duration? { state.withLock { $0.sightings.lastLift(from: reader) } }

  /// Counts a failure; false when this tap's was told already.
  func reportUnreadable(_ job: Readings.Job) -> Bool {
    state.withLock { state in
      let isNews = state.readings.reportUnreadable(job)
      if isNews { state.counters.unreadable += 1 }
      return isNews
    }
  }

  // MARK: Everybody's side

  func stop() { state.withLock { $0.stopping = true } }
  var isStopping: Bool { state.withLock { $0.stopping } }

  /// When the monitor last showed that it lives.
  var monitorBeat: Duration { state.withLock { $0.monitorBeat } }

  /// The readers, all together.
  func summary(at now: Duration) -> ReaderSummary {
    state.withLock { state in
      let readers = state.names.compactMap { name in
        state.slots[name].map {
          ReaderSummary.Reader(name: name, isAvailable: $0.condition == .ready, tagLying: $0.isLying)
        }
      }
      let ready = readers.first { $0.isAvailable }?.name
      let condition: ReaderSummary.Condition =
        switch state.connected {
        case nil: .starting
        case false?: .noService
        case true? where ready != nil: .ready
        case true? where state.isListed && state.names.isEmpty: .absent
        // Not yet listed, or listed and not yet looked at.
        case true?: readers.isEmpty ? .starting : .unavailable
        }
      if condition == .ready { state.seenReader = ready }
      if condition != state.condition {
        state.condition = condition
        state.since = now
      }
      return ReaderSummary(
        condition: condition,
        name: (ready ?? state.names.first ?? state.seenReader).map(ReaderSummary.displayName),
        refused: condition == .noService && state.refusals.isCertain, tagLying: readers.contains { $0.tagLying },
        readers: condition == .noService ? [] : readers, fault: state.fault(settings, at: now),
        counters: state.counters, tagSince: state.names.compactMap { state.tagSince[$0] }.min(), since: state.since)
    }
  }

  func fault(at now: Duration) -> ReaderFault? { state.withLock { $0.fault(settings, at: now) } }

  /// A decode thread with nothing to do lives as long as the process does.
  func beats(at now: Duration) -> [String: Duration] {
    state.withLock { ["reader monitor": $0.monitorBeat, "tag decoder": $0.readings.oldestCall ?? now] }
  }
}

extension ReaderBoard.State {
  fileprivate mutating func newPresence() -> UInt64 {
    defer { nextPresence += 1 }
    counters.taps += 1
    return nextPresence
  }

  /// DESIGN 5.1; a call that does not come back is worse than a reader that is away. Both are judged by the last look: what
  /// came after it may be the machine's sleep.
  fileprivate func fault(_ settings: ReaderSettings, at now: Duration) -> ReaderFault? {
    let seen = lookedAt ?? now
    if let reader = readings.lateReader(at: seen) { return .hung(ReaderSummary.displayName(reader)) }
    if now - monitorBeat > ReaderFault.waitDeadline { return .hung("pcscd") }
    return absences.gone(for: settings.failAfter, at: seen).map { .gone($0) }
  }
}

/// Tells a refusal that lasts from the one that pcscd gives while it dies. Pure.
struct Refusals: Equatable {
  private var inARow = 0
  private var first: Duration?
  private var last: Duration?

  mutating func count(_ refused: Bool, at now: Duration) {
    guard refused else {
      self = Refusals()
      return
    }
    inARow += 1
    first = first ?? now
    last = now
  }

  /// Three refusals over at least 3 s.
  var isCertain: Bool {
    guard inARow >= 3, let first, let last else { return false }
    return last - first >= .seconds(3)
  }
}
