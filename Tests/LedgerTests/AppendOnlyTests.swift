import Foundation
import Ledger
import Linux
import Reminders
import Testing

@testable import Ledger

/// The log is held by the schema itself, against any program that opens the file.
struct AppendOnlyTests {
  static let tables = [
    "occurrence", "ending", "acknowledgement", "tap", "refusal", "credit", "undo", "clock_correction",
  ]

  /// A ledger with at least one row in every table of the log.
  private func ledger() async throws -> Ledger {
    let ledger = Ledger(inMemory: .none)
    try await ledger.furnish()
    let yesterday = Sample.dose(day: Sample.today - 1)
    try await ledger.write([.open(yesterday), .end(yesterday.key, .missed)], at: yesterday.closesAt)
    try await ledger.acknowledge([yesterday.key], at: yesterday.closesAt + 1)
    for second in 0..<2 {
      _ = try await ledger.recordTap(
        Sample.tap(at: Sample.now + Double(second)), decide: Sample.taking(Sample.dose()))
    }
    #expect(try await ledger.undo(Sample.dose().key, at: Sample.now + 10))
    #expect(try await ledger.correctClock(to: Sample.now - 1, boot: "boot-1"))
    return ledger
  }

  @Test(arguments: tables, ["UPDATE", "DELETE", "INSERT OR REPLACE"])
  func `what happened cannot be changed, deleted or replaced`(table: String, verb: String) async throws {
    let ledger = try await ledger()
    let column = try await ledger.read {
      try $0.database.text("SELECT name FROM pragma_table_info('\(table)')", doing: "")
    }
    let count = try await ledger.number("SELECT count(*) FROM \(table)")
    #expect((count ?? 0) > 0)
    let sql =
      switch verb {
      case "UPDATE": "UPDATE \(table) SET \(column ?? "") = \(column ?? "")"
      case "DELETE": "DELETE FROM \(table)"
      default: "INSERT OR REPLACE INTO \(table) SELECT * FROM \(table)"
      }
    do {
      try await ledger.raw(sql)
      Issue.record("\(sql) went through")
    } catch let error as LedgerError {
      // SQLITE_CONSTRAINT_TRIGGER: a trigger refused it, and not something else.
      #expect(error.code == 1811)
    }
    #expect(try await ledger.number("SELECT count(*) FROM \(table)") == count)
  }

  @Test(
    "a row is not replaced by one with another number either",
    arguments: [
      """
      INSERT OR REPLACE INTO occurrence (medication, day, at, due, opens, closes, late, spacing, recorded_at)
      SELECT medication, day, at, due + 1, opens, closes, late, spacing, recorded_at FROM occurrence
      """,
      """
      INSERT OR REPLACE INTO credit (occurrence, attempt, tap, tapped_at, recorded_at)
      SELECT occurrence, attempt, tap, tapped_at + 1, recorded_at FROM credit
      """,
    ])
  func replaced(sql: String) async throws {
    let ledger = try await ledger()
    #expect(try await kind { try await ledger.raw(sql) } == .conflict)
  }

  @Test func `a dose is credited again only when its last credit is undone`() async throws {
    let ledger = try await ledger()
    let insert = "INSERT INTO credit (occurrence, attempt, tapped_at, recorded_at) SELECT id, %d, 1, 1 FROM occurrence "
    let today = "WHERE day = \(Sample.today)"
    func attempt(_ number: Int) async throws -> LedgerError.Kind? {
      try await kind { try await ledger.raw(String(format: insert, number) + today) }
    }
    // Attempt 1 is undone: only 2 may follow, and 3 only after that one is undone too.
    #expect(try await attempt(1) == .conflict)
    #expect(try await attempt(3) == .conflict)
    #expect(try await attempt(2) == nil)
    #expect(try await attempt(3) == .conflict)
    #expect(try await ledger.undo(Sample.dose().key, at: Sample.now))
    #expect(try await attempt(3) == nil)
  }

  @Test func `the first credit is attempt 1`() async throws {
    let ledger = try await ledger()
    let sql = "INSERT INTO credit (occurrence, attempt, tapped_at, recorded_at) SELECT id, 2, 1, 1 FROM occurrence"
    #expect(try await kind { try await ledger.raw("\(sql) WHERE day = \(Sample.today - 1)") } == .conflict)
  }

  @Test func `a tap is resolved once`() async throws {
    let ledger = try await ledger()
    let first = try await ledger.recordTap(
      Sample.tap(nil, unreadable: "mute"), decide: Sample.answering(.unreadable))
    _ = try await ledger.recordTap(Sample.tap(resolves: first.id), decide: Sample.answering(.wrongWindow))
    let again = try await kind {
      _ = try await ledger.recordTap(Sample.tap(resolves: first.id), decide: Sample.answering(.wrongWindow))
    }
    #expect(again == .conflict)
  }
}
