package import Foundation
package import Reminders

extension Store {
  /// A consistent copy: made beside the target, checked, flushed, then put in its place.
  func backup(to path: String) throws(LedgerError) {
    if let own = try database.text("SELECT file FROM pragma_database_list WHERE name = 'main'", doing: "copying it"),
      FileSystem.areSame(own, path)
    {
      throw LedgerError(kind: .conflict, doing: "copying the ledger onto itself")
    }
    let draft = path + ".part"
    do {
      try FileSystem.makeEmptyFile(draft)
      try database.copy(to: draft)
      try LedgerFile.validate(draft)
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
  package func backup(to path: String) throws { try read { try $0.backup(to: path) } }

  /// The backup of a local day in `backups/`; only the newest seven are kept.
  /// - Returns: false when that day has one already.
  package func backupDaily(_ day: LocalDay) throws -> Bool {
    guard let directory else { return false }
    let folder = "\(directory)/backups"
    let name = "ledger-\(day).sqlite"
    try FileSystem.makeDirectory(folder)
    if FileSystem.size(of: "\(folder)/\(name)") != nil { return false }
    try backup(to: "\(folder)/\(name)")
    let all = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasPrefix("ledger-") && $0.hasSuffix(".sqlite") }.sorted()
    for old in all.dropLast(Self.backupsKept) where old != name {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(old)")
    }
    return true
  }

  /// Puts a copy in the place of the ledger of `directory`; the caller holds the state directory's lock.
  ///
  /// The copy is checked first. The ledger that was there is moved aside, never deleted. A power cut in between leaves no
  /// ledger, which is noticed, and not an old one with another's log, which is not.
  /// - Returns: where the old one went; nil when there was none.
  package static func restore(from path: String, into directory: String, at now: Date) throws(LedgerError) -> String? {
    try LedgerFile.validate(path)
    try FileSystem.makeDirectory(directory)
    let target = "\(directory)/\(LedgerFile.name)"
    if FileSystem.areSame(path, target) {
      throw LedgerError(kind: .conflict, doing: "restoring the ledger from itself")
    }
    let draft = target + ".part"
    // Through SQLite, not as bytes: the copy may have a write-ahead log of its own.
    try Store(Database(path: path, .read)).backup(to: draft)
    let aside = try moveAside(target, at: now)
    try FileSystem.replace(target, with: draft)
    return aside
  }

  /// Renames a ledger with all that belongs to it; a log that is left without one as well.
  private static func moveAside(_ path: String, at now: Date) throws(LedgerError) -> String? {
    let stem = "\(path).replaced-\(now.milliseconds / 1000)"
    let suffixes = [""] + LedgerFile.companions
    var aside = stem
    var number = 1
    while suffixes.contains(where: { FileSystem.size(of: aside + $0) != nil }) {
      number += 1
      aside = "\(stem)-\(number)"
    }
    let hadLedger = FileSystem.size(of: path) != nil
    for suffix in suffixes where FileSystem.size(of: path + suffix) != nil {
      try FileSystem.move(path + suffix, to: aside + suffix)
    }
    try FileSystem.sync(FileSystem.folder(of: path))
    return hadLedger ? aside : nil
  }
}
