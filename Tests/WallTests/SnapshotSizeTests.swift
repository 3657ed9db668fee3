internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct SnapshotSizeTests {
  /// Names that no household has.
  private static let names = [
    String(repeating: "x", count: 1000), String(repeating: "\"", count: 1000), String(repeating: "\\", count: 1000),
    String(repeating: "👩‍👩‍👧‍👦", count: 1000), String(repeating: "王", count: 1000), String(repeating: "\u{1}", count: 1000),
    "a" + String(repeating: "\u{301}", count: 100_000), "Ann",
  ]

  @Test(arguments: names, [("en", true), ("en", false), ("de", true), ("de", false)])
  func `a snapshot never weighs more than 16 KiB`(name: String, wall: (language: String, isTrusted: Bool)) throws {
    let (language, isTrusted) = wall
    var input = input(language: language)
    input.reader = .init(state: "absent", name: name, since: at(2, "7:00"), tagLying: true)
    input.late = Array(repeating: dose(at(1, "8:00"), person: name, name, dose: name), count: 200)
    input.ended = Array(
      repeating: .init(
        dose: dose(at(1, "8:00"), person: name, name, dose: name), closedAt: at(1, "9:00"), isMissed: false),
      count: 200)
    input.ledgerFails = true
    input.clockTrusted = isTrusted
    input.rail.doses = (0..<9).map { number in
      .init(personID: "\(number)\(name)", person: name, medication: name, dueAt: at(2, "8:00"), isLate: false)
    }
    input.rail.faults = (0..<9).map { number in
      .init(source: "\(number)\(name)", name: name, message: name, since: at(1, "8:00"))
    }
    input.speakerFault = "hdmi"
    input.configurationFellBack = true
    for outcome in TapFacts.Outcome.allCases {
      var facts = TapFacts(outcome: outcome, at: at(2, "8:00"))
      facts.person = name
      facts.credited = Array(repeating: .init(medication: name, dose: name, dueAt: at(1, "8:00")), count: 200)
      facts.refused = Array(repeating: .init(medication: name, reason: .tooSoon, at: at(3, "8:00")), count: 200)
      facts.missed = facts.credited
      facts.nextFrom = at(3, "8:00")
      facts.uid = name
      facts.cause = name
      facts.unreadable = name
      let texts = TapTextWriter(language: language, zone: losAngeles).texts(facts)
      input.overlay = .init(kind: outcome, texts: texts, until: at(2, "8:09"))
      let snapshot = input.snapshot(v: .max)
      #expect(snapshot.json.utf8.count <= 16_384, "\(outcome)")
      #expect(snapshot.late.count >= 4, "the wall shows four")
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(snapshot.json.utf8)) }
    }
  }

  @Test func `rows that do not fit are counted`() {
    var input = input()
    input.late = Array(repeating: dose(at(2, "8:00")), count: 200)
    input.ended = Array(repeating: .init(dose: dose(at(1, "8:00")), closedAt: at(1, "12:00"), isMissed: true), count: 3)
    let snapshot = input.snapshot(v: 1)
    let hidden = 203 - snapshot.late.count - snapshot.missed.count
    #expect(hidden > 0)
    #expect(snapshot.banners == [.init(id: "rows", text: "\(hidden) more late or missed doses are not shown here")])
  }

  @Test func `a family's rows all fit`() {
    var input = input()
    input.late = Array(repeating: dose(at(2, "8:00"), person: "Christopher"), count: 12)
    input.ended = Array(repeating: .init(dose: dose(at(1, "8:00")), closedAt: at(1, "12:00"), isMissed: true), count: 8)
    let snapshot = input.snapshot(v: 1)
    #expect(snapshot.late.count == 12 && snapshot.missed.count == 8 && snapshot.banners.isEmpty)
  }
}
