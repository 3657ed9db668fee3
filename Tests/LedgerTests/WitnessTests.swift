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

  private func record(_ id: Int64) -> TapRecord {
    TapRecord(
      id: id, entry: Sample.tap(),
      decided: DecidedTap(verdict: TapVerdict(outcome: .unknownTag), message: "", sound: .failure))
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
    #expect(lines.map(\.kind) == ["tap", "tap", "tap", "undo"])
    let dose = WitnessLine.Dose(medication: "ann-levo", day: "2026-11-01", at: "08:00")
    #expect(lines[0] == WitnessLine(.tap(taken)))
    #expect(lines[0].doses == [dose])
    #expect(lines[0].uid == "04A1B2C3D4E5F6")
    #expect(lines[0].at == Sample.now.milliseconds)
    #expect(lines[0].boot == "boot-1")
    #expect(lines[1].uid == nil && lines[1].trusted == false)
    #expect(lines[2].resolves == unread.id)
    #expect(lines[3].doses == [dose])
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
    for id in 1...3 { witness.note(.tap(record(Int64(id)))) }
    witness.flush()
    #expect(said.withLock { $0.count } == 1)
    try FileManager.default.removeItem(atPath: path)
    for id in 4...5 { witness.note(.tap(record(Int64(id)))) }
    witness.flush()
    #expect(said.withLock { $0.count } == 2)
    #expect(try lines().map(\.id) == [4, 5])
  }

  @Test func `a torn line costs itself alone`() throws {
    let witness = Witness(directory: folder.path, log: .none)
    witness.note(.tap(record(1)))
    witness.flush()
    let handle = try FileHandle(forWritingTo: URL(filePath: "\(folder.path)/taps.jsonl"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(#"{"kind":"ta"#.utf8))
    try handle.close()
    witness.note(.tap(record(2)))
    witness.flush()
    #expect(try lines().map(\.id) == [1, 2])
  }

  @Test func `the file does not grow without end, and the newest lines are kept`() throws {
    let witness = Witness(directory: folder.path, log: .none, limit: 2000)
    for id in 1...100 { witness.note(.tap(record(Int64(id)))) }
    witness.flush()
    let ids = try lines("taps.1.jsonl").map(\.id) + (try lines()).map(\.id)
    #expect(ids.last == 100)
    #expect(ids.compactMap { $0 } == Array(Int64(101 - ids.count)...100))
    for name in ["taps.jsonl", "taps.1.jsonl"] {
      #expect((FileSystem.size(of: "\(folder.path)/\(name)") ?? 0) < 2500)
    }
    #expect(Witness.knowsTaps(in: folder.path))
  }
}
