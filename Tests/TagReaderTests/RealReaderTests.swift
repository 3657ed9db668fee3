import PCSC
import TestSupport
import Testing
import VirtualTag

@testable import TagReader

/// The same through the real libpcsclite and pcscd, with a reader that is driven by events as a USB reader is. Each test is
/// a process with a pcscd of its own.
@Suite(.timeLimit(.minutes(2))) struct RealReaderTests {
  @Test func `fifty taps of 4 ms without a pause each have their answer`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      try await bench.run {
        for index in 0..<50 { try bench.pcscd.tag().tap(uid: [0x04, 0xA1, 0xB2, UInt8(index)], milliseconds: 4) }
        _ = try await bench.event(50)
        #expect(bench.all.count == 50 && bench.monitor.summary().counters.taps == 50)
        // A tap may be over before anybody could read it, on a busy machine most of them; then it is told as such.
        for case .unreadable(let tag) in bench.all { #expect([.tooShort, .removedTooSoon].contains(tag.reason)) }
        #expect(bench.all.contains { if case .read = $0 { true } else { false } })
        try bench.pcscd.tag().enter(uid: [1, 2, 3, 4])
        #expect(try await bench.read(51).uid == [1, 2, 3, 4])
      }
    }
  }

  @Test func `each answer is its own tap's`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      try await bench.run {
        let uids = (0..<30).map { [0x04, 0xA1, 0xB2, UInt8($0)] }
        for (index, uid) in uids.enumerated() {
          try bench.pcscd.tag().tap(uid: uid, milliseconds: 4)
          // A hand that changes tags takes longer than the threads may.
          _ = try await bench.event(index + 1)
        }
        for (event, uid) in zip(bench.all, uids) {
          if case .read(let tag) = event { #expect(tag.uid == uid) }
        }
      }
    }
  }

  @Test func `UIDs of every length that tags have arrive whole`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      try await bench.run {
        for (index, length) in [4, 7, 8, 10, 2].enumerated() {
          let uid = (0..<length).map { UInt8(0xF0 &+ $0) }
          try bench.pcscd.tag().enter(uid: uid)
          let tag = try await bench.read(index + 1)
          #expect(tag.uid == uid && tag.tries == 1)
          try bench.pcscd.tag().leave()
        }
      }
    }
  }

  @Test func `a tag that is mute and then is not is read without being lifted`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      try await bench.run {
        // pcscd itself powers up once.
        try bench.pcscd.tag().mute(.times(3))
        try bench.pcscd.tag().enter(uid: [1, 2, 3, 4])
        // The tries of a busy machine may outlast the 600 ms of a tap: then it is told first, and answered by the read.
        var told: UnreadableTag?
        if case .unreadable(let early) = try await bench.event(1) { told = early }
        let quick = try await bench.read(told == nil ? 1 : 2)
        #expect(quick.tries == 3 && quick.resolves == told?.presence)
        #expect(told == nil || told?.reason == .mute)
        try bench.pcscd.tag().leave()
        try await bench.summary { !$0.tagLying && $0.condition == .ready }
        try bench.pcscd.tag().mute(.always)
        try bench.pcscd.tag().enter(uid: [5, 6, 7, 8])
        let failed = try await bench.unreadable(told == nil ? 2 : 3)
        #expect(failed.reason == .mute)
        try bench.pcscd.tag().mute(.off)
        let late = try await bench.read(told == nil ? 3 : 4)
        #expect(late.resolves == failed.presence && late.uid == [5, 6, 7, 8])
      }
    }
  }

  @Test func `what goes wrong once is read all the same`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      let tag = bench.pcscd.tag()
      try await bench.run {
        let faults: [() throws -> Void] = [
          { try tag.tear(.times(1)) }, { try tag.tear(.times(1), bytes: 1) }, { try tag.failTransmits(.times(1)) },
          { try tag.answer(.times(1)) }, { try tag.tear(.times(2)) },
        ]
        for (index, fault) in faults.enumerated() {
          try fault()
          try tag.enter(uid: [1, 2, 3, UInt8(index)])
          let read = try await bench.read(index + 1)
          #expect(read.uid.last == UInt8(index) && read.tries == (index == 4 ? 3 : 2), "fault \(index): \(read)")
          try tag.leave()
        }
      }
    }
  }

  @Test func `what always goes wrong has its own reason`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      let tag = bench.pcscd.tag()
      try await bench.run {
        let faults: [(UnreadableReason, () throws -> Void)] = [
          (.torn, { try tag.tear(.always) }), (.torn, { try tag.tear(.always, bytes: 1) }),
          (.communicationError, { try tag.failTransmits(.always) }), (.refused, { try tag.answer(.always) }),
          (.refused, { try tag.answer(.always, [0x6A, 0x81]) }), (.malformed, { try tag.fill(.always, count: 300) }),
          (.malformed, { try tag.fill(.always, count: 65_538) }), (.malformed, { try tag.fill(.always, count: 2) }),
        ]
        for (index, (reason, fault)) in faults.enumerated() {
          try fault()
          try tag.enter(uid: [1, 2, 3, UInt8(index)])
          let failed = try await bench.unreadable(index + 1)
          #expect(failed.reason == reason, "fault \(index): \(failed)")
          try tag.leave()
          try tag.reset()
        }
        try tag.enter(uid: [9, 9, 9, 9])
        #expect(try await bench.read(faults.count + 1).uid == [9, 9, 9, 9])
      }
    }
  }

  @Test func `a tag that lies there at the start is no tap until it is lifted`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      try bench.pcscd.tag().enter(uid: [1, 2, 3, 4])
      try await bench.run {
        try await bench.summary { $0.tagLying }
        try bench.pcscd.tag().leave()
        try await bench.summary { !$0.tagLying }
        #expect(bench.all.isEmpty)
        // What is away for less was not lifted by a hand.
        try await Task.sleep(for: Slot.flicker)
        try bench.pcscd.tag().tap(uid: [1, 2, 3, 4], milliseconds: 50)
        #expect(try await bench.read(1).uid == [1, 2, 3, 4])
      }
    }
  }

  @Test func `pcscd may come late, be killed and come again, under a resting tag too`() async {
    await #expect(processExitsWith: .success) {
      let pcscd = try PrivatePcscd.started()
      pcscd.stop()
      let bench = RealBench(pcscd)
      try await bench.run(ready: false) {
        try await bench.summary { $0.condition == .noService }
        try bench.pcscd.start()
        try await bench.summary { $0.condition == .ready }
        try bench.pcscd.tag().enter(uid: [1, 2, 3, 4])
        #expect(try await bench.read(1).uid == [1, 2, 3, 4])
        bench.pcscd.kill()
        try await bench.summary { $0.condition == .noService }
        try bench.pcscd.start()
        try bench.pcscd.tag().enter(uid: [1, 2, 3, 4])
        try await bench.summary { $0.condition == .ready }
        try bench.pcscd.tag().leave()
        try await bench.summary { !$0.tagLying }
        let before = bench.all.count
        try await Task.sleep(for: Slot.flicker)
        try bench.pcscd.tag().enter(uid: [5, 6, 7, 8])
        #expect(try await bench.read(before + 1).uid == [5, 6, 7, 8])
        #expect(bench.monitor.summary().counters.reconnects == 1)
      }
    }
  }

  @Test func `two readers tap at once and a SAM never does`() async {
    await #expect(processExitsWith: .success) {
      let names = ["ACS ACR122U PICC Interface", "HID OMNIKEY 5022 CL", "ACS ACR1252 Dual Reader SAM"]
      let bench = RealBench(try PrivatePcscd.started(readers: names.map { ReaderEntry(name: $0) }))
      try bench.pcscd.tag(2).enter(uid: [7, 7, 7, 7])
      try await bench.run {
        try await bench.summary { $0.readers.count == 2 && $0.readers.allSatisfy(\.isAvailable) }
        #expect(!bench.monitor.summary().tagLying)
        // One is mute and takes its time; the other, once it is seen, does not wait for it. It may be seen late: with a mute
        // card in a slot libpcsclite sleeps 400 ms in every look at the slots.
        try bench.pcscd.tag(0).mute(.always)
        try bench.pcscd.tag(0).enter(uid: [1, 1, 1, 1])
        try bench.pcscd.tag(1).enter(uid: [2, 2, 2, 2])
        _ = try await bench.event(2)
        // Which of them is seen first is pcscd's affair.
        for event in bench.all {
          switch event {
          case .unreadable(let tag): #expect(tag.reason == .mute && tag.reader.hasPrefix("ACS ACR122U"))
          case .read(let tag):
            #expect(tag.reader.hasPrefix("HID") && tag.uid == [2, 2, 2, 2])
            // A mute tag takes longer: all its tries, and then a second each.
            #expect(tag.readAt - tag.presentAt < .seconds(2))
          }
        }
        #expect(Set(bench.all.map { if case .read = $0 { true } else { false } }) == [true, false])
      }
    }
  }

  @Test func `a wedged reader is unavailable, and reads again when it is well`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      try await bench.run {
        try bench.pcscd.tag().unavailable(true)
        try await bench.summary { $0.condition == .unavailable }
        try bench.pcscd.tag().unavailable(false)
        try await bench.summary { $0.condition == .ready }
        try bench.pcscd.tag().enter(uid: [1, 2, 3, 4])
        #expect(try await bench.read(1).uid == [1, 2, 3, 4])
      }
    }
  }

  @Test func `a read that takes 15 s is told at 5 and answered when it comes back`() async {
    await #expect(processExitsWith: .success) {
      let bench = RealBench(try PrivatePcscd.started())
      try await bench.run {
        try bench.pcscd.tag().slow(.times(1), milliseconds: 15_000)
        try bench.pcscd.tag().enter(uid: [1, 2, 3, 4])
        let late = try await bench.unreadable(1)
        #expect(late.reason == .timedOut && late.gaveUpAt - late.presentAt < .seconds(7))
        #expect(bench.monitor.fault() == .hung("ACS ACR122U PICC Interface"))
        #expect(try await bench.read(2).resolves == late.presence)
        #expect(bench.monitor.fault() == nil)
      }
    }
  }
}

/// A reader that nobody here wrote, and that is polled: a tap shows after 0 to 400 ms.
@Suite(.timeLimit(.minutes(2))) struct VpcdReaderTests {
  @Test func `vsmartcard's tags are read, and its torn and mute ones have their reasons`() async throws {
    guard let installed = try VpcdTag.pcscd() else {
      print("skipped: vsmartcard's driver is not installed (Debian package vsmartcard-vpcd)")
      return
    }
    installed.pcscd.stop()
    await #expect(processExitsWith: .success) {
      guard let (pcscd, port) = try VpcdTag.pcscd() else { return }
      let bench = RealBench(pcscd)
      try await bench.run {
        let good = VpcdTag(port: port, uid: [4, 5, 6, 7])
        try good.insert()
        #expect(try await bench.read(1).uid == [4, 5, 6, 7])
        good.remove()
        let mute = VpcdTag(port: port, uid: [4, 5, 6, 7], atr: Array(repeating: 0x3B, count: 40))
        try await again(bench) { try mute.insert() }
        #expect(try await bench.unreadable(2).reason == .mute)
        mute.remove()
        let refusing = VpcdTag(port: port, uid: [], script: { _ in [0x63, 0x00] })
        try await again(bench) { try refusing.insert() }
        let refused = try await bench.unreadable(3)
        #expect(refused.reason == .refused && refused.statusWord == 0x6300)
        #expect(refusing.apdus.count == 3)
        refusing.remove()
        let pulled = VpcdTag(port: port, uid: [], script: { _ in nil })
        try await again(bench) { try pulled.insert() }
        let reason = try await bench.unreadable(4).reason
        #expect([.torn, .removedTooSoon, .communicationError].contains(reason))
      }
    }
  }
}

/// The polled reader must have seen that the last tag left before the next one comes.
private func again(_ bench: RealBench, _ insert: () throws -> Void) async throws {
  try await bench.summary { $0.tagSince == nil }
  try insert()
}
