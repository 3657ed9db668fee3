internal import Foundation
internal import Linux

/// Makes, opens and checks ledger files.
enum LedgerFile {
  static let name = "ledger.sqlite"

  /// SQLite's own files beside the database: of no use alone, and poison beside another database.
  static let companions = ["-wal", "-shm"]

  /// The one writing connection.
  ///
  /// A ledger is made in one step, so a file that is empty, or gone though doses were recorded, is a damaged ledger and not
  /// a new one.
  /// - Parameter thorough: every index is compared with its table as well.
  static func open(
    _ path: String, mayBeNew: Bool, log: Log, migrations: [String] = Schema.migrations, busyTimeout: Int32 = 2000,
    thorough: Bool = false
  ) throws(LedgerError) -> Database {
    try FileSystem.mustBeWritable(FileSystem.folder(of: path))
    if FileSystem.size(of: path) == nil {
      guard mayBeNew, FileSystem.size(of: path + "-wal") == nil else {
        throw LedgerError(kind: .damaged, doing: "\(path) is gone though doses were recorded")
      }
      let draft = path + ".new"
      do {
        let database = try openDraft(draft, log: .none, migrations: migrations)
        withExtendedLifetime(database) {}
      }
      try FileSystem.replace(path, with: draft)
    }
    try refuseEmpty(path)
    let database = try Database(path: path, .write, busyTimeout: busyTimeout)
    try checkIdentity(database, newest: migrations.count)
    try check(database, thorough ? "integrity_check" : "quick_check")
    guard try database.text("PRAGMA journal_mode = WAL", doing: "switching to WAL") == "wal" else {
      throw LedgerError(kind: .other, doing: "switching to WAL, which SQLite does not do here")
    }
    try prepare(database)
    try migrate(database, path: path, log: log, migrations: migrations)
    return database
  }

  static func inMemory() throws(LedgerError) -> Database {
    let database = try Database(path: ":memory:", .create)
    try prepare(database)
    try migrate(database, path: nil, log: .none, migrations: Schema.migrations)
    return database
  }

  /// For other processes beside the writer: never writes, never checkpoints, and sees one state for as long as it is open.
  /// nil when there is no ledger.
  static func openForReading(_ path: String) throws(LedgerError) -> Database? {
    guard FileSystem.size(of: path) != nil else { return nil }
    try refuseEmpty(path)
    let database = try Database(path: path, .read)
    try database.run("PRAGMA query_only = ON", doing: "opening \(path)")
    try database.run("PRAGMA wal_autocheckpoint = 0", doing: "opening \(path)")
    // A tap must not be seen without its credits because the agent wrote in between.
    try database.run("BEGIN", doing: "opening \(path)")
    try checkIdentity(database, newest: Schema.version, oldest: Schema.version)
    return database
  }

  /// Whether the file at `path` is a whole ledger of a version that this program knows.
  static func validate(_ path: String) throws(LedgerError) {
    guard FileSystem.size(of: path) != nil else { throw LedgerError(kind: .notFound, doing: "reading \(path)") }
    try refuseEmpty(path)
    let database = try Database(path: path, .read)
    try checkIdentity(database, newest: Schema.version)
    try check(database, "integrity_check")
  }

  /// A ledger that is made beside its place, to be moved there whole: a power cut leaves no half of it.
  /// - Parameter source: the ledger that it begins as, brought up to date; nil: an empty one.
  static func openDraft(
    _ draft: String, from source: Database? = nil, log: Log, migrations: [String] = Schema.migrations
  ) throws(LedgerError) -> Database {
    // The log of an earlier draft would be poison beside this one.
    for suffix in companions + ["-journal"] { try FileSystem.remove(draft + suffix) }
    try FileSystem.makeEmptyFile(draft)
    try source?.copy(to: draft)
    let database = try Database(path: draft, .write)
    try prepare(database)
    try migrate(database, path: nil, log: log, migrations: migrations)
    return database
  }

  /// Renames a ledger with all that belongs to it, and a log that is left without one as well; never over what is there.
  /// - Parameter stem: the new name; a number is added when it is taken.
  /// - Returns: where the ledger went; nil when there was none.
  static func moveAside(_ path: String, as stem: String) throws(LedgerError) -> String? {
    let suffixes = [""] + companions
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

  /// An empty file opens as an empty database: a ledger that lost everything would look like a new one.
  private static func refuseEmpty(_ path: String) throws(LedgerError) {
    if FileSystem.size(of: path) == 0 { throw LedgerError(kind: .damaged, doing: "\(path) is empty") }
  }

  static func check(_ database: Database, _ pragma: String) throws(LedgerError) {
    let doing = "checking its pages"
    let answer = try database.text("PRAGMA \(pragma)(1)", doing: doing)
    guard answer == "ok" else { throw LedgerError(kind: .damaged, doing: "\(doing): \(answer ?? "no answer")") }
  }

  private static func checkIdentity(_ database: Database, newest: Int, oldest: Int = 1) throws(LedgerError) {
    let doing = "checking what file it is"
    guard try database.integer("PRAGMA application_id", doing: doing) == Schema.applicationID else {
      throw LedgerError(kind: .damaged, doing: "\(doing): not a ledger of kiosk-agent")
    }
    let version = try database.integer("PRAGMA user_version", doing: doing) ?? 0
    guard version <= newest else {
      throw LedgerError(kind: .newerSchema, doing: "its version is \(version), known is \(newest)")
    }
    guard version >= oldest else {
      throw LedgerError(kind: .other, doing: "its version is \(version): start the agent once to bring it up to date")
    }
  }

  /// Settings that SQLite does not keep in the file.
  private static func prepare(_ database: Database) throws(LedgerError) {
    let doing = "asking for safe commits"
    try database.run("PRAGMA synchronous = FULL", doing: doing)
    guard try database.integer("PRAGMA synchronous", doing: doing) == 2 else {
      throw LedgerError(kind: .other, doing: "\(doing), which SQLite does not give")
    }
    try database.run("PRAGMA foreign_keys = ON", doing: doing)
    guard try database.integer("PRAGMA foreign_keys", doing: doing) == 1 else {
      throw LedgerError(kind: .other, doing: "asking for foreign keys, which SQLite does not give")
    }
    try database.run("PRAGMA recursive_triggers = ON", doing: doing)
  }

  /// Brings the schema up to date, each step in a transaction of its own, after a copy of the file as it was.
  /// - Parameter path: where the copy goes beside; nil: no copy.
  private static func migrate(
    _ database: Database, path: String?, log: Log, migrations: [String]
  ) throws(LedgerError) {
    let version = try database.integer("PRAGMA user_version", doing: "reading its version").flatMap { Int(exactly: $0) }
    for next in ((version ?? 0) + 1)..<(migrations.count + 1) {
      let doing = "bringing it to version \(next)"
      if let path {
        let copy = "\(path).before-version-\(next)"
        try FileSystem.makeEmptyFile(copy)
        try database.copy(to: copy)
        try FileSystem.sync(copy)
        log.notice("the ledger is brought to version \(next); as it was it is kept as \(copy)")
      }
      do {
        try database.script(
          "BEGIN IMMEDIATE; \(migrations[next - 1]); PRAGMA user_version = \(next);"
            + "PRAGMA application_id = \(Schema.applicationID); COMMIT;", doing: doing)
      } catch {
        try? database.script("ROLLBACK", doing: doing)
        throw error
      }
    }
  }
}
