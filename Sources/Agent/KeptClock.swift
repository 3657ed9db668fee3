internal import Foundation
internal import Linux
internal import Reminders

/// What the last run knew of the clock, in a file beside the ledger: of use only in the same boot.
struct KeptClock: Codable, Equatable, Sendable {
  static let name = "clock"

  var boot: String
  var clock: ClockTrust.Memory

  init(boot: String, clock: ClockTrust.Memory) {
    self.boot = boot
    self.clock = clock
  }

  /// What a run of this boot has kept; nil: none has, or it cannot be read.
  static func memory(in path: String, of boot: String) -> ClockTrust.Memory? {
    guard boot != BootID.unknown, let data = FileManager.default.contents(atPath: path),
      let kept = try? JSONDecoder().decode(KeptClock.self, from: data), kept.boot == boot
    else { return nil }
    return kept.clock
  }
}
