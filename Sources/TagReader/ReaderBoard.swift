internal import Linux
internal import PCSC
internal import Synchronization

/// What the two reader threads share: the slots, the tags on them, and how both threads are. Guarded by one lock that is
/// never held across a call into pcscd.
final class ReaderBoard: Sendable {
  /// A tap to be read.
  struct Job: Equatable {
    let reader: String
    let presence: UInt64
    let presentAt: Duration
  }

  private struct State {
    var slots: [String: Slot] = [:]
    var presences: [String: UInt64] = [:]
    var nextPresence: UInt64 = 1
    var sightings = Sightings()
    var names: [String] = []
    var connected: Bool?
    var refused = false
    var seenReader: String?
    var counters = ReaderCounters()
    var absentSince: Duration?
    var monitorBeat: Duration
    var decodeBusySince: Duration?
    var decodeReader = ""
    var stopping = false
  }

  private let state: Mutex<State>
  private let settings: ReaderSettings

  init(settings: ReaderSettings, now: Duration) {
    self.settings = settings
    state = Mutex(State(monitorBeat: now))
  }

  // MARK: The monitor's side

  func beat(at now: Duration) { state.withLock { $0.monitorBeat = now } }

  /// pcscd is there again; everything that was known of slots is void.
  func connected() {
    state.withLock { state in
      state.connected = true
      state.refused = false
      state.slots = [:]
      state.presences = [:]
    }
  }

  /// pcscd is away. The time without it does not count against the reader.
  func disconnected(refused: Bool, at now: Duration) {
    state.withLock { state in
      if state.connected == true { state.counters.reconnects += 1 }
      state.connected = false
      state.refused = refused
      for reader in state.slots.keys { state.sightings.lifted(from: reader, at: now) }
      state.slots = [:]
      state.presences = [:]
      state.absentSince = nil
    }
  }

  /// The tag slots among `names`, which is all that pcscd lists.
  func list(_ names: [String], at now: Duration) -> [String] {
    let tagSlots = names.filter(settings.isTagSlot)
    state.withLock { state in
      state.names = tagSlots
      for gone in state.slots.keys where !tagSlots.contains(gone) {
        state.slots[gone] = nil
        state.presences[gone] = nil
        state.sightings.lifted(from: gone, at: now)
      }
    }
    return tagSlots
  }

  /// Takes one look at a slot; returns the taps to be read and those that were too short.
  func observe(_ reader: String, _ event: UInt, at now: Duration) -> (jobs: [Job], tooShort: [UnreadableTag]) {
    state.withLock { state in
      var slot = state.slots[reader] ?? Slot()
      let actions = slot.observe(event)
      state.slots[reader] = slot
      var jobs: [Job] = []
      var tooShort: [UnreadableTag] = []
      for action in actions {
        switch action {
        case .tapBegan:
          state.presences[reader] = state.nextPresence
          jobs.append(Job(reader: reader, presence: state.nextPresence, presentAt: now))
          state.nextPresence += 1
          state.counters.taps += 1
        case .lifted:
          state.presences[reader] = nil
          state.sightings.lifted(from: reader, at: now)
        case .tooShort:
          tooShort.append(
            UnreadableTag(
              reason: .tooShort, reader: reader, tries: 0, presentAt: now, gaveUpAt: now, presence: state.nextPresence))
          state.nextPresence += 1
          state.counters.taps += 1
          state.counters.tooShort += 1
        }
      }
      return (jobs, tooShort)
    }
  }

  // MARK: The decode thread's side

  func isPresent(_ job: Job) -> Bool {
    state.withLock { $0.presences[job.reader] == job.presence && !$0.stopping }
  }

  func decodeBegins(_ reader: String, at now: Duration) {
    state.withLock { state in
      state.decodeBusySince = now
      state.decodeReader = reader
    }
  }

  func decodeEnded() { state.withLock { $0.decodeBusySince = nil } }

  func lastSeen(_ uid: [UInt8], _ job: Job) -> Duration? {
    state.withLock { state in
      let before = state.sightings.read(uid, on: job.reader, presence: job.presence, presentAt: job.presentAt)
      // It may have left while it was being read.
      if state.presences[job.reader] != job.presence { state.sightings.lifted(from: job.reader, at: job.presentAt) }
      return before
    }
  }

  func countUnreadable() { state.withLock { $0.counters.unreadable += 1 } }

  // MARK: Everybody's side

  func stop() { state.withLock { $0.stopping = true } }
  var isStopping: Bool { state.withLock { $0.stopping } }

  /// The readers, all together.
  func summary(at now: Duration) -> ReaderSummary {
    state.withLock { state in
      let ready = state.names.first { state.slots[$0]?.condition == .ready }
      let listed = state.names.first
      let condition: ReaderSummary.Condition =
        switch state.connected {
        case nil: .starting
        case false?: .noService
        case true?:
          if ready != nil {
            .ready
          } else if listed != nil {
            state.slots.isEmpty ? .starting : .unavailable
          } else {
            .absent
          }
        }
      if condition == .ready { state.seenReader = ready }
      if condition == .ready || condition == .noService || condition == .starting {
        state.absentSince = nil
      } else if state.absentSince == nil {
        state.absentSince = now
      }
      return ReaderSummary(
        condition: condition, name: (ready ?? listed ?? state.seenReader).map(ReaderSummary.displayName),
        refused: state.refused, tagLying: state.slots.values.contains { $0.isLying }, counters: state.counters)
    }
  }

  /// A fault that only a restart mends; see DESIGN 5.1.
  func fault(at now: Duration) -> ReaderFault? {
    state.withLock { state in
      if let since = state.decodeBusySince, now - since > ReaderFault.callDeadline {
        return .hung(ReaderSummary.displayName(state.decodeReader))
      }
      if now - state.monitorBeat > ReaderFault.waitDeadline { return .hung("pcscd") }
      if let since = state.absentSince, let name = state.seenReader, now - since >= settings.failAfter {
        return .gone(ReaderSummary.displayName(name))
      }
      return nil
    }
  }

  func beats(at now: Duration) -> [String: Duration] {
    state.withLock { ["reader monitor": $0.monitorBeat, "tag decoder": $0.decodeBusySince ?? now] }
  }
}

/// What happened since the agent started.
package struct ReaderCounters: Equatable, Sendable {
  package var taps = 0
  package var unreadable = 0
  package var tooShort = 0
  /// How often pcscd went away.
  package var reconnects = 0
}

/// How the readers are, all together.
package struct ReaderSummary: Equatable, Sendable {
  package enum Condition: String, Sendable {
    case starting, ready, absent, unavailable, noService
  }

  package var condition: Condition
  package var name: String?
  /// pcscd runs and refuses this user.
  package var refused: Bool
  /// A tag lies on a reader without having been tapped.
  package var tagLying: Bool
  package var counters: ReaderCounters

  /// The name without pcscd's numbers of reader and slot (`… 00 00`), which change when it is plugged elsewhere.
  static func displayName(_ name: String) -> String {
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    let isNumber = { (word: Substring) in word.count == 2 && word.allSatisfy(\.isHexDigit) }
    guard words.count > 2, isNumber(words[words.count - 1]), isNumber(words[words.count - 2]) else { return name }
    return words.dropLast(2).joined(separator: " ")
  }
}

/// A fault that only a restart of the agent (and perhaps of pcscd) mends.
package enum ReaderFault: Equatable, Sendable {
  /// A reader that was there is away for `failAfter`.
  case gone(String)
  /// A call did not come back.
  case hung(String)

  /// A read may take so long.
  static let callDeadline: Duration = .seconds(5)
  /// A wait of 1 s may take so long: 10 s over its time.
  static let waitDeadline: Duration = .seconds(11)
}
