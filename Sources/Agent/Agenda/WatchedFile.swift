internal import Foundation
internal import Glibc

/// Why a file does not count as it is now.
package enum FileTrouble: Error, Equatable, Sendable {
  /// It is not there, or cannot be read.
  case unreadable(String)
  /// It has a mistake: what is wrong, and what to do.
  case wrong(String)

  /// Without a name for the file.
  package var sentence: String {
    switch self {
    case .unreadable(let reason): "the file cannot be read (\(reason)): put it there, readable for the agent"
    case .wrong(let sentence): sentence
    }
  }
}

/// A file of the household that is read again when it changes. While it has a mistake its last good content counts, also
/// over a restart.
///
/// Blocks on the disk: to be used on a thread of its own.
struct WatchedFile<Value: Sendable>: Sendable {
  private struct Stamp: Equatable {
    var device: UInt
    var inode: UInt
    var size: Int
    var modified: [Int]
  }

  let path: String
  /// Where its last good content is kept; nil: nowhere.
  private let copy: String?
  /// Bytes; what is larger is not read.
  private let limit: Int
  private let parse: @Sendable ([UInt8]) throws(FileTrouble) -> Value
  private var stamp: Stamp?
  private var isLookedAt = false

  /// By its last good content; nil: there is none.
  private(set) var value: Value?
  /// When that was read.
  private(set) var readAt: Date?
  private(set) var trouble: FileTrouble?
  private(set) var failingSince: Date?

  init(
    _ path: String, copy: String?, limit: Int, parse: @escaping @Sendable ([UInt8]) throws(FileTrouble) -> Value
  ) {
    self.path = path
    self.copy = copy
    self.limit = limit
    self.parse = parse
  }

  /// Looks at the file, and reads it when it is another than at the last look, or could not be read then: a disk with an
  /// error, or a process with too many files open, may be well again although the file is as it was.
  ///
  /// - Returns: whether there is something new to know.
  mutating func look(at now: Date) -> Bool {
    var status = stat()
    let stamp = unsafe stat(path, &status) == 0 ? Self.stamp(status) : nil
    if isLookedAt, stamp == self.stamp, !isUnreadable { return false }
    let before = trouble
    (isLookedAt, self.stamp) = (true, stamp)
    do throws(FileTrouble) {
      let bytes = try Self.read(path, limit: limit)
      value = try parse(bytes)
      (readAt, trouble, failingSince) = (now, nil, nil)
      keep(bytes)
      return true
    } catch {
      (trouble, failingSince) = (error, failingSince ?? now)
      let isFound = value == nil && recall()
      return error != before || isFound
    }
  }

  private var isUnreadable: Bool {
    if case .unreadable = trouble { true } else { false }
  }

  private static func stamp(_ status: stat) -> Stamp {
    Stamp(
      device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
      modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec])
  }

  // MARK: The last good content

  /// - Returns: whether there is one.
  private mutating func recall() -> Bool {
    guard let copy, let bytes = try? Self.read(copy, limit: limit), let value = try? parse(bytes) else { return false }
    var status = stat()
    guard unsafe stat(copy, &status) == 0 else { return false }
    self.value = value
    readAt = Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
    return true
  }

  /// Like every last good copy it costs no flush, and not having it is no fault now.
  private func keep(_ bytes: [UInt8]) {
    guard let copy else { return }
    if let old = try? Self.read(copy, limit: limit), old == bytes { return }
    try? FileManager.default.createDirectory(
      atPath: (copy as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try? Data(bytes).write(to: URL(filePath: copy), options: .atomic)
  }

  /// All of a regular file: a pipe that stands in its place must not hold anybody up, and what is too large is not begun.
  private static func read(_ path: String, limit: Int) throws(FileTrouble) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(words(errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable("it is no file")
    }
    guard status.st_size <= limit else { throw tooLarge(limit) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(words(errno)) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      // It grows while it is read.
      guard bytes.count <= limit else { throw tooLarge(limit) }
    }
  }

  private static func tooLarge(_ limit: Int) -> FileTrouble {
    .wrong("the file has more than \(limit / 1_048_576) MB: export only the last year")
  }

  private static func words(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
