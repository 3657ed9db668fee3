internal import Foundation
internal import Glibc

/// The last good copies of one source on disk: `feeds/<source>/<document>` in the state directory, readable by its owner
/// alone (a calendar is private).
///
/// A copy is written beside its place and renamed, so that readers see one or the other. It is not flushed: a flush would
/// make the ledger's own wait for it, and a copy that a power cut tears is found by its checksum and costs one fetch.
package struct CopyFolder: Sendable {
  /// Why a copy was not written.
  struct Failure: Error, Equatable {
    let path: String
    let errno: Int32

    /// What is wrong: what to do.
    var sentence: String {
      "the last good copy \(path) cannot be written (\(unsafe String(cString: strerror(errno)))): "
        + "check the space and the owner of the state directory"
    }
  }

  /// Files of one source and their bytes; beyond that the oldest go. A timetable of each day has a name of its own.
  static let limit = 64
  static let byteLimit = 64 << 20

  let path: String
  private let isReadOnly: Bool

  /// - Parameters:
  ///   - stateDirectory: exists.
  ///   - isReadOnly: what is fetched is not stored.
  package init(stateDirectory: String, source: String, isReadOnly: Bool = false) {
    self.isReadOnly = isReadOnly
    path = "\(stateDirectory)/feeds/\(Self.fileName(source))"
  }

  /// A name that is one file in this folder and no other, whatever is in the document's name: ids are opaque, and may hold
  /// a slash.
  static func fileName(_ name: String) -> String {
    let encoded = Address.encoded(name)
    // A dot in front hides a file, or is this folder. 255 bytes is what a file's name may have.
    let safe = encoded.isEmpty ? "%" : encoded.hasPrefix(".") ? "%2E" + encoded.dropFirst() : encoded
    return safe.utf8.count <= 200 ? safe : safe.prefix(180) + "-" + String(Checksum.of(Array(name.utf8)), radix: 16)
  }

  /// nil: there is none that can be used.
  /// - Parameter limit: bytes; a larger file is not read.
  func read(_ name: String, limit: Int) -> LastGoodCopy? {
    let descriptor = unsafe open("\(path)/\(Self.fileName(name))", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    // What stands before the body is at most a few hundred bytes and two validators.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit + 8192
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes[count...].withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      count += got
    }
    return LastGoodCopy(file: bytes)
  }

  func write(_ copy: LastGoodCopy, _ name: String) throws(Failure) {
    if isReadOnly { return }
    let target = "\(path)/\(Self.fileName(name))"
    let draft = "\(path)/.draft"
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    unsafe unlink(draft)
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(path: target, errno: errno) }
    let file = copy.file
    var written = 0
    while written < file.count {
      let count = unsafe file[written...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw abandon(descriptor, draft, Failure(path: target, errno: errno)) }
      written += count
    }
    guard close(descriptor) == 0, unsafe rename(draft, target) == 0 else {
      let failure = Failure(path: target, errno: errno)
      unsafe unlink(draft)
      throw failure
    }
    prune()
  }

  private func abandon(_ descriptor: Int32, _ draft: String, _ failure: Failure) -> Failure {
    close(descriptor)
    unsafe unlink(draft)
    return failure
  }

  /// Drops the oldest beyond the limits. The newest stays: it has just been written.
  private func prune() {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return }
    let files = names.map { name in
      var status = stat()
      _ = unsafe stat("\(path)/\(name)", &status)
      return (name: name, time: (status.st_mtim.tv_sec, status.st_mtim.tv_nsec), size: Int(status.st_size))
    }
    var bytes = 0
    for (index, file) in files.sorted(by: { $0.time > $1.time }).enumerated() {
      bytes += file.size
      if index >= Self.limit || index > 0 && bytes > Self.byteLimit { unsafe unlink("\(path)/\(file.name)") }
    }
  }
}
