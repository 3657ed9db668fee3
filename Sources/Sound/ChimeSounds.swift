internal import Glibc

/// The sounds of results, decoded once at start.
struct ChimeSounds {
  /// One for every chime.
  private(set) var byChime: [Chime: WAV] = [:]
  /// The files that cannot be played, each as `path: what is wrong`; a spare tone stands in for each.
  private(set) var problems: [String] = []

  /// Reads and decodes the files. Blocks on the disk; never fails.
  init(success: String, failure: String) {
    byChime[.reminder] = Chime.reminder.spare
    for (chime, path) in [(Chime.success, success), (.failure, failure)] {
      do throws(WAV.Malformed) {
        byChime[chime] = try WAV.decode(Self.bytes(of: path))
      } catch {
        byChime[chime] = chime.spare
        problems.append("\(path): \(error.problem)")
      }
    }
  }

  /// A regular file of at most `WAV.limit` bytes: a pipe or a device would block or never end.
  private static func bytes(of path: String) throws(WAV.Malformed) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw WAV.Malformed(problem: words(errno)) }
    defer { close(descriptor) }
    var about = stat()
    guard unsafe fstat(descriptor, &about) == 0 else { throw WAV.Malformed(problem: words(errno)) }
    guard about.st_mode & S_IFMT == S_IFREG else { throw WAV.Malformed(problem: "it is not a file") }
    guard about.st_size <= WAV.limit else { throw WAV.Malformed(problem: "it is larger than 10 MiB") }
    var bytes = [UInt8](repeating: 0, count: Int(about.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress.map { unsafe $0 + filled }, buffer.count - filled)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw WAV.Malformed(problem: words(errno)) }
      if count == 0 { break }
      filled += count
    }
    return Array(bytes.prefix(filled))
  }

  private static func words(_ code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR: "there is no such file"
    case EACCES, EPERM: "it may not be read"
    default: "it cannot be read (errno \(code))"
    }
  }
}
