internal import Foundation
internal import Glibc

/// Where the agent's lines go: one event a line, each with a journald priority in front.
///
/// A line never carries a secret, a person's name with a medication, or more of a tag's UID than its last 4 digits.
package struct Log: Sendable {
  /// The journald priorities in use (sd-daemon(3)).
  package enum Priority: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
  }

  private let sink: @Sendable (Priority, String) -> Void

  package init(sink: @escaping @Sendable (Priority, String) -> Void) { self.sink = sink }

  /// File descriptor 2, one `write` a line, as `<6>text`: `print` is fully buffered when it is not a terminal.
  package static let standardError = Log { priority, message in
    let line = Array("<\(priority.rawValue)>\(oneLine(message))\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// Swallows every line.
  package static let none = Log { _, _ in }

  package func error(_ message: String) { sink(.error, message) }
  package func warning(_ message: String) { sink(.warning, message) }
  package func notice(_ message: String) { sink(.notice, message) }
  package func info(_ message: String) { sink(.info, message) }
  package func debug(_ message: String) { sink(.debug, message) }

  /// What comes from outside (a reader's name, a path) may hold line breaks or control characters: they would forge
  /// lines and priorities.
  static func oneLine(_ message: String) -> String {
    String(String.UnicodeScalarView(message.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
  }
}

extension Log {
  /// The last 4 hex digits of a UID, which is all of it that a log may hold.
  package static func redacted(uid: [UInt8]) -> String {
    "…" + uid.suffix(2).map { String(format: "%02X", $0) }.joined()
  }
}
