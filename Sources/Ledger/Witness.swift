internal import Foundation
internal import Glibc
package import Linux
internal import Reminders
internal import Synchronization

/// A second record of what was acknowledged, outside the database: one JSON line a tap in `taps.jsonl`, after the commit
/// and off the tap path (DESIGN 5.6). It can tell an emptied ledger from a new one and give back the taps since a backup.
package final class Witness: Sendable {
  private let path: String
  private let log: Log
  private let queue = DispatchQueue(label: "witness")
  private let failing = Mutex(false)

  /// At this size the file becomes `taps.1.jsonl` and a new one is begun: some 100,000 taps are kept.
  private static let limit: off_t = 16 << 20

  package init(path: String, log: Log) {
    self.path = path
    self.log = log
  }

  /// Returns at once; the line is written and flushed by the witness's own thread.
  func note(_ record: TapRecord) {
    let line = Self.line(record)
    queue.async { self.append(line) }
  }

  /// Waits until everything noted is on disk.
  package func flush() { queue.sync {} }

  private static func line(_ record: TapRecord) -> [UInt8] {
    struct Credited: Encodable {
      let medication: String
      let day: String
      let at: String
      let due: Int64
    }
    struct Line: Encodable {
      let id: Int64
      let at: Int64
      let boot: String
      let uptime: Int64
      let trusted: Bool
      let uid: String?
      let outcome: String
      let credited: [Credited]
    }
    let line = Line(
      id: record.id, at: record.entry.at.milliseconds, boot: record.entry.boot,
      uptime: record.entry.uptime.milliseconds, trusted: record.entry.clockTrusted, uid: record.entry.uid?.hex,
      outcome: record.decided.verdict.outcome.rawValue,
      credited: record.decided.verdict.credited.map {
        Credited(
          medication: $0.key.medication, day: $0.key.day.description, at: $0.key.at.description,
          due: $0.dueAt.milliseconds)
      })
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(line)).map { Array($0) + [0x0A] } ?? []
  }

  private func append(_ line: [UInt8]) {
    let written = write(line)
    let changed = failing.withLock { failing in
      defer { failing = !written }
      return failing == written
    }
    guard changed else { return }
    if written {
      log.notice("the witness \(path) is written again")
    } else {
      log.error("the witness \(path) cannot be written (errno \(errno)): taps are recorded, but check the disk")
    }
  }

  private func write(_ line: [UInt8]) -> Bool {
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    // One write: a torn line can only be the last one.
    guard unsafe Glibc.write(descriptor, line, line.count) == line.count, fdatasync(descriptor) == 0 else {
      return false
    }
    if lseek(descriptor, 0, SEEK_END) > Self.limit {
      unsafe rename(path, (path as NSString).deletingPathExtension + ".1.jsonl")
    }
    return true
  }
}
