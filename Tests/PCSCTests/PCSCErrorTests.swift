import Testing

@testable import PCSC

struct PCSCErrorTests {
  /// pcsclite.h.
  static let table: [(Int, PCSCError.Code)] = [
    (0x8010_001D, .noService), (0x8010_0013, .connectionLost), (0x8010_001E, .serviceStopped),
    (0x8010_0003, .invalidHandle), (0x8010_006A, .refused), (0x8010_0002, .cancelled), (0x8010_000A, .timeout),
    (0x8010_002E, .noReaders), (0x8010_0009, .unknownReader), (0x8010_0017, .readerUnavailable),
    (0x8010_000C, .noCard), (0x8010_0069, .cardRemoved), (0x8010_0067, .mute), (0x8010_0066, .mute),
    (0x8010_0068, .cardReset), (0x8010_000B, .sharingViolation), (0x8010_0016, .notTransacted),
    (0x8010_0001, .other(0x8010_0001)), (0x1, .other(1)),
  ]

  @Test(arguments: table.indices) func `each status has its meaning, in 64 bits and in 32`(_ row: Int) {
    let (status, code) = Self.table[row]
    for status in [status, Int(Int32(truncatingIfNeeded: status))] {
      let error = #expect(throws: PCSCError.self) { try PCSCError.check(status, "SCardConnect") }
      #expect(error == PCSCError(code, call: "SCardConnect"))
    }
  }

  @Test func `success is none`() throws { try PCSCError.check(0, "SCardConnect") }

  @Test(arguments: table.indices) func `the sentence names the call, the number and what to do`(_ row: Int) {
    let (status, code) = Self.table[row]
    let sentence = "\(PCSCError(code, call: "SCardConnect"))"
    #expect(sentence.hasPrefix("SCardConnect: "))
    let digits = String(status == 0x8010_0066 ? 0x8010_0067 : status, radix: 16, uppercase: true)
    #expect(sentence.hasSuffix("(0x" + String(repeating: "0", count: 8 - digits.count) + digits + ")"))
  }

  @Test func `only a dead connection asks for a new context`() {
    let dead = Self.table.map(\.1).filter(\.isServiceGone)
    #expect(dead == [.noService, .connectionLost, .serviceStopped, .invalidHandle])
  }

  @Test func `the whole event state is carried back, the counter too, without the mark of change`() {
    let status = ReaderStatus(name: "r", known: 0x0004_0010, event: 0x0005_0022)
    #expect(status.carriedBack == ReaderStatus(name: "r", known: 0x0005_0020, event: 0))
  }
}
