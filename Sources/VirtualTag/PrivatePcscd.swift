internal import Foundation
internal import Glibc
internal import Synchronization

/// A pcscd of one's own: the machine's program, with its own readers, socket and folder, beside the machine's daemon and
/// any number of others. Works as an ordinary user and as root.
///
/// pcscd takes its socket as systemd would hand it over and its readers from a configuration of its own; what it has
/// compiled in is led into the folder by a preloaded library (PcscdConfinement.h). It is killed when this process ends, in
/// whatever way, and when this object goes.
package final class PrivatePcscd: Sendable {
  /// Below it all that belongs to this pcscd: `pcscd.comm`, `reader0`…, `readers/`, `run/`, `pcscd.log`.
  package let folder: String

  /// Where clients reach it (PCSCLITE_CSOCK_NAME). Refuses connections while pcscd is down.
  package let socketPath: String

  private let ownsFolder: Bool
  private let readers: [ReaderEntry]
  private let confinement: String
  private let child = Mutex<PcscdProcess?>(nil)

  /// Prepares it; `start` runs it.
  /// - Parameters:
  ///   - readers: up to 8 virtual ones, up to 16 in all.
  ///   - libraries: the absolute path of the folder with libVirtualReader.so and libPcscdConfinement.so.
  ///   - folder: where to live; made if missing, and left behind. By default a new folder below the system's temporary
  ///     one, removed with this object. Short: a socket's path has at most 107 bytes.
  package init(
    readers: [ReaderEntry] = [.acr122], libraries: String, folder: String? = nil
  ) throws(PrivatePcscdError) {
    let library = libraries + "/libVirtualReader.so"
    confinement = libraries + "/libPcscdConfinement.so"
    for path in [library, confinement] where unsafe access(path, R_OK) != 0 { throw .noLibrary(path: path) }
    self.readers = readers
    ownsFolder = folder == nil
    if let folder { self.folder = folder } else { self.folder = try Self.temporaryFolder() }
    socketPath = self.folder + "/pcscd.comm"
    guard socketPath.utf8.count < 107 else { throw .folderTooLong(path: self.folder) }
    let configuration = readers.enumerated().map { index, reader in
      reader.lines(index: index, library: library, controlSocket: controlSocket(index))
    }
    do {
      for part in ["", "/readers", "/run/drivers"] {
        try FileManager.default.createDirectory(
          atPath: self.folder + part, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      try configuration.joined().write(toFile: self.folder + "/readers/readers", atomically: true, encoding: .utf8)
    } catch { throw .folder(path: self.folder, reason: error.localizedDescription) }
  }

  deinit {
    child.withLock { child in
      child?.kill(SIGKILL)
      _ = child?.waitForEnd(within: 5)
    }
    if ownsFolder { try? FileManager.default.removeItem(atPath: folder) }
  }

  private static func temporaryFolder() throws(PrivatePcscdError) -> String {
    var template = Array("/tmp/kiosk-pcscd.XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw .folder(path: "/tmp", reason: "errno \(errno)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The variable that leads libpcsclite's clients here.
  package var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketPath] }

  /// The control socket of the `index`-th reader, if that is a virtual one.
  package func controlSocket(_ index: Int) -> String { "\(folder)/reader\(index)" }

  /// What moves tags at the `index`-th reader, if that is a virtual one.
  package func tag(_ index: Int = 0) -> VirtualTag { VirtualTag(socketPath: controlSocket(index)) }

  /// pcscd's process; nil while it is down.
  package var pid: Int32? { child.withLock { $0?.isRunning == true ? $0?.pid : nil } }

  /// What pcscd has written so far, over all its starts.
  package var output: String {
    String(decoding: FileManager.default.contents(atPath: folder + "/pcscd.log") ?? Data(), as: UTF8.self)
  }

  /// Runs pcscd and returns when it serves clients and watches every virtual reader. Does nothing if it runs.
  package func start() throws(PrivatePcscdError) {
    let pidFile = folder + "/run/pcscd.pid"
    let failure: PrivatePcscdError? = try child.withLock { child throws(PrivatePcscdError) in
      if let child, child.isRunning { return nil }
      unsafe unlink(pidFile)
      let listener = try ListeningSocket(path: socketPath)
      let started = try PcscdProcess(
        arguments: ["--foreground", "--config", folder + "/readers"] + PcscdProgram.extraArguments(),
        environment: [
          "LD_PRELOAD": confinement, "KIOSK_PCSCD_FOLDER": folder + "/run", "KIOSK_PCSCD_PARENT": "\(getpid())",
          "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        ],
        listener: listener.descriptor, outputFile: folder + "/pcscd.log")
      // pcscd has the only copy of the listening socket from here on: when it dies, clients are refused at once.
      listener.close()
      child = started
      let ready = RealTime.until(within: 10) { !started.isRunning || isReady(started.pid, pidFile) }
      if ready && started.isRunning { return nil }
      started.kill(SIGKILL)
      _ = started.waitForEnd(within: 5)
      child = nil
      return .didNotStart(output: String(output.suffix(500)))
    }
    if let failure { throw failure }
  }

  private func isReady(_ pid: Int32, _ pidFile: String) -> Bool {
    let written = FileManager.default.contents(atPath: pidFile).map { String(decoding: $0, as: UTF8.self) }
    guard written?.prefix(while: \.isNumber) == "\(pid)" else { return false }
    return readers.indices.allSatisfy { index in
      readers[index].driver != .virtualReader || (try? tag(index).state()["watched"]) == "1"
    }
  }

  /// Ends pcscd gently (SIGTERM), by force after 5 s. Does nothing if it is down.
  package func stop() { end(with: SIGTERM) }

  /// Ends pcscd as a crash would (SIGKILL). Does nothing if it is down.
  package func kill() { end(with: SIGKILL) }

  private func end(with signal: Int32) {
    child.withLock { child in
      guard let running = child else { return }
      running.kill(signal)
      running.kill(SIGCONT)
      if !running.waitForEnd(within: 5) {
        running.kill(SIGKILL)
        _ = running.waitForEnd(within: 5)
      }
      child = nil
    }
    unsafe unlink(socketPath)
  }

  /// Blocks until pcscd has ended, however long that takes; at once if it is down.
  package func waitForEnd() {
    let running = child.withLock { $0 }
    running?.awaitEnd()
  }

  package func restart() throws(PrivatePcscdError) {
    stop()
    try start()
  }

  /// Stops pcscd in its tracks (SIGSTOP): it ignores every deadline of its clients. Returns when it has stopped.
  package func freeze() {
    child.withLock { child in
      child?.kill(SIGSTOP)
      _ = child?.waitForStop(within: 5)
    }
  }

  /// Lets a frozen pcscd go on.
  package func thaw() { child.withLock { $0?.kill(SIGCONT) } }
}
