import Linux
import PCSC
import TestSupport
import Testing

@testable import TagReader

/// The whole of it over a pcscd behind a table, with a clock that goes only when a test says so: taps.
@Suite(.timeLimit(.minutes(1))) struct SlotMonitorTests {
  static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  @Test func `a tap is read by whoever waits`() async throws {
    try await Bench().run { bench in
      let presentAt = bench.time.uptime()
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid && tag.reader == FakePcscd.name && tag.tries == 1)
      #expect(tag.presentAt == presentAt && tag.lastSeen == nil && tag.resolves == nil)
    }
  }

  @Test func `two taps of one tag are two presences, and the second knows when it was lifted`() async throws {
    try await Bench().run { bench in
      bench.pcscd.put(Self.uid)
      let first = try await bench.nextRead()
      bench.time.advance(by: .seconds(4))
      bench.pcscd.lift()
      try await bench.untilLooked()
      let lifted = bench.time.uptime()
      bench.time.advance(by: .seconds(1))
      bench.pcscd.put(Self.uid)
      let second = try await bench.nextRead()
      #expect(second.presence == first.presence + 1)
      #expect(second.lastSeen == lifted)
    }
  }

  @Test func `a tag that lies there at the start is no tap until it is lifted`() async throws {
    try await Bench { $0.put(Self.uid) }.run { bench in
      let summary = try await bench.summary { $0.tagLying }
      #expect(summary.condition == .ready && summary.readers.map(\.tagLying) == [true])
      #expect(bench.pcscd.now.readers[FakePcscd.name]?.exchanges == 0)
      bench.pcscd.lift()
      _ = try await bench.summary { !$0.tagLying }
      bench.time.advance(by: Slot.flicker)
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid)
    }
  }

  @Test func `what flickers while a tag is lifted names the lift`() async throws {
    try await Bench().run { bench in
      bench.pcscd.put(Self.uid)
      _ = try await bench.nextRead()
      bench.pcscd.lift()
      try await bench.untilLooked()
      let lifted = bench.time.uptime()
      bench.time.advance(by: .milliseconds(30))
      bench.pcscd.tapUnseen()
      let tag = try await bench.nextUnreadable(advancing: false)
      #expect(tag.lastLift == lifted)
    }
  }

  @Test func `two readers are read side by side`() async throws {
    let second = "ACS ACR122U PICC Interface 01 00"
    try await Bench { $0.plug(second) }.run { bench in
      // Somebody waits already: the buffer has room for one only.
      async let first = bench.monitor.nextEvent(claim: .tapLoop)
      try await bench.untilLooked()
      bench.pcscd.put([1, 1, 1, 1])
      bench.pcscd.put([2, 2, 2, 2], on: second)
      let reads = try await [first, bench.monitor.nextEvent(claim: .tapLoop)].compactMap { event in
        if case .read(let tag) = event { tag } else { nil }
      }
      #expect(Set(reads.map(\.reader)) == [FakePcscd.name, second])
      #expect(Set(reads.map(\.uid)) == [[1, 1, 1, 1], [2, 2, 2, 2]])
    }
  }

  @Test func `a SAM slot is not looked at, whatever lies in it`() async throws {
    let sam = "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00"
    try await Bench { pcscd in
      pcscd.plug(sam)
      pcscd.put([9, 9, 9, 9], on: sam)
    }.run { bench in
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid)
      let summary = bench.monitor.summary()
      #expect(!summary.tagLying && summary.readers.map(\.name) == [FakePcscd.name])
    }
  }
}
