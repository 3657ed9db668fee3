import Foundation

/// How much is tried: little beside the other tests, all of it with `make durability`.
enum Scale {
  static let isFull = ProcessInfo.processInfo.environment["KIOSK_DURABILITY"] == "full"

  /// How often the agent is killed: 300 with `make kills`.
  static let kills = ProcessInfo.processInfo.environment["KIOSK_KILLS"].flatMap { Int($0) } ?? 10

  /// A seed of one's own: what a failed run printed.
  static let seed: UInt64 =
    ProcessInfo.processInfo.environment["KIOSK_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
}
