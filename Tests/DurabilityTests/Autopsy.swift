import Foundation
import Ledger
import Linux

@testable import Ledger

/// What a state directory holds after a crash or a fault.
struct Autopsy: Sendable {
  /// The doses that are credited, as `ledger-load` numbers them.
  var stored: Set<Int> = []
  /// Doses that are credited more than once.
  var doubled = 0
  /// What keeps the ledger from being used as it is; nil: nothing.
  var problem: String?

  /// Opens the ledger as the agent does, but restores nothing and asks no witness: what SQLite alone has kept.
  static func ofLedgerAlone(in folder: String) -> Autopsy {
    var autopsy = Autopsy()
    do {
      let database = try LedgerFile.open("\(folder)/\(LedgerFile.name)", mayBeNew: true, log: .none)
      try LedgerFile.check(database, "integrity_check")
      try autopsy.read(database)
    } catch {
      autopsy.problem = "\(error)"
    }
    return autopsy
  }

  /// Starts as the agent does, with all that it may restore.
  static func ofRestart(in folder: String) async -> Autopsy {
    do {
      let ledger = Ledger(directory: folder, log: .none)
      var autopsy = Autopsy()
      try await ledger.checkWritable()
      autopsy = try await ledger.read { store in
        var autopsy = Autopsy()
        try LedgerFile.check(store.database, "integrity_check")
        try autopsy.read(store.database)
        return autopsy
      }
      await ledger.close()
      return autopsy
    } catch {
      return Autopsy(problem: "\(error)")
    }
  }

  private mutating func read(_ database: Database) throws {
    let credits = try database.query(
      "SELECT o.day, o.at, substr(o.medication, 2), count(*) FROM live_credit c JOIN occurrence o ON o.id = c.occurrence "
        + "GROUP BY o.id", doing: "reading the credits"
    ) { row throws(LedgerError) in
      let medication = try row.need(row.text(2).flatMap { Int($0) })
      let slot = try row.need(row.int(1)) / 60
      return (
        dose: (try row.need(row.int(0)) - 20_758) * 12 + (slot - 8) / 6 * 4 + medication,
        count: try row.need(row.int(3))
      )
    }
    stored = Set(credits.map(\.dose))
    doubled = credits.count { $0.count != 1 }
  }
}
