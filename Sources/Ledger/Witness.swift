internal import Foundation
internal import Glibc
internal import Linux
internal import Synchronization

/// A second record of what was acknowledged, outside the database: one JSON line in `taps.jsonl` after each commit, off the
/// tap path (DESIGN 5.6). It tells an emptied ledger from a new one, and can give back the taps since a backup.
///
/// A line that cannot be written is reported and holds up nothing.
final class Witness: Sendable {
  static let name = "taps.jsonl"
  /// What `name` becomes when it has grown too long.
  static let olderName = "taps.1.jsonl"

  /// Bytes of a file; with the older one some 100,000 taps are kept.
  private let limit: Int
  let directory: String
  let log: Log
  private let queue = DispatchQueue(label: "witness")
  private let state = Mutex(State())

  private struct State {
    var waiting = 0
    var failing = false
    /// The newest tap whose line is on disk, and the newest whose line is on its way.
    var written: Int64 = 0
    var noted: Int64 = 0
  }

  /// Lines that may wait for a disk that hangs.
  private static let longestQueue = 1000

  init(directory: String, log: Log, limit: Int = 16 << 20) {
    self.directory = directory
    self.log = log
    self.limit = limit
  }

  /// Whether taps were recorded in this state directory: then a ledger must be there.
  static func knowsTaps(in directory: String) -> Bool {
    [name, olderName].contains { (FileSystem.size(of: "\(directory)/\($0)") ?? 0) > 0 }
  }

  /// The newest tap that has a line or is about to have one: the lines of later ones are to be noted next.
  var lastNoted: Int64 { state.withLock { $0.noted } }

  /// What the file was found to hold.
  func begin(at lastTap: Int64) {
    state.withLock { state in
      state.written = lastTap
      state.noted = lastTap
    }
  }

  /// Returns at once; the lines are written and flushed by the witness's own thread. Those that cannot be written are asked
  /// for again with the next tap: `lastNoted` falls back.
  func note(_ lines: [WitnessLine]) {
    guard !lines.isEmpty else { return }
    let lastTap = lines.compactMap { $0.tap?.id }.max()
    let isAccepted = state.withLock { state in
      guard state.waiting < Self.longestQueue else { return false }
      state.waiting += 1
      state.noted = max(state.noted, lastTap ?? 0)
      return true
    }
    guard isAccepted else { return report(EAGAIN) }
    queue.async {
      let code = self.append(lines)
      self.report(code)
      self.state.withLock { state in
        state.waiting -= 1
        if code == 0 { state.written = max(state.written, lastTap ?? 0) } else { state.noted = state.written }
      }
    }
  }

  /// Waits until everything noted is on disk.
  func flush() { queue.sync {} }

  /// Says it once when lines begin to be lost, and once when they are written again.
  /// - Parameter code: errno; 0 when the line was written.
  func report(_ code: Int32) {
    let changed = state.withLock { state in
      defer { state.failing = code != 0 }
      return state.failing != (code != 0)
    }
    guard changed else { return }
    if code == 0 {
      log.notice("\(Self.name) is written again")
    } else {
      log.error("\(Self.name) cannot be written (errno \(code)): doses are recorded, but look at the disk")
    }
  }

  /// - Returns: errno; 0 when the lines are on disk.
  private func append(_ lines: [WitnessLine]) -> Int32 {
    let path = "\(directory)/\(Self.name)"
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var bytes: [UInt8] = []
    for line in lines {
      guard let json = try? encoder.encode(line) else { return EINVAL }
      bytes += json + [0x0A]
    }
    let descriptor = unsafe open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    defer { Glibc.close(descriptor) }
    let end = lseek(descriptor, 0, SEEK_END)
    // A line that a power cut or a full disk tore must not take the next one with it.
    var last: UInt8 = 0x0A
    if end > 0 { _ = unsafe pread(descriptor, &last, 1, end - 1) }
    let text = last == 0x0A ? bytes : [0x0A] + bytes
    let count = unsafe write(descriptor, text, text.count)
    guard count == text.count else { return count < 0 ? errno : ENOSPC }
    guard fdatasync(descriptor) == 0 else { return errno }
    if Int(end) + count > limit, unsafe rename(path, "\(directory)/\(Self.olderName)") != 0 { return errno }
    return 0
  }
}
