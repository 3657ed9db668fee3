internal import PCSC

/// One reader's slot: turns the states that pcscd reports into taps. Pure.
///
/// pcscd compares its counter of insertions and removals only when the old one was not 0, so the counter is compared here:
/// a tap that came and went between two looks still shows.
struct Slot: Equatable {
  enum Action: Equatable {
    case tapBegan
    case lifted
    /// In and out again unseen: a tap that nobody could read.
    case tooShort
  }

  enum Condition: Equatable {
    case ready
    case unavailable
  }

  /// nil until the first look.
  private(set) var condition: Condition?
  private(set) var isPresent = false
  /// A tag that was there at the first look: no tap until it is lifted.
  private(set) var isLying = false
  private var counter: UInt = 0

  mutating func observe(_ event: UInt) -> [Action] {
    guard event & (ReaderStatus.unavailable | ReaderStatus.unknown) == 0 else {
      let wasPresent = isPresent && !isLying
      self = Slot()
      condition = .unavailable
      return wasPresent ? [.lifted] : []
    }
    let present = event & ReaderStatus.present != 0
    let now = event >> 16 & 0xFFFF
    let steps = (now &- counter) & 0xFFFF
    defer {
      counter = now
      isPresent = present
      isLying = isLying && present
    }
    guard condition == .ready else {
      // The first look, at start or after the reader was away: what is there now was not tapped.
      condition = .ready
      isLying = present
      return []
    }
    switch (isPresent, present) {
    case (false, true): return [.tapBegan]
    case (true, false): return (isLying ? [] : [.lifted]) + (steps >= 3 ? [.tooShort] : [])
    case (true, true):
      guard steps != 0 else { return [] }
      defer { isLying = false }
      return (isLying ? [] : [.lifted]) + [.tapBegan]
    case (false, false): return steps >= 2 ? [.tooShort] : []
    }
  }
}
