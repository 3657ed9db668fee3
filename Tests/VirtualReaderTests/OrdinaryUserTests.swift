import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// Whoever may run the tests may have a pcscd: no root, no /run/pcscd, no group.
struct OrdinaryUserTests {
  private static let nobody = "65534"

  @Test(.enabled(if: getuid() == 0, "not root: the whole suite already runs as an ordinary user"))
  func `nobody can serve a reader, tap it and read it`() throws {
    let folder = try Folder()
    // The build may lie where nobody else can look.
    for name in ["virtual-tag", "uid-monitor", "libVirtualReader.so", "libPcscdConfinement.so"] {
      // By another process: a child that this one starts meanwhile would hold the copy open for writing, and a program
      // that is open for writing cannot be run (ETXTBSY).
      let copy = try ChildProgram("/bin/cp", [BuildProducts.path(name), "\(folder.path)/\(name)"])
      try #require(try copy.waitForExit() == 0, "\(copy.text)")
    }
    try FileManager.default.createDirectory(atPath: folder.path + "/home", withIntermediateDirectories: false)
    try FileManager.default.setAttributes(
      [.ownerAccountID: 65534, .groupOwnerAccountID: 65534], ofItemAtPath: folder.path + "/home")

    let server = try asNobody(["\(folder.path)/virtual-tag", "serve", folder.path + "/home"])
    try server.waitFor("control ")
    let pid = try String(contentsOfFile: folder.path + "/home/run/pcscd.pid", encoding: .utf8).prefix { $0.isNumber }
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    #expect(status.contains("Uid:\t65534\t65534\t65534\t65534"))

    let monitor = try asNobody(
      ["\(folder.path)/uid-monitor"], environment: ["PCSCLITE_CSOCK_NAME": folder.path + "/home/pcscd.comm"])
    try monitor.waitFor("READY 1")
    let tap = try asNobody(
      [
        "\(folder.path)/virtual-tag", "tap", "--hold", "500", "--uid", "04AABBCC", "--socket",
        folder.path + "/home/reader0",
      ])
    #expect(try tap.waitForExit() == 0, "\(tap.text)")
    try monitor.waitFor(" 04AABBCC ")
    server.signal(SIGTERM)
    #expect(try server.waitForExit() == 0)
  }

  private func asNobody(_ words: [String], environment: [String: String] = [:]) throws -> ChildProgram {
    try ChildProgram(
      "/usr/bin/setpriv", ["--reuid", Self.nobody, "--regid", Self.nobody, "--clear-groups", "--"] + words,
      environment: environment)
  }
}
