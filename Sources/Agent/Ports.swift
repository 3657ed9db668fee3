internal import Foundation

/// One physical tap, as the reader's side reports it to the agent.
package struct TapSighting: Equatable, Sendable {
  package enum Content: Equatable, Sendable {
    case uid([UInt8])
    /// The reason's stable name, such as `mute`.
    case unreadable(String)
  }

  package var content: Content
  /// Numbers physical taps of this run; the retries of one tap share it.
  package var presence: UInt64
  /// When the tag came into the field; uptime.
  package var presentAt: Duration
  /// When the UID was known, or reading was given up; uptime.
  package var readAt: Duration
  /// When the same UID was last physically on a reader before this tap; uptime; nil: never.
  package var lastSeen: Duration?
  /// For a tap that was not read: when a tag that was last left that reader before it; uptime; nil: never.
  package var lastLift: Duration?
  /// The presence that was already answered as unreadable and that this read now answers.
  package var resolves: UInt64?

  package init(
    content: Content, presence: UInt64, presentAt: Duration, readAt: Duration, lastSeen: Duration? = nil,
    lastLift: Duration? = nil, resolves: UInt64? = nil
  ) {
    self.content = content
    self.presence = presence
    self.presentAt = presentAt
    self.readAt = readAt
    self.lastSeen = lastSeen
    self.lastLift = lastLift
    self.resolves = resolves
  }

  /// The instant that the tap is stored with; uptime. A read that answers an unreadable tap counts from the good read
  /// (DESIGN 5.1).
  package var happenedAt: Duration { resolves == nil ? presentAt : readAt }
}

/// How the readers are, all together.
package struct ReaderReport: Equatable, Sendable {
  /// The names are those of the snapshot (DESIGN 4.4).
  package enum State: String, Sendable {
    case starting, ready, absent, unavailable, noService
  }

  package var state: State
  /// The reader's name, without numbers of slots; nil when none was ever seen.
  package var name: String?
  /// pcscd runs and refuses us (polkit, or too many contexts).
  package var refused: Bool
  /// A tag lies on a reader that is not a tap: lift it and tap again.
  package var tagLying: Bool
  /// Uptime since which the state holds.
  package var since: Duration

  package init(
    state: State, name: String? = nil, refused: Bool = false, tagLying: Bool = false,
    since: Duration
  ) {
    self.state = state
    self.name = name
    self.refused = refused
    self.tagLying = tagLying
    self.since = since
  }
}

/// A fault that only a restart can mend (DESIGN 5.1): the agent says so and exits 69, once.
package enum TapSourceFault: Equatable, Sendable {
  /// A reader that was there has been absent or unavailable for `failAfterSeconds`.
  case gone(String)
  /// A call into pcscd or the reader did not come back by its deadline.
  case hung(String)
}

/// Where taps come from. The agent is the waiter with the lowest claim.
package protocol TapSource: Sendable {
  /// Reads the readers until cancelled.
  func run() async throws

  /// Every tap for the tap loop from now on, in the order in which they came; none is lost while one is answered.
  func taps() -> AsyncStream<TapSighting>

  /// How the readers are: the present state first, then every change; the newest wins. A change of the fault is one too.
  func reports() -> AsyncStream<ReaderReport>

  /// A fault that only a restart mends; nil: none.
  func fault() -> TapSourceFault?

  /// When each thread that talks to pcscd last showed that it lives; uptime, by thread name. Asked every few seconds: only
  /// then is a thread found out that has fallen silent.
  func heartbeats() -> [String: Duration]
}

/// What the readers have done since the agent started.
package struct TapFigures: Equatable, Sendable {
  package var taps: Int
  package var unreadable: Int
  /// Of the unreadable ones those that came and went unseen.
  package var tooShort: Int
  /// Uptime since which a tag is on a reader without a break; the longest one's; nil: none is.
  package var tagSince: Duration?

  package init(taps: Int, unreadable: Int, tooShort: Int, tagSince: Duration?) {
    self.taps = taps
    self.unreadable = unreadable
    self.tooShort = tooShort
    self.tagSince = tagSince
  }
}

/// How a sound was played for the technician.
package struct SoundTrialReport: Codable, Equatable, Sendable {
  /// From the order to the first sample, ms; nil: it was not heard.
  package var startedMilliseconds: Int?
  /// From the first sample to the end of the last, ms.
  package var lastedMilliseconds: Int?
  /// What is wrong and what to do; nil: nothing.
  package var problem: String?

  package init(
    startedMilliseconds: Int? = nil, lastedMilliseconds: Int? = nil, problem: String? = nil
  ) {
    self.startedMilliseconds = startedMilliseconds
    self.lastedMilliseconds = lastedMilliseconds
    self.problem = problem
  }
}

/// What a technician may try on the running agent (`--diagnose`).
package protocol TestBench: Sendable {
  func figures() -> TapFigures

  /// Takes every tap away from the tap loop until cancelled.
  /// - Parameters:
  ///   - opened: from now on no tap credits.
  ///   - each: told every tap.
  func testTaps(
    opened: @Sendable () async -> Void, each: @Sendable (TapSighting) async -> Void
  ) async throws

  /// Plays the sound of success to its end.
  func playSound() async -> SoundTrialReport
}

/// The two results that sound; faults have no sound (DESIGN 5.2). A reminder of an event has a sound of its own, which is
/// never that of a result: a success that nobody's tap has made would be a false thank-you.
package enum Chime: String, Sendable {
  case success, failure, reminder
}

/// How the speaker is.
package struct SpeakerReport: Equatable, Sendable {
  /// A stable name for `/healthz`, such as `ok`, `noDevice`, `muted`.
  package var state: String
  package var canPlay: Bool
  /// What is wrong and what to do, for the log and the technician; nil when nothing is.
  package var sentence: String?

  package init(state: String, canPlay: Bool, sentence: String?) {
    self.state = state
    self.canPlay = canPlay
    self.sentence = sentence
  }
}

/// Where results are heard.
package protocol Speaker: Sendable {
  /// Returns at once; a second result cuts the first off. A reminder is not heard while a result is.
  func play(_ chime: Chime)

  /// The present state first, then every change; the newest wins.
  func reports() -> AsyncStream<SpeakerReport>

  /// Looks at the mixer; blocks for as long as ALSA takes, off the cooperative pool.
  func checkMixer() async

  /// When the sound thread last showed that it lives; uptime.
  func heartbeats() -> [String: Duration]
}
