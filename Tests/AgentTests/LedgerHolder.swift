import Foundation
import Synchronization

@testable import Ledger

/// A folder for a ledger, and another program that can hold the ledger's write lock.
final class LedgerHolder: Sendable {
  let path = NSTemporaryDirectory() + "kiosk-test-" + UUID().uuidString.prefix(8)
  private let other = Mutex<Database?>(nil)

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// From now on every write of the ledger fails as locked.
  func hold() throws {
    try other.withLock { other in
      let database = try Database(path: "\(path)/\(LedgerFile.name)", .write)
      try database.run("BEGIN IMMEDIATE", doing: "holding the ledger")
      other = database
    }
  }

  func letGo() { other.withLock { $0 = nil } }
}
