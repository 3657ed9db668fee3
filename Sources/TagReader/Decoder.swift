internal import PCSC

/// Reads the UID of the tag on a slot: bounded tries, each failure with its own reason (DESIGN 5.1).
///
/// Blocks; runs on a decode thread with a context of its own, since a wait for events holds its context.
struct Decoder {
  enum Outcome: Equatable {
    case uid([UInt8], tries: Int)
    case failed(Failure, tries: Int)
    /// The context is dead.
    case serviceLost(tries: Int)
  }

  struct Failure: Equatable {
    var reason: UnreadableReason
    var statusWord: UInt16?
    /// Trying again would give the same.
    var isFinal = false
  }

  /// How hard a tag is tried.
  enum Effort: Equatable {
    /// At most so many reads, and power-ups for a mute tag, over about 600 ms.
    case full(reads: Int)
    /// Once: for a tag that has been reported unreadable already.
    case once
  }

  let library: PCSCLibrary
  let uptime: () -> Duration
  /// Blocks until that uptime; false at once when the tag has left.
  let stays: (_ until: Duration) -> Bool

  /// FF CA 00 00 00: the UID, as long as it is (PC/SC part 3, 3.2.2.1.3; Le 00, since a shorter one cuts 7-byte UIDs).
  static let getUID: [UInt8] = [0xFF, 0xCA, 0x00, 0x00, 0x00]

  /// When to connect, counted from the first time. Each connect powers a mute tag up again, which pcscd never does by
  /// itself.
  static let ladder: [Duration] = [
    .zero, .milliseconds(80), .milliseconds(200), .milliseconds(400), .milliseconds(600),
  ]

  /// A UID has 4, 7 or 10 bytes by ISO/IEC 14443-3, 8 with FeliCa and ISO/IEC 15693; other lengths of this range are taken
  /// as the tag gives them.
  static let lengths = 2...10

  func decode(_ reader: String, in context: PCSCLibrary.Context, _ effort: Effort) -> Outcome {
    let start = uptime()
    let allowed = if case .full(let reads) = effort { max(1, reads) } else { 1 }
    var reads = 0
    var tries = 0
    while true {
      let failure: Failure
      do throws(PCSCError) {
        tries += 1
        let card = try library.connect(context, reader)
        defer { library.disconnect(card) }
        // The first read gets a second one at once on the same handle, which mends a lost exchange; later ones a reset.
        let atOnce = reads == 0 ? min(2, allowed) : 1
        let live = reads == 0 ? card : try library.reconnect(card, true)
        tries -= 1
        var answer = Answer.wrong(Failure(reason: .torn))
        for _ in 0..<atOnce {
          reads += 1
          tries += 1
          answer = try exchange(live)
          if case .wrong(let why) = answer, !why.isFinal { continue }
          break
        }
        switch answer {
        case .uid(let bytes): return .uid(bytes, tries: tries)
        case .wrong(let why): failure = why
        }
      } catch {
        if error.code.isServiceGone { return .serviceLost(tries: tries) }
        failure = Self.failure(for: error.code)
      }
      guard !failure.isFinal, effort != .once, reads < allowed else { return .failed(failure, tries: tries) }
      guard let next = Self.next(elapsed: uptime() - start, reads: reads, of: allowed) else {
        return .failed(failure, tries: tries)
      }
      guard stays(start + next) else {
        // A reader that fails takes its tag along; anything else means that the hand was too quick.
        let readerFailed = failure.reason == .communicationError && reads == 0
        return .failed(readerFailed ? failure : Failure(reason: .removedTooSoon), tries: tries)
      }
    }
  }

  /// When the next connect is due: the next rung, and for a tag that was already asked not before its reads are spread
  /// evenly over the time; nil when the time is over.
  static func next(elapsed: Duration, reads: Int, of allowed: Int) -> Duration? {
    guard let end = ladder.last, let rung = ladder.first(where: { $0 > elapsed }) else { return nil }
    return reads < 2 ? rung : max(rung, end * (reads - 1) / max(1, allowed - 1))
  }

  enum Answer: Equatable {
    case uid([UInt8])
    case wrong(Failure)
  }

  /// One exchange. What only broke (not a tag that left) is an answer, so that the same handle can be asked again.
  private func exchange(_ card: CardHandle) throws(PCSCError) -> Answer {
    var wasReset = false
    var card = card
    while true {
      do throws(PCSCError) {
        return Self.parse(try library.transmit(card, Self.getUID))
      } catch  where error.code == .cardReset && !wasReset {
        // Another program did it; the handle is taken up again, and that is no read of ours.
        wasReset = true
        card = try library.reconnect(card, false)
      } catch  where error.code == .notTransacted {
        return .wrong(Failure(reason: .communicationError))
      }
    }
  }

  /// What an answer says. A card that is torn away gives success with 0 or 1 bytes.
  static func parse(_ answer: [UInt8]) -> Answer {
    guard answer.count >= 2 else { return .wrong(Failure(reason: .torn)) }
    let word = UInt16(answer[answer.count - 2]) << 8 | UInt16(answer[answer.count - 1])
    guard word == 0x9000 else {
      // 6A 81: the function is not supported, and will not be.
      return .wrong(Failure(reason: .refused, statusWord: word, isFinal: word == 0x6A81))
    }
    let uid = Array(answer.dropLast(2))
    return lengths.contains(uid.count) ? .uid(uid) : .wrong(Failure(reason: .malformed))
  }

  /// Why a call failed.
  static func failure(for code: PCSCError.Code) -> Failure {
    switch code {
    case .mute: Failure(reason: .mute)
    case .sharingViolation: Failure(reason: .inUse)
    case .cardReset: Failure(reason: .resetByOther)
    case .noCard, .cardRemoved: Failure(reason: .removedTooSoon, isFinal: true)
    default: Failure(reason: .communicationError)
    }
  }
}
