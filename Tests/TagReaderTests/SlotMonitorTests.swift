import Linux
import PCSC
import Synchronization
import TestSupport
import Testing

@testable import TagReader

/// The whole of it over a pcscd behind a table, with a clock that goes only when a test says so.
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

  @Test func `a burst that comes at once loses no tap on its way to the loop, and is in order`() async throws {
    try await Bench().run { bench in
      let taps = bench.monitor.taps()
      for _ in 0..<20 { bench.pcscd.tapUnseen() }
      bench.pcscd.put(Self.uid)
      var presences: [UInt64] = []
      var events: [TagEvent] = []
      for await tap in taps {
        events.append(tap)
        presences.append(tap.presence)
        if case .read = tap { break }
      }
      #expect(presences.count == 21 && presences == presences.sorted(), "\(events)")
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a loop that is cancelled while taps come hangs nobody`() async throws {
    try await Bench().run { bench in
      let tapping = Task.detached { while !Task.isCancelled { bench.pcscd.tapUnseen() } }
      for _ in 0..<50 {
        let loop = Task { for await _ in bench.monitor.taps() {} }
        await Task.yield()
        loop.cancel()
        await loop.value
      }
      tapping.cancel()
      await tapping.value
    }
  }

  @Test func `an enrolment keeps taps from the loop, which goes on after it`() async throws {
    try await Bench().run { bench in
      var taps = bench.monitor.taps().makeAsyncIterator()
      async let enrolled = bench.monitor.withClaim(.enrolment) {
        async let event = bench.monitor.nextEvent(claim: .enrolment)
        bench.pcscd.put(Self.uid)
        return try await event
      }
      let first = try await enrolled
      bench.pcscd.lift()
      try await bench.untilLooked()
      bench.time.advance(by: .seconds(1))
      bench.pcscd.put(Self.uid)
      let second = await taps.next()
      #expect(second?.presence == first.presence + 1)
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

  @Test func `a tap that nobody saw is told, also the first after pcscd's start`() async throws {
    try await Bench().run { bench in
      bench.pcscd.tapUnseen()
      let tag = try await bench.nextUnreadable()
      #expect(tag.reason == .tooShort && tag.tries == 0)
      #expect(bench.monitor.summary().counters.tooShort == 1)
    }
  }

  @Test func `a failed tap is told once, tried once a second, and answered by the read that succeeds`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.connects = Array(repeating: .mute, count: 7) }
      bench.pcscd.put(Self.uid)
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
      bench.pcscd.put(Self.uid)
      #expect(try await bench.nextUnreadable().reason == .mute)
      try await bench.until("ten more tries") { $0.readers[FakePcscd.name]?.connects.count == 1 }
      for _ in 0..<50 { try await bench.untilLooked(advancing: .milliseconds(100)) }
      #expect(bench.pcscd.now.readers[FakePcscd.name]?.connects.count == 1)
      bench.pcscd.change { $0.readers[FakePcscd.name]?.connects = [] }
      bench.pcscd.lift()
      try await bench.untilLooked()
      bench.pcscd.put(Self.uid)
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
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextUnreadable()
      #expect(tag.reason == reason && tag.tries == tries)
      #expect(tag.statusWord == (reason == .refused ? UInt16(answer[0]) << 8 | UInt16(answer[1]) : nil))
    }
  }

  @Test func `a tag that leaves before it is read was removed too soon`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.connects = [.mute] }
      bench.pcscd.put(Self.uid)
      try await bench.until("the first try") { $0.readers[FakePcscd.name]?.connects.isEmpty == true }
      bench.pcscd.lift()
      #expect(try await bench.nextUnreadable(advancing: false).reason == .removedTooSoon)
    }
  }

  @Test(arguments: [(1, true), (3, false)])
  func `a slow read during which the tag was changed for another is nobody's`(_ ms: Int, _ isRead: Bool) async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = true }
      bench.pcscd.put(Self.uid)
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
      #expect(Set(reads) == (isRead ? [Self.uid, [9, 9, 9, 9]] : [[9, 9, 9, 9]]))
    }
  }

  @Test func `a read that hangs is told at its deadline, the others go on, and it is answered when it comes back`()
    async throws
  {
    let second = "ACS ACR122U PICC Interface 01 00"
    try await Bench { $0.plug(second) }.run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = true }
      bench.pcscd.put(Self.uid)
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

  @Test func `more readers than one wait can watch do not blind it`() async throws {
    try await Bench { pcscd in
      for number in 10..<30 { pcscd.plug("Reader \(number) 00") }
    }.run { bench in
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid)
      #expect(bench.pcscd.now.mostReadersAsked == 16)
      #expect(bench.monitor.summary().readers.count == 15)
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
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid)
    }
  }

  @Test func `a restart of pcscd under a resting tag is no tap, and the next tap is read`() async throws {
    try await Bench().run { bench in
      bench.pcscd.put(Self.uid)
      let first = try await bench.nextRead()
      bench.pcscd.stop()
      _ = try await bench.summary { $0.condition == .noService }
      bench.pcscd.start()
      let back = try await bench.summary(advancing: true) { $0.condition == .ready && $0.tagLying }
      #expect(back.counters.reconnects == 1 && back.counters.taps == 1)
      bench.pcscd.lift()
      _ = try await bench.summary { !$0.tagLying }
      bench.time.advance(by: Slot.flicker)
      bench.pcscd.put(Self.uid)
      let second = try await bench.nextRead()
      #expect(second.presence == first.presence + 1 && second.lastSeen != nil)
    }
  }

  @Test func `a tap during which pcscd dies is told`() async throws {
    try await Bench().run { bench in
      bench.pcscd.change { $0.readers[FakePcscd.name]?.isHung = true }
      bench.pcscd.put(Self.uid)
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
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid)
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
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid)
    }
  }

  @Test func `a cancelled waiter is answered at once and takes no tap`() async throws {
    try await Bench().run { bench in
      let waiter = Task { try await bench.monitor.nextEvent(claim: .enrolment) }
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
      bench.pcscd.put(Self.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == Self.uid)
    }
  }

  @Test func `what is tapped while a claim is held is never the tap loop's`() async throws {
    try await Bench().run { bench in
      async let loop = bench.monitor.nextEvent(claim: .tapLoop)
      await bench.monitor.withClaim(.testWindow) {
        bench.pcscd.put([1, 1, 1, 1])
        _ = try? await bench.summary { $0.counters.taps == 1 }
        bench.pcscd.lift()
        try? await bench.untilLooked()
      }
      bench.pcscd.put([2, 2, 2, 2])
      let event = try await loop
      guard case .read(let tag) = event else { throw Bench.Overdue(description: "\(event)") }
      #expect(tag.uid == [2, 2, 2, 2])
    }
  }
}
