import Foundation
import Glibc
import TestSupport
import Testing

/// The files that are installed, read by the programs that will read them.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct InstallTests {
  private func shell(_ script: String) throws -> (output: String, code: Int32) {
    let program = try ChildProgram("/bin/sh", ["-c", script])
    let code = try program.waitForExit(within: 60)
    return (program.text, code)
  }

  /// The unit with this build's program, as `systemd-analyze` wants one that exists.
  private func unit(_ edit: (String) -> String = { $0 }) throws -> String {
    let folder = FileManager.default.temporaryDirectory.path + "/unit-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let text = try String(contentsOfFile: AgentUnderTest.root + "/systemd/kiosk-agent.service", encoding: .utf8)
      .replacing("/usr/bin/kiosk-agent", with: BuildProducts.path("kiosk-agent"))
      .replacing("/usr/lib/kiosk-agent/reader-recover", with: AgentUnderTest.root + "/systemd/reader-recover")
    try Data(edit(text).utf8).write(to: URL(filePath: folder + "/kiosk-agent.service"))
    return folder + "/kiosk-agent.service"
  }

  @Test func `systemd accepts the unit without a word`() throws {
    let (output, code) = try shell("systemd-analyze verify '\(try unit())' 2>&1")
    #expect(code == 0)
    #expect(!output.contains("kiosk-agent.service:"), "\(output)")
  }

  @Test func `systemd would have said what is wrong with it`() throws {
    let broken = try unit { $0.replacing("WatchdogSec=30", with: "WatchdogSec=soon") }
    #expect(try shell("systemd-analyze verify '\(broken)' 2>&1").output.contains("kiosk-agent.service:"))
  }

  @Test(arguments: [("", false), ("NONSENSE==\"1\", FOO", true)])
  func `udev reads the rule, and would have complained of a wrong one`(added: String, complains: Bool) throws {
    guard geteuid() == 0 else {
      print("SKIP udev reads the rule: needs root for a mount namespace of its own")
      return
    }
    let rule = AgentUnderTest.root + "/udev/93-kiosk-agent.rules"
    let (output, _) = try shell(
      """
      unshare -m --propagation private sh -c 'mkdir -p /run/udev && mount -t tmpfs tmpfs /run/udev \
        && mkdir /run/udev/rules.d && { cat "\(rule)"; printf "%s\\n" "\(added.replacing("\"", with: "\\\""))"; } \
        > /run/udev/rules.d/93-kiosk-agent.rules && udevadm test /sys/class/mem/null 2>&1'
      """)
    #expect(output.contains("93-kiosk-agent.rules"), "it was read: \(output.prefix(500))")
    let complaints = output.split(separator: "\n").filter { line in
      line.contains("93-kiosk-agent.rules:") && (line.contains("nvalid") || line.contains("nknown"))
    }
    #expect(complaints.isEmpty != complains, "\(complaints)")
  }

  @Test func `installing into a folder puts every file in place, and removing takes them away`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/install-" + UUID().uuidString.prefix(8)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let bin = "KIOSK_BINARY='\(BuildProducts.path("kiosk-agent"))'"
    let (output, code) = try shell("cd '\(AgentUnderTest.root)' && \(bin) .ci/install '\(folder)' /usr /etc 2>&1")
    #expect(code == 0, "\(output)")
    let files = [
      "/usr/bin/kiosk-agent", "/usr/lib/kiosk-agent/reader-recover", "/usr/share/kiosk-agent/sounds/success.wav",
      "/usr/share/kiosk-agent/sounds/failure.wav",
      "/usr/lib/systemd/system/kiosk-agent.service", "/usr/lib/udev/rules.d/93-kiosk-agent.rules",
      "/usr/share/polkit-1/rules.d/49-kiosk-agent.rules", "/usr/lib/sysusers.d/kiosk-agent.conf",
      "/usr/lib/modprobe.d/kiosk-agent.conf",
    ]
    for file in files { #expect(FileManager.default.fileExists(atPath: folder + file), "\(file)") }
    let configuration = folder + "/etc/kiosk-agent/kiosk-agent.json5"
    let checked = try shell("'\(folder)/usr/bin/kiosk-agent' history --config '\(configuration)'")
    #expect(checked.code == 0, "what is installed is a right configuration: \(checked.output)")
    try Data("{ wall: { language: 'de' } }".utf8).write(to: URL(filePath: configuration))
    _ = try shell("cd '\(AgentUnderTest.root)' && \(bin) .ci/install '\(folder)' /usr /etc")
    #expect(try String(contentsOfFile: configuration, encoding: .utf8) == "{ wall: { language: 'de' } }", "kept")
    #expect(output.contains("systemd-sysusers"), "what is left to do by hand is said")
    let version = try shell("'\(folder)/usr/bin/kiosk-agent' version")
    #expect(version.code == 0 && version.output.contains("libpcsclite"))
    _ = try shell("cd '\(AgentUnderTest.root)' && .ci/install --remove '\(folder)' /usr /etc")
    for file in files { #expect(!FileManager.default.fileExists(atPath: folder + file), "\(file)") }
  }
}
