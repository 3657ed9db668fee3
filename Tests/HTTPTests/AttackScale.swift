import Foundation
import Glibc
import Testing

/// How much of everything an attack test does. `make attack` does all of it; `make test` a part, and says so.
struct AttackScale {
  let isFull = ProcessInfo.processInfo.environment["KIOSK_ATTACK"] == "full"

  /// Mutated requests.
  var requests: Int { isFull ? 100_000 : 5000 }
  /// Attempts at an event stream.
  var streams: Int { isFull ? 5000 : 1000 }
  /// How long connections dawdle, in seconds, and within what the server wants a whole head.
  var dawdling: (seconds: Double, head: Duration) { isFull ? (30, .seconds(5)) : (10, .seconds(1)) }
  /// How long pages that never read are published to, and how long they may take nothing.
  var deafness: (seconds: Double, stall: Duration) { isFull ? (25, .seconds(10)) : (3, .seconds(1)) }
  /// Rounds through the table of odd requests.
  var rounds: Int { isFull ? 50 : 3 }
  /// How often the wall is looked at in peace, to compare with.
  var looks: Int { isFull ? 400 : 100 }

  var description: String { isFull ? "full" : "a part; make attack does all of it" }
}

/// What an attack may not use up.
struct Resources {
  /// Bytes of private memory that are in RAM.
  let memory: Int
  let descriptors: Int

  /// Of this process, now.
  static func now() throws -> Resources {
    let text = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/smaps_rollup")), as: UTF8.self)
    let kibibytes = text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    return Resources(memory: kibibytes.reduce(0, +) << 10, descriptors: descriptorCount())
  }

  /// Lets this process have `count` descriptors open, or as many as it may; how many that is.
  static func allowDescriptors(_ count: Int) -> Int {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(max(limit.rlim_cur, rlim_t(count)), limit.rlim_max)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}
