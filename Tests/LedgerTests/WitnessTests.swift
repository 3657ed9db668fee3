import Foundation
import Glibc
import Ledger
import Linux
import Reminders
import Synchronization
import Testing

@testable import Ledger

struct WitnessTests {
  let folder: StateFolder

  init() throws { folder = try StateFolder() }

  private func lines(_ name: String = "taps.jsonl") throws -> [WitnessLine] {
    try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8).split(separator: "\n").compactMap {
      try? JSONDecoder().decode(WitnessLine.self, from: Data($0.utf8))
    }
  }

  private func line(_ id: Int) -> WitnessLine {
    WitnessLine(
      tap: .init(
        id: Int64(id), at: Sample.now.milliseconds, recordedAt: Sample.now.milliseconds,
        placedAt: Sample.now.milliseconds, zoneOffset: 0, uptime: Int64(id), boot: "boot-1", trusted: true,
        uid: Sample.blue.hex, outcome: "unknownTag", message: "", sound: "failure", credited: [], refused: []))
  }

  @Test func `each acknowledged tap has a line from which it could be recorded again`() async throws {
    let ledger = try await folder.furnishedLedger()
    let taken = try await ledger.recordTap(Sample.tap(), decide: Sample.taking(Sample.dose()))
    let unread = try await ledger.recordTap(
      Sample.tap(nil, trusted: false, unreadable: "mute"), decide: Sample.answering(.unreadable))
    _ = try await ledger.recordTap(Sample.tap(resolves: unread.id), decide: Sample.answering(.wrongWindow))
    #expect(try await ledger.undo(Sample.dose().key, at: Sample.now + 60))
    await ledger.close()
    let lines = try lines()
    #expect(lines.map { $0.tap?.id } == [1, 2, 3, nil])
    let first = try #require(lines[0].tap)
    let dose = Sample.dose()
    #expect(
      first.credited == [
        .init(
          key: .init(dose.key), due: dose.dueAt.milliseconds, opens: dose.opensAt.milliseconds,
          closes: dose.closesAt.milliseconds, late: dose.lateAt?.milliseconds, spacing: 6 * 3_600_000)
      ])
    #expect(first.id == taken.id && first.uid == "04A1B2C3D4E5F6" && first.person == "ann")
    #expect(first.at == Sample.now.milliseconds && first.boot == "boot-1" && first.outcome == "taken")
    #expect(lines[1].tap?.uid == nil && lines[1].tap?.trusted == false && lines[1].tap?.unreadable == "mute")
    #expect(lines[2].tap?.resolves == unread.id)
    #expect(lines[3].undo?.dose.occurrence == dose.key)
  }

  @Test func `a tap that was not stored has no line`() async throws {
    let ledger = try await folder.furnishedLedger()
    _ = try await kind { _ = try await ledger.recordTap(Sample.tap(), decide: Sample.answering(.ignored)) }
    await ledger.close()
    #expect(folder.names == ["ledger.sqlite"])
  }

  @Test func `a witness that cannot be written is said once, holds up no tap, and goes on when it can`() async throws {
    let said = Mutex<[String]>([])
    let log = Log { _, line in said.withLock { $0.append(line) } }
    let path = "\(folder.path)/taps.jsonl"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let witness = Witness(directory: folder.path, log: log)
    for id in 1...3 { witness.note([line(id)]) }
    witness.flush()
    #expect(said.withLock { $0.count } == 1)
    try FileManager.default.removeItem(atPath: path)
    #expect(witness.lastNoted == 0)
    for id in 4...5 { witness.note([line(id)]) }
    witness.flush()
    #expect(said.withLock { $0.count } == 2)
    #expect(try lines().map { $0.tap?.id } == [4, 5])
  }

  @Test func `a torn line costs itself alone`() throws {
    let witness = Witness(directory: folder.path, log: .none)
    witness.note([line(1)])
    witness.flush()
    let handle = try FileHandle(forWritingTo: URL(filePath: "\(folder.path)/taps.jsonl"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(#"{"kind":"ta"#.utf8))
    try handle.close()
    witness.note([line(2)])
    witness.flush()
    #expect(try lines().map { $0.tap?.id } == [1, 2])
  }

  @Test func `the file does not grow without end, and the newest lines are kept`() throws {
    let witness = Witness(directory: folder.path, log: .none, limit: 2000)
    for id in 1...100 { witness.note([line(id)]) }
    witness.flush()
    let ids = try (lines("taps.1.jsonl") + lines()).map { $0.tap?.id }
    #expect(ids.last == 100)
    #expect(ids.compactMap { $0 } == Array(Int64(101 - ids.count)...100))
    for name in ["taps.jsonl", "taps.1.jsonl"] {
      #expect((FileSystem.size(of: "\(folder.path)/\(name)") ?? 0) < 2500)
    }
    #expect(Witness.knowsTaps(in: folder.path))
  }
}
