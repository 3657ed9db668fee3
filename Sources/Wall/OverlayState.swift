/// The answer to the last tap, for as long as it is shown. Pure; all times are uptime.
package struct OverlayState: Equatable, Sendable {
  package struct Answer: Equatable, Sendable {
    package var kind: TapFacts.Outcome
    package var texts: TapTexts
    /// The physical tap it answers.
    package var presence: UInt64
    package var until: Duration
  }

  /// What the wall shows now; nil: nothing.
  package private(set) var shown: Answer?
  /// The last answer, kept for a bounce that brings it back.
  private var last: Answer?

  package init() {}

  /// A tap was answered. A failure never replaces a success of the same tap (DESIGN 5.2).
  package mutating func show(_ kind: TapFacts.Outcome, _ texts: TapTexts, presence: UInt64, at now: Duration) {
    expire(at: now)
    if let shown, shown.presence == presence, shown.kind.sound == "success", kind.sound != "success" { return }
    let answer = Answer(kind: kind, texts: texts, presence: presence, until: now + kind.stay)
    shown = answer
    last = answer
  }

  /// A bounce of the last tap: its answer stays, or comes back when it has left.
  package mutating func bounced(at now: Duration) {
    guard var answer = last else { return }
    answer.until = max(answer.until, now + answer.kind.stay)
    shown = answer
  }

  package mutating func expire(at now: Duration) {
    if let shown, shown.until <= now { self.shown = nil }
  }
}
