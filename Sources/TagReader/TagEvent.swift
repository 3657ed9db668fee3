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
  /// 2 to 10 bytes, as the tag sends them.
  package var uid: [UInt8]
  /// pcscd's whole name of the reader.
  package var reader: String
  /// How many times the tag was powered up or asked.
  package var tries: Int
  /// When the tag was seen to have come into the field; uptime.
  package var presentAt: Duration
  /// When its UID was known; uptime.
  package var readAt: Duration
  /// Numbers physical taps of this run; the tries of one tap share it.
  package var presence: UInt64
  /// When this UID was last on any reader before this tap; uptime; equal to `presentAt` when it never left; nil: never.
  package var lastSeen: Duration?
  /// The presence that was already reported unreadable and that this read now answers; nil when it was not.
  package var resolves: UInt64?

  /// Whether the tap was already reported unreadable.
  package var resolvesUnreadable: Bool { resolves != nil }

  /// A UID of 4 bytes that begins with 08 is a phone's, made up for each tap (ISO/IEC 14443-3, 6.5.4).
  package var isRandom: Bool { uid.count == 4 && uid[0] == 0x08 }
}

package struct UnreadableTag: Equatable, Sendable {
  package var reason: UnreadableReason
  /// What the tag or the reader answered instead; only with `refused`.
  package var statusWord: UInt16?
  /// pcscd's whole name of the reader.
  package var reader: String
  /// How many times the tag was powered up or asked.
  package var tries: Int
  /// When the tag was seen to have come into the field, and when the try was given up; uptime.
  package var presentAt: Duration
  package var gaveUpAt: Duration
  /// Numbers physical taps of this run.
  package var presence: UInt64
  /// When a tag that was read last left this reader before this tap; uptime; nil: none was read there.
  package var lastLift: Duration?
}

/// Why a tap was not read. The names are stored and printed.
package enum UnreadableReason: String, CaseIterable, Sendable {
  /// The tag gives no answer to power-up: held too far away, or metal behind it.
  case mute
  /// The answer was cut: the tag was about to leave.
  case torn
  /// In and out again before anybody saw it.
  case tooShort
  /// Seen, and gone before it was read.
  case removedTooSoon
  /// The reader says that the exchange failed, or went away itself.
  case communicationError
  /// The tag or the reader answers with an error instead of the UID.
  case refused
  /// The answer is no UID.
  case malformed
  /// Another program holds the tag for itself.
  case inUse
  /// Another program resets the tag again and again.
  case resetByOther
  /// The reader did not come back from a call.
  case timedOut
  /// pcscd went away meanwhile.
  case serviceLost
}
