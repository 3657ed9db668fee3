internal import PCSC

/// Reads the UID of the tag on a slot: bounded tries, each failure with its own reason (DESIGN 5.1).
///
/// Blocks; runs on the decode thread with a context of its own, since a wait for events holds its context.
struct Decoder {
  enum Outcome: Equatable {
    case uid([UInt8], tries: Int)
    case failed(UnreadableReason, tries: Int)
    /// The context is dead.
    case serviceLost(tries: Int)
  }

  let library: PCSCLibrary
  let attempts: Int
  /// Blocks the thread.
  let pause: (Duration) -> Void
  /// Whether the same tag is still there.
  let isPresent: () -> Bool

  /// FF CA 00 00 00: the UID, as long as it is (PC/SC part 3, 3.2.2.1.3; Le 00, since a shorter one cuts 7-byte UIDs).
  static let getUID: [UInt8] = [0xFF, 0xCA, 0x00, 0x00, 0x00]

  /// The pauses before each try; together about 600 ms.
  private static let pauses: [Duration] = [
    .zero, .milliseconds(40), .milliseconds(110), .milliseconds(200), .milliseconds(250),
  ]

  func decode(_ reader: String, in context: PCSCLibrary.Context) -> Outcome {
    var reads = 0
    var reason = UnreadableReason.tooShort
    for (index, before) in Self.pauses.enumerated() {
      if index > 0 {
        guard reads < attempts else { break }
        pause(before)
        // A tag that has left may still be read by nobody; the reason of the last try stays.
        guard isPresent() else { break }
      }
      do throws(PCSCError) {
        let card = try library.connect(context, reader)
        defer { library.disconnect(card) }
        reads += 1
        switch try exchange(card) {
        case .uid(let bytes): return .uid(bytes, tries: reads)
        case .wrong(let why, let isFinal):
          reason = why
          if isFinal { return .failed(reason, tries: reads) }
        }
      } catch {
        if error.code.isServiceGone { return .serviceLost(tries: reads) }
        guard let why = Self.reason(for: error.code) else {
          return .failed(reads == 0 ? .tooShort : reason, tries: reads)
        }
        reason = why
      }
    }
    return .failed(reason, tries: reads)
  }

  private enum Answer {
    case uid([UInt8])
    case wrong(UnreadableReason, isFinal: Bool)
  }

  /// One exchange; a transaction that broke on a card that is still there is asked once more on the same handle.
  private func exchange(_ card: CardHandle) throws(PCSCError) -> Answer {
    do {
      return try Self.parse(library.transmit(card, Self.getUID))
    } catch  where error.code == .notTransacted {
      return try Self.parse(library.transmit(card, Self.getUID))
    } catch  where error.code == .cardReset {
      return try Self.parse(library.transmit(library.reconnect(card, false), Self.getUID))
    }
  }

  /// What an answer says. A card that is torn away gives success with 0 or 1 bytes.
  private static func parse(_ answer: [UInt8]) -> Answer {
    guard answer.count >= 2 else { return .wrong(.torn, isFinal: false) }
    let uid = answer.dropLast(2)
    switch (answer[answer.count - 2], answer[answer.count - 1]) {
    case (0x90, 0x00):
      return [4, 7, 8, 10].contains(uid.count) ? .uid(Array(uid)) : .wrong(.malformed, isFinal: false)
    case (0x6A, 0x81): return .wrong(.refused, isFinal: true)
    default: return .wrong(.refused, isFinal: false)
    }
  }

  /// Why a call failed, when trying again can help; nil when the tag is gone.
  private static func reason(for code: PCSCError.Code) -> UnreadableReason? {
    switch code {
    case .mute: .mute
    case .sharingViolation: .inUse
    case .noCard, .cardRemoved, .unknownReader, .readerUnavailable: nil
    default: .communicationError
    }
  }
}
