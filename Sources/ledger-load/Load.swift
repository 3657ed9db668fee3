internal import Agent
internal import Foundation
internal import Glibc
internal import Ledger
internal import Linux
internal import Reminders
internal import Synchronization
internal import TestSupport
internal import Wall

/// Four medications three times a day: tap n is the tap of dose n, in the order of the days.
final class Load: Sendable {
  private static let start = Date(timeIntervalSince1970: 1_793_491_200)  // 2026-11-01T00:00:00Z
  private static let medications = 4
  private static let hours = [8, 14, 20]

  private let state: String
  private let ledger: Ledger
  private let time = ManualTime(now: start)
  private let voice: Voice
  private let shown = Mutex<String?>(nil)
  private let kiosk = Mutex<Kiosk?>(nil)
  private let presence = Mutex<UInt64>(0)

  init(state: String, sound: String) {
    self.state = state
    ledger = Ledger(directory: state, log: .standardError)
    voice = Voice(file: sound)
  }

  func begin() async throws {
    if !FileManager.default.fileExists(atPath: state + "/ledger.sqlite") {
      _ = try await ledger.importHousehold(Self.household, at: Self.start - 86_400) { _ in [] }
    }
    let kiosk = Kiosk(
      Kiosk.Parts(
        ledger: ledger, time: time, log: .standardError, speaker: voice, agent: "load", run: "load", boot: "load",
        zone: { .gmt }, keepZone: { _ in }, language: "en",
        clockFacts: { ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true) },
        publish: { [weak self] snapshot in self?.shown.withLock { $0 = snapshot.overlay?.kind } },
        report: { _, _ in }, configurationFellBack: false))
    self.kiosk.withLock { $0 = kiosk }
    await kiosk.note(ReaderReport(state: .ready, since: time.uptime()))
    await kiosk.refresh()
  }

  /// The tag of dose `number` at its due time, and once more when it was not recorded.
  func tap(_ number: Int) async {
    let (day, rest) = number.quotientAndRemainder(dividingBy: Self.medications * Self.hours.count)
    let (hour, medication) = rest.quotientAndRemainder(dividingBy: Self.medications)
    let due = Self.start + Double(day * 86_400 + Self.hours[hour] * 3600 + medication * 20)
    if due > time.now() { await pass(.seconds(due.timeIntervalSince(time.now()))) }
    if rest == 0 { _ = try? await ledger.backupDaily(LocalDay(number: 20_758 + day), at: time.now()) }
    for _ in 0..<2 {
      let presence = self.presence.withLock { presence in
        presence += 1
        return presence
      }
      voice.begin(number)
      let sighting = TapSighting(
        content: .uid([4, 0, 0, UInt8(medication)]), presence: presence, presentAt: time.uptime(), readAt: time.uptime()
      )
      await kiosk.withLock { $0 }?.answer(sighting)
      let outcome = shown.withLock { $0 } ?? "none"
      voice.tapAnswered(outcome)
      if outcome != "notRecorded" { return }
      await pass(.seconds(4))
    }
  }

  /// The disk is well again: the wall looks at the ledger every 5 s.
  func heal() async {
    await pass(.seconds(6))
    voice.say("healed")
  }

  func end() async { await ledger.close() }

  private func pass(_ duration: Duration) async {
    time.advance(by: duration)
    await kiosk.withLock { $0 }?.refresh()
  }

  private static let household = RegistryUpdate(
    people: [Person(id: "ann", name: "Ann")],
    medications: (0..<medications).map { index in
      Medication(
        id: "m\(index)", person: "ann", name: "Medication \(index)",
        times: hours.map { DoseTime(at: LocalTime(hour: $0, minute: 0)) })
    },
    tags: (0..<medications).map { Tag(uid: TagUID([4, 0, 0, UInt8($0)]), medications: ["m\($0)"]) })
}

/// The speaker: a line in a file for each sound that acknowledges a dose, and for what the wall answered.
private final class Voice: Speaker {
  private let descriptor: Int32
  private let number = Mutex(0)

  init(file: String) { descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

  func begin(_ tap: Int) { number.withLock { $0 = tap } }

  func play(_ chime: Chime) {
    if chime == .success { say("\(number.withLock { $0 }) success") }
  }

  func tapAnswered(_ outcome: String) { say("\(number.withLock { $0 }) \(outcome)") }

  /// One write: all of the line or nothing.
  func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
  }

  func reports() -> AsyncStream<SpeakerReport> { AsyncStream { $0.finish() } }
  func checkMixer() async {}
  func heartbeats() -> [String: Duration] { [:] }
}
