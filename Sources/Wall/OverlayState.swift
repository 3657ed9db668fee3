/// The answer to the last tap, for as long as it is shown (DESIGN 5.2 "Sounds"). Pure; all times are uptime.
package struct OverlayState: Equatable, Sendable {
  package struct Answer: Equatable, Sendable {
    package var kind: TapFacts.Outcome
    package var texts: TapTexts
    /// The physical tap it answers.
    package var presence: UInt64
    /// The UID of the tag; empty when it was not read.
    package var tag: [UInt8]
    package var answeredAt: Duration
    package var until: Duration
  }

  /// How many tags' answers are kept for a bounce.
  private static let mostKept = 16
  /// For so long a bounce brings an answer back. A tag that lay on the reader since yesterday would be thanked once more,
  /// as if for today's dose.
  private static let staysTrue: Duration = .seconds(60)

  /// What the wall shows now; nil: nothing.
  package private(set) var shown: Answer?
  /// The last answer of each tag, newest last, kept for a bounce that brings it back.
  private var kept: [Answer] = []

  package init() {}

  /// A tap was answered. A failure never replaces a success of the same tap, nor comes after it has left.
  package mutating func show(
    _ kind: TapFacts.Outcome, _ texts: TapTexts, presence: UInt64, tag: [UInt8], at now: Duration
  ) {
    if kind.sound != "success", kept.contains(where: { $0.presence == presence && $0.kind.sound == "success" }) {
      return
    }
    let answer = Answer(
      kind: kind, texts: texts, presence: presence, tag: tag, answeredAt: now, until: now + kind.stay)
    shown = answer
    kept.removeAll { $0.tag == tag }
    kept = kept.suffix(Self.mostKept - 1) + [answer]
  }

  /// A bounce of a tag: the answer it got stays, or comes back when it has left. Never another tag's, nor one of long ago:
  /// that would be a false thank-you.
  ///
  /// - Parameter otherwise: what is said when there is none to bring back.
  package mutating func bounced(_ tag: [UInt8], presence: UInt64, otherwise: TapTexts, at now: Duration) {
    let last = kept.last { $0.tag == tag && now - $0.answeredAt <= Self.staysTrue }
    var answer =
      last
      ?? Answer(
        kind: .ignored, texts: otherwise, presence: presence, tag: tag, answeredAt: now, until: now)
    answer.until = now + answer.kind.stay
    shown = answer
  }

  /// Forgets the answers to these taps: they were a test's.
  package mutating func withdraw(_ presences: Set<UInt64>) {
    kept.removeAll { presences.contains($0.presence) }
    if let shown, presences.contains(shown.presence) { self.shown = nil }
  }

  /// Takes away what has been shown long enough.
  package mutating func expire(at now: Duration) {
    if let shown, shown.until <= now { self.shown = nil }
  }
}
