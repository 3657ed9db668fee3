import Testing

@testable import TagReader

/// What pcscd says of a slot: a state and a counter.
enum Seen {
  static func empty(_ counter: UInt16) -> UInt { UInt(counter) << 16 | 0x12 }
  static func present(_ counter: UInt16) -> UInt { UInt(counter) << 16 | 0x22 }
  static let unavailable: UInt = 0x0A
  /// The reader left during the wait.
  static let unknown: UInt = 0x0E
}

struct SlotTests {
  struct Row: CustomTestStringConvertible {
    let testDescription: String
    let before: [UInt]
    let look: UInt
    let actions: [Slot.Action]
    var lies = false

    init(_ description: String, _ before: [UInt], _ look: UInt, _ actions: [Slot.Action], lies: Bool = false) {
      (testDescription, self.before, self.look, self.actions, self.lies) = (description, before, look, actions, lies)
    }
  }

  static let rows: [Row] = [
    Row("a first look at an empty slot is nothing", [], Seen.empty(0), []),
    Row("nor is the counter of a pcscd that has run for days", [], Seen.empty(4711), []),
    Row("a tag that is there at the first look lies", [], Seen.present(1), [], lies: true),
    Row("and lies on", [Seen.present(1)], Seen.present(1), [], lies: true),
    Row("until it is lifted, which is no tap's end", [Seen.present(1)], Seen.empty(2), []),
    Row("after that it can be tapped", [Seen.present(1), Seen.empty(2)], Seen.present(3), [.tapBegan]),
    Row("a tag that lies and flickers unseen lies on", [Seen.present(1)], Seen.present(3), [], lies: true),
    Row("however often", [Seen.present(1)], Seen.present(9), [], lies: true),
    Row("it flickers and is lifted", [Seen.present(1)], Seen.empty(4), []),
    Row(
      "it flickers, is lifted, and tapped", [Seen.present(1), Seen.present(3), Seen.empty(4)], Seen.present(5),
      [.tapBegan]),
    Row("a tap", [Seen.empty(4)], Seen.present(5), [.tapBegan]),
    Row("the first tap after pcscd started", [Seen.empty(0)], Seen.present(1), [.tapBegan]),
    Row(
      "a short tap just after pcscd started, which pcscd does not tell", [Seen.empty(0)], Seen.empty(2), [.tooShort(1)]),
    Row("a tap that stays", [Seen.empty(4), Seen.present(5)], Seen.present(5), []),
    Row("lifted", [Seen.empty(4), Seen.present(5)], Seen.empty(6), [.lifted]),
    Row("too short", [Seen.empty(4)], Seen.empty(6), [.tooShort(1)]),
    Row("three too short ones", [Seen.empty(4)], Seen.empty(10), [.tooShort(3)]),
    Row("a short one and another that stays", [Seen.empty(4)], Seen.present(7), [.tooShort(1), .tapBegan]),
    Row("lifted and tapped again", [Seen.empty(4), Seen.present(5)], Seen.present(7), [.lifted, .tapBegan]),
    Row(
      "lifted, a short one, and another", [Seen.empty(4), Seen.present(5)], Seen.present(9),
      [.lifted, .tooShort(1), .tapBegan]),
    Row("lifted and a short one", [Seen.empty(4), Seen.present(5)], Seen.empty(8), [.lifted, .tooShort(1)]),
    Row("a tap over the counter's end", [Seen.empty(0xFFFF)], Seen.present(0), [.tapBegan]),
    Row("a short one over the counter's end", [Seen.empty(0xFFFF)], Seen.empty(1), [.tooShort(1)]),
    Row("a lift over the counter's end", [Seen.empty(0xFFFE), Seen.present(0xFFFF)], Seen.empty(0), [.lifted]),
    Row("a state that pcscd has written and not yet counted", [Seen.empty(4)], Seen.present(4), [.tapBegan]),
    Row("is no second tap once it is counted", [Seen.empty(4), Seen.present(4)], Seen.present(5), []),
    Row("the same of a lift", [Seen.empty(4), Seen.present(5)], Seen.empty(5), [.lifted]),
    Row("counted then", [Seen.empty(4), Seen.present(5), Seen.empty(5)], Seen.empty(6), []),
    Row("a change of INUSE or POWERED is nothing", [Seen.empty(4), Seen.present(5)], Seen.present(5) | 0x0100, []),
    Row("wedged with a tap on it", [Seen.empty(4), Seen.present(5)], Seen.unavailable, [.lifted]),
    Row("wedged and empty", [Seen.empty(4)], Seen.unavailable, []),
    Row("gone during the wait", [Seen.empty(4)], Seen.unknown, []),
    Row("back from wedged with a tag: not a tap", [Seen.empty(4), Seen.unavailable], Seen.present(6), [], lies: true),
    Row("back from wedged, empty", [Seen.empty(4), Seen.unavailable], Seen.empty(8), []),
    Row(
      "back from wedged, then a tap", [Seen.empty(4), Seen.unavailable, Seen.empty(5)], Seen.present(6), [.tapBegan]),
    Row("another reader of the same name, empty", [Seen.empty(40)], Seen.empty(0), []),
    Row("another reader of the same name with a tag", [Seen.empty(40)], Seen.present(1), [], lies: true),
    Row("the same with a tap under way", [Seen.empty(40), Seen.present(41)], Seen.present(1), [.lifted], lies: true),
    Row("more than a hand can do is not told one by one", [Seen.empty(0)], Seen.empty(1000), [.tooShort(32)]),
  ]

  @Test(arguments: rows) func `one look`(_ row: Row) {
    var slot = Slot()
    for (index, event) in row.before.enumerated() { _ = slot.observe(event, at: .seconds(index)) }
    #expect(slot.observe(row.look, at: .seconds(row.before.count)) == row.actions)
    #expect(slot.isLying == row.lies)
  }

  @Test(arguments: [(0, true), (1, true), (249, true), (250, false), (1000, false)])
  func `a lying tag that is away for less than a hand needs still lies`(milliseconds: Int, lies: Bool) {
    var slot = Slot()
    _ = slot.observe(Seen.present(1), at: .zero)
    _ = slot.observe(Seen.empty(2), at: .seconds(10))
    // Looks without news in between change nothing.
    _ = slot.observe(Seen.empty(2), at: .seconds(10))
    let back = slot.observe(Seen.present(3), at: .seconds(10) + .milliseconds(milliseconds))
    #expect(back == (lies ? [] : [.tapBegan]))
    #expect(slot.isLying == lies)
    // Once lifted for good it is tapped like any other.
    _ = slot.observe(Seen.empty(4), at: .seconds(20))
    #expect(slot.observe(Seen.present(5), at: .seconds(21)) == [.tapBegan])
  }

  @Test func `a tag that was tapped and flickers while it rests is a tap to the slot, and a bounce to the rules`() {
    var slot = Slot()
    _ = slot.observe(Seen.empty(0), at: .zero)
    _ = slot.observe(Seen.present(1), at: .seconds(1))
    #expect(slot.observe(Seen.present(3), at: .seconds(2)) == [.lifted, .tapBegan])
  }

  /// pcscd writes the state, then counts; looks come at any moment.
  @Test(arguments: 0..<200) func `no tap is lost or doubled however the looks fall`(_ seed: UInt64) {
    var random = Seeded(seed)
    var slot = Slot()
    var counter = UInt16.random(in: .min ... .max, using: &random)
    var isPresent = false
    _ = slot.observe(Seen.empty(counter), at: .zero)
    var insertions = 0
    var told = 0
    func look() {
      for action in slot.observe(isPresent ? Seen.present(counter) : Seen.empty(counter), at: .zero) {
        switch action {
        case .tapBegan: told += 1
        case .tooShort(let count): told += count
        case .lifted: break
        }
      }
    }
    for _ in 0..<400 {
      isPresent.toggle()
      if isPresent { insertions += 1 }
      if Int.random(in: 0..<4, using: &random) == 0 { look() }
      counter &+= 1
      if Int.random(in: 0..<4, using: &random) == 0 { look() }
    }
    look()
    #expect(told == insertions)
  }
}

/// SplitMix64: the same numbers at every run.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
