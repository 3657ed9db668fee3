internal import Foundation
internal import Glibc

/// The few file operations that must survive a power cut.
enum FileSystem {
  /// Makes a folder that only its owner can enter, and those above it.
  static func makeDirectory(_ path: String) throws(LedgerError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw LedgerError(kind: .readOnly, doing: "making the folder \(path)")
    }
  }

  /// SQLite falls back to reading where it may not write, and then fails with a code that does not say so.
  static func mustBeWritable(_ folder: String) throws(LedgerError) {
    guard unsafe access(folder, W_OK | X_OK) == 0 else {
      throw LedgerError(errno: errno, doing: "writing in \(folder)")
    }
  }

  /// Makes an empty file that only its owner can read, in the place of any that is there.
  static func makeEmptyFile(_ path: String) throws(LedgerError) {
    unsafe unlink(path)
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LedgerError(errno: errno, doing: "making \(path)") }
    Glibc.close(descriptor)
  }

  /// Removes a file; one that is not there is no error.
  static func remove(_ path: String) throws(LedgerError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw LedgerError(errno: errno, doing: "removing \(path)")
    }
  }

  /// Bytes; nil when there is no such file.
  static func size(of path: String) -> Int? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Whether both names lead to one file.
  static func areSame(_ a: String, _ b: String) -> Bool {
    var one = stat()
    var other = stat()
    guard unsafe stat(a, &one) == 0, unsafe stat(b, &other) == 0 else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// Bytes that an ordinary user can still write to the file system of `path`; nil when it cannot be asked.
  static func freeBytes(at path: String) -> UInt64? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
  }

  /// Flushes a file or folder.
  static func sync(_ path: String) throws(LedgerError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LedgerError(errno: errno, doing: "flushing \(path)") }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw LedgerError(errno: errno, doing: "flushing \(path)") }
  }

  /// Renames; does not flush the folder.
  static func move(_ from: String, to target: String) throws(LedgerError) {
    guard unsafe rename(from, target) == 0 else {
      throw LedgerError(errno: errno, doing: "renaming \(from) to \(target)")
    }
  }

  /// Puts `draft` in the place of `target` so that after a power cut one of both is there, whole.
  static func replace(_ target: String, with draft: String) throws(LedgerError) {
    try sync(draft)
    try move(draft, to: target)
    try sync(folder(of: target))
  }

  static func folder(of path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }
}
