internal import Foundation
internal import Glibc

/// The few file operations that must survive a power cut.
enum FileSystem {
  /// Makes a folder only its owner can enter, and those above it.
  static func makeDirectory(_ path: String) throws(LedgerError) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw LedgerError(kind: .cannotOpen, doing: "making the folder \(path)")
    }
  }

  /// Flushes a file or folder.
  static func sync(_ path: String) throws(LedgerError) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LedgerError(kind: .cannotOpen, doing: "flushing \(path)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw LedgerError(kind: .ioError, doing: "flushing \(path)") }
  }

  /// Puts `from` in the place of `to` so that after a power cut one of both is there, whole.
  static func replace(_ to: String, with from: String) throws(LedgerError) {
    try sync(from)
    guard unsafe rename(from, to) == 0 else {
      throw LedgerError(kind: errno == ENOSPC ? .full : .readOnly, doing: "renaming to \(to)")
    }
    try sync((to as NSString).deletingLastPathComponent)
  }
}
