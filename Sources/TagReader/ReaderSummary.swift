/// What happened since the agent started.
package struct ReaderCounters: Equatable, Sendable {
  package var taps = 0
  package var unreadable = 0
  /// Of the unreadable ones those that nobody saw.
  package var tooShort = 0
  /// How often pcscd went away.
  package var reconnects = 0

  package init() {}
}

/// How the readers are, all together.
package struct ReaderSummary: Equatable, Sendable {
  /// The names are those of the snapshot (DESIGN 4.4).
  package enum Condition: String, Sendable {
    case starting, ready, absent, unavailable, noService
  }

  /// One slot where tags can be tapped.
  package struct Reader: Equatable, Sendable {
    /// pcscd's whole name.
    package var name: String
    /// False while it is listed and does not answer.
    package var isAvailable: Bool
    /// A tag lies there that was not tapped: lift it and tap again.
    package var tagLying: Bool
  }

  package var condition: Condition
  /// The name of the reader that the condition is about, without pcscd's numbers; nil when none was ever seen.
  package var name: String?
  /// pcscd runs and refuses this user (or has no context left), for 3 s and 3 times in a row.
  package var refused: Bool
  /// A tag lies on a reader without having been tapped.
  package var tagLying: Bool
  /// All tag slots, in pcscd's order; at most 15.
  package var readers: [Reader]
  /// What only a restart mends; nil: nothing.
  package var fault: ReaderFault?
  package var counters: ReaderCounters
  /// Uptime since which a tag is on a reader without a break, tapped or not; the longest one's; nil: none is.
  package var tagSince: Duration?
  /// Uptime since which the condition holds.
  package var since: Duration

  /// The name without pcscd's numbers of reader and slot (`… 00 00`), which change when it is plugged elsewhere.
  package static func displayName(_ name: String) -> String {
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    let isNumber = { (word: Substring) in word.count == 2 && word.allSatisfy(\.isHexDigit) }
    guard words.count > 2, isNumber(words[words.count - 1]), isNumber(words[words.count - 2]) else { return name }
    return words.dropLast(2).joined(separator: " ")
  }
}

/// A fault that only a restart of the agent (and perhaps of pcscd) mends; the agent decides when to exit.
package enum ReaderFault: Equatable, Sendable {
  /// A reader that was there is away for `failAfter`.
  case gone(String)
  /// A call did not come back: the reader's name, or `pcscd`.
  case hung(String)

  /// A read may take so long.
  package static let callDeadline: Duration = .seconds(5)
  /// A wait of 1 s may take so long: 10 s over its time.
  package static let waitDeadline: Duration = .seconds(11)
  /// Between two looks at the readers there are pauses of 2 s at most; in a longer one the machine slept, or pcscd did.
  static let sleep: Duration = .seconds(5)
}
