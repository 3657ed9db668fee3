internal import Dispatch
internal import Foundation
internal import Linux
internal import Reminders

/// What the next run should know, in small files beside the ledger. Without them it only knows less.
///
/// They are written on a thread of their own, one after the other: whoever keeps something does not wait for the disk, which
/// may hang.
struct KeptFiles: Sendable {
  /// Writes the whole of a file, or leaves it as it was.
  typealias Write = @Sendable (_ data: Data, _ path: String) -> Void

  private let directory: String
  /// The present boot.
  private let boot: String
  private let write: Write
  private let queue = DispatchQueue(label: "kept files")

  init(
    directory: String, boot: String,
    write: @escaping Write = { try? $0.write(to: URL(filePath: $1), options: .atomic) }
  ) {
    self.directory = directory
    self.boot = boot
    self.write = write
  }

  private var zoneFile: String { directory + "/zone" }
  private var clockFile: String { directory + "/" + KeptClock.name }

  /// The wall's zone as the last run knew it; nil: not known.
  var zone: TimeZone? { (try? String(contentsOfFile: zoneFile, encoding: .utf8)).flatMap { TimeZone(identifier: $0) } }

  /// What a run of this boot knew of the clock; nil: none, or it cannot be read.
  var clock: ClockTrust.Memory? { KeptClock.memory(in: clockFile, of: boot) }

  func keep(_ zone: TimeZone) { later(Data(zone.identifier.utf8), zoneFile) }

  func keep(_ clock: ClockTrust.Memory) {
    if let data = try? JSONEncoder().encode(KeptClock(boot: boot, clock: clock)) { later(data, clockFile) }
  }

  /// Returns when all that was kept until now is written.
  func flush() async {
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
  }

  private func later(_ data: Data, _ path: String) { queue.async { [write] in write(data, path) } }
}
