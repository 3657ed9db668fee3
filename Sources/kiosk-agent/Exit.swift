internal import Foundation
internal import Glibc

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

/// A command's end that is not success: one line on stderr, then the code.
struct CommandFailure: Error {
  let code: ExitCode
  /// What is wrong: what to do.
  let sentence: String
}

/// Writes whole texts to the standard streams; `print` buffers when stdout is a pipe.
enum Output {
  static func line(_ text: String) { write(text + "\n", to: 1) }
  static func error(_ text: String) { write("kiosk-agent: " + text + "\n", to: 2) }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
