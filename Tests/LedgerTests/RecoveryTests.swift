import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Synchronization
import Testing

@testable import Ledger

/// A ledger that is damaged, emptied, gone or replaced is restored, and no tap that was acknowledged is lost (DESIGN 5.6).
struct RecoveryTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  private static let morning = Sample.now - 5 * 3600

  /// Three taps, a backup at 03:00 UTC after the first, and a clean end.
  private func recorded() async throws -> [HistoryItem] {
    let ledger = try await folder.furnishedLedger()
    _ = try await ledger.recordTap(
      Sample.tap(Sample.red, at: Self.morning - 60), decide: Sample.answering(.wrongWindow))
    #expect(try await ledger.backupDaily(LocalDay(number: Sample.today), at: Self.morning))
    let unread = try await ledger.recordTap(
      Sample.tap(nil, at: Sample.now - 30, unreadable: "mute"), decide: Sample.answering(.unreadable))
    _ = try await ledger.recordTap(Sample.tap(resolves: unread.id), decide: Sample.taking(Sample.dose()))
    let history = try await ledger.history(from: .distantPast, to: .distantFuture)
    await ledger.close()
    return history
  }

  private func scribble(at offset: Int, _ count: Int, of path: String? = nil, with byte: UInt8 = 0xA5) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: path ?? folder.file))
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(repeating: byte, count: count))
    try handle.close()
  }

  private func view(_ ledger: Ledger) async throws -> LedgerView { try await ledger.view(at: Sample.now) }

  enum Damage: CaseIterable {
    case page, header, emptied, shortened, foreign, gone, goneWithoutCleanEnd
  }

  @Test(arguments: Damage.allCases)
  func `a damaged ledger is the newest backup with every later tap, and the damaged one is kept`(damage: Damage)
    async throws
  {
    let before = try await recorded()
    switch damage {
    case .page:
      let pages = try #require(FileSystem.size(of: folder.file)) / 4096
      try scribble(at: pages / 2 * 4096, 4096)
    case .header: try scribble(at: 0, 100, with: 0)
    case .emptied: try Data().write(to: URL(filePath: folder.file))
    case .shortened: #expect(unsafe truncate(folder.file, 3 * 4096 + 17) == 0)
    case .foreign:
      try FileManager.default.removeItem(atPath: folder.file)
      try Database(path: folder.file, .create).script("CREATE TABLE t (a)", doing: "")
    case .gone: try FileManager.default.removeItem(atPath: folder.file)
    case .goneWithoutCleanEnd:
      try FileManager.default.removeItem(atPath: folder.file)
      try Data([1, 2, 3]).write(to: URL(filePath: folder.file + "-wal"))
    }
    let size = FileSystem.size(of: folder.file)
    let said = Mutex<[String]>([])
    let ledger = folder.ledger(log: Log { _, line in said.withLock { $0.append(line) } })
    #expect(try await ledger.history(from: .distantPast, to: .distantFuture) == before)
    #expect(try await ledger.export().household == Sample.household)
    #expect(FileSystem.size(of: folder.file + ".damaged") == size)
    let lost = try await view(ledger).log.recordsLost
    #expect(lost == [DateInterval(start: Self.morning, end: Sample.now)])
    let lines = said.withLock { $0.filter { $0.contains("damaged") } }
    #expect(lines.count == 1 && lines[0].contains("with 2 taps") && lines[0].contains("T03:00:00+00:00"), "\(lines)")
    // Recorded is what the person is told at the next tap.
    #expect(
      try await ledger.recordTap(Sample.tap(at: Sample.now + 60), decide: Sample.taking(Sample.dose())).decided.verdict
        .outcome == .alreadyTaken)
    await ledger.close()
    // It is an ordinary ledger from now on.
    let again = folder.ledger()
    #expect(try await again.history(from: .distantPast, to: .distantFuture).count == before.count + 1)
    #expect(folder.names.filter { $0.contains("damaged") }.count == (size == nil && damage == .gone ? 0 : 1))
  }

  @Test func `a broken backup is passed over for the newest whole one`() async throws {
    let before = try await recorded()
    let newer = "\(folder.path)/backups/ledger-\(LocalDay(number: Sample.today + 1)).sqlite"
    try FileManager.default.copyItem(atPath: Backups.newestFirst(in: folder.path)[0], toPath: newer)
    try scribble(at: 4096, 4096, of: newer)
    try Data().write(to: URL(filePath: folder.file))
    let ledger = folder.ledger()
    #expect(try await ledger.history(from: .distantPast, to: .distantFuture) == before)
    #expect(FileSystem.size(of: newer) != nil)
  }

  @Test func `without any backup the taps are there all the same, of people that the household has to be told of`()
    async throws
  {
    let before = try await recorded()
    try FileManager.default.removeItem(atPath: Backups.folder(in: folder.path))
    try Data().write(to: URL(filePath: folder.file))
    let ledger = folder.ledger()
    #expect(try await ledger.history(from: .distantPast, to: .distantFuture) == before)
    #expect(try await ledger.export().household == Household())
    #expect(try await view(ledger).log.recordsLost.first?.start == Date(timeIntervalSince1970: 0))
    try await ledger.furnish()
    #expect(try await ledger.export().household == Sample.household)
    #expect(try await view(ledger).log.credits.map(\.key) == [Sample.dose().key])
  }

  @Test func `a witness with a torn last line and a lost middle gives back every other tap`() async throws {
    let ledger = try await folder.furnishedLedger()
    _ = try await ledger.backupDaily(LocalDay(number: Sample.today), at: Self.morning)
    for number in 0..<5 {
      _ = try await ledger.recordTap(
        Sample.tap(at: Sample.now + Double(number)), decide: Sample.answering(.wrongWindow))
    }
    await ledger.close()
    let path = "\(folder.path)/taps.jsonl"
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    lines[1] = "}{"
    lines[4] = lines[4].prefix(40)
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
    try Data().write(to: URL(filePath: folder.file))
    let restored = folder.ledger()
    #expect(
      try await restored.read {
        try $0.database.text("SELECT group_concat(id) FROM (SELECT id FROM tap ORDER BY id)", doing: "")
      } == "1,3,4")
  }

  @Test func `an undone credit stays undone in the restored ledger`() async throws {
    let ledger = try await folder.furnishedLedger()
    _ = try await ledger.backupDaily(LocalDay(number: Sample.today), at: Self.morning)
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    #expect(try await ledger.undo(Sample.dose().key, at: Sample.now + 5))
    await ledger.close()
    try Data().write(to: URL(filePath: folder.file))
    let restored = folder.ledger()
    #expect(try await view(restored).log.credits == [])
    #expect(try await restored.number("SELECT count(*) FROM credit") == 1)
  }

  @Test func `a newer ledger is not touched, and backups are not put in its place`() async throws {
    _ = try await recorded()
    try Database(path: folder.file, .write).run("PRAGMA user_version = 99", doing: "")
    let names = folder.names
    let ledger = folder.ledger()
    for _ in 0..<2 { #expect(try await kind { try await ledger.checkWritable() } == .newerSchema) }
    #expect(folder.names == names)
  }

  @Test func `a disk that is full while the ledger is restored changes nothing, and it is restored when there is room`()
    async throws
  {
    let disk = try SmallDisk("size=2m")
    let ledger = Ledger(directory: disk.path, log: .none)
    try await ledger.furnish()
    _ = try await ledger.backupDaily(LocalDay(number: Sample.today), at: Self.morning)
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    await ledger.close()
    let file = "\(disk.path)/ledger.sqlite"
    try Data("no ledger".utf8).write(to: URL(filePath: file))
    disk.fill("\(disk.path)/ballast")
    let again = Ledger(directory: disk.path, log: .none)
    for _ in 0..<2 {
      let kind = try await kind { try await again.checkWritable() }
      #expect(kind == .full || kind == .io)
    }
    #expect(FileSystem.size(of: file) == 9)
    try FileManager.default.removeItem(atPath: "\(disk.path)/ballast")
    #expect(try await again.outcomes() == [.taken])
  }
}

/// Ledger and witness are brought to the same taps whenever a ledger is opened, and a file that is moved while open is put
/// back.
struct ReplacedLedgerTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  private func tap(_ ledger: Ledger, _ number: Int) async throws {
    _ = try await ledger.recordTap(
      Sample.tap(at: Sample.now + Double(number)), decide: Sample.answering(.wrongWindow))
  }

  private var witnessed: [Int64] { WitnessFile.lines(in: folder.path).compactMap { $0.tap?.id } }

  @Test func `an old copy in the ledger's place gets the taps that it lacks`() async throws {
    let ledger = try await folder.furnishedLedger()
    try await tap(ledger, 0)
    try await ledger.backup(to: "\(folder.path)/copy")
    _ = try await ledger.recordTap(Sample.tap(at: Sample.now + 1), decide: Sample.taking(Sample.dose()))
    await ledger.close()
    #expect(unsafe rename("\(folder.path)/copy", folder.file) == 0)
    let again = folder.ledger()
    #expect(try await again.outcomes() == [.wrongWindow, .taken])
    #expect(try await again.view(at: Sample.now + 9).log.recordsLost.count == 1)
    await again.close()
    let third = folder.ledger()
    #expect(try await third.outcomes() == [.wrongWindow, .taken])
    #expect(try await third.view(at: Sample.now + 9).log.recordsLost.count == 1)
  }

  @Test(arguments: [true, false])
  func `a ledger that is older than its backup, or has lost its log, is restored from it`(logIsLost: Bool) async throws
  {
    let ledger = try await folder.furnishedLedger()
    try await ledger.backup(to: "\(folder.path)/copy")
    try await tap(ledger, 0)
    try await ledger.importOnly(people: ["ann", "bob", "cem"])
    _ = try await ledger.backupDaily(LocalDay(number: Sample.today), at: Sample.now)
    try await tap(ledger, 1)
    if logIsLost {
      let main = try Data(contentsOf: URL(filePath: folder.file))
      await ledger.close()
      try main.write(to: URL(filePath: folder.file))
    } else {
      await ledger.close()
      #expect(unsafe rename("\(folder.path)/copy", folder.file) == 0)
    }
    let again = folder.ledger()
    #expect(try await again.export().household.people.map(\.id) == ["ann", "bob", "cem"])
    #expect(try await again.outcomes().count == 2)
    await again.close()
    #expect(try await folder.ledger().view(at: Sample.now).log.recordsLost.count == 1)
    #expect(folder.names.filter { $0.contains("damaged") }.count == 1)
  }

  @Test func `an old ledger that a person put back stays`() async throws {
    let ledger = try await folder.furnishedLedger()
    try await ledger.backup(to: "\(folder.path)/copy")
    try await tap(ledger, 0)
    for day in 0..<3 { _ = try await ledger.backupDaily(LocalDay(number: Sample.today + day), at: Sample.now) }
    await ledger.close()
    _ = try Ledger.restore(from: "\(folder.path)/copy", into: folder.path, at: Sample.now)
    for _ in 0..<2 {
      let restored = folder.ledger()
      #expect(try await restored.outcomes() == [])
      await restored.close()
    }
  }

  @Test func `taps that were committed and have no line get one at the next start`() async throws {
    let ledger = try await folder.furnishedLedger()
    for number in 0..<3 { try await tap(ledger, number) }
    await ledger.close()
    let path = "\(folder.path)/taps.jsonl"
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    try Data((lines[0] + "\n").utf8).write(to: URL(filePath: path))
    let again = folder.ledger()
    try await again.open()
    try await tap(again, 3)
    await again.close()
    #expect(witnessed == [1, 2, 3, 4])
    #expect(try await folder.ledger().view(at: Sample.now).log.recordsLost == [])
  }

  @Test func `lines that could not be written are written with the next tap`() async throws {
    let ledger = try await folder.furnishedLedger()
    let path = "\(folder.path)/taps.jsonl"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for number in 0..<3 { try await tap(ledger, number) }
    try FileManager.default.removeItem(atPath: path)
    try await tap(ledger, 3)
    await ledger.close()
    #expect(Set(witnessed) == [1, 2, 3, 4])
  }

  @Test func `taps from before a deliberate restore do not come back`() async throws {
    let ledger = try await folder.furnishedLedger()
    try await tap(ledger, 0)
    try await ledger.backup(to: "\(folder.path)/copy")
    for number in 1..<4 { try await tap(ledger, number) }
    await ledger.close()
    _ = try Ledger.restore(from: "\(folder.path)/copy", into: folder.path, at: Sample.now)
    let restored = folder.ledger()
    #expect(try await restored.outcomes().count == 1)
    try await tap(restored, 9)
    _ = try await restored.backupDaily(LocalDay(number: Sample.today), at: Sample.now)
    await restored.close()
    try Data().write(to: URL(filePath: folder.file))
    #expect(try await folder.ledger().number("SELECT count(*) FROM tap") == 2)
  }

  @Test func `a witness of another ledger is not mixed in`() async throws {
    let ledger = try await folder.furnishedLedger()
    for number in 0..<3 { try await tap(ledger, number) }
    await ledger.close()
    let other = try StateFolder()
    let another = try await other.furnishedLedger()
    _ = try await another.recordTap(Sample.tap(Sample.red, boot: "other"), decide: Sample.answering(.wrongWindow))
    await another.close()
    #expect(unsafe rename(other.file, folder.file) == 0)
    let swapped = folder.ledger()
    #expect(try await swapped.number("SELECT count(*) FROM tap") == 1)
    await swapped.close()
    #expect(try await folder.ledger().number("SELECT count(*) FROM tap") == 1)
    #expect(witnessed == [1])
  }

  enum Move: CaseIterable { case away, deleted, other, copy, folderGone }

  @Test(arguments: Move.allCases)
  func `a ledger whose file is moved, deleted or replaced while open loses nothing and takes the next tap`(move: Move)
    async throws
  {
    let ledger = try await folder.furnishedLedger()
    _ = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    try await ledger.backup(to: "\(folder.path)/copy")
    try await tap(ledger, 1)
    switch move {
    case .away: #expect(unsafe rename(folder.file, folder.file + ".away") == 0)
    case .deleted: for suffix in ["", "-wal", "-shm"] { #expect(unsafe unlink(folder.file + suffix) == 0) }
    case .other: try Data("other".utf8).write(to: URL(filePath: folder.file), options: .atomic)
    case .copy: #expect(unsafe rename("\(folder.path)/copy", folder.file) == 0)
    case .folderGone: try FileManager.default.removeItem(atPath: folder.path)
    }
    try await tap(ledger, 2)
    #expect(try await ledger.outcomes() == [.taken, .wrongWindow, .wrongWindow])
    await ledger.close()
    let again = folder.ledger()
    #expect(try await again.outcomes() == [.taken, .wrongWindow, .wrongWindow])
    #expect(try await again.export().household == Sample.household)
    #expect(try await again.view(at: Sample.now).log.recordsLost == [])
    if move == .other || move == .copy {
      #expect(FileSystem.size(of: folder.file + ".replaced") != nil)
    }
  }

  @Test func `a move is noticed by a look as well as by a tap`() async throws {
    let ledger = try await folder.furnishedLedger()
    #expect(unsafe rename(folder.file, folder.file + ".away") == 0)
    _ = try await ledger.view(at: Sample.now)
    #expect(FileSystem.size(of: folder.file) != nil)
  }
}
