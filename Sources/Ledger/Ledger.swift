package import Foundation
package import Linux
package import Reminders

/// What happened, on disk: the one writer of the ledger (DESIGN 5.6).
///
/// Everything it answers is on disk before it answers: WAL with `synchronous=FULL`, one `BEGIN IMMEDIATE` a decision. It
/// blocks in SQLite on a thread of its own. It knows no rule and asks no clock: callers bring both.
///
/// A ledger that cannot be used (disk full, locked, read-only) fails the call and stays: the next call tries again, after
/// an error of the disk with a fresh connection and a check of the file. One that is damaged, emptied or gone is restored
/// at the next use (`Recovery`), one whose file was moved or replaced while open is put back from the open file. All errors
/// are `LedgerError`, except those that a `decide` closure throws itself.
package actor Ledger {
  private enum Connection {
    case none
    case open(Store)
    case closed
  }

  private let executor = QueueExecutor(label: "ledger")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  private var connection = Connection.none
  /// The last write failed: whether one would succeed now is found out by writing.
  private var writeFailed = false
  /// A page was found broken while in use: the quick check at opening is not enough.
  private var suspect = false
  /// nil: in memory.
  let directory: String?
  let log: Log
  nonisolated let witness: Witness?
  private let busyTimeout: Int32

  /// A ledger in `directory`, made when it is not there. Nothing is opened before `open` or the first use.
  package init(directory: String, log: Log) { self.init(directory: directory, log: log, busyTimeout: 2000) }

  /// - Parameter busyTimeout: milliseconds to wait for another program that holds the database.
  init(directory: String, log: Log, busyTimeout: Int32) {
    self.directory = directory
    self.log = log
    self.busyTimeout = busyTimeout
    witness = Witness(directory: directory, log: log)
  }

  /// A ledger in memory, with the same tables and code: for `replay` and tests.
  package init(inMemory log: Log) {
    directory = nil
    self.log = log
    busyTimeout = 0
    witness = nil
  }

  /// Opens it: checks the file (`quick_check`), brings an older schema up to date after a copy of it, restores a damaged one
  /// and puts back what the witness knows and it lacks.
  package func open() throws { _ = try store() }

  /// Writes everything into the main file and lets go of it; every later call fails.
  package func close() {
    if case .open(let store) = connection {
      try? store.database.run("PRAGMA wal_checkpoint(TRUNCATE)", doing: "closing")
    }
    connection = .closed
    witness?.flush()
  }

  // MARK: Deciding

  /// Lets the rules write what the passing of time did; to be called under a trusted clock only. Nothing is written when
  /// they ask for nothing, except that they were asked for the first time.
  /// - Parameter settles: keeps that these rules were asked up to `now` even when they ask for nothing: other ones follow.
  /// - Returns: what the ledger holds afterwards.
  package func advance(at now: Date, settles: Bool = false, decide: @Sendable (LedgerView) -> [DoseChange]) throws
    -> LedgerView
  {
    let now = now.asStored
    let view = try view(at: now)
    guard
      try settles || !decide(view).isEmpty || view.log.advancedUntil == nil || read({ try $0.hasOpenLoss() })
    else { return view }
    return try write("ending doses") { store in
      try store.apply(decide(try store.view(at: now)), until: now, at: now)
      return try store.view(at: now)
    }
  }

  // MARK: Reading

  package func view(at now: Date) throws -> LedgerView { try read { try $0.view(at: now) } }

  /// The taps of a boot that wait to be decided, oldest first: stored while the clock could not be believed, or taken
  /// before `correctClock` found it ahead. Decide each with `recordTap` and `TapEntry.resolves`.
  package func pendingTaps(boot: String) throws -> [StoredPendingTap] { try read { try $0.pendingTaps(boot: boot) } }

  /// What happened in [from, to), oldest first.
  package func history(from: Date, to: Date) throws -> [HistoryItem] { try read { try $0.history(from: from, to: to) } }

  /// Everything an export holds: the rules, and the sections that are kept as JSON text (`watches`, `bell`).
  package func export() throws -> (household: Household, documents: [String: String]) {
    try read { (try $0.household().asWritten, try $0.documents()) }
  }

  /// The newest instant that was recorded under a trusted clock and is still believed; nil: none (DESIGN 5.2 "Clock").
  package func newestTrustedInstant() throws -> Date? {
    try read { try $0.newestTrusted().map { Date(milliseconds: $0) } }
  }

  /// The spans that reach beyond `since` in which taps could be recorded, oldest first.
  package func recordingSpans(since: Date) throws -> [DateInterval] {
    try read { try $0.recordingSpans(since: since) }
  }

  /// Throws what would keep a dose from being stored now: what `/healthz` and the wall ask.
  ///
  /// Takes the write lock and looks at the free space; only after a failed write it writes a mark.
  package func checkWritable() throws {
    let doing = "checking that a dose could be stored"
    // A write lock is had on a file system that has turned read-only as well.
    if let directory { try FileSystem.mustBeWritable(directory) }
    if writeFailed {
      try write(doing) { try $0.setMeta("checked", (try $0.meta("checked") ?? 0) &+ 1) }
    } else {
      try write(doing) { _ in }
    }
    if let directory, let free = FileSystem.freeBytes(at: directory), free < 1 << 20 {
      throw LedgerError(kind: .full, doing: "\(doing): less than 1 MiB is left")
    }
  }

  // MARK: Small writes

  /// A person has seen these missed or unknown doses. Doses without such an ending are left alone.
  package func acknowledge(_ keys: [OccurrenceKey], at now: Date) throws {
    try write("acknowledging doses") { store in
      for key in keys {
        try store.database.run(
          """
          INSERT INTO acknowledgement (ending, recorded_at) SELECT e.id, ? FROM believed_ending e
          WHERE e.occurrence = ? AND e.kind <> 'skip' AND NOT EXISTS (SELECT 1 FROM acknowledgement WHERE ending = e.id)
          """, [SQLValue(now), .integer(try store.existingID(of: key))], doing: "acknowledging a dose")
      }
    }
  }

  /// Takes back the credit of a dose; the dose can then be credited once more.
  /// - Returns: false when it had none.
  package func undo(_ key: OccurrenceKey, at now: Date) throws -> Bool {
    let undone = try write("undoing a credit") { store in
      let before = store.database.totalChanges
      try store.database.run(
        "INSERT INTO undo (credit, reason, recorded_at) SELECT id, 'person', ? FROM live_credit WHERE occurrence = ?",
        [SQLValue(now), .integer(try store.existingID(of: key))], doing: "undoing a credit")
      return store.database.totalChanges > before
    }
    if undone { witness?.note([WitnessLine(undo: .init(dose: WitnessLine.Key(key), at: now.milliseconds))]) }
    return undone
  }

  /// Keeps that taps could be recorded from `span.start` up to `span.end`; the same start moves the end. Spans that ended
  /// more than 40 days before it are forgotten: no rule looks back further than 31.
  package func keep(_ span: DateInterval) throws {
    let doing = "keeping when taps could be recorded"
    try write(doing) { store in
      try store.database.run(
        """
        INSERT INTO recording_span (started, ended) VALUES (?, ?)
        ON CONFLICT (started) DO UPDATE SET ended = excluded.ended
        """, [SQLValue(span.start), SQLValue(span.end)], doing: doing)
      try store.database.run(
        "DELETE FROM recording_span WHERE ended < ?", [SQLValue(span.end - 40 * 86_400)], doing: doing)
    }
  }

  // MARK: The connection

  /// Runs `body` in one transaction of the writing connection.
  func write<T>(_ doing: String, _ body: (Store) throws -> T) throws -> T {
    do {
      let store = try store()
      let result = try store.database.transaction(doing: doing) { try body(store) }
      // What was committed into a file that has just lost its name must not be acknowledged before it is put back.
      if directory != nil, store.database.hasMoved { try putBack(store) }
      writeFailed = false
      return result
    } catch let error as LedgerError {
      writeFailed = error.kind != .conflict && error.kind != .notFound
      distrustConnection(after: error)
      throw error
    }
  }

  func read<T>(_ body: (Store) throws -> T) throws -> T {
    do { return try body(try store()) } catch let error as LedgerError {
      distrustConnection(after: error)
      throw error
    }
  }

  /// After an I/O error the kernel may have dropped pages that SQLite believes written: only a new connection and a check
  /// of the file tell what is there.
  private func distrustConnection(after error: LedgerError) {
    switch error.kind {
    case .io, .damaged, .replaced, .cannotOpen:
      if directory != nil, case .open = connection { connection = .none }
      if error.kind == .damaged { suspect = true }
    case .full, .readOnly, .locked, .newerSchema, .notFound, .conflict, .other: break
    }
  }

  /// nil: none is open.
  var openStore: Store? { if case .open(let store) = connection { store } else { nil } }

  private func store() throws -> Store {
    switch connection {
    case .open(let store):
      guard directory != nil, store.database.hasMoved else { return store }
      try putBack(store)
      return try self.store()
    case .closed: throw LedgerError(kind: .cannotOpen, doing: "using it after it was closed")
    case .none:
      let store = Store(try opened())
      connection = .open(store)
      return store
    }
  }

  /// The open file is the ledger, whatever its path leads to now: it goes back there, and is opened anew.
  private func putBack(_ store: Store) throws {
    guard let directory else { return }
    connection = .none
    do throws(LedgerError) {
      let aside = try LedgerFile.putBack(store, at: "\(directory)/\(LedgerFile.name)")
      log.error(
        "the ledger's file was moved or replaced while in use: it is put back, nothing is lost"
          + (aside.map { "; what was in its place is kept as \($0) (kiosk-agent restore puts one in)" } ?? ""))
    } catch {
      throw LedgerError(kind: .replaced, code: error.code, doing: "putting it back failed: \(error.doing)")
    }
  }

  private func opened() throws -> Database {
    guard let directory else { return try LedgerFile.inMemory() }
    try FileSystem.makeDirectory(directory)
    witness?.flush()
    let recovery = Recovery(directory: directory, log: log)
    let database: Database
    do throws(LedgerError) {
      let found = try openedFile(in: directory)
      try recovery.mustNotBeOld(Store(found))
      database = found
    } catch {
      guard error.kind == .damaged else { throw error }
      try recovery.run(after: error)
      database = try openedFile(in: directory)
    }
    suspect = false
    try witness?.reconcile(with: Store(database))
    return database
  }

  private func openedFile(in directory: String) throws(LedgerError) -> Database {
    try LedgerFile.open(
      "\(directory)/\(LedgerFile.name)", mayBeNew: !Recovery.hadLedger(in: directory), log: log,
      busyTimeout: busyTimeout, thorough: suspect)
  }
}

extension Store {
  func view(at now: Date) throws(LedgerError) -> LedgerView {
    LedgerView(household: try household(), log: try doseLog(at: now))
  }
}
