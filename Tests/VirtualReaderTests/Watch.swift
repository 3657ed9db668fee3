import Foundation
import Synchronization

/// The two functions that pcscd gets from a driver to wait for events.
struct Events: Sendable {
  private let lun: UInt
  private let awaiting: @convention(c) (UInt, Int32) -> Int
  private let stopping: @convention(c) (UInt) -> Int

  init(lun: UInt) throws {
    self.lun = lun
    awaiting = try Self.entry(lun, 0x0FB3, as: (@convention(c) (UInt, Int32) -> Int).self)
    stopping = try Self.entry(lun, 0x0FB2, as: (@convention(c) (UInt) -> Int).self)
  }

  /// TAG_IFD_POLLING_THREAD_WITH_TIMEOUT: sleeps until an event.
  func await(milliseconds: Int32) -> Int { awaiting(lun, milliseconds) }

  /// TAG_IFD_STOP_POLLING_THREAD: ends that sleep, or the next.
  func stop() -> Int { stopping(lun) }

  private static func entry<F>(_ lun: UInt, _ tag: UInt, as type: F.Type) throws -> F {
    typealias Get = @convention(c) (UInt, UInt, UnsafeMutablePointer<UInt>, UnsafeMutableRawPointer) -> Int
    var pointer: UnsafeRawPointer?
    var count = UInt(MemoryLayout<Int>.size)
    let result = try unsafe Driver.function("IFDHGetCapabilities", as: Get.self)(lun, tag, &count, &pointer)
    guard result == Driver.Result.success, let pointer = unsafe pointer else {
      throw Driver.Failure(description: "no function for tag \(tag): \(result)")
    }
    return unsafe unsafeBitCast(pointer, to: F.self)
  }
}

/// A thread that waits for a reader's events, over and over, as pcscd's does.
final class Watch: Sendable {
  private let events: Events
  private let ended = Ended()

  private final class Ended: Sendable {
    let asked = Atomic(false)
    let done = DispatchSemaphore(value: 0)
  }

  init(lun: UInt) throws {
    let events = try Events(lun: lun)
    self.events = events
    let ended = ended
    Thread.detachNewThread {
      while !ended.asked.load(ordering: .acquiring), events.await(milliseconds: 10_000) == Driver.Result.success {}
      ended.done.signal()
    }
  }

  func end() {
    ended.asked.store(true, ordering: .releasing)
    _ = events.stop()
    ended.done.wait()
  }
}
