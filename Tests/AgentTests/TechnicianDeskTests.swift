import Foundation
import Ledger
import Linux
import Reminders
import Synchronization
import TestSupport
import Testing
import Wall

@testable import Agent

/// Taps of a technician's test credit nothing, are heard and seen as a test, and the window always ends.
@Suite(.timeLimit(.minutes(1)))
struct TechnicianDeskTests {
  /// Notes what was played.
  final class Recorder: Speaker {
    let played = Mutex<[Chime]>([])
    func play(_ chime: Chime) { played.withLock { $0.append(chime) } }
    func reports() -> AsyncStream<SpeakerReport> { AsyncStream { $0.finish() } }
    func checkMixer() async {}
    func heartbeats() -> [String: Duration] { [:] }
  }

  /// Taps come when the test says so.
  final class FakeBench: TestBench {
    let taps = AsyncStream<TapSighting>.makeStream()
    let isOpen = Mutex(false)

    func figures() -> TapFigures { TapFigures(taps: 7, unreadable: 2, tooShort: 1, tagSince: .seconds(940)) }
    func testTaps(opened: @Sendable () async -> Void, each: @Sendable (TapSighting) async -> Void) async throws {
      isOpen.withLock { $0 = true }
      defer { isOpen.withLock { $0 = false } }
      await opened()
      for await tap in taps.stream { await each(tap) }
    }
    func playSound() async -> SoundTrialReport { SoundTrialReport(startedMilliseconds: 3, lastedMilliseconds: 600) }
  }

  final class LastSnapshot: Sendable {
    private let last = Mutex<Snapshot?>(nil)
    func set(_ snapshot: Snapshot) { last.withLock { $0 = snapshot } }
    var banners: [String] { last.withLock { $0?.banners.map(\.id) ?? [] } }
    var overlay: Snapshot.Overlay? { last.withLock { $0?.overlay } }
  }

  static let uid: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]

  /// A kiosk with one dose that can be taken all day, and the desk before it.
  private struct House {
    let ledger = Ledger(inMemory: .none)
    let time = ManualTime(now: Date(timeIntervalSince1970: 1_794_000_000))
    let speaker = Recorder()
    let bench = FakeBench()
    let wall = LastSnapshot()
    let kiosk: Kiosk
    let desk: TechnicianDesk

    init() async throws {
      kiosk = Kiosk(
        Kiosk.Parts(
          ledger: ledger, time: time, log: .none, speaker: speaker, agent: "t", run: "r", boot: "b", zone: { .gmt },
          keepZone: { _ in }, language: "en",
          clockFacts: { ClockFacts(synchronised: true, hasHardwareClock: true, timeServiceRuns: true) },
          publish: { [wall] in wall.set($0) }, report: { _, _ in }, configurationFellBack: false))
      desk = TechnicianDesk(
        kiosk: kiosk, bench: bench, time: time, version: "1", holder: ServerHolder(), beats: { ["http": .seconds(999)] }
      )
      let dose = Medication(
        id: "levo", person: "ann", name: "Levo",
        times: [DoseTime(at: LocalTime(hour: 12, minute: 0), opensBefore: 719, closesAfter: 719)])
      let update = RegistryUpdate(
        people: [Person(id: "ann", name: "Ann")], medications: [dose],
        tags: [Tag(uid: TagUID(TechnicianDeskTests.uid), label: nil, medications: ["levo"])])
      _ = try await ledger.importHousehold(update, at: time.now() - 90 * 86_400) { _ in [] }
      await kiosk.note(ReaderReport(state: .ready, since: time.uptime()))
      await kiosk.refresh()
    }

    func tap(_ content: TapSighting.Content, presence: UInt64, resolves: UInt64? = nil) -> TapSighting {
      TapSighting(
        content: content, presence: presence, presentAt: time.uptime(), readAt: time.uptime() + .milliseconds(40),
        resolves: resolves)
    }

    var taps: Int {
      get async throws { try await ledger.history(from: .distantPast, to: .distantFuture).count }
    }
  }

  private func object(_ line: String?) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data((line ?? "").utf8)) as? [String: Any])
  }

  @Test func `a tap in the window is read out, sounds as a failure, shows TEST and credits nothing`() async throws {
    let house = try await House()
    var lines = try #require(house.desk.tapTest(#"{"command":"tapTest","seconds":30}"#)).makeAsyncIterator()
    #expect(try object(await lines.next())["open"] as? Int == 30)
    #expect(house.wall.banners.contains("test"))
    house.bench.taps.continuation.yield(house.tap(.uid(Self.uid), presence: 1))
    let line = try #require(await lines.next())
    let reading = try object(line)
    #expect(reading["tag"] as? String == "…E5F6")
    #expect(reading["bytes"] as? Int == 7)
    #expect(reading["milliseconds"] as? Int == 40)
    #expect(reading["isKnown"] as? Bool == true)
    #expect(!line.contains("A1B2"))
    #expect(house.wall.overlay?.headline == "TEST")
    #expect(house.wall.overlay?.kind == "notRecorded")
    #expect(house.speaker.played.withLock { $0 } == [.failure])
    #expect(try await house.taps == 0)
  }

  @Test func `the window ends by its time, and the wall is as it was`() async throws {
    let house = try await House()
    var lines = try #require(house.desk.tapTest(#"{"command":"tapTest","seconds":30}"#)).makeAsyncIterator()
    _ = await lines.next()
    house.bench.taps.continuation.yield(house.tap(.uid(Self.uid), presence: 1))
    _ = await lines.next()
    // The line that it is open may come before its time runs.
    await house.time.waitForSleepers()
    house.time.advance(by: .seconds(30))
    #expect(await lines.next() == nil)
    #expect(!house.wall.banners.contains("test"))
    #expect(house.wall.overlay == nil)
    #expect(house.bench.isOpen.withLock { !$0 })
    // The same tag, tapped for real now.
    await house.kiosk.answer(house.tap(.uid(Self.uid), presence: 2))
    #expect(house.wall.overlay?.kind == "taken")
  }

  @Test func `the window ends when the asking end goes`() async throws {
    let house = try await House()
    let listening = Task {
      var lines = try #require(house.desk.tapTest(#"{"command":"tapTest"}"#)).makeAsyncIterator()
      _ = await lines.next()
      return await lines.next()
    }
    await house.time.waitForSleepers()
    listening.cancel()
    _ = try? await listening.value
    // Nobody tells when it has ended; the suite's time is over when it does not.
    while house.wall.banners.contains("test") || house.bench.isOpen.withLock({ $0 }) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func `a test tap that is read only after the window still credits nothing`() async throws {
    let house = try await House()
    var lines = try #require(house.desk.tapTest(#"{"command":"tapTest","seconds":5}"#)).makeAsyncIterator()
    _ = await lines.next()
    house.bench.taps.continuation.yield(house.tap(.unreadable("mute"), presence: 9))
    #expect(try object(await lines.next())["unreadable"] as? String == "mute")
    await house.time.waitForSleepers()
    house.time.advance(by: .seconds(5))
    #expect(await lines.next() == nil)
    await house.kiosk.answer(house.tap(.uid(Self.uid), presence: 9, resolves: 9))
    #expect(try await house.taps == 0)
  }

  @Test func `no window is longer than two minutes`() async throws {
    let house = try await House()
    var lines = try #require(house.desk.tapTest(#"{"command":"tapTest","seconds":100000}"#)).makeAsyncIterator()
    #expect(try object(await lines.next())["open"] as? Int == 120)
  }

  @Test func `status names how everything is, and another request is not the desk's`() async throws {
    let house = try await House()
    let status = try object(await house.desk.answer(#"{"command":"status"}"#))
    #expect(status["taps"] as? Int == 7)
    #expect(status["tooShort"] as? Int == 1)
    #expect(status["tagSeconds"] as? Int == 60)
    #expect(status["port"] is NSNull)
    #expect(status["reader"] as? String == "ready")
    #expect((status["beats"] as? [String: Int])?["http"] == 1000)
    #expect(try object(await house.desk.answer(#"{"command":"sound"}"#))["lastedMilliseconds"] as? Int == 600)
    #expect(await house.desk.answer(#"{"command":"import","household":"{}","folder":"/"}"#) == nil)
    #expect(await house.desk.answer("no JSON") == nil)
    #expect(house.desk.tapTest(#"{"command":"status"}"#) == nil)
  }
}
