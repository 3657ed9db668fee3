internal import Configuration
internal import Foundation
internal import Glibc
internal import Ledger

/// The files that commands read and write.
enum Files {
  struct Failure: Error {
    let reason: String
    let isMissing: Bool
  }

  /// All of a regular file, up to `limit` bytes.
  static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
    let descriptor = try openFile(path)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw Failure(reason: "larger than \(limit) bytes", isMissing: false) }
    }
  }

  /// Makes the state directory, for its owner alone, when it is not there.
  static func makeState(_ directory: String) throws(CommandFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw CommandFailure(
        code: .ledgerUnusable,
        sentence: "the state directory \(directory) cannot be made: run as root or as the agent's user")
    }
  }

  /// What root has made in a state directory of somebody else becomes that one's: the agent's user must be able to write
  /// the ledger that root restored or began. Links are not followed.
  static func giveToOwner(_ directory: String) {
    var owner = stat()
    guard geteuid() == 0, unsafe lstat(directory, &owner) == 0, owner.st_uid != 0 else { return }
    for folder in [directory, directory + "/backups"] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        var file = stat()
        guard unsafe lstat("\(folder)/\(name)", &file) == 0, file.st_uid == 0 else { continue }
        unsafe lchown("\(folder)/\(name)", owner.st_uid, owner.st_gid)
      }
    }
  }

  /// The ledger, to be read. A state directory that this user may not look into is not an empty one.
  static func ledger(of setting: Setting) throws -> LedgerReader {
    let directory = setting.configuration.stateDirectory
    if unsafe access(directory, R_OK | X_OK) != 0, errno == EACCES {
      throw CommandFailure(
        code: .ledgerUnusable,
        sentence: "the state directory \(directory) may not be read: run as root or as the agent's user")
    }
    return try LedgerReader(directory: directory)
  }

  /// Throws unless a regular file is there and may be read.
  static func mustBeReadable(_ path: String) throws(Failure) { close(try openFile(path)) }

  private static func openFile(_ path: String) throws(Failure) -> Int32 {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure() }
    var info = stat()
    guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Failure(reason: "not a file", isMissing: false)
    }
    return descriptor
  }

  static func folder(of path: String) -> String {
    let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return (absolute as NSString).deletingLastPathComponent
  }

  /// Keeps a copy of a configuration that was good. Not having it is no fault now.
  static func keep(_ bytes: [UInt8], as path: String) {
    try? FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    if let old = try? read(path, limit: 1 << 20), old == bytes { return }
    try? Data(bytes).write(to: URL(filePath: path), options: .atomic)
  }

  private static func failure() -> Failure {
    let code = errno
    return Failure(reason: unsafe String(cString: strerror(code)), isMissing: code == ENOENT)
  }
}
