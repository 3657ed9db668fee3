internal import Foundation
internal import Glibc
internal import Ledger

/// The exit codes of DESIGN 4.1.
enum ExitCode: Int32 {
  case fine = 0
  case usage = 64
  case badInput = 65
  case readerFailed = 69
  case internalFault = 70
  case ledgerUnusable = 74
  case temporary = 75
  case badConfiguration = 78
}

extension ExitCode {
  /// A row that the schema refuses is a fault of the program, not of the ledger.
  static func of(_ error: LedgerError) -> ExitCode { error.kind == .conflict ? .internalFault : .ledgerUnusable }
}

/// A command's end that is not success: one line on stderr, then the code.
struct CommandFailure: Error {
  let code: ExitCode
  /// What is wrong: what to do.
  let sentence: String
}

/// Writes whole texts to the standard streams; `print` buffers when stdout is a pipe.
enum Output {
  /// A reader that has gone (`history | head`) wants no more; anything else that keeps the text from being written is a
  /// failure: half an export must not look like a whole one.
  static func line(_ text: String) throws(CommandFailure) {
    guard let code = write(text + "\n", to: 1), code != EPIPE else { return }
    throw CommandFailure(
      code: .temporary,
      sentence: "the output cannot be written (\(unsafe String(cString: strerror(code)))): write it somewhere else")
  }

  /// One line, whatever a path or a name in it holds. systemd is told that it is an error; whoever reads a terminal sees
  /// the sentence alone.
  static func error(_ text: String) {
    let priority = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] == nil ? "" : "<3>"
    let isBreak = { (scalar: Unicode.Scalar) in scalar.value < 0x20 || scalar.value == 0x7F }
    let line = String(String.UnicodeScalarView(text.unicodeScalars.map { isBreak($0) ? " " : $0 }))
    _ = write("\(priority)kiosk-agent: \(line)\n", to: 2)
  }

  /// - Returns: why not all of it was written; nil: it was.
  private static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return errno }
    }
    return nil
  }
}
