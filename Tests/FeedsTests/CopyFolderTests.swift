import Foundation
import Glibc
import Testing

@testable import Feeds

/// The last good copy survives what a wall's disk goes through, or is not there.
struct CopyFolderTests {
  private let folder = TemporaryFolder()
  private var copies: CopyFolder { CopyFolder(stateDirectory: folder.path, source: "onebusaway") }

  private func copy(_ text: String = "body", tag: String? = "\"a\"") -> LastGoodCopy {
    LastGoodCopy(
      body: Array(text.utf8),
      origin: Origin(
        uptime: .milliseconds(1_234_567), boot: "b", instant: Date(timeIntervalSince1970: 1_793_548_800.25),
        isServers: true,
        cachedFor: .seconds(3)), bodySince: Date(timeIntervalSince1970: 1_793_540_000), entityTag: tag,
      lastModified: nil, headers: ["x-data-expired": "true"], address: .max)
  }

  @Test(arguments: ["", "body", "\n\n\u{0}\n", String(repeating: "x", count: 100_000)]) func `it comes back as it was`(
    text: String
  ) throws {
    try copies.write(copy(text), "stop")
    #expect(copies.read("stop", limit: 1 << 20) == copy(text))
    try copies.write(copy("next", tag: nil), "stop")
    #expect(copies.read("stop", limit: 1 << 20) == copy("next", tag: nil))
    #expect(copies.read("other", limit: 1 << 20) == nil)
  }

  @Test func `only its owner can read it`() throws {
    try copies.write(copy(), "stop")
    for (path, mode) in [("\(copies.path)/stop", 0o600), (copies.path, 0o700)] as [(String, mode_t)] {
      var status = stat()
      unsafe stat(path, &status)
      #expect(status.st_mode & 0o777 == mode)
    }
  }

  @Test func `a torn or changed file is no copy`() {
    let whole = copy().file
    #expect(LastGoodCopy(file: whole) == copy())
    for length in 0..<whole.count { #expect(LastGoodCopy(file: Array(whole[..<length])) == nil) }
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0x20
      // The checksum itself is hex of either case.
      if let read = LastGoodCopy(file: changed) { #expect(read == copy(), "byte \(index)") }
      changed[index] = 0
      #expect(LastGoodCopy(file: changed) == nil, "byte \(index)")
    }
    #expect(LastGoodCopy(file: whole + [0]) == nil)
    #expect(LastGoodCopy(file: [UInt8](repeating: 0, count: 4096)) == nil)
  }

  @Test func `a file larger than the limit, a link and a folder are not read`() throws {
    try copies.write(copy(String(repeating: "x", count: 20_000)), "stop")
    #expect(copies.read("stop", limit: 11_000) == nil)
    #expect(copies.read("stop", limit: 20_000) != nil)
    unsafe symlink("\(copies.path)/stop", "\(copies.path)/link")
    #expect(copies.read("link", limit: 1 << 20) == nil)
    unsafe mkdir("\(copies.path)/folder", 0o700)
    #expect(copies.read("folder", limit: 1 << 20) == nil)
  }

  @Test func `names that are no file names are, and differ`() {
    let names = [
      "a", "A", "a/b", "a%2Fb", "..", ".", "", "../../etc/passwd", ".draft", "ä", String(repeating: "n", count: 300),
      String(repeating: "n", count: 301), "1_Forge Park / 495",
    ]
    let files = names.map(CopyFolder.fileName)
    #expect(Set(files).count == names.count)
    for file in files {
      #expect(!file.contains("/") && !file.hasPrefix(".") && file.utf8.count <= 255, "\(file)")
    }
  }

  @Test func `the oldest go beyond the limit`() throws {
    for index in 0..<(CopyFolder.limit + 5) {
      try copies.write(copy(), "day-\(index)")
      var times = [timespec(tv_sec: index, tv_nsec: 0), timespec(tv_sec: index, tv_nsec: 0)]
      unsafe utimensat(AT_FDCWD, "\(copies.path)/day-\(index)", &times, 0)
    }
    try copies.write(copy(), "today")
    #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).count == CopyFolder.limit)
    #expect(copies.read("today", limit: 1 << 20) != nil)
    #expect(copies.read("day-0", limit: 1 << 20) == nil)
    #expect(copies.read("day-\(CopyFolder.limit + 4)", limit: 1 << 20) != nil)
  }

  @Test func `the oldest go beyond the bytes, the newest never`() throws {
    try copies.write(copy(), "first")
    for (index, name) in ["old", "middle"].enumerated() {
      let path = "\(copies.path)/\(name)"
      try Data().write(to: URL(filePath: path))
      #expect(unsafe truncate(path, off_t(CopyFolder.byteLimit - 1000)) == 0)
      var times = [timespec(tv_sec: 1_000_000 + index, tv_nsec: 0), timespec(tv_sec: 1_000_000 + index, tv_nsec: 0)]
      unsafe utimensat(AT_FDCWD, path, &times, 0)
    }
    try copies.write(copy(), "first")
    let left = try FileManager.default.contentsOfDirectory(atPath: copies.path)
    #expect(Set(left) == ["first", "middle"])
    try copies.write(copy(String(repeating: "x", count: 2000)), "next")
    #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).sorted() == ["first", "next"])
  }

  @Test func `a place that is taken is a fault, and leaves nothing behind`() throws {
    unsafe mkdir("\(folder.path)/feeds", 0o700)
    unsafe mkdir(copies.path, 0o700)
    unsafe mkdir("\(copies.path)/stop", 0o700)
    #expect(throws: CopyFolder.Failure(path: "\(copies.path)/stop", errno: EISDIR)) { try copies.write(copy(), "stop") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path) == ["stop"])
  }

  @Test func `where nothing can be written the fault names the file`() throws {
    try Data().write(to: URL(filePath: "\(folder.path)/feeds"))
    let failure = CopyFolder.Failure(path: "\(copies.path)/stop", errno: ENOTDIR)
    #expect(throws: failure) { try copies.write(copy(), "stop") }
    #expect(failure.sentence.contains("Not a directory"))
  }
}
