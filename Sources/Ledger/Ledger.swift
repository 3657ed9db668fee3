package import Foundation
package import Linux
package import Reminders

/// What happened, on disk: the one writer of the ledger (DESIGN 5.6).
///
/// Everything it answers is on disk before it answers: WAL with `synchronous=FULL`, one `BEGIN IMMEDIATE` a decision. It
/// blocks in SQLite on a thread of its own.
package actor Ledger {
  private let executor = QueueExecutor(label: "ledger")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  /// nil after the database was lost and could not be opened again.
  private var opened: Store?
  let directory: String?
  let log: Log
  let witness: Witness?

  /// A ledger in `directory`, made when it is not there.
  ///
  /// Checks the file (SQLite's `quick_check`) and brings an older schema up to date after a backup of it.
  package init(directory: String, log: Log) throws(LedgerError) {
    self.directory = directory
    self.log = log
    try FileSystem.makeDirectory(directory)
    let path = directory + "/" + Self.fileName
    opened = try LedgerFile.open(path, log: log)
    witness = Witness(path: directory + "/taps.jsonl", log: log)
  }

  /// A ledger in memory, with the same tables and rules: for `replay` and tests.
  package init(inMemory log: Log) throws(LedgerError) {
    directory = nil
    self.log = log
    witness = nil
    opened = try LedgerFile.inMemory()
  }

  package static let fileName = "ledger.sqlite"

  /// Runs `decide` on what the ledger holds and stores the tap with what was decided, in one transaction. When this
  /// returns the tap is on disk; when it throws nothing of it is.
  package func recordTap(_ entry: TapEntry, decide: @Sendable (LedgerView) throws -> DecidedTap) throws -> TapRecord {
    let store = try store()
    let record = try store.database.transaction(doing: "storing a tap") {
      let view = LedgerView(
        household: try store.household(), log: try store.doseLog(at: entry.at),
        pending: try store.pendingTaps(boot: entry.boot))
      let decided = try decide(view)
      if !decided.changes.isEmpty { try store.apply(decided.changes, at: entry.at) }
      let id = try store.insert(entry, decided)
      return TapRecord(id: id, entry: entry, decided: decided)
    }
    witness?.note(record)
    return record
  }

  /// Lets the rules write what the passing of time did. No transaction when there is nothing to write.
  /// - Returns: what the ledger holds afterwards.
  package func advance(at now: Date, decide: @Sendable (LedgerView) -> [DoseChange]) throws -> LedgerView {
    let store = try store()
    var view = LedgerView(household: try store.household(), log: try store.doseLog(at: now), pending: [])
    guard !decide(view).isEmpty || view.log.advancedUntil == nil else { return view }
    try store.database.transaction(doing: "ending doses") {
      view.log = try store.doseLog(at: now)
      try store.apply(decide(view), at: now)
    }
    view.log = try store.doseLog(at: now)
    return view
  }

  package func view(at now: Date) throws -> LedgerView {
    let store = try store()
    return LedgerView(household: try store.household(), log: try store.doseLog(at: now), pending: [])
  }

  package func pendingTaps(boot: String) throws -> [StoredPendingTap] { try store().pendingTaps(boot: boot) }

  /// Takes back a credit; the dose can then be credited once more.
  package func undo(_ key: OccurrenceKey, at now: Date) throws {
    let store = try store()
    try store.database.transaction(doing: "undoing a credit") {
      try store.database.run(
        """
        INSERT INTO undo (credit, at) SELECT c.id, ? FROM credit c
        WHERE c.occurrence = ? AND NOT EXISTS (SELECT 1 FROM undo u WHERE u.credit = c.id)
        """, [SQLValue(now), .integer(try store.id(of: key))], doing: "undoing a credit")
    }
  }

  /// The newest instant of a row that was written under a trusted clock; nil: none.
  package func newestTrustedInstant() throws -> Date? {
    let store = try store()
    return try store.database.integer(
      """
      SELECT max((SELECT coalesce(max(at), 0) FROM tap WHERE trusted = 1),
                 (SELECT coalesce(max(value), 0) FROM meta WHERE key = 'advanced_until'))
      """, doing: "reading the newest row"
    ).flatMap { $0 > 0 ? Date(milliseconds: $0) : nil }
  }

  /// The spans of the last two days in which taps could be recorded, oldest first.
  package func recordingSpans(since: Date) throws -> [DateInterval] {
    try store().database.rows(
      "SELECT started, ended FROM recording_span WHERE ended > ? ORDER BY started", [SQLValue(since)],
      doing: "reading when taps could be recorded"
    ).compactMap { row in
      guard let start = row[0].date, let end = row[1].date, end >= start else { return nil }
      return DateInterval(start: start, end: end)
    }
  }

  /// Keeps that taps could be recorded from `span.start` up to `span.end`; the same start moves the end. Spans that ended
  /// more than 40 days ago are forgotten.
  package func keep(_ span: DateInterval) throws {
    let store = try store()
    try store.database.transaction(doing: "keeping when taps could be recorded") {
      try store.database.run(
        "INSERT INTO recording_span (started, ended) VALUES (?, ?) ON CONFLICT (started) DO UPDATE SET ended = excluded.ended",
        [SQLValue(span.start), SQLValue(span.end)], doing: "keeping when taps could be recorded")
      try store.database.run(
        "DELETE FROM recording_span WHERE ended < ?", [SQLValue(span.end - 40 * 86_400)],
        doing: "forgetting old spans")
    }
  }

  /// Whether a write lock can be had now: what `/healthz` and the wall ask.
  package func checkWritable() throws {
    let store = try store()
    try store.database.transaction(doing: "checking that a dose could be stored") {
      try store.setMeta("checked", Int64(try store.meta("checked") ?? 0) &+ 1)
    }
  }

  func store() throws(LedgerError) -> Store {
    if let opened { return opened }
    throw LedgerError(kind: .cannotOpen, doing: "using it")
  }

  /// Writes everything into the main file; called at a clean end.
  package func close() {
    guard let store = opened else { return }
    _ = try? store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)", doing: "closing")
    opened = nil
    witness?.flush()
  }
}
