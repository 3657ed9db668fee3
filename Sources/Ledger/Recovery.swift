internal import Foundation
internal import Linux

/// Puts a ledger in the place of one that is damaged, emptied or gone (DESIGN 5.6): the newest backup that is whole, and the
/// taps since then from `taps.jsonl`. What was there is moved aside, never deleted.
///
/// The new ledger is finished beside its place before anything is moved. A power cut before that changes nothing, and one
/// after it leaves no ledger, which is damage again and is mended again.
struct Recovery {
  let directory: String
  let log: Log

  private var path: String { "\(directory)/\(LedgerFile.name)" }

  /// Whether there ever was a ledger here: then one that is gone is a loss and not a beginning.
  static func hadLedger(in directory: String) -> Bool {
    Witness.knowsTaps(in: directory) || !Backups.newestFirst(in: directory).isEmpty
  }

  /// Throws `damaged` when a backup is newer than the ledger that opened well: an old copy, or one whose log is gone.
  func mustNotBeOld(_ store: Store) throws(LedgerError) {
    guard let backup = Backups.newestFirst(in: directory).first, let number = Backups.number(of: backup),
      number > (try store.backupNumber())
    else { return }
    throw LedgerError(kind: .damaged, doing: "it is older than its backup \(backup)")
  }

  /// - Parameter damage: what was found.
  func run(after damage: LedgerError) throws(LedgerError) {
    let backup = try newestWhole()
    let draft = path + ".restored"
    let counts: (taps: Int, since: Date?)
    do {
      let source: Database? = if let backup { try Database(path: backup, .read) } else { nil }
      let store = Store(try LedgerFile.openDraft(draft, from: source, log: log))
      counts = try Witness.putBack(WitnessFile.lines(in: directory), into: store)
      try store.setMeta(Store.backupNumber, try Backups.nextNumber(in: directory, store))
      try LedgerFile.check(store.database, "integrity_check")
    }
    let aside = try LedgerFile.moveAside(path, as: path + ".damaged")
    try FileSystem.replace(path, with: draft)
    log.error(
      "the ledger was damaged (\(damage.doing)): it is restored from "
        + (backup.map { "\($0)" } ?? "nothing, for there is no whole backup: import the household again")
        + ", with \(counts.taps) taps from \(Witness.name); "
        + (counts.since.map { "records since \(LedgerFile.text($0)) may be lost" } ?? "all earlier records may be lost")
        + (aside.map { "; the damaged one is kept as \($0)" } ?? ""))
  }

  /// The newest backup in which every page is in order; nil: there is none.
  ///
  /// One that cannot be looked at now (the disk answers with errors, no rights) ends the search: it may be whole, and an
  /// older one must not take its place.
  private func newestWhole() throws(LedgerError) -> String? {
    // By their numbers: the names are those of days that a wrong clock may have told.
    let backups = Backups.newestFirst(in: directory).map { (path: $0, number: Backups.number(of: $0) ?? 0) }
    for (backup, _) in backups.sorted(by: { $0.number > $1.number }) {
      do throws(LedgerError) {
        try LedgerFile.validate(backup)
        return backup
      } catch {
        guard [.damaged, .newerSchema, .notFound].contains(error.kind) else { throw error }
        log.error("the backup \(backup) is of no use (\(error.doing)): an older one is tried")
      }
    }
    return nil
  }
}

extension LedgerFile {
  /// An instant for the log, in UTC: the ledger knows no zone.
  static func text(_ instant: Date) -> String { instant.formatted(.iso8601).replacing("Z", with: "+00:00") }

  /// Puts the ledger that is open in the place of whatever its path leads to now. What is there, a log of its own too, is
  /// moved aside.
  ///
  /// The open file is whole whatever became of its name: nothing is lost.
  /// - Returns: where the other one went; nil when there was none.
  static func putBack(_ store: Store, at path: String) throws(LedgerError) -> String? {
    try FileSystem.makeDirectory(FileSystem.folder(of: path))
    let draft = path + ".open"
    try store.backup(to: draft)
    let aside = try moveAside(path, as: path + ".replaced")
    try FileSystem.replace(path, with: draft)
    return aside
  }
}
