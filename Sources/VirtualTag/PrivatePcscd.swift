internal import Foundation
internal import Glibc
internal import Linux
internal import Synchronization

/// The machine's real pcscd, run beside its own service: with its own socket and its own readers, by any user.
///
/// It is started the way systemd does it (socket activation), so it needs no right on /run/pcscd. It dies with the
/// process that made it. Clients find it by the environment `PCSCLITE_CSOCK_NAME`.
package final class PrivatePcscd: Sendable {
  /// One entry of its reader.conf.
  package struct Reader: Sendable {
    package var name: String
    package var device: String
    package var library: String
    package var channel: Int

    package init(name: String, device: String, library: String, channel: Int) {
      self.name = name
      self.device = device
      self.library = library
      self.channel = channel
    }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package static let acr122u = "ACS ACR122U PICC Interface"

  package let directory: String
  /// What belongs into `PCSCLITE_CSOCK_NAME`.
  package let socket: String
  /// The virtual readers, in order.
  package let tags: [VirtualTag]

  private struct Running {
    var keeper: Int32
    var pcscd: Int32
    /// Closing it ends the keeper, and the keeper ends pcscd.
    var leash: Int32
  }

  private let running = Mutex<Running?>(nil)
  private let program: String

  /// - Parameters:
  ///   - directory: an empty folder with a short path (a unix socket's has 107 bytes).
  ///   - driver: libVirtualReader.so.
  ///   - names: one virtual reader each.
  ///   - others: readers with other drivers.
  package init(
    directory: String, driver: String, names: [String] = [PrivatePcscd.acr122u], others: [Reader] = [],
    program: String = "/usr/sbin/pcscd"
  ) throws {
    self.directory = directory
    self.program = program
    socket = directory + "/pcscd"
    tags = names.indices.map { VirtualTag(socket: "\(directory)/reader\($0)") }
    let readers =
      names.enumerated().map { index, name in
        Reader(
          name: name, device: "/dev/null:\(directory)/reader\(index)", library: driver, channel: index)
      } + others
    let text = readers.map {
      "FRIENDLYNAME \"\($0.name)\"\nDEVICENAME \($0.device)\nLIBPATH \($0.library)\nCHANNELID \($0.channel)\n"
    }.joined(separator: "\n")
    let configuration = directory + "/reader.conf.d"
    try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: configuration + "/readers"))
  }

  deinit { stop() }

  /// Starts it and returns when its virtual readers answer.
  package func start() throws {
    stop()
    let listener = try listen()
    defer { close(listener) }
    var leash: [Int32] = [0, 0]
    var report: [Int32] = [0, 0]
    guard unsafe pipe(&leash) == 0, unsafe pipe(&report) == 0 else {
      throw Failure(description: "no pipe: errno \(errno)")
    }
    for descriptor in leash + report { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    // The keeper reports pcscd's number and then waits for its leash to be cut.
    let script =
      #"sh -c 'LISTEN_PID=$$ exec "$@"' sh "$@" & echo $! >&4; exec 3<&- 4>&-; read _; kill -KILL $! 2>/dev/null; wait"#
    var environment = ProcessInfo.processInfo.environment
    environment["LISTEN_FDS"] = "1"
    environment["PCSCLITE_CSOCK_NAME"] = nil
    var arguments = ["--foreground", "-c", directory + "/reader.conf.d"]
    if try Self.majorVersion(program) >= 2 { arguments.append("--disable-polkit") }
    let log = unsafe open(directory + "/pcscd.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer {
      close(log)
      close(leash[0])
      close(report[0])
      close(report[1])
    }
    let keeper = try ChildProcess.spawn(
      "/bin/sh", ["-c", script, "sh", program] + arguments, environment: environment,
      descriptors: [0: leash[0], 1: log, 2: log, 3: listener, 4: report[1]])
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = unsafe read(report[0], &buffer, buffer.count)
    let text = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    running.withLock { $0 = Running(keeper: keeper, pcscd: Int32(text) ?? -1, leash: leash[1]) }
    try waitUntilReady()
  }

  /// Kills it and takes its socket away, as when its package is removed.
  package func stop() {
    guard let running = running.withLock({ $0.take() }) else { return }
    close(running.leash)
    ChildProcess.wait(running.keeper)
    unsafe unlink(socket)
  }

  package func freeze() { signal(SIGSTOP) }
  package func thaw() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    if let pid = running.withLock({ $0?.pcscd }), pid > 0 { kill(pid, number) }
  }

  /// What pcscd wrote.
  package var log: String { (try? String(contentsOfFile: directory + "/pcscd.log", encoding: .utf8)) ?? "" }

  private func listen() throws -> Int32 {
    unsafe unlink(socket)
    let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(socket.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure(description: "\(socket) is too long for a socket: use a shorter folder")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, Glibc.listen(listener, 64) == 0 else {
      throw Failure(description: "cannot listen on \(socket): errno \(errno)")
    }
    return listener
  }

  private func waitUntilReady() throws {
    let deadline = SystemTime().uptime() + .seconds(15)
    for tag in tags {
      while (try? tag.send("state")) == nil {
        guard SystemTime().uptime() < deadline else {
          throw Failure(description: "pcscd did not load the virtual reader: \(log.suffix(500))")
        }
        usleep(2000)
      }
    }
  }

  private static func majorVersion(_ program: String) throws -> Int {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--version"]
    process.standardOutput = pipe
    process.standardError = pipe
    do { try process.run() } catch { throw Failure(description: "\(program) cannot be run: install pcscd") }
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let version = text.split { !$0.isNumber && $0 != "." }.first { $0.contains(".") } ?? "1"
    return Int(version.prefix { $0 != "." }) ?? 1
  }
}
