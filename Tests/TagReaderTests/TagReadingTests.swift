import Linux
import PCSC
import TestSupport
import Testing

@testable import TagReader

/// Taps whose read fails, is slow or hangs.
@Suite(.timeLimit(.minutes(1))) struct TagReadingTests {
  @Test func `a failed tap is told once, tried once a second, and answered by the read that succeeds`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.connects = Array(repeating: .mute, count: 7) }
      bench.pcscd.put(SlotMonitorTests.uid)
      let began = bench.time.uptime()
      let failed = try await bench.nextUnreadable()
      #expect(failed.reason == .mute && failed.tries == 5)
      #expect(failed.gaveUpAt - began >= .milliseconds(600))
      let read = try await bench.nextRead()
      #expect(read.resolves == failed.presence && read.presence == failed.presence && read.tries == 8)
      #expect(read.readAt - failed.gaveUpAt >= .seconds(3))
      let counters = bench.monitor.summary().counters
      #expect(counters.taps == 1 && counters.unreadable == 1)
    }
  }

  @Test func `a tag that stays mute is left alone after ten more tries, and the next tap is read`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.connects = Array(repeating: .mute, count: 15) + [.noService] }
      bench.pcscd.put(SlotMonitorTests.uid)
      #expect(try await bench.nextUnreadable().reason == .mute)
      try await bench.until("ten more tries") { $0.readers[FakePcscd.name]?.connects.count == 1 }
      for _ in 0..<50 { try await bench.untilLooked(advancing: .milliseconds(100)) }
      #expect(bench.pcscd.now.readers[FakePcscd.name]?.connects.count == 1)
      bench.pcscd.change { $0.readers[FakePcscd.name]?.connects = [] }
      bench.pcscd.lift()
      try await bench.untilLooked()
      bench.pcscd.put(SlotMonitorTests.uid)
      #expect(try await bench.nextRead().resolves == nil)
    }
  }

  static let answers: [([UInt8], UnreadableReason, Int)] = [
    ([], .torn, 3), ([0x90], .torn, 3), ([0x63, 0x00], .refused, 3), ([0x6A, 0x81], .refused, 1),
    (Array(repeating: 0xAA, count: 300) + [0x90, 0x00], .malformed, 3),
  ]

  @Test(arguments: answers.indices) func `each wrong answer ends in its own reason`(_ row: Int) async throws {
    let (answer, reason, tries) = Self.answers[row]
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.answers = Array(repeating: answer, count: 100) }
      bench.pcscd.put(SlotMonitorTests.uid)
      let tag = try await bench.nextUnreadable()
      #expect(tag.reason == reason && tag.tries == tries)
      #expect(tag.statusWord == (reason == .refused ? UInt16(answer[0]) << 8 | UInt16(answer[1]) : nil))
    }
  }

  @Test func `a tag that leaves before it is read was removed too soon`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.connects = [.mute] }
      bench.pcscd.put(SlotMonitorTests.uid)
      try await bench.until("the first try") { $0.readers[FakePcscd.name]?.connects.isEmpty == true }
      bench.pcscd.lift()
      #expect(try await bench.nextUnreadable(advancing: false).reason == .removedTooSoon)
    }
  }

  @Test(arguments: [(1, true), (3, false)])
  func `a slow read during which the tag was changed for another is nobody's`(_ ms: Int, _ isRead: Bool) async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = true }
      bench.pcscd.put(SlotMonitorTests.uid)
      try await bench.until("the exchange") { $0.readers[FakePcscd.name]?.exchanges == 1 }
      let presentAt = bench.time.uptime()
      bench.pcscd.change { state in
        state.readers[FakePcscd.name]?.tag = [9, 9, 9, 9]
        state.readers[FakePcscd.name]?.counter += 2
      }
      try await bench.untilLooked()
      bench.time.advance(by: .milliseconds(ms))
      async let first = bench.monitor.nextEvent(claim: .tapLoop)
      async let second = bench.monitor.nextEvent(claim: .tapLoop)
      try await bench.untilLooked()
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = false }
      var reads: [[UInt8]] = []
      for event in try await [first, second] {
        switch event {
        case .read(let tag): reads.append(tag.uid)
        case .unreadable(let tag): #expect(tag.reason == .removedTooSoon && tag.presentAt == presentAt)
        }
      }
      #expect(Set(reads) == (isRead ? [SlotMonitorTests.uid, [9, 9, 9, 9]] : [[9, 9, 9, 9]]))
    }
  }

  @Test func `a read that hangs is told at its deadline, the others go on, and it is answered when it comes back`()
    async throws
  {
    let second = "ACS ACR122U PICC Interface 01 00"
    try await Bench { $0.plug(second) }.run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = true }
      bench.pcscd.put(SlotMonitorTests.uid)
      try await bench.until("the exchange") { $0.readers[FakePcscd.name]?.exchanges == 1 }
      bench.time.advance(by: .seconds(5))
      try await bench.untilLooked()
      #expect(bench.monitor.fault() == nil)
      bench.time.advance(by: .milliseconds(1))
      let late = try await bench.nextUnreadable(advancing: false)
      #expect(late.reason == .timedOut)
      #expect(bench.monitor.fault() == .hung("ACS ACR122U PICC Interface"))
      #expect(try await bench.summary { $0.fault != nil }.fault == .hung("ACS ACR122U PICC Interface"))
      #expect(bench.monitor.heartbeats()["tag decoder"] == late.presentAt)
      bench.pcscd.put([1, 2, 3, 4], on: second)
      #expect(try await bench.nextRead(advancing: false).reader == second)
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = false }
      #expect(try await bench.nextRead(advancing: false).resolves == late.presence)
      #expect(try await bench.summary { $0.fault == nil }.condition == .ready)
    }
  }

  @Test func `a random UID is a phone's`() async throws {
    try await Bench().run { bench in
      bench.pcscd.put([0x08, 1, 2, 3])
      #expect(try await bench.nextRead().isRandom)
      bench.pcscd.lift()
      try await bench.untilLooked()
      bench.pcscd.put([0x08, 1, 2, 3, 4, 5, 6])
      #expect(try await bench.nextRead().isRandom == false)
    }
  }
}
