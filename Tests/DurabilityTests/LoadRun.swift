import Foundation
import TestSupport

/// `ledger-load` in a folder of its own, with its disk watched or broken.
final class LoadRun {
  let folder: String

  init() throws {
    // In memory where there is room: thousands of small files that need not last.
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    folder = parent + "/load-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var state: String { folder + "/state" }
  var sound: String { folder + "/sound" }
  private var log: String { folder + "/log" }
  private var faults: String { folder + "/faults" }

  private func run(_ arguments: [String], _ environment: [String: String]) throws -> Int32 {
    let program = try ChildProgram(
      BuildProducts.path("ledger-load"), [state, sound] + arguments,
      environment: environment.merging([
        "LD_PRELOAD": BuildProducts.path("libFaultyDisk.so"), "KIOSK_DISK_ROOT": state, "KIOSK_DISK_SOUND": sound,
      ]) { $1 })
    let code = try program.waitForExit(within: 120)
    output = program.text
    return code
  }

  private(set) var output = ""

  /// Runs so many taps and gives what happened to the disk.
  func recorded(taps: Int, synchronous: String? = nil) throws -> WriteLog {
    var environment = ["KIOSK_DISK_LOG": log]
    environment["KIOSK_DISK_SYNCHRONOUS"] = synchronous
    guard try run(["\(taps)"], environment) == 0 else { throw Failed(output: output) }
    return try WriteLog(path: log)
  }

  struct Failed: Error {
    let output: String
  }

  struct Faults {
    var first: Int64
    var count: Int64
    var error: Int32
  }

  /// Runs `taps` with faults and `more` without, in one process.
  /// - Returns: how many operations there were, and how many of them failed.
  func broken(_ plan: Faults, taps: Int, more: Int) throws -> (seen: Int64, failed: Int64, code: Int32) {
    var bytes = Data()
    for var value in [plan.first, plan.count, Int64(plan.error), 0, 0] {
      unsafe withUnsafeBytes(of: &value) { unsafe bytes.append(contentsOf: $0) }
    }
    try bytes.write(to: URL(filePath: faults))
    let code = try run(["\(taps)", faults, "\(more)"], ["KIOSK_DISK_FAULTS": faults])
    let after = try Data(contentsOf: URL(filePath: faults))
    let field = { (index: Int) in
      unsafe after.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index * 8, as: Int64.self) }
    }
    return (field(3), field(4), code)
  }

  /// What the speaker sounded and the wall answered: the number of the tap and a word, in order.
  func answers() throws -> [(tap: Int, word: String)] {
    try String(contentsOfFile: sound, encoding: .utf8).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let tap = Int(words[0]) else { return nil }
      return (tap, String(words[1]))
    }
  }
}
