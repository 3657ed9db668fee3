import Foundation
import Linux
import Reminders
import Synchronization
import TestSupport
import Wall

@testable import Agent
@testable import Ledger

/// A kiosk over the real ledger in memory, with everything else in the test's hand: the clocks, what the kernel says about
/// them, the reader's reports, the speaker, and what is published.
///
/// It is 10 November 2026, 08:00 in Los Angeles. Ann's dose is due now, Bob's at 20:00.
final class KioskBench: Sendable {
  static let ann: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]
  static let bob: [UInt8] = [0x04, 0xB0, 0xB0, 0xB0, 0xB0, 0xB0, 0xB0]
  static let stranger: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
  static let start = Date(timeIntervalSince1970: 1_794_326_400)
  static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

  /// Plays nothing and remembers what it was to play, and when.
  final class Recorder: Speaker {
    private let played = Mutex<[Chime]>([])

    private let then = Mutex<(@Sendable () -> Void)?>(nil)

    func play(_ chime: Chime) {
      then.withLock { $0 }?()
      played.withLock { $0.append(chime) }
    }

    /// Does something at the moment of the answer.
    func whenPlayed(_ body: @escaping @Sendable () -> Void) { then.withLock { $0 = body } }

    func reports() -> AsyncStream<SpeakerReport> { AsyncStream { $0.finish() } }
    func checkMixer() async {}
    func heartbeats() -> [String: Duration] { [:] }

    var chimes: [Chime] { played.withLock { $0 } }
  }

  private struct Told {
    var snapshots: [Snapshot] = []
    var healths: [WallEndpoints.Health] = []
    var facts: ClockFacts
    var clock: ClockTrust.Memory?
  }

  let time: ManualTime
  let ledger: Ledger
  let speaker = Recorder()
  let kiosk: Kiosk
  private let told: BoxedState
  private let presences = Atomic<UInt64>(0)

  private final class BoxedState: Sendable {
    let state: Mutex<Told>
    init(_ facts: ClockFacts) { state = Mutex(Told(facts: facts)) }
  }

  static let goodClock = ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true)
  /// Freshly booted, no battery, a time service that has no answer yet.
  static let noClock = ClockFacts(synchronised: false, hasHardwareClock: false, timeServiceRuns: true)

  /// - Parameters:
  ///   - directory: of a ledger on disk; nil: in memory.
  ///   - busyTimeout: how long its ledger waits for a lock, in ms of the machine's time.
  ///   - clock: what an earlier run of this boot knew.
  init(
    now: Date = start, facts: ClockFacts = goodClock, directory: String? = nil, busyTimeout: Int32 = 0,
    clock: ClockTrust.Memory? = nil,
    boot: String = "boot"
  ) async throws {
    time = ManualTime(now: now)
    ledger = directory.map { Ledger(directory: $0, log: .none, busyTimeout: busyTimeout) } ?? Ledger(inMemory: .none)
    let told = BoxedState(facts)
    self.told = told
    func daily(_ hour: Int) -> [DoseTime] { [DoseTime(at: LocalTime(hour: hour, minute: 0))] }
    let household = RegistryUpdate(
      people: [Person(id: "ann", name: "Ann"), Person(id: "bob", name: "Bob")],
      medications: [
        Medication(id: "levo", person: "ann", name: "Levo", times: daily(8)),
        Medication(id: "drops", person: "bob", name: "Drops", times: daily(20)),
      ],
      tags: [
        Tag(uid: TagUID(Self.ann), label: nil, medications: ["levo"]),
        Tag(uid: TagUID(Self.bob), label: nil, medications: ["drops"]),
      ])
    _ = try await ledger.importHousehold(household, at: Self.start - 90 * 86_400) { _ in [] }
    kiosk = Kiosk(
      Kiosk.Parts(
        ledger: ledger, time: time, log: .none, speaker: speaker, agent: "t", run: "r", boot: boot,
        zone: { Self.zone }, keepZone: { _ in }, keepClock: { memory in told.state.withLock { $0.clock = memory } },
        language: "en", clockFacts: { told.state.withLock { $0.facts } },
        publish: { snapshot in told.state.withLock { $0.snapshots.append(snapshot) } },
        report: { health, _ in told.state.withLock { $0.healths.append(health) } }, configurationFellBack: false),
      clock: clock)
    await kiosk.note(ReaderReport(state: .ready, name: "ACR122U", since: time.uptime()))
    await kiosk.refresh()
  }

  func setClock(_ facts: ClockFacts) { told.state.withLock { $0.facts = facts } }

  /// What the next run of this boot would know of the clock.
  var keptClock: ClockTrust.Memory? { told.state.withLock { $0.clock } }
  var snapshot: Snapshot? { told.state.withLock { $0.snapshots.last } }
  var snapshots: [Snapshot] { told.state.withLock { $0.snapshots } }
  var health: WallEndpoints.Health? { told.state.withLock { $0.healths.last } }
  var overlay: String? { snapshot?.overlay?.kind }
  var banners: [String] { snapshot?.banners.map(\.id) ?? [] }
  func forgetSnapshots() { told.state.withLock { $0.snapshots = $0.snapshots.suffix(1) } }

  func sighting(_ uid: [UInt8], lastSeen: Duration? = nil) -> TapSighting {
    TapSighting(
      content: .uid(uid), presence: presences.wrappingAdd(1, ordering: .relaxed).newValue, presentAt: time.uptime(),
      readAt: time.uptime(), lastSeen: lastSeen)
  }

  func tap(_ uid: [UInt8]) async { await kiosk.answer(sighting(uid)) }

  /// Lets time pass and the kiosk look at it, once a minute at least.
  func pass(_ seconds: Double) async {
    var left = Int64(seconds * 1000)
    while left > 0 {
      let step = min(left, 60_000)
      left -= step
      time.advance(by: .milliseconds(step))
      await kiosk.refresh()
    }
  }

  /// The uptime at which the kiosk will look again by itself.
  func nextLook() async -> Duration {
    let running = Task { [kiosk] in try await kiosk.run() }
    defer { running.cancel() }
    // A report that came before makes it look once more at once.
    while !Task.isCancelled {
      await time.waitForSleepers()
      if let deadline = time.nextDeadline { return deadline }
    }
    return .zero
  }

  /// The outcomes that are stored, in order of their instants.
  func outcomes() async throws -> [String] { try await taps().map(\.outcome.rawValue) }

  func taps() async throws -> [HistoryItem.Tap] {
    try await ledger.history(from: .distantPast, to: .distantFuture).compactMap { item in
      if case .tap(let tap) = item.kind { tap } else { nil }
    }
  }
}
