import Foundation
import Glibc
import TestSupport
import Testing
import VirtualTag

/// A private pcscd's life, and that it keeps to itself.
struct LifecycleTests {
  private let uid: [UInt8] = [0x04, 0x01, 0x02, 0x03]

  @Test func `clients come back after a restart and taps arrive again`() throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    let first = pcscd.pid
    try pcscd.restart()
    #expect(pcscd.pid != first)
    try monitor.waitFor(.gone)
    try monitor.waitFor(.ready, count: 2)
    try pcscd.tag().enter(uid: uid)
    try monitor.waitFor(.uid)
  }

  @Test func `a killed pcscd refuses clients at once until it is started again`() throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    pcscd.kill()
    #expect(pcscd.pid == nil)
    // SCARD_F_COMM_ERROR for a client in its wait, SCARD_E_NO_SERVICE for one between two, and what a half-closed
    // handshake looks like, SCARD_W_SECURITY_VIOLATION.
    #expect(["80100013", "8010001D", "8010006A"].contains(try monitor.waitFor(.gone).words[1]))
    #expect(throws: VirtualTagError.notRunning(path: pcscd.controlSocket(0))) { try pcscd.tag().leave() }
    try pcscd.start()
    try monitor.waitFor(.ready, count: 2)
  }

  @Test func `a pcscd killed from outside is seen as down and can be started again`() throws {
    let pcscd = try PrivatePcscd.started()
    _ = kill(try #require(pcscd.pid), SIGKILL)
    pcscd.waitForEnd()
    #expect(pcscd.pid == nil)
    try pcscd.start()
    #expect(try pcscd.tag().state()["present"] == "0")
  }

  @Test func `a frozen pcscd answers nobody and goes on where it was`() throws {
    let pcscd = try PrivatePcscd.started()
    let monitor = try UIDMonitor(of: pcscd)
    pcscd.freeze()
    #expect(throws: VirtualTagError.noAnswer(path: pcscd.controlSocket(0), command: "state")) {
      try pcscd.tag().state()
    }
    pcscd.thaw()
    try pcscd.tag().enter(uid: uid)
    try monitor.waitFor(.uid)
    #expect(monitor.sightings(.gone).isEmpty)
  }

  @Test func `a frozen pcscd can be stopped`() throws {
    let pcscd = try PrivatePcscd.started()
    pcscd.freeze()
    pcscd.stop()
    #expect(pcscd.pid == nil)
  }

  @Test func `daemons side by side do not see each other's tags`() throws {
    let all = try (0..<6).map { _ in try PrivatePcscd.started() }
    let monitors = try all.map { try UIDMonitor(of: $0) }
    for (index, pcscd) in all.enumerated() {
      try pcscd.tag().enter(uid: [UInt8(index), 0, 0, 0])
    }
    for (index, monitor) in monitors.enumerated() {
      try monitor.waitFor(.uid)
      #expect(monitor.sightings.filter(\.isTap).map(\.uid) == [Hex.text([UInt8(index), 0, 0, 0])])
    }
    #expect(Set(all.map(\.pid)).count == all.count)
  }

  @Test func `it keeps its pid file to itself and looks for no USB reader`() throws {
    let pcscd = try PrivatePcscd.started()
    let pid = try #require(pcscd.pid)
    let own = try String(contentsOfFile: pcscd.folder + "/run/pcscd.pid", encoding: .utf8)
    #expect(own.hasPrefix("\(pid)\n"))
    let machines = try? String(contentsOfFile: "/run/pcscd/pcscd.pid", encoding: .utf8)
    #expect(machines?.hasPrefix("\(pid)\n") != true)
    let maps = try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8)
    #expect(maps.contains("libVirtualReader.so") && !maps.contains("libccid.so"))
  }

  @Test func `its sockets are for its user only`() throws {
    let pcscd = try PrivatePcscd.started()
    for path in [pcscd.socketPath, pcscd.controlSocket(0)] {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(path)")
    }
  }

  @Test func `it and its folder go with the object`() throws {
    var pcscd: PrivatePcscd? = try PrivatePcscd.started()
    let pid = try #require(pcscd?.pid)
    let folder = try #require(pcscd?.folder)
    pcscd = nil
    #expect(Processes.isGone(pid))
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `it dies with its parent, even if that is killed`() throws {
    let folder = try Folder()
    let server = try ChildProgram(BuildProducts.path("virtual-tag"), ["serve", folder.path])
    try server.waitFor("control ")
    let pid = try #require(
      Int32(try String(contentsOfFile: folder.path + "/run/pcscd.pid", encoding: .utf8).prefix { $0.isNumber }))
    #expect(!Processes.isGone(pid))
    server.signal(SIGKILL)
    try Waiting.until("end of pcscd \(pid)") { Processes.isGone(pid) }
  }

  @Test func `what is missing is named`() throws {
    let folder = try Folder()
    #expect(throws: PrivatePcscdError.noLibrary(path: "/nowhere/libVirtualReader.so")) {
      try PrivatePcscd(libraries: "/nowhere")
    }
    let long = folder.path + "/" + String(repeating: "x", count: 100)
    #expect(throws: PrivatePcscdError.folderTooLong(path: long)) {
      try PrivatePcscd(libraries: BuildProducts.directory, folder: long)
    }
  }
}
