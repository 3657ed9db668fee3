import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// The program `virtual-tag`, as a person or a script uses it.
struct CommandLineTests {
  private static let program = BuildProducts.path("virtual-tag")

  private func run(_ words: [String], reader: String? = nil) throws -> (code: Int32, text: String) {
    let child = try ChildProgram(Self.program, words, environment: ["KIOSK_VIRTUAL_READER": reader ?? "/nowhere"])
    let code = try child.waitForExit()
    return (code, child.text)
  }

  @Test(arguments: [
    [], ["fly"], ["tap", "--uid", "4"], ["tap", "--uid"], ["tap", "04"], ["tap", "--hold", "-1"],
    ["tap", "--hold", "60001"],
    ["tap", "--fault", "rain"], ["tap", "--fault", "sw="], ["tap", "--fault", "sw=9"],
    ["tap", "--uid", "04", "--uid", "05"],
    ["in", "--atr", "-"], ["in", "--hold", "3"], ["serve"], ["serve", "a", "b"], ["serve", "/tmp/x", "--readers", "0"],
    ["serve", "/tmp/x", "--readers", "9"],
  ])
  func `a usage error is one sentence and code 64`(words: [String]) throws {
    let (code, text) = try run(words)
    #expect(code == 64)
    #expect(text.hasPrefix("virtual-tag: ") && text.split(separator: "\n").count == 1, "\(text)")
    #expect(text.split(separator: ": ").count >= 3, "what: what to do, in \(text)")
  }

  @Test func `a reader that is not there is named, code 69`() throws {
    let (code, text) = try run(["state"])
    #expect(code == 69)
    #expect(text == "virtual-tag: no virtual reader answers at /nowhere: start one with `virtual-tag serve DIR`\n")
  }

  @Test func `what the reader refuses is a usage error`() throws {
    let pcscd = try PrivatePcscd.started()
    #expect(try run(["mute", "often"], reader: pcscd.controlSocket(0)).code == 64)
    #expect(try run(["mute", "on"], reader: pcscd.controlSocket(0)) == (0, ""))
    #expect(try pcscd.tag().state()["mute"] == "-1")
  }

  @Test(arguments: [
    ("mute", "MUTE"), ("torn", "FAIL"), ("comm", "FAIL"), ("sw=6300", "FAIL"), ("unavailable", "UNAVAILABLE"),
  ])
  func `a tap with a fault shows it once and leaves a healthy reader`(fault: String, seen: String) throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    let reader = pcscd.controlSocket(0)
    #expect(try run(["tap", "--hold", "2000", "--fault", fault], reader: reader) == (0, ""))
    try monitor.waitFor(try #require(UIDMonitor.Sighting.Kind(rawValue: seen)))
    #expect(try run(["tap", "--uid", "04AABBCC", "--hold", "2000"], reader: reader) == (0, ""))
    #expect(try monitor.waitFor(.uid).uid == "04AABBCC")
  }

  @Test func `in, state, log and out, with the socket as an option`() throws {
    let pcscd = try PrivatePcscd.started()
    let socket = ["--socket", pcscd.controlSocket(0)]
    #expect(try run(["in", "--uid", "04AABBCC"] + socket) == (0, ""))
    #expect(try run(["state"] + socket).text.hasPrefix("present=1 uid=04AABBCC "))
    try Waiting.until("a power-up") { try pcscd.tag().state()["lines"] != "0" }
    #expect(try run(["log"] + socket).text.contains(" power-up 20 3B8F80"))
    #expect(try run(["out"] + socket) == (0, ""))
    #expect(try pcscd.tag().state()["present"] == "0")
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `serve ends on a signal and leaves no pcscd`(signal: Int32) throws {
    let folder = try Folder()
    let server = try ChildProgram(Self.program, ["serve", folder.path, "--readers", "2"])
    try server.waitFor("control \(folder.path)/reader1\n")
    #expect(
      server.text == "pcscd \(folder.path)/pcscd.comm\ncontrol \(folder.path)/reader0\ncontrol \(folder.path)/reader1\n"
    )
    let pid = try #require(
      Int32(try String(contentsOfFile: folder.path + "/run/pcscd.pid", encoding: .utf8).prefix { $0.isNumber }))
    server.signal(signal)
    #expect(try server.waitForExit() == 0)
    #expect(Processes.isGone(pid))
  }

  @Test func `serve says when its pcscd ended, code 69`() throws {
    let folder = try Folder()
    let server = try ChildProgram(Self.program, ["serve", folder.path])
    try server.waitFor("control ")
    let pid = try #require(
      Int32(try String(contentsOfFile: folder.path + "/run/pcscd.pid", encoding: .utf8).prefix { $0.isNumber }))
    _ = kill(pid, SIGKILL)
    #expect(try server.waitForExit() == 69)
    #expect(server.text.contains("virtual-tag: pcscd has ended: see \(folder.path)/pcscd.log"))
  }
}
