import Foundation
import Linux
import Testing

struct ClockProbeTests {
  /// A root with only what the probe looks at.
  private func root(_ files: [String: String]) throws -> String {
    let root = FileManager.default.temporaryDirectory.appending(path: "clock-\(UUID().uuidString)").path
    for (path, text) in files {
      let url = URL(filePath: root + path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return root
  }

  @Test func `timesyncd's mark counts as synchronised`() throws {
    let root = try root(["/run/systemd/timesync/synchronized": ""])
    #expect(ClockFacts.ofThisMachine(root: root).synchronised == true)
  }

  @Test(arguments: ["systemd-timesyn", "chronyd", "ntpd"])
  func `a running time service is found by its process name`(name: String) throws {
    let root = try root(["/proc/1/comm": "systemd\n", "/proc/77/comm": name + "\n"])
    #expect(ClockFacts.ofThisMachine(root: root).timeServiceRuns)
  }

  @Test func `a machine without clock, service and mark says so`() throws {
    let facts = ClockFacts.ofThisMachine(root: try root(["/proc/1/comm": "init\n"]))
    #expect(!facts.timeServiceRuns)
    #expect(!facts.hasHardwareClock)
  }

  @Test func `the boot has a name`() { #expect(BootID.current().count == 36) }
}
