internal import Foundation
internal import Glibc

/// Waits for conditions of other processes; a test never sleeps for a fixed time.
package enum Waiting {
  /// A condition that did not come true in time.
  package struct TimedOut: Error, CustomStringConvertible {
    package let description: String
  }

  /// How long a wait that promises no time of its own lasts, s: only a program that is stuck needs so long, on a machine of
  /// any load. What promises a time says it, or measures.
  package static let patience = 30.0

  /// Looks every 5 ms until `condition` gives a value.
  /// - Parameters:
  ///   - what: asked for only when it did not come true: it can tell how things are then.
  ///   - seconds: the deadline, on the monotonic clock.
  package static func value<T>(
    _ what: @autoclosure () -> String, within seconds: Double = Waiting.patience, _ condition: () throws -> T?
  ) throws -> T {
    let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    var last: (any Error)?
    while true {
      do {
        if let value = try condition() { return value }
      } catch { last = error }
      if DispatchTime.now().uptimeNanoseconds > deadline {
        throw TimedOut(description: "not within \(seconds) s: \(what())" + (last.map { " (\($0))" } ?? ""))
      }
      usleep(5000)
    }
  }

  package static func until(
    _ what: @autoclosure () -> String, within seconds: Double = Waiting.patience, _ condition: () throws -> Bool
  ) throws {
    _ = try value(what(), within: seconds) { try condition() ? true : nil }
  }
}
