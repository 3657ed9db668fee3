import Foundation
import HTTP
import Ledger
import TestSupport
import Testing
import Wall

@testable import Agent

/// What the wall and `/healthz` say when a part is missing.
@Suite(.timeLimit(.minutes(2))) struct KioskHealthTests {
  @Test func `a ledger that cannot be written is said before anyone taps, and until it can again`() async throws {
    let holder = LedgerHolder()
    let bench = try await KioskBench(directory: holder.path)
    #expect(bench.health?.ledger == nil && bench.banners == [])
    try holder.hold()
    await bench.pass(60)
    #expect(bench.banners == ["ledger"])
    #expect(bench.health?.ledger?.contains("another program holds the ledger") == true)
    #expect(await bench.nextLook() <= bench.time.uptime() + .seconds(5), "and is asked again soon")
    holder.letGo()
    await bench.pass(5)
    #expect(bench.banners == [] && bench.health?.ledger == nil)
  }

  @Test(
    arguments: [
      (ReaderReport.State.absent, "reader"), (.unavailable, "reader"), (.noService, "reader"), (.starting, nil),
    ] as [(ReaderReport.State, String?)]) func `a reader that takes no taps is said`(
      state: ReaderReport.State, banner: String?
    ) async throws
  {
    let bench = try await KioskBench()
    await bench.kiosk.note(ReaderReport(state: state, name: "ACR122U", since: bench.time.uptime()))
    await bench.kiosk.refresh()
    #expect(bench.banners == (banner.map { [$0] } ?? []))
    #expect(bench.health?.readerState == state.rawValue)
    await bench.kiosk.note(ReaderReport(state: .ready, name: "ACR122U", since: bench.time.uptime()))
    await bench.kiosk.refresh()
    #expect(bench.banners == [] && bench.health?.readerState == "ready")
  }

  @Test func `a fault stands until it is none any more, whatever the readers report`() async throws {
    let bench = try await KioskBench()
    await bench.kiosk.note(ReaderReport(state: .absent, since: bench.time.uptime()))
    await bench.kiosk.note(fault: "gone")
    #expect(bench.health?.readerFault == "gone")
    #expect(bench.snapshot?.banners.map(\.text) == ["The reader has gone: taps cannot be recorded"])
    await bench.kiosk.note(ReaderReport(state: .ready, since: bench.time.uptime()))
    await bench.kiosk.refresh()
    #expect(bench.health?.readerFault == "gone" && bench.banners == ["reader"], "pcscd says so of one that hangs")
    await bench.kiosk.note(fault: nil)
    #expect(bench.health?.readerFault == nil && bench.banners == [])
  }

  @Test func `a tag that lies there and a speaker that cannot play are said`() async throws {
    let bench = try await KioskBench()
    await bench.kiosk.note(ReaderReport(state: .ready, tagLying: true, since: bench.time.uptime()))
    await bench.kiosk.note(SpeakerReport(state: "muted", canPlay: true, sentence: "the mixer is muted: raise it"))
    await bench.kiosk.refresh()
    #expect(bench.banners == ["tag", "sound"])
    #expect(bench.health?.soundState == "muted" && bench.health?.soundSentence == "the mixer is muted: raise it")
    await bench.kiosk.note(SpeakerReport(state: "ok", canPlay: true, sentence: nil))
    await bench.kiosk.note(ReaderReport(state: .ready, since: bench.time.uptime()))
    await bench.kiosk.refresh()
    #expect(bench.banners == [])
  }

  @Test(arguments: [true, false])
  func `a dose that nobody tapped is missed when the wall could record, else unknown`(couldRecord: Bool) async throws {
    let bench = try await KioskBench()
    await bench.pass(3 * 3600)
    if !couldRecord {
      await bench.kiosk.note(ReaderReport(state: .absent, since: bench.time.uptime()))
      await bench.pass(600)
      await bench.kiosk.note(ReaderReport(state: .ready, since: bench.time.uptime()))
      await bench.pass(60)
    }
    await bench.pass(3600)
    #expect(bench.snapshot?.missed.map(\.state) == [couldRecord ? "missed" : "unknown"])
    #expect(bench.snapshot?.late == [])
  }

  @Test(
    arguments: [
      ("ready", nil, 200), ("ready", "the disk is full", 503), ("absent", nil, 503), ("starting", nil, 503),
      ("noService", nil, 503), ("unavailable", nil, 503),
    ] as [(String, String?, Int)])
  func `healthz is 503 only when a dose could not be recorded now`(reader: String, ledger: String?, status: Int) throws
  {
    let endpoints = WallEndpoints(
      page: Page(language: "en", viewingDistance: 2.5, panelInches: 32), time: ManualTime()
    ) { 3 }
    var health = WallEndpoints.Health()
    health.readerState = reader
    health.ledger = ledger
    health.soundState = "noDevice"
    health.clockTrusted = false
    endpoints.set(health)
    let response = endpoints.answer(Request(method: "GET", path: "/healthz"))
    #expect(response.status == status)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    #expect(Set(report.keys).isSuperset(of: ["reader", "ledger", "sound", "clock", "sources", "displays"]))
    #expect((report["displays"] as? [String: Any])?["streams"] as? Int == 3)
    #expect((report["ledger"] as? [String: Any])?["writable"] as? Bool == (ledger == nil))
  }

  @Test func `a ledger that cannot be written silences no reminder`() async throws {
    let holder = LedgerHolder()
    let bench = try await KioskBench(directory: holder.path)
    try holder.hold()
    // Bob's dose opens at 18:00 and is due at 20:00; neither can be written.
    await bench.pass(12 * 3600 + 60)
    #expect(bench.banners == ["ledger"])
    #expect(bench.snapshot?.late.map(\.medication) == ["Drops"])
    holder.letGo()
    await bench.pass(60)
    #expect(bench.banners == [])
    #expect(bench.snapshot?.late.map(\.medication) == ["Drops"])
  }

  @Test func `a reader that hangs is not called ready, and what was not tapped meanwhile is unknown`() async throws {
    let bench = try await KioskBench()
    await bench.kiosk.note(fault: "hung")
    #expect(bench.snapshot?.reader.state == "unavailable")
    #expect(bench.health?.readerState == "unavailable")
    await bench.pass(5 * 3600)
    #expect(bench.snapshot?.missed.map(\.state) == ["unknown"])
    await bench.kiosk.note(fault: nil)
    #expect(bench.snapshot?.reader.state == "ready")
  }
}
