import Foundation
import Linux
import Testing

struct ClockProbeTests {
  /// A root with only what the probe looks at; a path that ends in a slash is a folder.
  private func facts(of files: [String]) throws -> ClockFacts {
    let root = FileManager.default.temporaryDirectory.appending(path: "clock-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: root) }
    for file in files {
      let (path, text) =
        file.split(separator: "=").count == 2
        ? (String(file.split(separator: "=")[0]), String(file.split(separator: "=")[1])) : (file, "")
      let folder = path.hasSuffix("/") ? path : URL(filePath: path).deletingLastPathComponent().path
      try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
      if !path.hasSuffix("/") { try Data(text.utf8).write(to: URL(filePath: root + path)) }
    }
    return ClockProbe(root: root).facts(at: .zero)
  }

  @Test func `timesyncd's mark says that it was synchronised, and the kernel whether it still is`() throws {
    let marked = try facts(of: ["/run/systemd/timesync/synchronized"])
    let plain = try facts(of: [])
    #expect(marked.wasSynchronised && !plain.wasSynchronised)
    #expect(marked.synchronised == plain.synchronised ?? true)
  }

  @Test(arguments: ["systemd-timesyn", "chronyd", "ntpd"])
  func `without systemd a running time service is found by its process name`(name: String) throws {
    #expect(try facts(of: ["/proc/1/comm=init\n", "/proc/77/comm=\(name)\n"]).timeServiceRuns)
  }

  @Test(arguments: ["systemd-timesyncd.service", "chrony.service", "ntpsec.service"])
  func `under systemd a time service is found though its process is hidden`(unit: String) throws {
    let systemd = ["/run/systemd/system/", "/proc/1/comm=systemd\n"]
    #expect(try facts(of: systemd + ["/sys/fs/cgroup/system.slice/\(unit)/"]).timeServiceRuns)
    #expect(try !facts(of: systemd + ["/sys/fs/cgroup/system.slice/ssh.service/"]).timeServiceRuns)
  }

  @Test func `a machine without clock, service and mark says so`() throws {
    let facts = try facts(of: ["/proc/1/comm=init\n"])
    #expect(!facts.timeServiceRuns)
    #expect(!facts.hasHardwareClock)
  }

  @Test func `a service that starts later is found within 10 s`() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "clock-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: root) }
    try FileManager.default.createDirectory(atPath: root + "/proc/5", withIntermediateDirectories: true)
    let probe = ClockProbe(root: root)
    #expect(!probe.facts(at: .seconds(100)).timeServiceRuns)
    try Data("chronyd\n".utf8).write(to: URL(filePath: root + "/proc/5/comm"))
    #expect(probe.facts(at: .seconds(110)).timeServiceRuns)
  }

  @Test func `the boot has a name`() { #expect(BootID.current().count == 36) }
}
