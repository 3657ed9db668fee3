internal import PCSC

/// One reader's slot: turns the states that pcscd reports into taps. Pure.
///
/// pcscd compares its counter of insertions and removals only when the old one was not 0, so the counter is compared here:
/// a tap that came and went between two looks still shows.
struct Slot: Equatable {
  enum Action: Equatable {
    case tapBegan
    case lifted
    /// In and out again unseen, so many times: taps that nobody could read.
    case tooShort(Int)
  }

  enum Condition: Equatable {
    case ready
    case unavailable
  }

  /// More taps than this between two looks are not a hand's work; the rest is not reported one by one.
  static let mostUnseen = 32

  /// A tag that lies there and is away for less than this has only flickered in the field: no hand lifts and taps so fast.
  static let flicker: Duration = .milliseconds(250)

  /// nil until the first look.
  private(set) var condition: Condition?
  private(set) var isPresent = false
  /// A tag that was there at the first look: no tap until it is lifted.
  private(set) var isLying = false
  /// Insertions plus removals up to the state last seen, modulo 65536.
  private(set) var counter: UInt16 = 0
  /// When a tag that lay there was last seen to be away.
  private var lyingLeftAt: Duration?

  /// - Parameters:
  ///   - event: dwEventState: flags below, the counter in the upper half.
  ///   - now: uptime.
  mutating func observe(_ event: UInt, at now: Duration) -> [Action] {
    guard event & (ReaderStatus.unavailable | ReaderStatus.unknown) == 0 else {
      let wasTapped = isPresent && !isLying
      self = Slot()
      condition = .unavailable
      return wasTapped ? [.lifted] : []
    }
    let present = event & ReaderStatus.present != 0
    var count = UInt16(truncatingIfNeeded: event >> 16)
    // Steps alternate in and out, so their parity is that of the change. pcscd writes the state before it counts: a look
    // between the two sees one step too few, and would see it as a tap the next time.
    if !(count &- counter).isMultiple(of: 2) != (present != isPresent) { count &+= 1 }
    let steps = Int(count &- counter)
    let wasTapped = isPresent && !isLying
    let wasPresent = isPresent
    let firstLook = condition != .ready
    counter = count
    isPresent = present
    condition = .ready
    // A counter that went back is another reader under the same name: what lies there was not tapped.
    if firstLook || steps > 0x7FFF {
      counter = UInt16(truncatingIfNeeded: event >> 16)
      isLying = present
      return wasTapped ? [.lifted] : []
    }
    if stillLies(present, wasPresent: wasPresent, steps: steps, at: now) { return [] }
    // Out first when a tag was there, in first when none was.
    let insertions = wasPresent ? steps / 2 : (steps + 1) / 2
    let isNew = present && insertions > 0
    let unseen = min(isNew ? insertions - 1 : insertions, Self.mostUnseen)
    if isNew || !present { isLying = false }
    return (wasTapped && (isNew || !present) ? [.lifted] : [])
      + (unseen > 0 ? [.tooShort(unseen)] : []) + (isNew ? [.tapBegan] : [])
  }

  /// A tag that lies there is no tap before it was lifted, and whose it is nobody has read: its flickering must not become
  /// a dose. What is away in between, however often, is that flickering too.
  private mutating func stillLies(_ present: Bool, wasPresent: Bool, steps: Int, at now: Duration) -> Bool {
    let left = lyingLeftAt
    lyingLeftAt = nil
    if isLying {
      isLying = present
      if !present { lyingLeftAt = now }
      return true
    }
    guard let left, !wasPresent else { return false }
    if steps == 0 {
      lyingLeftAt = left
      return true
    }
    guard now - left < Self.flicker else { return false }
    isLying = present
    if !present { lyingLeftAt = now }
    return true
  }
}
