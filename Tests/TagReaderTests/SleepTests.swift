import Linux
import PCSC
import TestSupport
import Testing

@testable import TagReader

/// The clock is set back, or the machine sleeps: neither is a reader's failure.
@Suite(.timeLimit(.minutes(1))) struct SleepTests {
  private static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  @Test func `a wait that a clock set back has made too long is ended, and pcscd does not count as hung`() async throws
  {
    try await Bench().run { bench in
      bench.pcscd.change { $0.isStretched = true }
      try await bench.untilWaiting()
      for _ in 0..<6 {
        let waits = bench.pcscd.now.waits
        bench.time.advance(by: Monitor.overdue)
        _ = bench.monitor.heartbeats()
        #expect(bench.pcscd.now.waits == waits, "a slice and its answer may take so long")
        bench.time.advance(by: .milliseconds(1))
        _ = bench.monitor.heartbeats()
        try await bench.until("the next wait") { $0.waits > waits }
        #expect(bench.monitor.fault() == nil)
      }
      bench.pcscd.put(Self.uid)
      #expect(try await bench.nextRead().uid == Self.uid)
    }
  }

  @Test func `a frozen pcscd is asked to end its wait once, and the beats go on being told`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.isFrozen = true }
      try await bench.untilWaiting()
      var told = bench.monitor.summaries().makeAsyncIterator()
      #expect(await told.next()?.fault == nil)
      for _ in 0..<4 {
        bench.time.advance(by: .seconds(5))
        _ = bench.monitor.heartbeats()
      }
      #expect(await told.next()?.fault == .hung("pcscd"), "told by nobody but who asks for the beats")
      try await bench.until("the cancel") { $0.cancels == 1 }
      bench.pcscd.change { $0.isFrozen = false }
      _ = try await bench.summary { $0.fault == nil }
      #expect(bench.pcscd.now.cancels == 1)
    }
  }

  @Test func `the hours that the machine slept are held against no reader that is away`() async throws {
    try await Bench().run { bench in
      bench.pcscd.unplug()
      _ = try await bench.summary { $0.condition == .absent }
      for _ in 0..<29 { try await bench.untilLooked(advancing: .seconds(1)) }
      bench.time.advance(by: .seconds(8 * 3600))
      #expect(bench.monitor.fault() == .hung("pcscd"), "until its thread has had its turn")
      try await bench.untilLooked()
      #expect(bench.monitor.fault() == nil)
      try await bench.untilLooked(advancing: .seconds(1))
      #expect(bench.monitor.fault() == .gone("ACS ACR122U PICC Interface"))
    }
  }

  @Test func `a read that the machine slept through is not too late`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = true }
      bench.pcscd.put(Self.uid)
      try await bench.until("the exchange") { $0.readers[FakePcscd.name]?.exchanges == 1 }
      bench.time.advance(by: .seconds(8 * 3600))
      try await bench.untilLooked()
      #expect(bench.monitor.fault() == nil)
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = false }
      let tag = try await bench.nextRead(advancing: false)
      #expect(tag.uid == Self.uid && tag.resolves == nil, "nothing was called unreadable before")
    }
  }
}
