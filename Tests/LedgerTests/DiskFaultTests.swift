import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import TestSupport
import Testing

@testable import Ledger

/// Faults of disk and folder: nothing is acknowledged that is not stored, and the next tap works when the fault is gone.
struct DiskFaultTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  private func attempt(_ ledger: Ledger, _ number: Int) async throws -> LedgerError.Kind? {
    try await kind {
      _ = try await ledger.recordTap(
        Sample.tap(at: Sample.now + Double(number)), decide: Sample.answering(.wrongWindow))
    }
  }

  @Test func `a full database refuses the tap, still reads, and takes the next one when there is room`() async throws {
    let ledger = try await folder.furnishedLedger()
    let pages = try #require(try await ledger.number("PRAGMA page_count"))
    _ = try await ledger.number("PRAGMA max_page_count = \(pages)")
    var stored = 0
    while try await attempt(ledger, stored) == nil, stored < 5000 { stored += 1 }
    #expect(stored < 5000)
    #expect(try await attempt(ledger, stored) == .full)
    #expect(try await kind { try await ledger.checkWritable() } == nil)
    #expect(try await ledger.outcomes().count == stored)
    _ = try await ledger.number("PRAGMA max_page_count = 100000")
    #expect(try await attempt(ledger, stored) == nil)
    #expect(try await ledger.outcomes().count == stored + 1)
  }

  @Test func `a full disk refuses the tap and says so until there is room again`() async throws {
    let disk = try SmallDisk("size=2m")
    let ledger = Ledger(directory: disk.path, log: .none)
    try await ledger.furnish()
    try await ledger.checkWritable()
    let ballast = "\(disk.path)/ballast"
    disk.fill(ballast)
    // The log may have room for some more taps in its own file.
    var stored = 0
    var failure: LedgerError.Kind?
    while failure == nil, stored < 2000 {
      failure = try await attempt(ledger, stored)
      if failure == nil { stored += 1 }
    }
    #expect(failure == .full || failure == .io)
    #expect(try await kind { try await ledger.checkWritable() } != nil)
    #expect(try await ledger.outcomes().count == stored)
    try FileManager.default.removeItem(atPath: ballast)
    try await ledger.checkWritable()
    #expect(try await attempt(ledger, stored) == nil)
    #expect(try await ledger.outcomes().count == stored + 1)
    await ledger.close()
    try LedgerFile.validate("\(disk.path)/ledger.sqlite")
  }

  @Test func `little space is said before it is none`() async throws {
    let disk = try SmallDisk("size=1m")
    let ledger = Ledger(directory: disk.path, log: .none)
    try await ledger.furnish()
    #expect(try await kind { try await ledger.checkWritable() } == .full)
  }

  @Test func `a read-only disk is told from a damaged ledger, and can still be read`() async throws {
    let disk = try SmallDisk("size=4m")
    let ledger = Ledger(directory: disk.path, log: .none)
    try await ledger.furnish()
    await ledger.close()
    try disk.remount("ro")
    let again = Ledger(directory: disk.path, log: .none)
    #expect(try await attempt(again, 1) == .readOnly)
    try disk.remount("rw")
    #expect(try await attempt(again, 1) == nil)
  }

  @Test func `a folder that cannot be made is said`() async throws {
    try Data().write(to: URL(filePath: "\(folder.path)/file"))
    let ledger = Ledger(directory: "\(folder.path)/file/state", log: .none)
    #expect(try await attempt(ledger, 1) == .readOnly)
  }

  @Test func `a lock that another program holds ends the wait at its deadline, and the next tap works`() async throws {
    try await folder.furnishedLedger().close()
    let ledger = folder.ledger(busyTimeout: 150)
    try await ledger.open()
    let time = SystemTime()
    do {
      let other = try Database(path: folder.file, .write)
      try other.run("BEGIN IMMEDIATE", doing: "")
      let start = time.uptime()
      #expect(try await attempt(ledger, 1) == .locked)
      let waited = time.uptime() - start
      #expect(waited >= .milliseconds(140) && waited < .seconds(5))
      #expect(try await kind { try await ledger.checkWritable() } == .locked)
      try other.run("ROLLBACK", doing: "")
    }
    try await ledger.checkWritable()
    #expect(try await attempt(ledger, 1) == nil)
    #expect(try await ledger.outcomes().count == 1)
  }
}

/// A file system of its own that a test can fill and make read-only; needs root, or the test is skipped and says so.
final class SmallDisk {
  let path: String

  init(_ options: String) throws {
    path = NSTemporaryDirectory() + "ledger-disk-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard geteuid() == 0, try Self.run("/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]) == 0 else {
      try FileManager.default.removeItem(atPath: path)
      try Test.cancel("needs root and the right to mount a tmpfs")
    }
  }

  deinit {
    _ = try? Self.run("/bin/umount", ["-l", path])
    try? FileManager.default.removeItem(atPath: path)
  }

  func remount(_ option: String) throws {
    guard try Self.run("/bin/mount", ["-o", "remount,\(option)", path]) == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Writes `file` until nothing more fits.
  func fill(_ file: String) {
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT, 0o600)
    for size in [4096, 1] {
      let bytes = [UInt8](repeating: 0, count: size)
      while unsafe write(descriptor, bytes, size) > 0 {}
    }
    close(descriptor)
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    try ChildProgram(program, arguments).waitForExit()
  }
}
