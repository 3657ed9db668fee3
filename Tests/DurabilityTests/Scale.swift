import Foundation

/// How much is tried: little beside the other tests, all of it with `make durability`.
enum Scale {
  static let isFull = ProcessInfo.processInfo.environment["KIOSK_DURABILITY"] == "full"

  /// A seed of one's own: what a failed run printed.
  static let seed: UInt64 =
    ProcessInfo.processInfo.environment["KIOSK_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
}
