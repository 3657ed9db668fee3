package import Foundation
internal import Linux
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

/// The daily backups of a state directory.
///
/// The ledger counts them, and the number is on disk before the copy is made: a file with a smaller number than one of its
/// backups is not the ledger as it was last, but an old copy, or one whose log is gone.
enum Backups {
  static let prefix = "ledger-"
  static let suffix = ".sqlite"

  static func folder(in directory: String) -> String { "\(directory)/backups" }

  /// Their paths; the names sort by day.
  static func newestFirst(in directory: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder(in: directory))) ?? [])
      .filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.sorted(by: >)
      .map { "\(folder(in: directory))/\($0)" }
  }

  /// nil when it cannot be read.
  static func number(of path: String) -> Int64? {
    guard (FileSystem.size(of: path) ?? 0) > 0, let database = try? Database(path: path, .read) else { return nil }
    return try? Store(database).backupNumber()
  }

  /// A number above all that were given.
  static func nextNumber(in directory: String, _ store: Store) throws(LedgerError) -> Int64 {
    let all = newestFirst(in: directory).compactMap { number(of: $0) } + [try store.backupNumber()]
    return (all.max() ?? 0) + 1
  }
}

extension Ledger {
  /// How many daily backups are kept.
  package static let backupsKept = 7

  /// A consistent copy while the agent runs.
  package func backup(to path: String) throws { try read { try $0.backup(to: path) } }

  /// The backup of a local day in `backups/`; only the newest seven are kept.
  /// - Parameters:
  ///   - now: the instant by a trusted clock, up to which the backup holds everything; nil: not known.
  ///   - anew: also when that day has one already: after an import, for the household is nowhere else.
  /// - Returns: false when that day has one already.
  package func backupDaily(_ day: LocalDay, at now: Date? = nil, anew: Bool = false) throws -> Bool {
    guard let directory else { return false }
    let folder = Backups.folder(in: directory)
    let name = "\(Backups.prefix)\(day)\(Backups.suffix)"
    try FileSystem.makeDirectory(folder)
    if !anew, FileSystem.size(of: "\(folder)/\(name)") != nil { return false }
    try write("numbering a backup") { store in
      try store.setMeta(Store.backupNumber, try store.backupNumber() + 1)
      if let now { try store.setMeta(Store.backedUpAt, now.milliseconds) }
    }
    try backup(to: "\(folder)/\(name)")
    for old in Backups.newestFirst(in: directory).dropFirst(Self.backupsKept) where old != "\(folder)/\(name)" {
      try? FileManager.default.removeItem(atPath: old)
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
    // Before the ledger changes: taps since the copy are not to be put back from the witness. Should the power fail in
    // between, they are in the ledger and get their lines again.
    do {
      let store = Store(try Database(path: draft, .write))
      // Older than the backups, and meant to be.
      try store.setMeta(Store.backupNumber, try Backups.nextNumber(in: directory, store))
      let witness = Witness(directory: directory, log: .none)
      witness.note([WitnessLine(restored: .init(lastTap: try store.newestTapID()))])
      witness.flush()
    }
    let aside = try LedgerFile.moveAside(target, as: "\(target).replaced-\(now.milliseconds / 1000)")
    try FileSystem.replace(target, with: draft)
    return aside
  }
}
