import Foundation
import Testing

@testable import Wall

struct SnapshotTests {
  private let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

  private func input(trusted: Bool = true) throws -> WallInput {
    WallInput(
      agent: "1", boot: "b", now: try Date("2026-11-02T16:07:30Z", strategy: .iso8601), zone: zone, language: "en",
      clockTrusted: trusted, reader: .init(state: "ready", name: "ACS"))
  }

  @Test func `every key of the contract is there, with nothing to show too`() throws {
    let data = Data(try input().snapshot(v: 1).json.utf8)
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    for key in [
      "schema", "agent", "boot", "v", "now", "timeZone", "clock", "reader", "overlay", "late", "missed", "banners",
      "rail",
      "arrivals", "period", "agenda", "sources", "mode",
    ] {
      #expect(object[key] != nil, "\(key)")
    }
    #expect(object["now"] as? String == "2026-11-02T08:07:30-08:00")
  }

  @Test func `a late dose says when it was due and how late it is`() throws {
    var input = try input()
    input.late = [.init(person: "Ann", medication: "Levo", dose: "1 tablet", dueAt: input.now - 450)]
    let row = try #require(input.snapshot(v: 1).late.first)
    #expect(row.minutesLate == 7)
    #expect(row.text.contains("8:00") && row.text.contains("7 min late"))
  }

  @Test func `while the clock is wrong no time is shown`() throws {
    let snapshot = try input(trusted: false).snapshot(v: 1)
    #expect(snapshot.clock.text == "--:--")
    #expect(snapshot.banners.contains { $0.id == "clock" })
  }

  @Test func `an absurd household stays below 16 KiB`() throws {
    var input = try input()
    let name = String(repeating: "ö", count: 1000)
    input.late = (0..<200).map { .init(person: name, medication: name, dose: name, dueAt: input.now - Double($0)) }
    input.ended = input.late.map { .init(dose: $0, closedAt: input.now, isMissed: true) }
    #expect(input.snapshot(v: 1).json.utf8.count <= 16 << 10)
  }

  @Test(arguments: TapFacts.Outcome.allCases.filter { $0 != .ignored }, ["en", "de"])
  func `every outcome has its words in every language`(outcome: TapFacts.Outcome, language: String) throws {
    var facts = TapFacts(outcome: outcome, at: try input().now)
    facts.person = "Ann"
    facts.unreadable = "mute"
    facts.uid = "04A1B2C3D4E5F6"
    let texts = TapTextWriter(language: language, zone: zone).texts(facts)
    #expect(!texts.headline.isEmpty)
    #expect((outcome.sound == "success") == (texts.style == .good))
  }

  @Test func `a failure never replaces the thank-you of the same tap, and a bounce brings the answer back`() {
    let thanks = TapTexts(headline: "Thank you", detail: "", style: .good)
    let failure = TapTexts(headline: "Not read", detail: "", style: .bad)
    var overlay = OverlayState()
    overlay.show(.taken, thanks, presence: 1, tag: [4, 1], at: .seconds(0))
    overlay.show(.unreadable, failure, presence: 1, tag: [], at: .seconds(1))
    #expect(overlay.shown?.kind == .taken)
    overlay.expire(at: .seconds(60))
    #expect(overlay.shown == nil)
    overlay.bounced([4, 1], at: .seconds(61))
    #expect(overlay.shown?.kind == .taken)
  }
}
