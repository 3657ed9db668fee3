/// What a virtual reader went through.
package struct ReaderEvent: Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// The answer to reset is in `bytes`.
    case powerUp = "power-up"
    case reset
    /// A power-up or reset failed.
    case noPower = "no-power"
    case powerDown = "power-down"
    case apdu
    case answer
    /// An APDU ended in an error instead of an answer.
    case noAnswer = "no-answer"
    /// The answer did not fit the room that pcscd's client gave; the client got an error.
    case overrun
    /// An escape command (LED, buzzer), as SCardControl sends it.
    case escape
  }

  /// Counts from 1 since the reader was loaded.
  package let number: Int

  /// CLOCK_MONOTONIC, ns.
  package let nanoseconds: Int64
  package let kind: Kind

  /// The number of bytes there were.
  package let length: Int

  /// The first 64 of them.
  package let bytes: [UInt8]

  init?(line: Substring) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 5, let number = Int(words[0]), let nanoseconds = Int64(words[1]),
      let kind = Kind(rawValue: String(words[2])), let length = Int(words[3]), let bytes = Hex.bytes(String(words[4]))
    else { return nil }
    self.number = number
    self.nanoseconds = nanoseconds
    self.kind = kind
    self.length = length
    self.bytes = bytes
  }
}

extension VirtualTag {
  /// The last 256 events, oldest first.
  /// - Parameter after: only those with a higher number.
  package func log(after: Int = 0) throws(VirtualTagError) -> [ReaderEvent] {
    let answer = try ask("log \(after)")
    let lines = answer.split(separator: "\n")
    let events = lines.compactMap { ReaderEvent(line: $0) }
    guard events.count == lines.count else { throw .unexpectedAnswer(command: "log", answer: answer) }
    return events
  }

  /// What is set: `present` 0 or 1, `uid` in hex, each fault with the number of times left (-1: always), `watched` 1
  /// while pcscd waits for an event, `lines` the number of the newest event.
  package func state() throws(VirtualTagError) -> [String: String] {
    let answer = try ask("state")
    var state: [String: String] = [:]
    for word in answer.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { throw .unexpectedAnswer(command: "state", answer: answer) }
      state[String(parts[0])] = String(parts[1])
    }
    return state
  }
}
