import Foundation
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

struct ImportTests {
  let ledger = Ledger(inMemory: .none)

  private func put(_ update: RegistryUpdate, at now: Date = Sample.now) async throws -> RegistryChanges {
    try await ledger.importHousehold(update, at: now, advance: { _ in [] })
  }

  @Test func `what goes in comes out, in the same order`() async throws {
    var update = Sample.update
    update.documents = ["watches": #"[{"id":"school"}]"#, "bell": "{}"]
    let changes = try await put(update)
    #expect(changes.people == .init(added: 2))
    #expect(changes.medications == .init(added: 3))
    #expect(changes.tags == .init(added: 2))
    #expect(changes.documents == .init(added: 2))
    let export = try await ledger.export()
    #expect(export.household == Sample.household)
    #expect(export.documents == update.documents)
  }

  @Test func `the same file twice changes nothing`() async throws {
    var update = Sample.update
    update.documents = ["bell": "{}"]
    _ = try await put(update)
    let tables = ["person", "medication", "dose_time", "tag", "tag_medication", "document"]
    let sizes = tables.map { "(SELECT count(*) FROM \($0))" }.joined(separator: " + ")
    let before = try await ledger.number("SELECT \(sizes)")
    let export = try await ledger.export()
    #expect(try await put(update, at: Sample.now + 86_400).isEmpty)
    #expect(try await ledger.number("SELECT \(sizes)") == before)
    #expect(try await ledger.export() == export)
  }

  @Test func `an exported household goes into a fresh ledger unchanged`() async throws {
    _ = try await put(Sample.update)
    let export = try await ledger.export()
    let fresh = Ledger(inMemory: .none)
    _ = try await fresh.importHousehold(
      RegistryUpdate(
        people: export.household.people, medications: export.household.medications, tags: export.household.tags,
        documents: export.documents), at: Sample.now + 5, advance: { _ in [] })
    #expect(try await fresh.export() == export)
  }

  @Test func `an absent section is untouched`() async throws {
    _ = try await put(Sample.update)
    let changes = try await put(RegistryUpdate(documents: ["watches": "[]"]))
    #expect(changes.documents == .init(added: 1))
    #expect(try await ledger.export().household == Sample.household)
  }

  @Test func `what is missing from a present section ends, and its history stays`() async throws {
    try await ledger.furnish()
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    let changes = try await put(RegistryUpdate(people: [], medications: [], tags: []), at: Sample.now + 60)
    #expect(changes.people == .init(ended: 2))
    #expect(changes.medications == .init(ended: 3))
    #expect(changes.tags == .init(ended: 2))
    #expect(try await ledger.export().household == Household())
    #expect(try await ledger.history(from: Sample.now, to: Sample.now + 1).count == 1)
    #expect(try await ledger.number("SELECT count(*) FROM dose_time WHERE until IS NULL") == 0)
  }

  @Test func `what ended can come back`() async throws {
    _ = try await put(Sample.update)
    _ = try await put(RegistryUpdate(people: [], medications: [], tags: []))
    _ = try await put(Sample.update)
    #expect(try await ledger.export().household == Sample.household)
  }

  /// - Returns: the times of `ann-iron` after importing it with `times`.
  private func times(_ times: [DoseTime], at now: Date) async throws -> [DoseTime] {
    var medications = Sample.household.medications
    medications[1].times = times
    _ = try await put(RegistryUpdate(medications: medications), at: now)
    return try await ledger.export().household.medications[1].times
  }

  @Test func `a time without since begins when it is entered and keeps that while it stays the same time`() async throws
  {
    _ = try await put(Sample.update)
    let nine = LocalTime(hour: 9, minute: 0)
    #expect(try await times([DoseTime(at: nine)], at: Sample.now) == [DoseTime(at: nine, since: Sample.now)])
    // Another window is the same time; other days are another.
    let later = Sample.now + 86_400
    #expect(
      try await times([DoseTime(at: nine, closesAfter: 30)], at: later)
        == [DoseTime(at: nine, closesAfter: 30, since: Sample.now)])
    #expect(
      try await times([DoseTime(at: nine, days: [.mon])], at: later)
        == [DoseTime(at: nine, days: [.mon], since: later)])
    #expect(
      try await times([DoseTime(at: nine, days: [.mon], since: Sample.now)], at: later + 60)
        == [DoseTime(at: nine, days: [.mon], since: Sample.now)])
  }

  @Test func `the rules judge the past by the old household, then the change`() async throws {
    try await ledger.furnish()
    let dose = Sample.dose()
    let changes = try await ledger.importHousehold(
      RegistryUpdate(medications: []), at: Sample.now,
      advance: { view in
        view.household.medications.isEmpty ? [.end(dose.key, .skipped(.ruleEnded))] : [.open(dose)]
      })
    #expect(changes.medications == .init(ended: 3))
    let rows = try await ledger.view(at: Sample.now).log.rows
    #expect(rows == [DoseLog.Row(occurrence: dose, ending: .skipped(.ruleEnded))])
  }

  @Test func `a changed tag replaces the old one, and a tag can move to another person`() async throws {
    _ = try await put(Sample.update)
    var tags = Sample.household.tags
    tags[0].medications = ["ann-levo"]
    #expect(try await put(RegistryUpdate(tags: tags)).tags == .init(changed: 1))
    #expect(try await ledger.export().household.tags == tags)
  }

  @Test(
    "a file that contradicts itself changes nothing",
    arguments: [
      RegistryUpdate(people: [], medications: [Medication(id: "x", person: "nobody", name: "X")]),
      RegistryUpdate(people: [], tags: [Tag(uid: Sample.blue, medications: ["nothing"])]),
      RegistryUpdate(
        people: [],
        tags: [Tag(uid: TagUID([1, 2, 3, 4]), medications: []), Tag(uid: TagUID([1, 2, 3, 4]), medications: [])]),
    ])
  func contradiction(update: RegistryUpdate) async throws {
    _ = try await put(Sample.update)
    #expect(try await kind { _ = try await self.put(update) } == .conflict)
    #expect(try await ledger.export().household == Sample.household)
  }
}
