import Agent
import Foundation
import Linux
import Reminders
import Synchronization
import TestSupport
import Wall

@testable import Ledger

/// A wall over the real ledger on disk, with its clocks, reader and speaker in the test's hand; and everything that can go
/// wrong around it.
///
/// It begins at midnight of the night in which the clocks go back in Los Angeles.
final class Kitchen {
  /// What the wall told: only the newest of each matters.
  private struct Told {
    var snapshot: Snapshot?
    var facts = ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true)
    var memory: ClockTrust.Memory?
    var chimes: [Chime] = []
  }

  private final class Ears: Speaker {
    let told = Mutex(Told())

    func play(_ chime: Chime) { told.withLock { $0.chimes.append(chime) } }
    func reports() -> AsyncStream<SpeakerReport> { AsyncStream { $0.finish() } }
    func checkMixer() async {}
    func heartbeats() -> [String: Duration] { [:] }
  }

  static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
  static let start = Date(timeIntervalSince1970: 1_793_516_400)  // 2026-11-01T00:00:00-07:00
  static let stranger: [UInt8] = [4, 0, 0, 99]

  let folder = NSTemporaryDirectory() + "kitchen-\(UUID().uuidString.prefix(8))"
  let time = ManualTime(now: start)
  private(set) var ledger: Ledger
  private(set) var kiosk: Kiosk
  private let ears = Ears()
  private var running: Task<Void, any Error>?
  private var boot = 1
  private var presence: UInt64 = 0
  private var reader = ReaderReport(state: .ready, since: .zero)
  /// Another program that holds the ledger's lock.
  private var holder: Database?

  init() async throws {
    ledger = Ledger(directory: folder, log: .none, busyTimeout: 0)
    _ = try await ledger.importHousehold(Self.household, at: Self.start - 90 * 86_400) { _ in [] }
    _ = try await ledger.backupDaily(LocalDay(year: 2026, month: 11, day: 1), at: Self.start, anew: true)
    kiosk = Self.kiosk(ledger, time, ears, boot: "boot-1")
    await begin()
  }

  deinit {
    running?.cancel()
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static let household = RegistryUpdate(
    people: [Person(id: "ann", name: "Ann"), Person(id: "bob", name: "Bob"), Person(id: "cem", name: "Cem")],
    medications: [
      medication("levo", "ann", 8), medication("iron", "ann", 8, 20), medication("drops", "bob", 1, 12),
      medication("insulin", "cem", 7, 13, 19, 23),
    ],
    tags: [
      Tag(uid: TagUID([4, 0, 0, 0]), medications: ["levo", "iron"]),
      Tag(uid: TagUID([4, 0, 0, 1]), medications: ["drops"]),
      Tag(uid: TagUID([4, 0, 0, 2]), medications: ["insulin"]), Tag(uid: TagUID([4, 0, 0, 3]), medications: ["levo"]),
    ])

  private static func medication(_ id: String, _ person: String, _ hours: Int...) -> Medication {
    Medication(
      id: id, person: person, name: id, times: hours.map { DoseTime(at: LocalTime(hour: $0, minute: 0)) })
  }

  private static func kiosk(_ ledger: Ledger, _ time: ManualTime, _ ears: Ears, boot: String) -> Kiosk {
    Kiosk(
      Kiosk.Parts(
        ledger: ledger, time: time, log: .none, speaker: ears, agent: "t", run: "r", boot: boot, zone: { zone },
        keepZone: { _ in }, keepClock: { memory in ears.told.withLock { $0.memory = memory } }, language: "en",
        clockFacts: { ears.told.withLock { $0.facts } },
        publish: { snapshot in ears.told.withLock { $0.snapshot = snapshot } }, report: { _, _ in },
        configurationFellBack: false), zone: zone, clock: ears.told.withLock { $0.memory })
  }

  private func begin() async {
    await kiosk.note(reader)
    running = Task { [kiosk] in try await kiosk.run() }
    await time.waitForSleepers()
  }

  // MARK: What passes and what people do

  /// Lets so many seconds go by, a minute at most at a time, with the wall looking whenever it wants to.
  func pass(_ seconds: Int) async {
    var left = seconds
    while left > 0 {
      let step = min(left, 30)
      left -= step
      time.advance(by: .seconds(step))
      await time.waitForSleepers()
    }
  }

  struct Answer {
    var outcome: String
    var chimes: [Chime]
    var boot: String
    var uptime: Duration
  }

  func tap(_ uid: [UInt8], lastSeen: Duration? = nil) async -> Answer {
    await answer(.uid(uid), lastSeen: lastSeen)
  }

  func unreadable() async -> Answer { await answer(.unreadable("mute"), lastSeen: nil) }

  private func answer(_ content: TapSighting.Content, lastSeen: Duration?) async -> Answer {
    presence += 1
    let uptime = time.uptime()
    ears.told.withLock { $0.chimes = [] }
    await kiosk.answer(
      TapSighting(content: content, presence: presence, presentAt: uptime, readAt: uptime, lastSeen: lastSeen))
    return ears.told.withLock { told in
      Answer(
        outcome: told.snapshot?.overlay?.kind ?? "none", chimes: told.chimes, boot: "boot-\(boot)", uptime: uptime)
    }
  }

  var snapshot: Snapshot? { ears.told.withLock { $0.snapshot } }
  var banners: [String] { snapshot?.banners.map(\.id) ?? [] }

  // MARK: What goes wrong

  func turnReader(_ state: ReaderReport.State) async {
    reader = ReaderReport(state: state, since: time.uptime())
    await kiosk.note(reader)
    await kiosk.refresh()
  }

  func step(_ seconds: Int) async {
    time.step(by: .seconds(seconds))
    kiosk.changed()
    await kiosk.refresh()
  }

  func turnClock(_ synchronised: Bool?) async {
    ears.told.withLock { $0.facts.synchronised = synchronised }
    await kiosk.refresh()
  }

  func lock(_ held: Bool) async throws {
    holder = nil
    if held {
      let other = try Database(path: "\(folder)/\(LedgerFile.name)", .write)
      try other.run("BEGIN IMMEDIATE", doing: "holding the lock")
      holder = other
    }
    await kiosk.refresh()
  }

  func fill(_ full: Bool) async throws {
    try await ledger.read { store in
      let pages = full ? try store.database.integer("PRAGMA page_count", doing: "") ?? 1 : 1_000_000
      _ = try store.database.integer("PRAGMA max_page_count = \(pages)", doing: "")
    }
    await kiosk.refresh()
  }

  enum Harm: CaseIterable {
    case none, emptied, page, gone, noLog, oldCopy
  }

  /// The agent ends, in order or not; then its ledger is harmed, and it starts again.
  func restart(cleanly: Bool, reboots: Bool, _ harm: Harm) async throws {
    holder = nil
    running?.cancel()
    _ = await running?.result
    // Killed: what SQLite would do at its end is not done, and what is on disk is what another program finds there.
    let copy = folder + ".killed"
    if !cleanly {
      // A line takes a moment; a ledger that is harmed in that very moment is beyond what a witness can do.
      ledger.witness?.flush()
      try FileManager.default.copyItem(atPath: folder, toPath: copy)
    }
    await ledger.close()
    if !cleanly {
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.moveItem(atPath: copy, toPath: folder)
    }
    try harmLedger(harm)
    if reboots { boot += 1 }
    ledger = Ledger(directory: folder, log: .none, busyTimeout: 0)
    kiosk = Self.kiosk(ledger, time, ears, boot: "boot-\(boot)")
    await begin()
  }

  private func harmLedger(_ harm: Harm) throws {
    let path = "\(folder)/\(LedgerFile.name)"
    switch harm {
    case .none: break
    case .emptied: try Data().write(to: URL(filePath: path))
    case .page:
      let handle = try FileHandle(forWritingTo: URL(filePath: path))
      try handle.seek(toOffset: 0)
      try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
      try handle.close()
    case .gone: for suffix in ["", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    case .noLog: for suffix in ["-wal", "-shm"] { try FileSystem.remove(path + suffix) }
    case .oldCopy:
      guard let backup = Backups.newestFirst(in: folder).first else { return }
      for suffix in ["", "-wal", "-shm"] { try FileSystem.remove(path + suffix) }
      try FileManager.default.copyItem(atPath: backup, toPath: path)
    }
  }

  /// The ledger's file goes while it is open.
  func takeFileAway(replacing: Bool) throws {
    let path = "\(folder)/\(LedgerFile.name)"
    try FileSystem.remove(path)
    if replacing { try Data("other".utf8).write(to: URL(filePath: path)) }
  }
}
