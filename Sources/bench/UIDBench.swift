import Foundation
import Linux
import TagReader
import TestSupport
import VirtualTag

/// From a tag in the field to its UID: the product's tag reader beside the smallest C client, in turns on one pcscd.
enum UIDBench {
  static func run(taps: Int, into report: inout Report) async throws {
    let pcscd = try PrivatePcscd.started()
    unsafe setenv("PCSCLITE_CSOCK_NAME", pcscd.socketPath, 1)
    defer { unsafe unsetenv("PCSCLITE_CSOCK_NAME") }
    var ours: [Double] = []
    var client: [Double] = []
    let blocks = 4
    for block in 0..<blocks {
      client += try viaClient(pcscd, taps: taps / blocks, block)
      ours += try await viaReader(pcscd, taps: taps / blocks, block)
    }
    report.durations(
      "present -> UID", Figures(ours), yardstick: ("C client", Figures(client)), budget: 0.2)
  }

  private static func uid(_ block: Int, _ tap: Int) -> [UInt8] {
    [0x04, UInt8(block), 0, 0, 0, UInt8(tap / 250), UInt8(tap % 250)]
  }

  private static func viaClient(_ pcscd: PrivatePcscd, taps: Int, _ block: Int) throws -> [Double] {
    let monitor = try UIDMonitor(of: pcscd)
    var durations: [Double] = []
    for tap in 0..<taps {
      let moment = try pcscd.tag().enter(uid: uid(block, tap))
      let seen = try monitor.waitFor(.uid, count: tap + 1)
      durations.append(Double(seen.nanoseconds - moment.nanoseconds) / 1e6)
      try pcscd.tag().leave()
      try monitor.waitFor(.removed, count: tap + 1)
    }
    try monitor.stop()
    return durations
  }

  private static func viaReader(_ pcscd: PrivatePcscd, taps: Int, _ block: Int) async throws -> [Double] {
    let monitor = SlotMonitor(log: .none)
    let running = Task { await monitor.run() }
    defer { running.cancel() }
    try Waiting.until("a reader") { monitor.summary().condition == .ready }
    // CLOCK_BOOTTIME runs beside CLOCK_MONOTONIC; they differ by the time the machine was suspended.
    let offset = SystemTime().uptime() - .nanoseconds(monotonic())
    var durations: [Double] = []
    for tap in 0..<taps {
      async let event = monitor.nextEvent(claim: .tapLoop)
      let moment = try pcscd.tag().enter(uid: uid(block, tap))
      guard case .read(let read) = try await event else { continue }
      durations.append((read.readAt - offset - .nanoseconds(moment.nanoseconds)).inSeconds * 1000)
      try pcscd.tag().leave()
    }
    running.cancel()
    await running.value
    return durations
  }
}
