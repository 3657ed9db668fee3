import Linux
import PCSC
import Testing

@testable import TagReader

/// A card behind a table of functions that answers by the book, one line a call; at the end the last line repeats.
final class ScriptedCard {
  enum Connect {
    case card
    case fails(PCSCError.Code)
  }
  enum Exchange {
    case answer([UInt8])
    case fails(PCSCError.Code)
  }

  private var connects: [Connect]
  private var exchanges: [Exchange]
  private(set) var calls: [String] = []
  private(set) var isConnected = false
  var now = Duration.seconds(100)
  /// When the tag is lifted.
  var leavesAt = Duration.seconds(1_000_000)

  init(connects: [Connect] = [.card], _ exchanges: [Exchange]) {
    self.connects = connects
    self.exchanges = exchanges
  }

  func decode(_ effort: Decoder.Effort = .full(reads: 3)) -> Decoder.Outcome {
    // The decoder calls on the test's own thread only.
    nonisolated(unsafe) let card = self
    var library = PCSCLibrary.unused
    library.connect = { _, _ throws(PCSCError) in try unsafe card.connect() }
    library.reconnect = { handle, reset throws(PCSCError) in
      unsafe card.calls.append(reset ? "reset" : "take up")
      return handle
    }
    library.transmit = { _, command throws(PCSCError) in try unsafe card.exchange(command) }
    library.disconnect = { _ in unsafe card.isConnected = false }
    let decoder = Decoder(
      library: library, uptime: { self.now },
      stays: { deadline in
        #expect(!self.isConnected, "no handle is kept while waiting")
        self.now = max(self.now, min(deadline, self.leavesAt))
        return self.now < self.leavesAt
      })
    let outcome = decoder.decode("reader", in: 1, effort)
    #expect(!isConnected, "disconnected on every path")
    return outcome
  }

  private func connect() throws(PCSCError) -> CardHandle {
    let line = connects.count > 1 ? connects.removeFirst() : connects[0]
    switch line {
    case .card:
      calls.append("connect")
      isConnected = true
      return CardHandle(number: 7, usesT0: false)
    case .fails(let code):
      calls.append("connect \((now - .seconds(100)).inMilliseconds)")
      throw PCSCError(code, call: "SCardConnect")
    }
  }

  private func exchange(_ command: [UInt8]) throws(PCSCError) -> [UInt8] {
    #expect(command == [0xFF, 0xCA, 0, 0, 0])
    calls.append("ask")
    let line = exchanges.count > 1 ? exchanges.removeFirst() : exchanges[0]
    switch line {
    case .answer(let bytes): return bytes
    case .fails(let code): throw PCSCError(code, call: "SCardTransmit")
    }
  }
}

extension PCSCLibrary {
  /// Every call fails; tests put in what they use.
  static var unused: PCSCLibrary {
    PCSCLibrary(
      establish: { () throws(PCSCError) in throw PCSCError(.other(1), call: "") }, release: { _ in },
      listReaders: { _ throws(PCSCError) in throw PCSCError(.other(1), call: "") },
      statusChange: { _, _, _ throws(PCSCError) in throw PCSCError(.other(1), call: "") }, cancel: { _ in },
      connect: { _, _ throws(PCSCError) in throw PCSCError(.other(1), call: "") },
      reconnect: { _, _ throws(PCSCError) in throw PCSCError(.other(1), call: "") },
      transmit: { _, _ throws(PCSCError) in throw PCSCError(.other(1), call: "") }, disconnect: { _ in })
  }
}

struct DecoderTests {
  static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]
  static let good = ScriptedCard.Exchange.answer(uid + [0x90, 0x00])

  struct Answer: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let says: Decoder.Answer
    init(_ description: String, _ bytes: [UInt8], _ says: Decoder.Answer) {
      (testDescription, self.bytes, self.says) = (description, bytes, says)
    }
    static func wrong(
      _ description: String, _ bytes: [UInt8], _ reason: UnreadableReason, word: UInt16? = nil, isFinal: Bool = false
    ) -> Answer {
      Answer(description, bytes, .wrong(.init(reason: reason, statusWord: word, isFinal: isFinal)))
    }
  }

  static let answers: [Answer] =
    [4, 7, 8, 10, 2, 5].map { length in
      let uid = (0..<UInt8(length)).map { $0 &+ 1 }
      return Answer("a UID of \(length) bytes", uid + [0x90, 0x00], .uid(uid))
    } + [
      Answer("a UID that looks like a status", [0x63, 0x00, 0x90, 0x00, 0x90, 0x00], .uid([0x63, 0x00, 0x90, 0x00])),
      .wrong("nothing at all", [], .torn), .wrong("one byte", [0x90], .torn),
      .wrong("success without a UID", [0x90, 0x00], .malformed),
      .wrong("a UID of one byte", [0x01, 0x90, 0x00], .malformed),
      .wrong("longer than any UID", Array(repeating: 1, count: 11) + [0x90, 0x00], .malformed),
      .wrong("300 bytes", Array(repeating: 1, count: 298) + [0x90, 0x00], .malformed),
      .wrong("failed", [0x63, 0x00], .refused, word: 0x6300),
      .wrong("failed, with bytes", [1, 2, 3, 4, 0x63, 0x00], .refused, word: 0x6300),
      .wrong("not supported, for good", [0x6A, 0x81], .refused, word: 0x6A81, isFinal: true),
    ]

  @Test(arguments: answers) func `what an answer says`(_ row: Answer) {
    #expect(Decoder.parse(row.bytes) == row.says)
  }

  @Test func `any bytes at all are an answer and no crash`() {
    var random = Seeded(1)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if case .uid(let uid) = Decoder.parse(bytes) {
        #expect(bytes == uid + [0x90, 0x00] && (2...10).contains(uid.count))
      }
    }
  }

  @Test func `a good tag is asked once`() {
    let card = ScriptedCard([Self.good])
    #expect(card.decode() == .uid(Self.uid, tries: 1))
    #expect(card.calls == ["connect", "ask"])
  }

  static let onceWrong: [ScriptedCard.Exchange] = [
    .answer([]), .answer([0x90]), .answer([0x63, 0x00]), .fails(.notTransacted), .answer([0x90, 0x00]),
  ]

  @Test(arguments: onceWrong.indices) func `what goes wrong once is mended at once on the same handle`(_ row: Int) {
    let card = ScriptedCard([Self.onceWrong[row], Self.good])
    #expect(card.decode() == .uid(Self.uid, tries: 2))
    #expect(card.calls == ["connect", "ask", "ask"])
    #expect(card.now == .seconds(100))
  }

  @Test func `what goes wrong twice gets a reset, later`() {
    let card = ScriptedCard([.answer([]), .fails(.notTransacted), Self.good])
    #expect(card.decode() == .uid(Self.uid, tries: 3))
    #expect(card.calls == ["connect", "ask", "ask", "connect", "reset", "ask"])
    #expect(card.now == .milliseconds(100_300))
  }

  static let alwaysWrong: [(ScriptedCard.Exchange, UnreadableReason, UInt16?)] = [
    (.answer([]), .torn, nil), (.answer([0x63, 0x00]), .refused, 0x6300),
    (.fails(.notTransacted), .communicationError, nil), (.fails(.other(0x8010_002F)), .communicationError, nil),
    (.fails(.cardReset), .resetByOther, nil), (.answer(Array(repeating: 1, count: 300)), .refused, 0x0101),
    (.answer(Array(repeating: 1, count: 300) + [0x90, 0x00]), .malformed, nil),
  ]

  @Test(arguments: alwaysWrong.indices, 1...6)
  func `what always goes wrong has its reason after the allowed reads`(_ row: Int, _ reads: Int) {
    let (exchange, reason, word) = Self.alwaysWrong[row]
    let card = ScriptedCard([exchange])
    guard case .failed(let failure, _) = card.decode(.full(reads: reads)) else {
      Issue.record("read")
      return
    }
    #expect(failure.reason == reason && failure.statusWord == word)
    let isReset = if case .fails(.cardReset) = exchange { true } else { false }
    // Taking a handle up again after another program's reset asks once more.
    #expect(card.calls.filter { $0 == "ask" }.count <= reads * (isReset ? 2 : 1))
    #expect(card.now - .seconds(100) <= .milliseconds(600))
  }

  @Test func `what the tag will never do is not asked twice`() {
    let card = ScriptedCard([.answer([0x6A, 0x81])])
    #expect(
      card.decode() == .failed(.init(reason: .refused, statusWord: 0x6A81, isFinal: true), tries: 1))
    #expect(card.calls == ["connect", "ask"])
  }

  @Test func `a mute tag is powered up again and again, and read when it answers`() {
    let card = ScriptedCard(connects: [.fails(.mute), .fails(.mute), .card], [Self.good])
    #expect(card.decode() == .uid(Self.uid, tries: 3))
    #expect(card.now == .milliseconds(100_200))
  }

  @Test func `a tag that stays mute is given up after 600 ms`() {
    let card = ScriptedCard(connects: [.fails(.mute)], [Self.good])
    #expect(card.decode() == .failed(.init(reason: .mute), tries: 5))
    #expect(card.calls == ["connect 0", "connect 80", "connect 200", "connect 400", "connect 600"])
  }

  @Test func `a slow mute power-up does not stretch the time`() {
    let card = ScriptedCard(connects: [.fails(.mute)], [Self.good])
    #expect(Decoder.next(elapsed: .milliseconds(590), reads: 0, of: 3) == .milliseconds(600))
    #expect(Decoder.next(elapsed: .milliseconds(600), reads: 0, of: 3) == nil)
    #expect(Decoder.next(elapsed: .milliseconds(1), reads: 2, of: 3) == .milliseconds(300))
    #expect(card.decode(.once) == .failed(.init(reason: .mute), tries: 1))
  }

  static let connectFailures: [(PCSCError.Code, UnreadableReason)] = [
    (.sharingViolation, .inUse), (.readerUnavailable, .communicationError), (.unknownReader, .communicationError),
    (.other(0x8010_0001), .communicationError), (.cardReset, .resetByOther), (.mute, .mute),
  ]

  @Test(arguments: connectFailures.indices) func `each failing connect has its reason`(_ row: Int) {
    let card = ScriptedCard(connects: [.fails(Self.connectFailures[row].0)], [Self.good])
    #expect(card.decode() == .failed(.init(reason: Self.connectFailures[row].1), tries: 5))
  }

  @Test(arguments: [PCSCError.Code.noCard, .cardRemoved]) func `a tag that is gone is not tried again`(
    _ code: PCSCError.Code
  ) {
    let card = ScriptedCard(connects: [.fails(code)], [Self.good])
    #expect(card.decode() == .failed(.init(reason: .removedTooSoon, isFinal: true), tries: 1))
    let torn = ScriptedCard([.answer([]), .fails(code)])
    #expect(torn.decode() == .failed(.init(reason: .removedTooSoon, isFinal: true), tries: 2))
  }

  @Test func `a tag that is lifted between two tries was removed too soon`() {
    let card = ScriptedCard(connects: [.fails(.mute)], [Self.good])
    card.leavesAt = .milliseconds(100_150)
    #expect(card.decode() == .failed(.init(reason: .removedTooSoon), tries: 2))
  }

  @Test(arguments: [PCSCError.Code.noService, .connectionLost, .serviceStopped, .invalidHandle])
  func `a dead context is no failure of the tag`(_ code: PCSCError.Code) {
    #expect(ScriptedCard(connects: [.fails(code)], [Self.good]).decode() == .serviceLost(tries: 1))
    #expect(ScriptedCard([.fails(code)]).decode() == .serviceLost(tries: 1))
  }

  @Test func `a reset by another program is taken up on the same handle and is no read`() {
    let card = ScriptedCard([.fails(.cardReset), Self.good])
    #expect(card.decode(.full(reads: 1)) == .uid(Self.uid, tries: 1))
    #expect(card.calls == ["connect", "ask", "take up", "ask"])
  }
}
