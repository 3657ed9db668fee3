internal import Linux

/// Moves tags in front of a virtual reader (see VirtualReader.h for its commands).
package struct VirtualTag: Sendable {
  /// The reader did not do it.
  package struct Refused: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  /// The reader's control socket.
  package let socket: String

  package init(socket: String) { self.socket = socket }

  /// Sends one command line; returns what follows `ok`.
  @discardableResult
  package func send(_ command: String) throws -> String {
    let answer: String
    do {
      answer = try UnixSocket.ask(socket, command, seconds: 70)
    } catch {
      throw Refused(
        description:
          "the virtual reader at \(socket) does not answer (errno \(error.errno)): is 'make run' or 'virtual-tag serve' running?"
      )
    }
    guard answer == "ok" || answer.hasPrefix("ok ") else {
      throw Refused(description: String(answer.drop { $0 != " " }.dropFirst()))
    }
    return String(answer.dropFirst(3))
  }

  /// A tag comes and stays. Returns CLOCK_MONOTONIC at which it was present, in nanoseconds.
  @discardableResult
  package func enter(_ uid: String, atr: String? = nil) throws -> Int64 {
    Int64(try send("in \(uid.isEmpty ? "-" : uid)\(atr.map { " " + $0 } ?? "")")) ?? 0
  }

  package func leave() throws { try send("out") }

  /// In, and out after `milliseconds`; returns when it has left.
  @discardableResult
  package func tap(_ uid: String, milliseconds: Int = 300) throws -> Int64 {
    Int64(try send("tap \(uid) \(milliseconds)")) ?? 0
  }

  package func reset() throws { try send("reset") }

  /// The power-ups, APDUs and escape commands since the last call.
  package func log() throws -> [String] {
    try send("log").split(separator: ";").map { line in String(line.drop { $0 != " " }.dropFirst()) }
  }
}
