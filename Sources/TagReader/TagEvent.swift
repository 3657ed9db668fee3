/// Who wants a tap: the highest live claim gets it (DESIGN 5.1).
package enum Claim: Int, Comparable, CaseIterable, Sendable {
  case tapLoop, testWindow, enrolment

  package static func < (a: Claim, b: Claim) -> Bool { a.rawValue < b.rawValue }
}

/// One physical tap and how reading it ended.
package enum TagEvent: Equatable, Sendable {
  case read(TagRead)
  case unreadable(UnreadableTag)
}

package struct TagRead: Equatable, Sendable {
  package var uid: [UInt8]
  package var reader: String
  /// How many times the UID was asked for.
  package var tries: Int
  /// When the tag came into the field, and when its UID was known; uptime.
  package var presentAt: Duration
  package var readAt: Duration
  /// Numbers physical taps of this run.
  package var presence: UInt64
  /// When this UID was last on any reader before; equal to `presentAt` when it never left; nil: never.
  package var lastSeen: Duration?
  /// True when the tap was already reported unreadable and is now read after all.
  package var resolvesUnreadable: Bool
}

package struct UnreadableTag: Equatable, Sendable {
  package var reason: UnreadableReason
  package var reader: String
  package var tries: Int
  package var presentAt: Duration
  package var gaveUpAt: Duration
  package var presence: UInt64
}

/// Why a tap was not read. The names are stored and printed.
package enum UnreadableReason: String, CaseIterable, Sendable {
  /// The tag gives no answer to power-up: held too far away, or metal behind it.
  case mute
  /// The answer was cut: the tag left while it answered.
  case torn
  /// In and out before it could be read.
  case tooShort
  /// The reader says that the exchange failed.
  case communicationError
  /// The tag refuses to tell its UID.
  case refused
  /// The answer is no UID.
  case malformed
  /// Another program holds the reader for itself.
  case inUse
  /// pcscd went away meanwhile.
  case serviceLost
}

/// How one reader's settings limit it; the keys of `reader` in the configuration (DESIGN 4.2).
package struct ReaderSettings: Equatable, Sendable {
  /// Parts of reader names; empty: every reader that is not excluded.
  package var match: [String]
  package var exclude: [String]
  /// Reads of one tap before it counts as unreadable.
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

  /// Whether a slot can be where tags are tapped. A SAM slot never is.
  func isTagSlot(_ name: String) -> Bool {
    !exclude.contains { name.contains($0) } && (match.isEmpty || match.contains { name.contains($0) })
  }
}
