import Foundation
import Reminders
import Synchronization
import Testing

@testable import Agent

/// What the next run should know, in files beside the ledger.
@Suite(.timeLimit(.minutes(1))) struct KeptFilesTests {
  private let folder = NSTemporaryDirectory() + "kept-\(UUID().uuidString.prefix(8))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private static func memory(_ offset: Double) -> ClockTrust.Memory {
    var memory = ClockTrust.Memory()
    memory.offset = offset
    memory.stepped = true
    return memory
  }

  @Test func `what is kept is there for the next run, of the clock in the same boot only`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let files = KeptFiles(directory: folder, boot: "boot")
    #expect(files.zone == nil && files.clock == nil)
    files.keep(try #require(TimeZone(identifier: "Asia/Tokyo")))
    files.keep(Self.memory(1))
    files.keep(Self.memory(12.5))
    await files.flush()
    let next = KeptFiles(directory: folder, boot: "boot")
    #expect(next.zone?.identifier == "Asia/Tokyo" && next.clock == Self.memory(12.5))
    #expect(KeptFiles(directory: folder, boot: "another boot").clock == nil)
    try Data("{".utf8).write(to: URL(filePath: folder + "/clock"))
    try Data("Nowhere/Land".utf8).write(to: URL(filePath: folder + "/zone"))
    #expect(next.clock == nil && next.zone == nil)
  }

  @Test func `whoever keeps something does not wait for a disk that hangs`() async throws {
    let disk = DispatchSemaphore(value: 0)
    let written = Mutex<[String]>([])
    let files = KeptFiles(directory: folder, boot: "boot") { _, path in
      disk.wait()
      written.withLock { $0.append(String(path.split(separator: "/").last ?? "")) }
    }
    files.keep(TimeZone.gmt)
    files.keep(Self.memory(1))
    #expect(written.withLock { $0 } == [])
    disk.signal()
    disk.signal()
    await files.flush()
    #expect(written.withLock { $0 } == ["zone", "clock"])
  }
}
