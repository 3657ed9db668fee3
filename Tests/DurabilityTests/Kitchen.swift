import Agent
import Foundation
import Linux
import Reminders
import Sound
import TagReader
import TestSupport
import Wall

@testable import Ledger
@testable import kiosk_agent

/// A wall on which only the clocks and the tables of functions of libpcsclite and alsa-lib are the test's own: reader
/// threads, tap loop, rules, ledger on disk, player and watches are the product's.
///
/// It begins at midnight of the night in which the clocks go back in Los Angeles.
final class Kitchen {
  /// What does not come to pass in 10 s of the machine's time.
  struct Overdue: Error, CustomStringConvertible {
    let description: String
  }

  static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
  static let start = Date(timeIntervalSince1970: 1_793_516_400)  // 2026-11-01T00:00:00-07:00
  static let stranger: [UInt8] = [4, 0, 0, 99]

  /// Time passes in steps of this size: a wait that lasts longer for the reader's thread has outlasted its slice.
  private static let step = Duration.milliseconds(2500)
  /// While something plays: the device's buffer holds half a second.
  private static let fineStep = Duration.milliseconds(50)

  let folder = NSTemporaryDirectory() + "kitchen-\(UUID().uuidString.prefix(8))"
  let time = ManualTime(now: start)
  let pcscd: FakePcscd
  let alsa: FakeALSA
  let ears = Ears()
  var ledger: Ledger
  var run: Run
  var boot = 1
  /// Ends of the agent by itself, each followed by a start.
  private(set) var exits = 0
  /// Another program that holds the ledger's lock.
  var holder: Database?

  init() async throws {
    pcscd = FakePcscd(time: time)
    alsa = FakeALSA(time: time, movesClock: false)
    pcscd.plug()
    ledger = Ledger(directory: folder, log: .none, busyTimeout: 0)
    _ = try await ledger.importHousehold(Self.household, at: Self.start - 90 * 86_400) { _ in [] }
    _ = try await ledger.backupDaily(LocalDay(year: 2026, month: 11, day: 1), at: Self.start, anew: true)
    run = Run(folder: folder, boot: "boot-1", ledger: ledger, time: time, pcscd: pcscd, alsa: alsa, ears: ears)
    try await begun()
  }

  deinit {
    run.cancel()
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

  /// Waits until the run has looked at its reader, its speaker and the time.
  func begun() async throws {
    try await until("the start of the agent", advancing: Self.fineStep) {
      run.player.health != .starting && run.monitor.summary().condition != .starting && run.hasShown
    }
  }

  // MARK: What passes

  /// Lets so much time go by, with everything looking whenever it wants to. An agent that ends by itself is started again.
  func pass(_ duration: Duration) async throws {
    var left = duration
    while left > .zero {
      let step = min(left, alsa.isPlaying ? Self.fineStep : Self.step)
      left -= step
      await advance(step)
      if ears.takeExit() != nil {
        exits += 1
        try await restartAfterExit()
      }
    }
  }

  private func advance(_ step: Duration) async {
    time.advance(by: step)
    pcscd.timePassed()
    alsa.timePassed()
    // The kiosk, the watchdog and the end of the readers sleep on the clock.
    await time.waitForSleepers(Self.sleepers)
    let end = ContinuousClock.now + .seconds(5)
    while !(monitorRests && soundRests), ContinuousClock.now < end { await briefly() }
    for _ in 0..<10 { await Task.yield() }
  }

  private static let sleepers = 3
  /// Before pcscd is asked again.
  private static let longestPause = Duration.seconds(2)

  /// It waits for pcscd, or has just asked in vain and sleeps until it asks again.
  private var monitorRests: Bool {
    let now = pcscd.now
    let hasAsked = now.askedInVainAt.map { time.uptime() - $0 < Self.longestPause } ?? false
    let sleeps = hasAsked && time.sleeperCount > Self.sleepers
    return now.isFrozen || sleeps || now.waitsUntil.map { $0 > time.uptime() } ?? false
  }

  private var soundRests: Bool { alsa.with { $0.waitsUntil }.map { $0 > time.uptime() } ?? false }

  private func briefly() async { try? await Task.sleep(for: .microseconds(50)) }

  /// - Parameter step: how far the clock goes on at each look.
  func until(_ what: String, advancing step: Duration = .zero, _ isSo: () async -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while await !isSo() {
      guard ContinuousClock.now < end else { throw Overdue(description: "no \(what) at \(time.now()): \(state)") }
      if step > .zero { await advance(step) }
      await briefly()
    }
  }

  private var state: String {
    let (device, waitsUntil, calls) = alsa.with { ($0.state, $0.waitsUntil, $0.calls.suffix(8)) }
    return "reader \(run.monitor.summary().condition), speaker \(run.player.health), device \(device), "
      + "wall \(String(describing: ears.shown)), waits for \(waitsUntil.map { $0 - time.uptime() } ?? .zero) after \(calls), sounds \(ears.sounds), "
      + "log \(ears.lines.joined(separator: " / "))"
  }

  // MARK: What people do

  struct Answer {
    /// `none`: a silent tap.
    var outcome: String
    /// The results that were heard to their end.
    var heard: [Sound.Chime]
    var boot: String
    /// Boot times between which the tap was.
    var during: ClosedRange<Duration>
  }

  /// Holds a tag to the reader until it is answered, and takes it away again.
  /// - Parameters:
  ///   - answers: how many to wait for; the last counts.
  ///   - sounds: whether a sound of each is to be waited for.
  func tap(_ uid: [UInt8], answers: Int = 1, sounds: Bool = true) async throws -> Answer {
    try await answer(to: { pcscd in pcscd.put(uid) }, answers: answers, sounds: sounds)
  }

  /// - Parameter doing: what happens at the reader.
  func answer(
    to doing: (FakePcscd) -> Void, answers: Int = 1, sounds: Bool = true
  ) async throws -> Answer {
    var outcome = "none"
    var before = ears.shown
    ears.forgetSounds()
    alsa.forget()
    let begun = time.uptime()
    doing(pcscd)
    for _ in 0..<answers {
      outcome = try await answer(unlike: before, triesAgain: answers > 1)
      before = ears.shown
    }
    if sounds { try await soundsEnd(answers) }
    let ended = time.uptime()
    if pcscd.now.readers.values.contains(where: { $0.tag != nil }) {
      pcscd.lift()
      await advance(.milliseconds(300))
    }
    return Answer(outcome: outcome, heard: ears.heard, boot: "boot-\(boot)", during: begun...ended)
  }

  /// The kind of the next answer on the wall.
  /// - Parameter triesAgain: time goes on for a reader's thread that waits to try the tag again.
  private func answer(unlike before: Ears.Shown?, triesAgain: Bool) async throws -> String {
    try await until("answer") {
      if let shown = ears.shown, shown.isNew(after: before) { return true }
      if triesAgain, let next = time.nextDeadline, next - time.uptime() <= .seconds(1) {
        await advance(max(next - time.uptime(), .zero))
      }
      return false
    }
    return ears.shown?.kind ?? "none"
  }

  private func soundsEnd(_ count: Int) async throws {
    try await until("sound") {
      guard ears.endings < count else { return true }
      guard alsa.isPlaying else { return false }
      await advance(Self.fineStep)
      return false
    }
  }

  var snapshot: Snapshot? { ears.snapshot }
  var banners: [String] { snapshot?.banners.map(\.id) ?? [] }
}
