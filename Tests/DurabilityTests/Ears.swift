import Agent
import Foundation
import Linux
import Reminders
import Sound
import Synchronization
import Wall

/// What a wall told and what was heard of it, across its restarts; and what its kernel says of the clock.
final class Ears: Sendable {
  /// The answer that is on the wall.
  struct Shown {
    var kind: String
    var until: Date

    /// Whether this is another answer than the one before: of another kind, or one that lasts longer. The text has whole
    /// seconds and is worked out anew at every look.
    func isNew(after before: Shown?) -> Bool {
      before.map { $0.kind != kind || until.timeIntervalSince($0.until) >= 2 } ?? true
    }
  }

  private struct Told {
    var snapshot: Snapshot?
    var facts = ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true)
    var memory: ClockTrust.Memory?
    var sounds: [PlayEvent] = []
    var exit: Int32?
    var lines: [String] = []
  }

  private let told = Mutex(Told())

  func show(_ snapshot: Snapshot) { told.withLock { $0.snapshot = snapshot } }
  func hear(_ event: PlayEvent) { told.withLock { $0.sounds.append(event) } }
  func end(_ code: Int32) { told.withLock { $0.exit = code } }

  /// Keeps the last lines of the log.
  var log: Log {
    Log { [self] _, line in told.withLock { $0.lines = $0.lines.suffix(9) + [line] } }
  }
  var lines: [String] { told.withLock { $0.lines } }

  /// What the run of this boot knew last of its clock.
  var memory: ClockTrust.Memory? {
    get { told.withLock { $0.memory } }
    set { told.withLock { $0.memory = newValue } }
  }

  var facts: ClockFacts { told.withLock { $0.facts } }
  func turnClock(_ synchronised: Bool?) { told.withLock { $0.facts.synchronised = synchronised } }

  var snapshot: Snapshot? { told.withLock { $0.snapshot } }
  var shown: Shown? {
    snapshot?.overlay.flatMap { overlay in
      (try? Date(overlay.until, strategy: .iso8601)).map { Shown(kind: overlay.kind, until: $0) }
    }
  }

  func forgetSounds() { told.withLock { $0.sounds = [] } }

  /// Results that were heard to their end since then.
  var heard: [Sound.Chime] {
    sounds.compactMap { if case .finished(let chime) = $0 { chime } else { nil } }
  }

  var sounds: [PlayEvent] { told.withLock { $0.sounds } }

  /// How many results have come to an end since then, heard or not.
  var endings: Int {
    sounds.count { if case .started = $0 { false } else { true } }
  }

  var hasExit: Bool { told.withLock { $0.exit != nil } }

  /// The exit code of a run that has ended by itself since the last call.
  func takeExit() -> Int32? {
    told.withLock { told in
      defer { told.exit = nil }
      return told.exit
    }
  }
}
