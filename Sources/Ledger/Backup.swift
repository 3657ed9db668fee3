package import Foundation
internal import Glibc

extension Store {
  /// A consistent copy: made beside the target, flushed, then put in its place.
  func backup(to path: String) throws(LedgerError) {
    let draft = path + ".part"
    try? FileManager.default.removeItem(atPath: draft)
    do {
      try database.copy(to: draft)
      try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: draft)
      try FileSystem.replace(path, with: draft)
    } catch {
      try? FileManager.default.removeItem(atPath: draft)
      throw error
    }
  }
}

extension Ledger {
  /// How many daily backups are kept.
  package static let backupsKept = 7

  /// A consistent copy while the agent runs.
  package func backup(to path: String) throws { try store().backup(to: path) }

  /// The backup of a local day in `backups/`, made once a day; older ones than the newest seven are deleted.
  /// - Parameter day: as `2026-11-30`.
  /// - Returns: true when one was made.
  package func backupDaily(_ day: String) throws -> Bool {
    guard let directory else { return false }
    let folder = directory + "/backups"
    try FileSystem.makeDirectory(folder)
    let path = "\(folder)/ledger-\(day).sqlite"
    if FileManager.default.fileExists(atPath: path) { return false }
    try store().backup(to: path)
    let all = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasPrefix("ledger-") && $0.hasSuffix(".sqlite") }.sorted()
    for old in all.dropLast(Self.backupsKept) {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(old)")
    }
    return true
  }

  /// Puts a copy in the place of the ledger of `directory`; the caller holds the state directory's lock.
  ///
  /// The copy is checked first. The ledger that was there is moved aside, never deleted.
  /// - Returns: where the old one went; nil when there was none.
  package static func restore(from path: String, into directory: String, at now: Date) throws(LedgerError) -> String? {
    guard FileManager.default.fileExists(atPath: path) else {
      throw LedgerError(kind: .cannotOpen, doing: "reading \(path): there is no such file")
    }
    try LedgerFile.validate(path)
    try FileSystem.makeDirectory(directory)
    let target = directory + "/" + fileName
    let draft = target + ".part"
    try? FileManager.default.removeItem(atPath: draft)
    // Through SQLite, not as bytes: the copy may have a write-ahead log of its own.
    try Store(try Database(path: path, readOnly: true)).database.copy(to: draft)
    try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: draft)
    try FileSystem.sync(draft)
    let aside = try moveAside(target, at: now)
    try FileSystem.replace(target, with: draft)
    return aside
  }

  /// Renames a ledger with its write-ahead log, so that nothing is lost and nothing of it is mixed with the next one.
  private static func moveAside(_ path: String, at now: Date) throws(LedgerError) -> String? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let stamp = Int(now.timeIntervalSince1970)
    var aside = "\(path).replaced-\(stamp)"
    var number = 1
    while FileManager.default.fileExists(atPath: aside) {
      number += 1
      aside = "\(path).replaced-\(stamp)-\(number)"
    }
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
      guard unsafe rename(path + suffix, aside + suffix) == 0 else {
        throw LedgerError(kind: .readOnly, doing: "moving the old ledger aside")
      }
    }
    return aside
  }
}
