package import BellSchedule
internal import Configuration
internal import Foundation
internal import Glibc
internal import Linux

/// Reads the school's file, and keeps the last good one and the last good menu in the state directory: a mistake that
/// somebody makes in the file must not take the school from the wall, not even over a restart.
///
/// A file is on a disk that may be slow, and reading a long one takes time: all of it happens on a thread of its own.
package actor SchoolShelf {
  /// Why the file does not count as it is now.
  package enum Trouble: Error, Equatable, Sendable {
    /// It is not there, or cannot be read.
    case unreadable(String)
    /// It has mistakes.
    case wrong(String)

    /// What is wrong and where, without a name for the file.
    package var sentence: String {
      switch self {
      case .unreadable(let reason), .wrong(let reason): reason
      }
    }
  }

  /// What was found.
  package struct Look: Sendable {
    /// The file's path.
    package var path: String
    /// By the last good file; nil: there never was one.
    package var school: School?
    /// nil: the file is as it should be.
    package var trouble: Trouble?
  }

  private struct Stamp: Equatable {
    var path: String
    var seconds: Int
    var nanoseconds: Int
    var size: Int
    var inode: UInt
    /// Of its mode and owner as well.
    var changedSeconds: Int
    var changedNanoseconds: Int
  }

  private struct KeptFile: Codable {
    var path: String
    var text: String
  }

  private struct KeptMenu: Codable, Equatable {
    var address: String
    var stations: [String: String]
  }

  private let executor = QueueExecutor(label: "school")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  private let folder: String
  private let isReadOnly: Bool
  /// Of the last look; nil: what is there is to be read whatever it looks like.
  private var stamp: Stamp?
  private var lastTrouble: (path: String, trouble: Trouble)?
  private var lastGood: (path: String, school: School)?

  /// - Parameters:
  ///   - stateDirectory: where the last good ones are kept.
  ///   - isReadOnly: nothing is written there.
  package init(stateDirectory: String, isReadOnly: Bool = false) {
    folder = stateDirectory
    self.isReadOnly = isReadOnly
  }

  /// Looks at the file. One that could not be read is read at the next look again: a disk with an error, or a process with
  /// too many files open, may be well again although the file is as it was.
  ///
  /// - Parameter anew: tells what is there also when it is as it was.
  /// - Returns: nil: there is nothing new since the last look.
  package func look(_ path: String, anew: Bool) -> Look? {
    var status = stat()
    let isThere = unsafe stat(path, &status) == 0
    let stamp = Stamp(
      path: path, seconds: isThere ? status.st_mtim.tv_sec : -1, nanoseconds: isThere ? status.st_mtim.tv_nsec : 0,
      size: isThere ? Int(status.st_size) : -1, inode: isThere ? UInt(status.st_ino) : 0,
      changedSeconds: isThere ? status.st_ctim.tv_sec : 0, changedNanoseconds: isThere ? status.st_ctim.tv_nsec : 0)
    if stamp == self.stamp, !anew { return nil }
    self.stamp = stamp
    do throws(Trouble) {
      let bytes = try Self.read(path)
      let school = try Self.parse(bytes)
      lastGood = (path, school)
      lastTrouble = nil
      keep(KeptFile(path: path, text: String(decoding: bytes, as: UTF8.self)), as: "bell-last-good.json")
      return Look(path: path, school: school)
    } catch {
      if case .unreadable = error { self.stamp = nil }
      let isKnown = lastTrouble?.path == path && lastTrouble?.trouble == error
      lastTrouble = (path, error)
      let hadGood = lastGood?.path == path
      if !hadGood { lastGood = Self.lastGood(of: path, in: folder).map { (path, $0) } }
      let isFound = !hadGood && lastGood != nil
      return anew || !isKnown || isFound ? Look(path: path, school: lastGood?.school, trouble: error) : nil
    }
  }

  // MARK: The menu

  /// The last good menu that came from there.
  package func menu(from address: String) -> Menu? {
    guard let kept: KeptMenu = Self.kept("lunch-last-good.json", in: folder), kept.address == address else {
      return nil
    }
    var bodies: [Menu.Station: [UInt8]] = [:]
    for station in Menu.Station.allCases { bodies[station] = kept.stations[station.rawValue].map { Array($0.utf8) } }
    return try? BellFile.menu(bodies)
  }

  /// Keeps what a good menu was made of: all six stations of one time, since those of two need not fit.
  func keep(_ bodies: [Menu.Station: [UInt8]], from address: String) {
    let stations = bodies.map { ($0.key.rawValue, String(decoding: $0.value, as: UTF8.self)) }
    let menu = KeptMenu(address: address, stations: Dictionary(stations) { first, _ in first })
    if let old: KeptMenu = Self.kept("lunch-last-good.json", in: folder), old == menu { return }
    keep(menu, as: "lunch-last-good.json")
  }

  // MARK: Files

  /// The last good content of a school's file, as an agent kept it; nil: there is none. The file itself is not touched.
  ///
  /// - Parameter folder: the state directory.
  package static func lastGood(of path: String, in folder: String) -> School? {
    guard let kept: KeptFile = kept("bell-last-good.json", in: folder), kept.path == path else { return nil }
    return try? BellFile.parse(Array(kept.text.utf8))
  }

  private static func kept<Value: Decodable>(_ name: String, in folder: String) -> Value? {
    guard let bytes = try? read("\(folder)/\(name)", limit: 16 << 20) else { return nil }
    return try? JSONDecoder().decode(Value.self, from: Data(bytes))
  }

  /// Not having it is no fault now; like every last good copy it costs no flush.
  private func keep(_ value: some Encodable, as name: String) {
    guard !isReadOnly, let data = try? JSONEncoder().encode(value) else { return }
    let path = "\(folder)/\(name)"
    if let old = try? Self.read(path, limit: 16 << 20), old == Array(data) { return }
    try? data.write(to: URL(filePath: path), options: .atomic)
  }

  private static func parse(_ bytes: [UInt8]) throws(Trouble) -> School {
    do throws(DocumentError) { return try BellFile.parse(bytes) } catch {
      let more = error.problems.count > 2 ? "; and \(error.problems.count - 2) more" : ""
      throw .wrong(error.problems.prefix(2).joined(separator: "; ") + more)
    }
  }

  /// All of a regular file: a pipe that stands in its place must not hold anybody up.
  private static func read(_ path: String, limit: Int = JSON5Parser.limit) throws(Trouble) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(unsafe String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable("it is no file")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(unsafe String(cString: strerror(errno))) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw .unreadable("it is larger than \(limit) bytes") }
    }
  }
}
