import Linux
import PCSC
import TestSupport
import Testing

@testable import TagReader

/// Readers and pcscd that come, go, refuse, hang or spin.
@Suite(.timeLimit(.minutes(1))) struct ServiceTests {
  @Test func `a tap that nobody saw is told, also the first after pcscd's start`() async throws {
    try await Bench().run { bench in
      bench.pcscd.tapUnseen()
      let tag = try await bench.nextUnreadable()
      #expect(tag.reason == .tooShort && tag.tries == 0)
      #expect(bench.monitor.summary().counters.tooShort == 1)
    }
  }

  @Test func `more readers than one wait can watch do not blind it`() async throws {
    try await Bench { pcscd in
      for number in 10..<30 { pcscd.plug("Reader \(number) 00") }
    }.run { bench in
      bench.pcscd.put(SlotMonitorTests.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == SlotMonitorTests.uid)
      #expect(bench.pcscd.now.mostReadersAsked == 16)
      #expect(bench.monitor.summary().readers.count == 15)
    }
  }

  @Test func `no pcscd at the start is waited for without spinning`() async throws {
    try await Bench { $0.stop() }.run { bench in
      let away = try await bench.summary { $0.condition == .noService }
      #expect(!away.refused && away.readers.isEmpty && away.fault == nil)
      for _ in 0..<60 {
        await bench.time.waitForSleepers(2)
        bench.time.advance(by: .seconds(1))
      }
      // 50, 100, 200, 400, 800, 1600 ms and then every 2 s.
      #expect((20...40).contains(bench.pcscd.now.establishes))
      #expect(bench.monitor.fault() == nil)
      bench.pcscd.start()
      _ = try await bench.summary(advancing: true) { $0.condition == .ready }
      bench.pcscd.put(SlotMonitorTests.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == SlotMonitorTests.uid)
    }
  }

  @Test func `a restart of pcscd under a resting tag is no tap, and the next tap is read`() async throws {
    try await Bench().run { bench in
      bench.pcscd.put(SlotMonitorTests.uid)
      let first = try await bench.nextRead()
      bench.pcscd.stop()
      _ = try await bench.summary { $0.condition == .noService }
      bench.pcscd.start()
      let back = try await bench.summary(advancing: true) { $0.condition == .ready && $0.tagLying }
      #expect(back.counters.reconnects == 1 && back.counters.taps == 1)
      bench.pcscd.lift()
      _ = try await bench.summary { !$0.tagLying }
      bench.time.advance(by: Slot.flicker)
      bench.pcscd.put(SlotMonitorTests.uid)
      let second = try await bench.nextRead()
      #expect(second.presence == first.presence + 1 && second.lastSeen != nil)
    }
  }

  @Test func `a tap during which pcscd dies is told`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = true }
      bench.pcscd.put(SlotMonitorTests.uid)
      try await bench.until("the exchange") { $0.readers[FakePcscd.name]?.exchanges == 1 }
      bench.pcscd.change { $0.readers[FakePcscd.name]?.answers = [] }
      bench.pcscd.stop()
      let reason = try await bench.nextEventReason()
      #expect([.serviceLost, .removedTooSoon].contains(reason))
    }
  }

  @Test func `a refusal is believed after three seconds`() async throws {
    try await Bench { $0.change { $0.refuses = true } }.run { bench in
      let first = try await bench.summary { $0.condition == .noService }
      #expect(!first.refused)
      #expect(try await bench.summary(advancing: true) { $0.refused }.condition == .noService)
    }
  }

  @Test func `a reader that was there and is away is a fault after its time; back again it is none`() async throws {
    try await Bench().run { bench in
      bench.pcscd.unplug()
      #expect(try await bench.summary { $0.condition == .absent }.name == "ACS ACR122U PICC Interface")
      for _ in 0..<29 { try await bench.untilLooked(advancing: .seconds(1)) }
      try await bench.untilLooked(advancing: .milliseconds(900))
      #expect(bench.monitor.fault() == nil)
      bench.time.advance(by: .milliseconds(100))
      #expect(
        try await bench.summary { $0.fault != nil }.fault == .gone("ACS ACR122U PICC Interface"))
      bench.pcscd.plug("ACS ACR122U PICC Interface 01 00")
      _ = try await bench.summary { $0.fault == nil && $0.condition == .ready }
    }
  }

  @Test func `a wedged reader is unavailable, and a tag on it then counts as lifted`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isWedged = true }
      #expect(try await bench.summary { $0.condition == .unavailable }.readers.map(\.isAvailable) == [false])
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isWedged = false }
      _ = try await bench.summary { $0.condition == .ready }
      bench.pcscd.put(SlotMonitorTests.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == SlotMonitorTests.uid)
    }
  }

  @Test func `a reader that was never there is no fault`() async throws {
    try await Bench { $0.unplug() }.run { bench in
      _ = try await bench.summary { $0.condition == .absent }
      bench.time.advance(by: .seconds(3600))
      try await bench.untilLooked()
      #expect(bench.monitor.fault() == nil)
    }
  }

  @Test func `a frozen pcscd is a fault 10 s over the slice, and shows in the heartbeat`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.isFrozen = true }
      try await bench.untilWaiting()
      let beat = try #require(bench.monitor.heartbeats()["reader monitor"])
      bench.time.advance(by: .seconds(11))
      #expect(bench.monitor.fault() == nil)
      bench.time.advance(by: .milliseconds(2))
      #expect(bench.monitor.fault() == .hung("pcscd"))
      #expect(try await bench.summary { $0.fault != nil }.fault == .hung("pcscd"))
      #expect(bench.monitor.heartbeats()["reader monitor"] == beat)
      bench.pcscd.change { $0.isFrozen = false }
      _ = try await bench.summary { $0.fault == nil }
    }
  }

  @Test func `a pcscd that reports changes that are none is asked slowly`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.spins = true }
      let before = bench.pcscd.now.waits
      await bench.time.waitForSleepers(2)
      #expect(bench.pcscd.now.waits - before <= Monitor.mostFruitless + 2)
      for _ in 0..<4 {
        bench.time.advance(by: Monitor.spinPause)
        await bench.time.waitForSleepers(2)
      }
      bench.pcscd.put(SlotMonitorTests.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == SlotMonitorTests.uid)
    }
  }
}
