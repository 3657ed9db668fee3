import Foundation
import Glibc
import Ledger
import Linux
import Reminders

@testable import Ledger

/// A state directory of one test, gone with it.
final class StateFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "ledger-test-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var file: String { "\(path)/ledger.sqlite" }

  func ledger(log: Log = .none, busyTimeout: Int32 = 2000) -> Ledger {
    Ledger(directory: path, log: log, busyTimeout: busyTimeout)
  }

  /// A ledger that holds `Sample.household` since a week before `Sample.now`.
  func furnishedLedger() async throws -> Ledger {
    let ledger = ledger()
    try await ledger.furnish()
    return ledger
  }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

enum Sample {
  /// 2026-11-01T08:00:00Z.
  static let now = Date(timeIntervalSince1970: 1_793_520_000)
  static let today = 20_758
  static let blue = TagUID([0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6])
  static let red = TagUID([0x04, 0x01, 0x02, 0x03])
  static let eight = LocalTime(hour: 8, minute: 0)

  static let household = Household(
    people: [Person(id: "ann", name: "Ann"), Person(id: "bob", name: "Bob", remindersEnabled: false)],
    medications: [
      Medication(
        id: "ann-levo", person: "ann", name: "Levothyroxine", dose: "1 tablet",
        times: [
          DoseTime(at: LocalTime(hour: 20, minute: 30), days: [.sat, .sun], since: now - 700_000),
          DoseTime(at: eight, opensBefore: 60, lateAfter: 5, closesAfter: 120, since: now - 700_000),
        ], minimumSpacing: 240),
      Medication(id: "ann-iron", person: "ann", name: "Iron", times: [DoseTime(at: eight, since: now - 700_000)]),
      Medication(id: "bob-d3", person: "bob", name: "D3", times: [DoseTime(at: eight, since: now - 700_000)]),
    ],
    tags: [
      Tag(uid: red, label: "red box", medications: ["bob-d3"]),
      Tag(uid: blue, medications: ["ann-levo", "ann-iron"]),
    ])

  static var update: RegistryUpdate {
    RegistryUpdate(people: household.people, medications: household.medications, tags: household.tags)
  }

  /// Due at 08:00 UTC, open from 06:00 to 12:00.
  static func dose(_ medication: String = "ann-levo", day: Int = today) -> Occurrence {
    let due = Date(timeIntervalSince1970: Double(day) * 86_400 + 8 * 3600)
    return Occurrence(
      key: OccurrenceKey(medication: medication, day: LocalDay(number: day), at: eight), dueAt: due,
      opensAt: due - 2 * 3600, closesAt: due + 4 * 3600, lateAt: due, spacing: 6 * 3600)
  }

  static func tap(
    _ uid: TagUID? = blue, at: Date = now, recordedAt: Date? = nil, uptime: Duration = .seconds(1000),
    boot: String = "boot-1", trusted: Bool = true, unreadable: String? = nil, resolves: Int64? = nil
  ) -> TapEntry {
    TapEntry(
      uid: uid, at: at, recordedAt: recordedAt, zoneOffset: -25_200, uptime: uptime, boot: boot, clockTrusted: trusted,
      unreadable: unreadable, resolves: resolves)
  }

  /// A rule for tests: the dose is credited once.
  static func taking(_ dose: Occurrence) -> @Sendable (LedgerView) -> DecidedTap {
    { view in
      if let credit = view.log.credits.first(where: { $0.key == dose.key }) {
        let refusal = TapVerdict.NotCredited(
          medication: dose.key.medication, reason: .alreadyTaken, at: credit.tappedAt)
        return DecidedTap(
          verdict: TapVerdict(outcome: .alreadyTaken, person: "ann", notCredited: [refusal]), message: "already taken",
          sound: .failure)
      }
      let isRow = view.log.rows.contains { $0.occurrence.key == dose.key }
      return DecidedTap(
        changes: isRow ? [] : [.open(dose)],
        verdict: TapVerdict(outcome: .taken, person: "ann", credited: [.init(key: dose.key, dueAt: dose.dueAt)]),
        message: "taken", sound: .success)
    }
  }

  static func answering(_ outcome: TapOutcome, sound: TapSound = .failure) -> @Sendable (LedgerView) -> DecidedTap {
    { _ in DecidedTap(verdict: TapVerdict(outcome: outcome), message: outcome.rawValue, sound: sound) }
  }
}

extension Ledger {
  func furnish() throws {
    _ = try importHousehold(Sample.update, at: Sample.now - 7 * 86_400, advance: { _ in [] })
  }

  func importOnly(people: [String]) throws {
    let update = RegistryUpdate(people: people.map { Person(id: $0, name: $0) })
    _ = try importHousehold(update, at: Sample.now, advance: { _ in [] })
  }

  /// Opens and ends doses as a rule would.
  func write(_ changes: [DoseChange], at now: Date) throws { _ = try advance(at: now) { _ in changes } }

  /// SQL as another program could run it, through this connection.
  func raw(_ sql: String) throws { try write("raw") { try $0.database.run(sql, doing: sql) } }

  func number(_ sql: String) throws -> Int64? { try read { try $0.database.integer(sql, doing: sql) } }

  func outcomes() throws -> [TapOutcome] {
    try history(from: .distantPast, to: .distantFuture).compactMap {
      if case .tap(let tap) = $0.kind { tap.outcome } else { nil }
    }
  }
}

/// The kind of the `LedgerError` that `body` throws; nil when it throws none.
func kind(_ body: () async throws -> Void) async throws -> LedgerError.Kind? {
  do { try await body() } catch let error as LedgerError { return error.kind }
  return nil
}
