internal import CSQLite

/// Why the ledger could not do something: one case for each thing that a person has to do about it.
package struct LedgerError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// No space left on the disk.
    case full
    /// The folder, the file or the disk may not be written.
    case readOnly
    /// Another program holds the database longer than the deadline.
    case locked
    /// Not a database, a broken page, an empty file.
    case damaged
    /// Written by a newer version of the agent.
    case newerSchema
    /// The file or folder is not there or cannot be opened.
    case cannotOpen
    /// The disk answered with an error.
    case ioError
    /// A rule of the schema refused a row: a fault of the agent, never of the person who tapped.
    case constraint
    /// Anything else.
    case other
  }

  package let kind: Kind
  /// SQLite's extended result code, 0 when it was not SQLite that refused.
  package let code: Int32
  /// What was being done.
  package let doing: String

  package init(kind: Kind, code: Int32 = 0, doing: String) {
    self.kind = kind
    self.code = code
    self.doing = doing
  }

  init(code: Int32, doing: String) {
    let kind: Kind =
      switch code & 0xFF {
      case SQLITE_FULL: .full
      case SQLITE_READONLY, SQLITE_PERM: .readOnly
      case SQLITE_BUSY, SQLITE_LOCKED: .locked
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_CANTOPEN: .cannotOpen
      case SQLITE_IOERR: .ioError
      case SQLITE_CONSTRAINT: .constraint
      default: .other
      }
    self.init(kind: kind, code: code, doing: doing)
  }

  package var description: String { sentence }

  /// What is wrong: what to do.
  package var sentence: String {
    let suffix = code == 0 ? "" : " (SQLite \(code))"
    return switch kind {
    case .full: "the disk is full\(suffix), \(doing): free some space, taps are recorded again by themselves"
    case .readOnly:
      "the ledger may not be written\(suffix), \(doing): give the state directory back to the agent's user"
    case .locked: "another program holds the ledger\(suffix), \(doing): find it with fuser and end it"
    case .damaged: "the ledger is damaged\(suffix), \(doing): restore a backup with kiosk-agent restore FILE"
    case .newerSchema:
      "the ledger was written by a newer kiosk-agent, \(doing): install that version or restore a backup"
    case .cannotOpen:
      "the ledger cannot be opened\(suffix), \(doing): check that the state directory exists and who owns it"
    case .ioError: "the disk answers with errors\(suffix), \(doing): replace the card or disk"
    case .constraint: "the ledger refused a row\(suffix), \(doing): report this as a fault of kiosk-agent"
    case .other: "the ledger failed\(suffix), \(doing): see the log"
    }
  }
}
