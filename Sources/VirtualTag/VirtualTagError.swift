/// Why the virtual reader did not do as it was told.
package enum VirtualTagError: Error, Equatable {
  /// Nobody listens at this path: pcscd has not started, has ended, or has not loaded the reader.
  case notRunning(path: String)

  /// The reader took the connection but did not answer in time: its pcscd is frozen or very busy.
  case noAnswer(path: String, command: String)

  /// The reader understood the command and refuses it; `reason` says what it would take.
  case refused(command: String, reason: String)

  /// Something answered that is not the virtual reader of this version.
  case unexpectedAnswer(command: String, answer: String)

  /// A unix socket's path has at most 107 bytes.
  case pathTooLong(path: String)

  /// The system refused a call.
  case system(doing: String, errno: Int32)
}

extension VirtualTagError: CustomStringConvertible {
  /// What is wrong and what to do, as `what: what to do`.
  package var description: String {
    switch self {
    case .notRunning(let path): "no virtual reader answers at \(path): start one with `virtual-tag serve DIR`"
    case .noAnswer(let path, let command):
      "the virtual reader at \(path) did not answer `\(command)` in time: see whether its pcscd is stopped"
    case .refused(let command, let reason): "the virtual reader refuses `\(command)`: \(reason)"
    case .unexpectedAnswer(let command, let answer):
      "`\(command)` was answered with `\(answer.prefix(80))`: use the virtual-tag of the same build as the reader"
    case .pathTooLong(let path): "\(path) is too long for a socket: use a folder with a shorter path"
    case .system(let doing, let errno): "\(doing) failed with errno \(errno): see errno(3)"
    }
  }
}
