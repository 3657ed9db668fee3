import Foundation
import Glibc
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds

/// Files of a household that cannot be read for a while. Nothing is said of their modes: the tests may run as root, whom
/// none keeps out.
@Suite(.timeLimit(.minutes(2))) struct UnreadableFileTests {
  /// Puts something in the place of a file that nobody can read.
  private static func spoil(_ path: String, _ kind: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
    switch kind {
    case "a folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "a loop of links": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    case "a pipe": try #require(unsafe mkfifo(path, 0o600) == 0)
    default: break
    }
  }

  private static func mend(_ path: String) throws {
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".aside", toPath: path)
  }

  private static let kinds = ["a folder", "a loop of links", "a pipe", "nothing"]

  @Test(arguments: kinds)
  func `a school's file that cannot be read leaves the last good one, is said once, and is well again`(kind: String)
    async throws
  {
    let bench = try SchoolBench("2025-09-02 08:45")
    try bench.writeSchool()
    bench.live()
    await bench.start()
    try Self.spoil(bench.file, kind)
    await bench.pass(minutes: 10)
    #expect(bench.look().period?.text == "Period 1 · 26 min left · ends 9:21")
    #expect(bench.look().source("bell")?.state == "stale")
    #expect(
      bench.look().source("bell")?.message == "School day: as of 8:45 · its file cannot be read · \(Self.reason(kind))")
    #expect(bench.lines.count == 1 && bench.lines[0].contains("the last good one is used"), "\(kind): \(bench.lines)")
    let changes = bench.changes
    await bench.pass(minutes: 5)
    #expect(bench.changes == changes, "what is as it was is no news")
    // The same file again, with the time it had.
    try Self.mend(bench.file)
    await bench.pass(minutes: 2)
    #expect(bench.look().source("bell")?.state == "fresh" && bench.look().source("bell")?.message == nil)
    #expect(bench.lines.count == 2 && bench.lines[1].contains("is well again"), "\(kind): \(bench.lines)")
  }

  private static func reason(_ kind: String) -> String {
    switch kind {
    case "a loop of links": "Too many levels of symbolic links"
    case "nothing": "No such file or directory"
    default: "it is no file"
    }
  }

  @Test(arguments: kinds)
  func `a calendar's file that cannot be read leaves the last good one, is said once, and is well again`(kind: String)
    async throws
  {
    let bench = try AgendaBench(
      "[{ id: 'family', name: 'Family', file: 'family.ics' }]",
      files: ["family.ics": calendarText(eventText("Swim", "02T1500", "02T1600"))])
    try await bench.running {
      await bench.until { !bench.titles.isEmpty }
      try Self.spoil(bench.folder + "/family.ics", kind)
      await bench.pass(.seconds(600))
      #expect(bench.titles == ["Swim"] && bench.message == "Family: as of 8:08 · its file cannot be read")
      #expect(bench.lines.count == 1, "\(kind): \(bench.lines)")
      try Self.mend(bench.folder + "/family.ics")
      await bench.pass(.seconds(61))
      await bench.until { bench.message == nil }
      #expect(bench.lines.count == 2 && bench.lines[1].hasSuffix("is well again"), "\(kind): \(bench.lines)")
    }
  }

  // MARK: A disk or a process that has no room for a moment

  /// Runs in a process of its own, whose limit of open files it may lower.
  @Test func `a file that could not be opened for a moment is read at the next look, though it has not changed`() async
  {
    await #expect(processExitsWith: .success) {
      let folder = try Box()
      let path = folder.path + "/a"
      try Data("one".utf8).write(to: URL(filePath: path))
      var file = WatchedFile(path, copy: folder.path + "/copy", limit: 100) { bytes throws(FileTrouble) in
        String(decoding: bytes, as: UTF8.self)
      }
      let now = Date(timeIntervalSince1970: 1000)
      let isNew = Box.withoutDescriptors { file.look(at: now) }
      #expect(isNew && file.value == nil && file.failingSince == now)
      let isNewAgain = Box.withoutDescriptors { file.look(at: now + 60) }
      #expect(!isNewAgain && file.failingSince == now, "the same trouble is no news")
      let isRead = file.look(at: now + 120)
      #expect(isRead)
      #expect(file.value == "one" && file.trouble == nil && file.readAt == now + 120)
      let isReadAgain = file.look(at: now + 180)
      #expect(!isReadAgain, "what was read is not read again")
    }
  }

  @Test func `a last good copy that could not be opened for a moment is found at the next look`() async {
    await #expect(processExitsWith: .success) {
      let folder = try Box()
      let (path, copy) = (folder.path + "/a", folder.path + "/copy")
      try Data("bad".utf8).write(to: URL(filePath: path))
      try Data("good".utf8).write(to: URL(filePath: copy))
      var file = WatchedFile(path, copy: copy, limit: 100) { bytes throws(FileTrouble) in
        guard bytes.count > 3 else { throw .wrong("it is short") }
        return String(decoding: bytes, as: UTF8.self)
      }
      let now = Date(timeIntervalSince1970: 1000)
      _ = Box.withoutDescriptors { file.look(at: now) }
      #expect(file.value == nil)
      let isFound = file.look(at: now + 60)
      #expect(isFound && file.value == "good")
    }
  }

  @Test func `a school's file that could not be opened for a moment is read at the next look`() async {
    await #expect(processExitsWith: .success) {
      let folder = try Box()
      let path = folder.path + "/bell.json5"
      try FileManager.default.copyItem(atPath: SchoolBench.fixtures + "/stevenson.json5", toPath: path)
      let shelf = SchoolShelf(stateDirectory: folder.path)
      var limit = rlimit()
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      // The shelf works on a thread of its own, which must be there before nothing can be opened.
      _ = await shelf.look(folder.path + "/none", anew: false)
      Box.setDescriptors(0)
      let first = await shelf.look(path, anew: false)
      let second = await shelf.look(path, anew: false)
      Box.setDescriptors(limit.rlim_cur)
      #expect(first?.trouble != nil && first?.school == nil)
      #expect(second == nil, "the same trouble is no news")
      let third = await shelf.look(path, anew: false)
      #expect(third?.school != nil && third?.trouble == nil)
      #expect(await shelf.look(path, anew: false) == nil)
    }
  }
}

/// A folder of a test's own.
private final class Box {
  let path = FileManager.default.temporaryDirectory.path + "/watched-" + UUID().uuidString.prefix(8)

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// How many files this process may have open.
  static func setDescriptors(_ count: rlim_t) {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = count
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Runs the work while no file can be opened.
  static func withoutDescriptors<Result>(_ work: () -> Result) -> Result {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    setDescriptors(0)
    defer { setDescriptors(limit.rlim_cur) }
    return work()
  }
}
