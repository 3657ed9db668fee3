import Foundation
import Ledger
import Linux

@testable import Ledger

/// What a state directory holds after a crash or a fault.
struct Autopsy: Sendable {
  /// How a test numbers the doses.
  enum Numbering: Sendable {
    /// `ledger-load`: in the order of the days.
    case load
    /// One dose of medication `m<number>`.
    case medication

    func number(day: Int, minutes: Int, medication: Int) -> Int {
      switch self {
      case .load: (day - 20_758) * 12 + (minutes / 60 - 8) / 6 * 4 + medication
      case .medication: medication
      }
    }
  }

  /// The doses that are credited.
  var stored: Set<Int> = []
  /// Doses that are credited more than once.
  var doubled = 0
  /// What keeps the ledger from being used as it is; nil: nothing.
  var problem: String?

  /// Opens the ledger as the agent does, but restores nothing and asks no witness: what SQLite alone has kept.
  static func ofLedgerAlone(in folder: String, _ numbering: Numbering) -> Autopsy {
    var autopsy = Autopsy()
    do {
      let database = try LedgerFile.open(
        "\(folder)/\(LedgerFile.name)", mayBeNew: true, log: .none, thorough: true)
      try autopsy.read(database, numbering)
    } catch {
      autopsy.problem = "\(error)"
    }
    return autopsy
  }

  /// Starts as the agent does, with all that it may restore.
  static func ofRestart(in folder: String, _ numbering: Numbering) async -> Autopsy {
    do {
      let ledger = Ledger(directory: folder, log: .none)
      var autopsy = Autopsy()
      try await ledger.checkWritable()
      autopsy = try await ledger.read { store in
        var autopsy = Autopsy()
        try LedgerFile.check(store.database, "integrity_check")
        try autopsy.read(store.database, numbering)
        return autopsy
      }
      await ledger.close()
      return autopsy
    } catch {
      return Autopsy(problem: "\(error)")
    }
  }

  private mutating func read(_ database: Database, _ numbering: Numbering) throws {
    let credits = try database.query(
      "SELECT o.day, o.at, substr(o.medication, 2), count(*) FROM live_credit c JOIN occurrence o ON o.id = c.occurrence "
        + "GROUP BY o.id", doing: "reading the credits"
    ) { row throws(LedgerError) in
      let number = numbering.number(
        day: try row.need(row.int(0)), minutes: try row.need(row.int(1)),
        medication: try row.need(row.text(2).flatMap { Int($0) }))
      return (number: number, count: try row.need(row.int(3)))
    }
    stored = Set(credits.map(\.number))
    doubled = credits.count { $0.count != 1 } + credits.count - stored.count
  }
}
