/// Tells the bounce of an answered tap from a new tap (DESIGN 5.2, danger D1: a double tap must not credit the next dose).
///
/// Per tag: a different one is never suppressed. All times are uptime.
package struct Debounce: Equatable, Sendable {
  /// Within this time of when a tag was last seen it is still the same tap.
  package static let window: Duration = .seconds(3)

  /// So many tags are remembered, those seen last. Not for a time: a tag that lies on the reader all morning and flickers
  /// when the next window opens must not credit that dose.
  package static let capacity = 64

  /// A tag that is lifted can flicker in the field; no other is tapped so soon after it.
  package static let trail: Duration = .milliseconds(500)

  /// Whether a tap that was not read is the end of the tap before: the answer of that one stands.
  /// - Parameter lastLift: when a tag that was read last left the same reader; nil: never.
  package static func isTrailing(presentAt: Duration, lastLift: Duration?) -> Bool {
    lastLift.map { presentAt - $0 <= trail } ?? false
  }

  private var lastSeen: [TagUID: Duration] = [:]

  package init() {}

  /// Whether this sight of a tag belongs to a tap that was answered before.
  /// - Parameters:
  ///   - presentAt: when the tag came into the field.
  ///   - seenBefore: when the reader last had this tag before; equal to `presentAt` when it was never lifted; nil: never.
  package mutating func isBounce(_ uid: TagUID, presentAt: Duration, seenBefore: Duration?) -> Bool {
    guard let answered = lastSeen[uid] else { return false }
    // The reader may know of a later sight than the last answer: a tag that lay there until now.
    let last = max(answered, seenBefore ?? answered)
    guard presentAt - last <= Self.window else {
      lastSeen[uid] = nil
      return false
    }
    lastSeen[uid] = presentAt
    return true
  }

  /// Starts the suppression for a tag. `unreadable` and `notRecorded` never start it: the person is to tap again.
  package mutating func answered(_ uid: TagUID, _ outcome: TapOutcome, at uptime: Duration) {
    switch outcome {
    case .unreadable, .notRecorded: lastSeen[uid] = nil
    case .ignored: break
    case .taken, .alreadyTaken, .wrongWindow, .unknownTag, .pendingTime:
      lastSeen[uid] = uptime
      if lastSeen.count > Self.capacity, let oldest = lastSeen.min(by: { $0.value < $1.value }) {
        lastSeen[oldest.key] = nil
      }
    }
  }
}
