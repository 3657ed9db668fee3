internal import CSQLite
internal import Glibc

/// Why the ledger could not do something: one kind for each thing that a person has to do about it.
package struct LedgerError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Sendable {
    /// No space left on the disk.
    case full
    /// The folder, the file or the disk may not be written.
    case readOnly
    /// Another program holds the database longer than the deadline.
    case locked
    /// Not a ledger, a broken page, an empty file, or a file that is gone though doses were recorded.
    case damaged
    /// The file was moved, deleted or replaced while it was open: what is written now would be lost.
    case replaced
    /// Written by a newer version of the agent.
    case newerSchema
    /// What was asked for is not there: a file to restore, a dose that was never opened.
    case notFound
    /// The file or folder is there but cannot be opened.
    case cannotOpen
    /// The disk answers with errors.
    case io
    /// A rule of the schema refused a row: a fault of the agent, never of the person who tapped.
    case conflict
    /// Anything else; the code says what.
    case other
  }

  package let kind: Kind
  /// SQLite's extended result code; 0 when it was not SQLite that refused. Its low byte is the primary code.
  package let code: Int32
  /// What was being done, with what was found.
  package let doing: String

  package init(kind: Kind, code: Int32 = 0, doing: String) {
    self.kind = kind
    self.code = code
    self.doing = doing
  }

  /// - Parameter code: an extended result code of SQLite.
  init(code: Int32, doing: String) {
    let kind: Kind =
      switch code & 0xFF {
      case SQLITE_FULL: .full
      case SQLITE_READONLY, SQLITE_PERM: .readOnly
      case SQLITE_BUSY, SQLITE_LOCKED: .locked
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_CANTOPEN: .cannotOpen
      case SQLITE_IOERR: .io
      case SQLITE_CONSTRAINT: .conflict
      default: .other
      }
    self.init(kind: kind, code: code, doing: doing)
  }

  /// - Parameter errno: of the system call that failed.
  init(errno: Int32, doing: String) {
    let kind: Kind =
      switch errno {
      case ENOSPC, EDQUOT: .full
      case EROFS, EACCES, EPERM: .readOnly
      case ENOENT, ENOTDIR: .notFound
      case EIO: .io
      default: .cannotOpen
      }
    self.init(kind: kind, doing: doing)
  }

  /// What is wrong: what to do.
  package var sentence: String {
    let what = "\(doing)\(code == 0 ? "" : " (SQLite \(code))")"
    return switch kind {
    case .full: "the disk is full, \(what): free some space; taps are then recorded again by themselves"
    case .readOnly: "the ledger may not be written, \(what): give the state directory back to the agent's user"
    case .locked: "another program holds the ledger, \(what): find it with fuser and end it"
    case .damaged:
      "the ledger is damaged, \(what): put a backup back with kiosk-agent restore FILE, or start the agent, which does"
    case .replaced: "the ledger's file was replaced while in use, \(what): restart the agent"
    case .newerSchema: "the ledger is of a newer kiosk-agent, \(what): install that version or restore a backup"
    case .notFound: "nothing there, \(what): check the name"
    case .cannotOpen: "the ledger cannot be opened, \(what): check who owns the state directory"
    case .io: "the disk answers with errors, \(what): replace the card or disk"
    case .conflict: "the ledger refused a row, \(what): report this as a fault of kiosk-agent"
    case .other: "the ledger failed, \(what): restart the agent and report this if it stays"
    }
  }

  package var description: String { sentence }
}
