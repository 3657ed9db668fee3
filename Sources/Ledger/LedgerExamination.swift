internal import CSQLite
package import Foundation
internal import Glibc

/// A ledger looked at by a technician's check, whatever state it is in: never writes, never checkpoints.
///
/// Looks further than `LedgerReader`, which refuses what it cannot read whole.
package struct LedgerExamination {
  /// A tap as far as two records of it can be compared.
  package struct TapMark: Hashable, Sendable {
    package var at: Date
    package var uid: [UInt8]?
  }

  private let store: Store
  /// Of the schema.
  package let version: Int

  /// The newest schema that this program knows.
  package static var newestVersion: Int { Schema.version }

  package static func path(in directory: String) -> String { "\(directory)/\(LedgerFile.name)" }

  /// Opens the ledger of a state directory. An empty file is `damaged`, and so is one of another program.
  package init(directory: String) throws(LedgerError) { try self.init(file: Self.path(in: directory)) }

  package init(file path: String) throws(LedgerError) {
    guard let size = FileSystem.size(of: path) else { throw LedgerError(kind: .notFound, doing: "reading \(path)") }
    guard size > 0 else { throw LedgerError(kind: .damaged, doing: "\(path) is empty") }
    let database = try Database(path: path, .read, busyTimeout: 1000)
    try database.run("PRAGMA query_only = ON", doing: "opening \(path)")
    try database.run("PRAGMA wal_autocheckpoint = 0", doing: "opening \(path)")
    guard try database.integer("PRAGMA application_id", doing: "reading what file it is") == Schema.applicationID else {
      throw LedgerError(kind: .damaged, doing: "reading what file it is: not a ledger of kiosk-agent")
    }
    version = Int(clamping: try database.integer("PRAGMA user_version", doing: "reading its version") ?? 0)
    guard version <= Schema.version else {
      throw LedgerError(kind: .newerSchema, doing: "its version is \(version), known is \(Schema.version)")
    }
    store = Store(database)
  }

  /// The first broken page or index; nil: none. Reads the whole file.
  package func firstDamage() throws(LedgerError) -> String? {
    let answer = try store.database.text("PRAGMA quick_check(1)", doing: "checking its pages")
    return answer == "ok" ? nil : answer ?? "no answer"
  }

  /// `wal`, or what it is instead.
  package func journalMode() throws(LedgerError) -> String {
    try store.database.text("PRAGMA journal_mode", doing: "reading its journal mode") ?? "unknown"
  }

  package func tapCount() throws(LedgerError) -> Int {
    Int(clamping: try store.database.integer("SELECT count(*) FROM tap", doing: "counting the taps") ?? 0)
  }

  /// The newest instant recorded under a clock that is still believed; nil: nothing is recorded.
  package func newestTrusted() throws(LedgerError) -> Date? {
    try store.newestTrusted().map { Date(milliseconds: $0) }
  }

  /// Which of these taps are not in the ledger.
  package func missing(_ taps: [TapMark]) throws(LedgerError) -> [TapMark] {
    var missing: [TapMark] = []
    for tap in taps {
      let found = try store.database.integer(
        "SELECT 1 FROM tap WHERE at = ? AND uid IS ? LIMIT 1",
        [.integer(tap.at.milliseconds), tap.uid.map { .blob($0) } ?? .null], doing: "looking for a tap")
      if found == nil { missing.append(tap) }
    }
    return missing
  }

  /// The newest taps, at most `count`.
  package func newestTaps(_ count: Int) throws(LedgerError) -> [TapMark] {
    try store.database.query(
      "SELECT at, uid FROM tap ORDER BY id DESC LIMIT ?", [.integer(Int64(count))], doing: "reading the newest taps"
    ) { row throws(LedgerError) in TapMark(at: try row.need(row.date(0)), uid: row.blob(1)) }
  }

  /// The newest taps of the record outside the database, at most `count`; empty when there is none.
  package static func witnessed(_ count: Int, in directory: String) -> [TapMark] {
    WitnessFile.newestTaps(count, in: directory).map { tap in
      TapMark(at: Date(milliseconds: tap.at), uid: tap.uid.map(Self.bytes))
    }
  }

  /// Whether there ever was a ledger in this state directory.
  package static func hasHistory(in directory: String) -> Bool { Recovery.hadLedger(in: directory) }

  /// The daily backups, newest first.
  package static func backups(in directory: String) -> [String] { Backups.newestFirst(in: directory) }

  /// The process that is writing now, or holds the ledger as if it were: SQLite marks that by a lock on a byte of the -shm
  /// file. nil: none. Not to be called while this process has the ledger open, whose own locks it would drop.
  package static func writer(in directory: String) -> Int32? {
    let descriptor = unsafe open("\(path(in: directory))-shm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // WAL_WRITE_LOCK at UNIX_SHM_BASE (os_unix.c): part of SQLite's file format (walformat.html 2.3).
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 120
    lock.l_len = 1
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
    return lock.l_pid
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
    }
  }
}
