import Linux
import PCSC
import TestSupport
import Testing

@testable import TagReader

/// Who gets a tap when several wait for it.
@Suite(.timeLimit(.minutes(1))) struct ClaimTests {
  @Test func `a burst that comes at once loses no tap on its way to the loop, and is in order`() async throws {
    try await Bench().run { bench in
      let taps = bench.monitor.taps()
      for _ in 0..<20 { bench.pcscd.tapUnseen() }
      bench.pcscd.put(SlotMonitorTests.uid)
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
      let tapping = Task.detached {
        while !Task.isCancelled {
          bench.pcscd.tapUnseen()
          await Task.yield()
        }
      }
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
        bench.pcscd.put(SlotMonitorTests.uid)
        return try await event
      }
      let first = try await enrolled
      bench.pcscd.lift()
      try await bench.untilLooked()
      bench.time.advance(by: .seconds(1))
      bench.pcscd.put(SlotMonitorTests.uid)
      let second = await taps.next()
      #expect(second?.presence == first.presence + 1)
    }
  }

  @Test func `a cancelled waiter is answered at once and takes no tap`() async throws {
    try await Bench().run { bench in
      let waiter = Task { try await bench.monitor.nextEvent(claim: .enrolment) }
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
      bench.pcscd.put(SlotMonitorTests.uid)
      let tag = try await bench.nextRead()
      #expect(tag.uid == SlotMonitorTests.uid)
    }
  }

  @Test func `what is tapped while a claim is held is never the tap loop's`() async throws {
    try await Bench().run { bench in
      async let loop = bench.monitor.nextEvent(claim: .tapLoop)
      try await bench.monitor.withClaim(.testWindow) {
        // Taken by the claim: what nobody takes waits for the next who asks, and how long the reading lasts is not known.
        async let event = bench.monitor.nextEvent(claim: .testWindow)
        bench.pcscd.put([1, 1, 1, 1])
        guard case .read(let tag) = try await event else { throw Bench.Overdue(description: "unreadable, not read") }
        #expect(tag.uid == [1, 1, 1, 1])
        bench.pcscd.lift()
        try await bench.untilLooked()
      }
      bench.pcscd.put([2, 2, 2, 2])
      let event = try await loop
      guard case .read(let tag) = event else { throw Bench.Overdue(description: "\(event)") }
      #expect(tag.uid == [2, 2, 2, 2])
    }
  }
}
