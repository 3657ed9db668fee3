internal import Testing

@testable internal import Wall

@Suite struct OverlayStateTests {
  private let ann: [UInt8] = [4, 1]
  private let bob: [UInt8] = [4, 2]

  private let again = TapTexts(headline: "Please tap once more", detail: "", style: .warn)

  private func bounce(_ tag: [UInt8], _ overlay: inout OverlayState, at now: Duration) {
    overlay.bounced(tag, presence: 99, otherwise: again, at: now)
  }

  private func texts(_ headline: String) -> TapTexts { TapTexts(headline: headline, detail: "", style: .good) }

  @Test func `the answers to a test's taps are gone with it, and others stay`() {
    var overlay = OverlayState()
    overlay.show(.taken, texts("A"), presence: 1, tag: ann, at: .zero)
    overlay.show(.notRecorded, texts("TEST"), presence: 2, tag: bob, at: .seconds(1))
    overlay.withdraw([2])
    #expect(overlay.shown == nil)
    bounce(bob, &overlay, at: .seconds(2))
    #expect(overlay.shown?.texts == again, "it was a test's")
    bounce(ann, &overlay, at: .seconds(2))
    #expect(overlay.shown?.texts == texts("A"))
    overlay.withdraw([2])
    #expect(overlay.shown?.texts == texts("A"))
  }

  @Test func `an answer stays as long as its outcome says`() {
    for outcome in TapFacts.Outcome.allCases {
      var overlay = OverlayState()
      overlay.show(outcome, texts("A"), presence: 1, tag: ann, at: .seconds(100))
      #expect(overlay.shown?.until == .seconds(100) + outcome.stay)
      overlay.expire(at: .seconds(100) + outcome.stay - .nanoseconds(1))
      #expect(overlay.shown?.texts == texts("A"))
      overlay.expire(at: .seconds(100) + outcome.stay)
      #expect(overlay.shown == nil)
    }
  }

  @Test(arguments: [TapFacts.Outcome.alreadyTaken, .wrongWindow, .unknownTag, .unreadable, .notRecorded])
  func `a failure never follows a success of the same tap`(failure: TapFacts.Outcome) {
    for success in [TapFacts.Outcome.taken, .pendingTime] {
      var overlay = OverlayState()
      overlay.show(success, texts("thanks"), presence: 1, tag: ann, at: .zero)
      overlay.show(failure, texts("no"), presence: 1, tag: [], at: .seconds(1))
      #expect(overlay.shown?.texts == texts("thanks"))
      overlay.expire(at: .seconds(10))
      overlay.show(failure, texts("no"), presence: 1, tag: [], at: .seconds(10))
      #expect(overlay.shown == nil)
    }
  }

  @Test func `a success follows a failure of the same tap, and the next tap replaces anything`() {
    var overlay = OverlayState()
    overlay.show(.unreadable, texts("no"), presence: 1, tag: [], at: .zero)
    overlay.show(.taken, texts("thanks"), presence: 1, tag: ann, at: .seconds(1))
    #expect(overlay.shown?.texts == texts("thanks"))
    overlay.show(.wrongWindow, texts("Bob"), presence: 2, tag: bob, at: .seconds(2))
    #expect(overlay.shown?.texts == texts("Bob"))
    overlay.show(.notRecorded, texts("lost"), presence: 3, tag: ann, at: .seconds(3))
    overlay.show(.taken, texts("thanks"), presence: 4, tag: ann, at: .seconds(4))
    #expect(overlay.shown?.kind == .taken)
  }

  @Test func `a bounce keeps the answer on the wall, or brings it back when it has left`() {
    var overlay = OverlayState()
    overlay.show(.taken, texts("thanks"), presence: 1, tag: ann, at: .zero)
    bounce(ann, &overlay, at: .seconds(2))
    #expect(overlay.shown?.until == .seconds(8))
    overlay.expire(at: .seconds(8))
    #expect(overlay.shown == nil)
    bounce(ann, &overlay, at: .seconds(60))
    #expect(overlay.shown?.texts == texts("thanks"))
    #expect(overlay.shown?.until == .seconds(66))
  }

  /// Left on the reader in the morning, lifted and tapped in one movement the next day.
  @Test(arguments: [60_001, 3_600_000, 86_400_000])
  func `an answer of long ago does not come back: what to do is said instead`(milliseconds: Int) {
    for outcome in [TapFacts.Outcome.taken, .alreadyTaken, .pendingTime, .wrongWindow] {
      var overlay = OverlayState()
      overlay.show(outcome, texts("thanks"), presence: 1, tag: ann, at: .zero)
      overlay.expire(at: .seconds(8))
      let now = Duration.milliseconds(milliseconds)
      bounce(ann, &overlay, at: now)
      #expect(overlay.shown?.kind == .ignored && overlay.shown?.texts == again)
      #expect(overlay.shown?.until == now + .seconds(8))
      bounce(ann, &overlay, at: now + .seconds(2))
      #expect(overlay.shown?.kind == .ignored, "it is no answer that could come back")
    }
  }

  @Test func `a bounce brings back the answer of its own tag`() {
    var overlay = OverlayState()
    overlay.show(.wrongWindow, texts("Ann: nothing is due"), presence: 1, tag: ann, at: .zero)
    overlay.show(.taken, texts("Thank you, Bob"), presence: 2, tag: bob, at: .seconds(1))
    bounce(ann, &overlay, at: .seconds(2))
    #expect(overlay.shown?.texts == texts("Ann: nothing is due"))
    overlay.show(.unreadable, texts("no"), presence: 4, tag: [], at: .seconds(3))
    bounce(bob, &overlay, at: .seconds(3))
    #expect(overlay.shown?.texts == texts("Thank you, Bob"))
  }

  @Test func `a bounce without an answer is no silence, and never another tag's answer`() {
    var overlay = OverlayState()
    overlay.show(.taken, texts("Thank you, Bob"), presence: 1, tag: bob, at: .zero)
    bounce(ann, &overlay, at: .seconds(1))
    #expect(overlay.shown?.texts == again)
  }

  @Test func `only the newest answers are kept`() {
    var overlay = OverlayState()
    for tag in UInt8(0)..<200 { overlay.show(.taken, texts("\(tag)"), presence: UInt64(tag), tag: [tag], at: .zero) }
    bounce([199 - 15], &overlay, at: .zero)
    #expect(overlay.shown?.texts == texts("184"))
    bounce([199 - 16], &overlay, at: .zero)
    #expect(overlay.shown?.texts == again)
  }
}
