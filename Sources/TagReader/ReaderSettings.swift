/// How the readers are used; the keys of `reader` in the configuration (DESIGN 4.2).
package struct ReaderSettings: Equatable, Sendable {
  /// Parts of reader names; empty: every reader that is not excluded.
  package var match: [String]
  package var exclude: [String]
  /// Reads of one tap before it counts as unreadable; at least 1.
  package var decodeAttempts: Int
  /// How long a tap waits for somebody who takes it.
  package var buffer: Duration
  /// After how long without its reader the agent is to be restarted.
  package var failAfter: Duration

  package init(
    match: [String] = [], exclude: [String] = ["SAM"], decodeAttempts: Int = 3, buffer: Duration = .seconds(2),
    failAfter: Duration = .seconds(30)
  ) {
    self.match = match
    self.exclude = exclude
    self.decodeAttempts = decodeAttempts
    self.buffer = buffer
    self.failAfter = failAfter
  }

  /// Readers with a second slot for a SAM. libccid can be built to name both slots alike, and only the slot's number, the
  /// last two digits, tells them apart.
  private static let readersWithSAM = ["ACR1251", "ACR1252", "ACR1552"]

  /// "SAM" as a word of its own, whatever `exclude` was made to say.
  private static func namesASAM(_ name: String) -> Bool {
    name.split { !$0.isLetter && !$0.isNumber }.contains("SAM")
  }

  /// Whether a slot can be where tags are tapped. A SAM slot never is.
  package func isTagSlot(_ name: String) -> Bool {
    let isSecondSlot = Self.readersWithSAM.contains { name.contains($0) } && !name.hasSuffix(" 00")
    return !isSecondSlot && !Self.namesASAM(name) && !exclude.contains { name.contains($0) }
      && (match.isEmpty || match.contains { name.contains($0) })
  }
}
