internal import Foundation
internal import Glibc
internal import Linux
internal import Reminders
internal import Synchronization

/// A second record of what was acknowledged, outside the database: one JSON line in `taps.jsonl` after each commit, off the
/// tap path (DESIGN 5.6). It tells an emptied ledger from a new one, and can give back the taps since a backup.
///
/// A line that cannot be written is reported and holds up nothing.
final class Witness: Sendable {
  enum Event: Sendable {
    case tap(TapRecord)
    case undo(OccurrenceKey, Date)
  }

  static let name = "taps.jsonl"
  /// What `name` becomes when it has grown too long.
  static let olderName = "taps.1.jsonl"

  /// Bytes of a file; with the older one some 100,000 taps are kept.
  private let limit: Int
  private let directory: String
  private let log: Log
  private let queue = DispatchQueue(label: "witness")
  private let state = Mutex(State())

  private struct State {
    var waiting = 0
    var failing = false
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

  /// Returns at once; the line is written and flushed by the witness's own thread.
  func note(_ event: Event) {
    let isAccepted = state.withLock { state in
      guard state.waiting < Self.longestQueue else { return false }
      state.waiting += 1
      return true
    }
    guard isAccepted else { return report(EAGAIN) }
    queue.async {
      self.report(self.append(WitnessLine(event)))
      self.state.withLock { $0.waiting -= 1 }
    }
  }

  /// Waits until everything noted is on disk.
  func flush() { queue.sync {} }

  /// Says it once when lines begin to be lost, and once when they are written again.
  /// - Parameter code: errno; 0 when the line was written.
  private func report(_ code: Int32) {
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

  /// - Returns: errno; 0 when the line is on disk.
  private func append(_ line: WitnessLine) -> Int32 {
    let path = "\(directory)/\(Self.name)"
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(line) else { return EINVAL }
    let bytes = Array(json) + [0x0A]
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

/// One line of `taps.jsonl`. Instants are milliseconds since 1970 UTC.
struct WitnessLine: Codable, Equatable {
  struct Dose: Codable, Equatable {
    var medication: String
    /// As `2026-11-30` and `08:00`.
    var day: String
    var at: String
  }

  /// `tap` or `undo`.
  var kind: String
  /// The tap's id in the ledger; nil for an undo.
  var id: Int64?
  var at: Int64
  var boot: String?
  /// Nanoseconds of boot time.
  var uptime: Int64?
  var trusted: Bool?
  /// Upper-case hex.
  var uid: String?
  var outcome: String?
  /// The id of the tap that this one answers.
  var resolves: Int64?
  /// Credited by the tap, or undone.
  var doses: [Dose]

  init(_ event: Witness.Event) {
    switch event {
    case .tap(let record):
      kind = "tap"
      id = record.id
      at = record.entry.at.milliseconds
      boot = record.entry.boot
      uptime = record.entry.uptime.nanoseconds
      trusted = record.entry.clockTrusted
      uid = record.entry.uid?.hex
      outcome = record.decided.verdict.outcome.rawValue
      resolves = record.entry.resolves
      doses = record.decided.verdict.credited.map { Self.dose($0.key) }
    case .undo(let key, let now):
      kind = "undo"
      at = now.milliseconds
      doses = [Self.dose(key)]
    }
  }

  private static func dose(_ key: OccurrenceKey) -> Dose {
    Dose(medication: key.medication, day: key.day.description, at: key.at.description)
  }
}
