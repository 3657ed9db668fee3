internal import Foundation
internal import Glibc

/// A provider's key. It cannot be shown: not by `print`, not by `dump`, not in a message.
package struct FeedKey: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let text: String

  /// nil: no key looks like that. A key is 1 to 512 printable ASCII characters without a space; blanks and line ends
  /// around it are dropped.
  package init?(_ text: String) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...512).contains(trimmed.utf8.count), trimmed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    self.text = trimmed
  }

  /// A text from outside (an answer may quote the request) without the key, in whatever case: a host is told in lower.
  func scrub(_ message: String) -> String {
    [text, Address.encoded(text)].reduce(message) {
      $0.replacingOccurrences(of: $1, with: "…", options: .caseInsensitive)
    }
  }

  package var description: String { "(key)" }
  package var debugDescription: String { "(key)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where a source's key lies (DESIGN 4.2): `$CREDENTIALS_DIRECTORY/<source>-key`, then the `keyFile` of the configuration,
/// then `KIOSK_AGENT_<SOURCE>_KEY`. The first that is there counts, also when it is damaged: a broken key file must be
/// said, not passed over.
///
/// It is read anew for every request, so that a key put right needs no restart.
package struct KeyStore: Sendable {
  /// Why there is no key.
  package enum Fault: Error, Equatable, Sendable {
    /// None of the three places has one.
    case missing(source: String, variable: String)
    /// The file cannot be opened.
    case unreadable(path: String, errno: Int32)
    /// Users who are neither the owner nor of the group may read or write it. The group may: root:kiosk-agent 0640 is how
    /// a service's file is installed.
    case openToOthers(path: String)
    /// Empty, several lines, longer than any key, or no file at all. `place`: a path or a variable's name.
    case malformed(place: String)

    /// What is wrong: what to do.
    package var sentence: String {
      switch self {
      case .missing(let source, let variable):
        "\(source) has no key: put it into sources.\(source).keyFile or \(variable)"
      case .unreadable(let path, let errno):
        "the key file \(path) cannot be read (\(unsafe String(cString: strerror(errno)))): "
          + "make it readable for the agent's user"
      case .openToOthers(let path): "the key file \(path) is open to other users: chmod o= \(path)"
      case .malformed(let place): "\(place) holds no key: put the key alone on its first line"
      }
    }
  }

  private let source: String
  private let keyFile: String?
  private let environment: [String: String]

  /// - Parameters:
  ///   - source: its id, such as `onebusaway`.
  ///   - keyFile: an absolute path.
  ///   - environment: of this process.
  package init(source: String, keyFile: String?, environment: [String: String]) {
    self.source = source
    self.keyFile = keyFile
    self.environment = environment
  }

  package func key() throws(Fault) -> FeedKey {
    if let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty {
      let path = "\(directory)/\(source)-key"
      if unsafe access(path, F_OK) == 0 { return try Self.read(path) }
    }
    if let keyFile { return try Self.read(keyFile) }
    if let text = environment[variable], !text.isEmpty {
      guard let key = FeedKey(text) else { throw .malformed(place: variable) }
      return key
    }
    throw .missing(source: source, variable: variable)
  }

  private var variable: String {
    "KIOSK_AGENT_" + source.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" } + "_KEY"
  }

  private static func read(_ path: String) throws(Fault) -> FeedKey {
    // A FIFO must not hold us up.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .malformed(place: path) }
    guard status.st_mode & 0o006 == 0 else { throw .openToOthers(path: path) }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
    guard count >= 0 else { throw .unreadable(path: path, errno: errno) }
    guard count < buffer.count, let key = FeedKey(String(decoding: buffer[..<count], as: UTF8.self)) else {
      throw .malformed(place: path)
    }
    return key
  }
}
