package import Foundation

/// What programs did to their disk, in order, as FaultyDisk recorded it (FaultyDisk.h).
package struct WriteLog: Sendable {
  package enum Operation: Sendable {
    case create(name: String, inode: UInt64)
    case write(inode: UInt64, offset: Int, bytes: Data)
    case truncate(inode: UInt64, size: Int)
    case sync(inode: UInt64)
    case syncFolder
    case unlink(name: String)
    case rename(from: String, to: String)
    case acknowledged(Acknowledgement)
  }

  /// What a person could see or hear.
  package enum Acknowledgement: Sendable {
    /// The file of the sound was written: the test's counter then, and the first bytes.
    case sound(mark: Int64, bytes: Data)
    /// These bytes went to a page.
    case wall(Data)
  }

  package struct Malformed: Error {
    package let offset: Int
  }

  package let operations: [Operation]

  private static let headerSize = 128

  package init(path: String) throws {
    let data = try Data(contentsOf: URL(filePath: path))
    var operations: [Operation] = []
    var offset = 0
    while offset < data.count {
      guard offset + Self.headerSize <= data.count else { throw Malformed(offset: offset) }
      let field = { (index: Int) in
        unsafe data.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset + index * 8, as: UInt64.self) }
      }
      let (inode, position, length) = (field(2), Int(clamping: field(3)), Int(clamping: field(4)))
      let name = String(decoding: data[offset + 40..<offset + Self.headerSize].prefix { $0 != 0 }, as: UTF8.self)
      let start = offset + Self.headerSize
      guard length <= data.count - start else { throw Malformed(offset: offset) }
      let bytes = data.subdata(in: start..<start + length)
      switch UInt8(truncatingIfNeeded: field(0)) {
      case UInt8(ascii: "C"): operations.append(.create(name: name, inode: inode))
      case UInt8(ascii: "W"): operations.append(.write(inode: inode, offset: position, bytes: bytes))
      case UInt8(ascii: "T"): operations.append(.truncate(inode: inode, size: position))
      case UInt8(ascii: "S"): operations.append(.sync(inode: inode))
      case UInt8(ascii: "D"): operations.append(.syncFolder)
      case UInt8(ascii: "U"): operations.append(.unlink(name: name))
      case UInt8(ascii: "R"): operations.append(.rename(from: name, to: String(decoding: bytes, as: UTF8.self)))
      case UInt8(ascii: "A"):
        operations.append(.acknowledged(.sound(mark: Int64(bitPattern: field(1)), bytes: bytes)))
      case UInt8(ascii: "P"): operations.append(.acknowledged(.wall(bytes)))
      default: throw Malformed(offset: offset)
      }
      offset = start + length
    }
    self.operations = operations
  }

  /// What was acknowledged, in order.
  package var acknowledgements: [Acknowledgement] {
    operations.compactMap { if case .acknowledged(let what) = $0 { what } else { nil } }
  }
}

/// The files of a disk: what a power cut leaves of one.
package struct DiskImage: Sendable {
  package private(set) var names: [String: UInt64] = [:]
  private var contents: [UInt64: Data] = [:]

  package init() {}

  package func content(of name: String) -> Data? { names[name].map { contents[$0] ?? Data() } }

  mutating func apply(_ operation: WriteLog.Operation) {
    switch operation {
    case .create(let name, let inode):
      names[name] = inode
      contents[inode] = Data()
    case .write(let inode, let offset, let bytes):
      grow(inode, to: offset + bytes.count)
      contents[inode]?.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .truncate(let inode, let size):
      grow(inode, to: size)
      contents[inode]?.removeSubrange(size...)
    case .unlink(let name): names[name] = nil
    case .rename(let from, let to): if let inode = names.removeValue(forKey: from) { names[to] = inode }
    case .sync, .syncFolder, .acknowledged: break
    }
  }

  private mutating func grow(_ inode: UInt64, to size: Int) {
    let count = contents[inode, default: Data()].count
    if count < size { contents[inode, default: Data()].append(Data(count: size - count)) }
  }

  /// Makes `folder` anew with these files.
  package func lay(out folder: String) throws {
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, inode) in names {
      let path = "\(folder)/\(name)"
      if name.contains("/") {
        try FileManager.default.createDirectory(
          atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      }
      try (contents[inode] ?? Data()).write(to: URL(filePath: path))
    }
  }
}
