import Foundation
import Ledger
import Reminders
import Synchronization
import TestSupport
import Testing
import Wall

@testable import Agent

/// What a person hears and sees after a tap (DESIGN 5.2), with time in the test's hand.
@Suite(.timeLimit(.minutes(2))) struct KioskTapTests {
  /// How an outcome is brought about, and what follows.
  struct Answer: Sendable, CustomTestStringConvertible {
    var outcome: TapOutcome
    var chime: Chime?
    /// Seconds that the overlay stays.
    var stay: Double

    var testDescription: String { outcome.rawValue }
  }

  static let answers: [Answer] = [
    Answer(outcome: .taken, chime: .success, stay: 6), Answer(outcome: .alreadyTaken, chime: .failure, stay: 6),
    Answer(outcome: .unreadable, chime: .failure, stay: 6), Answer(outcome: .wrongWindow, chime: .failure, stay: 8),
    Answer(outcome: .unknownTag, chime: .failure, stay: 8), Answer(outcome: .pendingTime, chime: .success, stay: 8),
    Answer(outcome: .notRecorded, chime: .failure, stay: 60),
  ]

  private func cause(_ outcome: TapOutcome) async throws -> (bench: KioskBench, holder: LedgerHolder?) {
    let folder = LedgerHolder()
    let bench = try await KioskBench(
      facts: outcome == .pendingTime ? KioskBench.noClock : KioskBench.goodClock, directory: folder.path)
    switch outcome {
    case .taken, .pendingTime: await bench.tap(KioskBench.ann)
    case .alreadyTaken:
      await bench.tap(KioskBench.ann)
      await bench.pass(10)
      await bench.tap(KioskBench.ann)
    case .wrongWindow: await bench.tap(KioskBench.bob)
    case .unknownTag: await bench.tap(KioskBench.stranger)
    case .unreadable: await bench.kiosk.answer(Self.unreadable(bench, presence: 77))
    case .notRecorded:
      try folder.hold()
      await bench.tap(KioskBench.ann)
    case .ignored: break
    }
    return (bench, folder)
  }

  private static func unreadable(_ bench: KioskBench, presence: UInt64) -> TapSighting {
    TapSighting(
      content: .unreadable("mute"), presence: presence, presentAt: bench.time.uptime(), readAt: bench.time.uptime())
  }

  @Test func `every outcome but a bounce has its answer here`() {
    #expect(Set(Self.answers.map(\.outcome)) == Set(TapOutcome.allCases).subtracting([.ignored]))
  }

  @Test(arguments: answers)
  func `every outcome sounds once and stays on the wall for its time, to the millisecond`(answer: Answer) async throws {
    let (bench, holder) = try await cause(answer.outcome)
    #expect(bench.speaker.chimes.last == answer.chime)
    #expect(bench.speaker.chimes.count == (answer.outcome == .alreadyTaken ? 2 : 1))
    #expect(bench.overlay == answer.outcome.rawValue)
    await bench.pass(answer.stay - 0.001)
    #expect(bench.overlay == answer.outcome.rawValue, "still there just before its time")
    await bench.pass(0.001)
    #expect(bench.overlay == nil, "and gone at it")
    holder?.letGo()
    let stored = try await bench.outcomes()
    #expect(stored.last == (answer.outcome == .notRecorded ? nil : answer.outcome.rawValue))
    #expect(bench.speaker.chimes.count == (answer.outcome == .alreadyTaken ? 2 : 1), "and never sounds again")
  }

  @Test func `the kiosk sleeps no longer than its overlay stays`() async throws {
    let bench = try await KioskBench()
    await bench.tap(KioskBench.ann)
    #expect(await bench.nextLook() <= bench.time.uptime() + .seconds(6))
  }

  @Test func `a thank-you is on the wall only when the dose is on disk, and the late dose leaves with it`() async throws
  {
    let bench = try await KioskBench(now: KioskBench.start + 600)
    #expect(bench.snapshot?.late.map(\.medication) == ["Levo"])
    await bench.tap(KioskBench.ann)
    #expect(try await bench.outcomes() == ["taken"])
    #expect(bench.snapshot?.late == [])
    #expect(bench.overlay == "taken")
  }

  @Test func `a bounce sounds nothing, stores nothing, and keeps or brings back the answer it belongs to`() async throws
  {
    let bench = try await KioskBench()
    await bench.tap(KioskBench.ann)
    await bench.pass(2)
    await bench.tap(KioskBench.ann)
    #expect(try await bench.outcomes() == ["taken"])
    #expect(bench.speaker.chimes == [.success])
    await bench.pass(5.9)
    #expect(bench.overlay == "taken", "the bounce began its time anew")
    await bench.pass(0.2)
    #expect(bench.overlay == nil)
  }

  /// The next dose is open by then. It must be tapped for, and the person must know.
  @Test func `a tag that lay on the reader since yesterday is not thanked again when it is lifted and tapped`()
    async throws
  {
    let bench = try await KioskBench()
    await bench.tap(KioskBench.ann)
    await bench.pass(86_400)
    let lifted = bench.time.uptime() - .seconds(2)
    await bench.kiosk.answer(bench.sighting(KioskBench.ann, lastSeen: lifted))
    #expect(bench.overlay == "ignored" && bench.snapshot?.overlay?.style == "warn")
    #expect(bench.snapshot?.overlay?.headline == "Please tap once more")
    #expect(try await bench.outcomes() == ["taken"], "nothing is credited without a tap")
    await bench.pass(4)
    await bench.tap(KioskBench.ann)
    #expect(try await bench.outcomes() == ["taken", "taken"])
  }

  @Test func `the next tap replaces the overlay, and a bounce of the first brings only its own back`() async throws {
    let bench = try await KioskBench()
    await bench.tap(KioskBench.ann)
    await bench.pass(1)
    await bench.tap(KioskBench.stranger)
    #expect(bench.overlay == "unknownTag")
    await bench.pass(1)
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "taken")
    #expect(bench.speaker.chimes == [.success, .failure])
    #expect(try await bench.outcomes() == ["taken", "unknownTag"])
  }

  @Test func `three seconds after it was last seen a tag is a new tap, and credits nothing twice`() async throws {
    let bench = try await KioskBench()
    await bench.tap(KioskBench.ann)
    await bench.pass(3.001)
    await bench.tap(KioskBench.ann)
    #expect(try await bench.outcomes() == ["taken", "alreadyTaken"])
  }

  @Test func `a failure never replaces the success of the same tap`() async throws {
    let bench = try await KioskBench()
    let tap = bench.sighting(KioskBench.ann)
    await bench.kiosk.answer(tap)
    await bench.kiosk.answer(Self.unreadable(bench, presence: tap.presence))
    #expect(bench.overlay == "taken")
    await bench.pass(6)
    await bench.kiosk.answer(Self.unreadable(bench, presence: tap.presence))
    #expect(bench.overlay == nil, "nor does it come after it")
  }

  @Test func `a tag that is read at last answers the same tap, at the instant of the good read`() async throws {
    let bench = try await KioskBench()
    let presentAt = bench.time.uptime()
    await bench.kiosk.answer(Self.unreadable(bench, presence: 9))
    #expect(bench.overlay == "unreadable")
    await bench.pass(4)
    let read = TapSighting(
      content: .uid(KioskBench.ann), presence: 9, presentAt: presentAt, readAt: bench.time.uptime(), resolves: 9)
    await bench.kiosk.answer(read)
    #expect(bench.overlay == "taken")
    let items = try await bench.ledger.history(from: .distantPast, to: .distantFuture)
    #expect(items.map(\.at) == [KioskBench.start, KioskBench.start + 4])
    #expect(try await bench.taps().map(\.resolves) == [nil, KioskBench.start])
  }

  @Test func `not recorded stays until the next tap`() async throws {
    let (bench, holder) = try await cause(.notRecorded)
    await bench.pass(50)
    #expect(bench.overlay == "notRecorded")
    holder?.letGo()
    await bench.tap(KioskBench.ann)
    #expect(bench.overlay == "taken", "nothing of the failed tap suppresses it")
    #expect(try await bench.outcomes() == ["taken"])
  }

  /// A source that has some taps at once and then none.
  final class Source: TapSource {
    private let sightings: [TapSighting]

    init(_ sightings: [TapSighting]) { self.sightings = sightings }

    func run() async throws {}
    func taps() -> AsyncStream<TapSighting> {
      AsyncStream { continuation in
        for sighting in sightings { continuation.yield(sighting) }
      }
    }
    func reports() -> AsyncStream<ReaderReport> { AsyncStream { $0.finish() } }
    func fault() -> TapSourceFault? { nil }
    func heartbeats() -> [String: Duration] { [:] }
  }

  @Test func `taps are answered in the order in which they came, whatever else the kiosk does`() async throws {
    let bench = try await KioskBench()
    let uids = (0..<40).map { [UInt8](repeating: UInt8($0), count: 7) }
    let source = Source(uids.map { bench.sighting($0) })
    let answering = Task { try await bench.kiosk.answerTaps(from: source) }
    for _ in 0..<20 { await bench.kiosk.refresh() }
    while try await bench.taps().count < uids.count, !Task.isCancelled { await Task.yield() }
    answering.cancel()
    _ = await answering.result
    #expect(try await bench.taps().compactMap(\.uid?.bytes) == uids)
    let versions = bench.snapshots.map(\.v)
    #expect(versions == versions.sorted() && Set(versions).count == versions.count, "every snapshot is newer")
  }

  @Test func `a loop that sleeps till the next minute looks again when the answer of a tap is over`() async throws {
    let bench = try await KioskBench()
    let running = Task { [kiosk = bench.kiosk] in try await kiosk.run() }
    defer { running.cancel() }
    await bench.time.waitForSleepers()
    await bench.tap(KioskBench.ann)
    let end = bench.time.uptime() + .seconds(6)
    while bench.time.nextDeadline != end, !Task.isCancelled { await Task.yield() }
    bench.time.advance(by: .seconds(6))
    while bench.overlay != nil, !Task.isCancelled { await Task.yield() }
  }

  @Test func `every bounce tells the page how long the answer stays now`() async throws {
    let bench = try await KioskBench()
    await bench.tap(KioskBench.ann)
    var ends = [bench.snapshot?.overlay?.until]
    for _ in 0..<3 {
      bench.time.advance(by: .milliseconds(2900))
      await bench.tap(KioskBench.ann)
      ends.append(bench.snapshot?.overlay?.until)
    }
    #expect(Set(ends).count == 4, "\(ends)")
    #expect(try await bench.outcomes() == ["taken"])
  }

  @Test(arguments: [(0, true), (500, true), (501, false), (3000, false)])
  func `a tag that flickers while it is lifted takes no thank-you away`(milliseconds: Int, isTrailing: Bool)
    async throws
  {
    let bench = try await KioskBench()
    await bench.tap(KioskBench.ann)
    bench.time.advance(by: .seconds(1))
    let lift = bench.time.uptime()
    bench.time.advance(by: .milliseconds(milliseconds))
    await bench.kiosk.answer(
      TapSighting(
        content: .unreadable("tooShort"), presence: 99, presentAt: bench.time.uptime(), readAt: bench.time.uptime(),
        lastLift: lift))
    #expect(bench.overlay == (isTrailing ? "taken" : "unreadable"))
    #expect(bench.speaker.chimes == (isTrailing ? [.success] : [.success, .failure]))
    #expect(try await bench.outcomes() == (isTrailing ? ["taken"] : ["taken", "unreadable"]))
  }

  @Test(arguments: [true, false])
  func `a tap after the window says missed of what could be recorded, and nothing worse of what could not`(
    couldRecord: Bool
  ) async throws {
    let bench = try await KioskBench()
    if !couldRecord { await bench.kiosk.note(ReaderReport(state: .absent, since: bench.time.uptime())) }
    await bench.kiosk.refresh()
    await bench.pass(5 * 3600)
    await bench.kiosk.note(ReaderReport(state: .ready, since: bench.time.uptime()))
    await bench.tap(KioskBench.ann)
    let detail = bench.snapshot?.overlay?.detail ?? ""
    #expect(
      detail.contains(couldRecord ? "missed: Levo 8:00" : "Levo 8:00 not recorded: the wall was off"), "\(detail)")
    #expect(detail.contains("missed") == couldRecord)
  }

  @Test func `taps that the disk keeps waiting are told as not recorded in time, and told again when they are`()
    async throws
  {
    let holder = LedgerHolder()
    let bench = try await KioskBench(directory: holder.path, busyTimeout: 60_000)
    try holder.hold()
    let source = Source([bench.sighting(KioskBench.ann), bench.sighting(KioskBench.stranger)])
    let answering = Task { try await bench.kiosk.answerTaps(from: source) }
    await bench.time.waitForSleepers(2)
    #expect(bench.overlay == nil && bench.speaker.chimes == [])
    bench.time.advance(by: Kiosk.patience)
    while bench.speaker.chimes.count < 2, !Task.isCancelled { await Task.yield() }
    #expect(bench.overlay == "notRecorded" && bench.speaker.chimes == [.failure, .failure])
    holder.letGo()
    while try await bench.outcomes().count < 2, !Task.isCancelled { await Task.yield() }
    while bench.speaker.chimes.count < 4, !Task.isCancelled { await Task.yield() }
    let shown = bench.snapshots.compactMap { $0.overlay?.kind }
    #expect(shown.contains("taken"), "the thank-you is true now")
    #expect(try await bench.outcomes() == ["taken", "unknownTag"])
    answering.cancel()
    _ = await answering.result
  }

  @Test func `a ledger that is gone right after a thank-you does not make the dose late again`() async throws {
    let holder = LedgerHolder()
    let bench = try await KioskBench(now: KioskBench.start + 600, directory: holder.path)
    #expect(bench.snapshot?.late.map(\.medication) == ["Levo"])
    bench.speaker.whenPlayed {
      try? FileManager.default.moveItem(atPath: holder.path, toPath: holder.path + ".gone")
      try? Data().write(to: URL(filePath: holder.path))
    }
    await bench.tap(KioskBench.ann)
    await bench.pass(60)
    #expect(bench.banners == ["ledger"] && bench.snapshot?.late == [])
    try FileManager.default.removeItem(atPath: holder.path)
    try FileManager.default.moveItem(atPath: holder.path + ".gone", toPath: holder.path)
    await bench.pass(60)
    #expect(bench.banners == [] && bench.snapshot?.late == [])
    #expect(try await bench.outcomes() == ["taken"])
  }

  @Test(arguments: [true, false])
  func `a disk that hangs after an answer takes it back from nobody`(isRead: Bool) async throws {
    let holder = LedgerHolder()
    let bench = try await KioskBench(directory: holder.path, busyTimeout: 60_000)
    bench.speaker.whenPlayed { try? holder.hold() }
    var tap = bench.sighting(KioskBench.ann)
    if !isRead { tap.content = .unreadable("mute") }
    let source = Source([tap])
    let answering = Task { try await bench.kiosk.answerTaps(from: source) }
    while bench.speaker.chimes.isEmpty, !Task.isCancelled { await Task.yield() }
    bench.time.advance(by: Kiosk.patience)
    for _ in 0..<1000 { await Task.yield() }
    holder.letGo()
    answering.cancel()
    _ = await answering.result
    #expect(bench.speaker.chimes == [isRead ? .success : .failure])
    #expect(!bench.snapshots.contains { $0.overlay?.kind == "notRecorded" })
  }
}
