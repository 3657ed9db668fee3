internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct SnapshotTests {
  private static func object(_ snapshot: Snapshot) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(snapshot.json.utf8)) as? [String: Any])
  }

  private static func keys(_ object: Any?) -> Set<String> { Set((object as? [String: Any] ?? [:]).keys) }

  private static func full() -> WallInput {
    var input = input()
    input.late = [dose(at(2, "8:00"))]
    input.ended = [.init(dose: dose(at(1, "20:00"), dose: nil), closedAt: at(2, "0:00"), isMissed: true)]
    let texts = TapTexts(headline: "H", detail: "D", style: .warn)
    input.overlay = .init(kind: .alreadyTaken, texts: texts, until: at(2, "8:08") + 6)
    input.ledgerFails = true
    return input
  }

  @Test func `every key of the contract is there on an empty wall`() throws {
    let wall = try Self.object(input().snapshot(v: 1))
    let contract: Set = [
      "schema", "agent", "boot", "v", "now", "timeZone", "clock", "reader", "overlay", "late", "missed", "banners",
      "rail",
      "arrivals", "period", "agenda", "sources", "mode",
    ]
    #expect(contract.subtracting(wall.keys) == [])
    #expect(wall["overlay"] is NSNull && wall["period"] is NSNull)
    for list in ["late", "missed", "banners", "arrivals", "agenda", "sources"] {
      #expect((wall[list] as? [Any])?.isEmpty == true, "\(list)")
    }
    #expect(Self.keys(wall["clock"]).isSuperset(of: ["trusted", "text"]))
    #expect(Self.keys(wall["reader"]) == ["state", "name", "since", "message"])
    #expect(Self.keys(wall["rail"]) == ["cards", "more"])
    #expect(wall["schema"] as? Int == 1)
  }

  @Test func `every key of the contract is there on a full wall`() throws {
    let wall = try Self.object(Self.full().snapshot(v: 7))
    #expect(Self.keys(wall["overlay"]) == ["kind", "headline", "detail", "style", "until"])
    #expect(
      Self.keys((wall["late"] as? [Any])?.first) == ["person", "medication", "dose", "dueAt", "minutesLate", "text"])
    #expect(
      Self.keys((wall["missed"] as? [Any])?.first)
        == ["person", "medication", "dose", "dueAt", "closedAt", "state", "text"])
    #expect(Self.keys((wall["banners"] as? [Any])?.first) == ["id", "text"])
  }

  @Test func `an unknown reader has its keys as null`() throws {
    var input = input()
    input.reader = .init(state: "unknown")
    let reader = try #require(try Self.object(input.snapshot(v: 1))["reader"] as? [String: Any])
    #expect(reader["name"] is NSNull && reader["since"] is NSNull)
    #expect(try #require(Self.object(input.snapshot(v: 1))["banners"] as? [Any]).isEmpty)
  }

  @Test func `instants are the zone's and whole`() throws {
    var input = Self.full()
    input.now += 0.9
    let snapshot = input.snapshot(v: 3)
    #expect(snapshot.now == "2026-11-02T08:08:00-08:00")
    #expect(snapshot.timeZone == "America/Los_Angeles")
    #expect(snapshot.overlay?.until == "2026-11-02T08:08:06-08:00")
    #expect(snapshot.late.first?.dueAt == "2026-11-02T08:00:00-08:00")
    #expect(snapshot.missed.first?.closedAt == "2026-11-02T00:00:00-08:00")
    #expect(snapshot.clock == .init(trusted: true, text: "8:08", dateText: "Monday, 2 November"))
  }

  @Test(arguments: [
    ("en", at(2, "8:00"), at(2, "8:00"), 0, "due 8:00 · 0 min late"),
    ("en", at(2, "8:00"), at(2, "8:08") + 59, 8, "due 8:00 · 8 min late"),
    ("en", at(7, "22:00"), at(8, "0:30"), 150, "due Sat 22:00 · 2 h 30 min late"),
    ("de", at(7, "22:00"), at(8, "0:30"), 150, "fällig Sa 22:00 · 2 Std. 30 Min. überfällig"),
    // Its rule lets it be late before it is due to be counted: never a negative number.
    ("en", at(2, "8:09"), at(2, "8:08"), 0, "due 8:09 · 0 min late"),
  ])
  func `a late dose says when it was due and how long ago`(
    language: String, due: Date, now: Date, minutes: Int, text: String
  ) {
    var input = input(now: now, language: language)
    input.late = [dose(due)]
    let row = input.snapshot(v: 1).late.first
    #expect(row?.minutesLate == minutes)
    #expect(row?.text == text)
  }

  @Test(arguments: [
    ("en", true, "missed", "missed yesterday 8:00"),
    ("en", false, "unknown", "yesterday 8:00 not recorded: the wall was off"),
    ("de", true, "missed", "versäumt gestern 8:00"),
    ("de", false, "unknown", "gestern 8:00 nicht erfasst: die Wand war aus"),
  ])
  func `a missed dose is not one that could not be known`(language: String, isMissed: Bool, state: String, text: String)
  {
    var input = input(language: language)
    input.ended = [.init(dose: dose(at(1, "8:00")), closedAt: at(1, "12:00"), isMissed: isMissed)]
    let row = input.snapshot(v: 1).missed.first
    #expect(row?.state == state)
    #expect(row?.text == text)
  }

  @Test(arguments: [
    ("en", "yesterday 8:00 not known: the record may be lost"),
    ("de", "gestern 8:00 nicht bekannt: die Aufzeichnung ist vielleicht verloren"),
  ])
  func `a dose whose record may be lost is not one for which the wall was off`(language: String, text: String) {
    var input = input(language: language)
    input.ended = [.init(dose: dose(at(1, "8:00")), closedAt: at(1, "12:00"), isMissed: false, isLost: true)]
    let row = input.snapshot(v: 1).missed.first
    #expect(row?.state == "unknown")
    #expect(row?.text == text)
  }

  @Test func `a clock that is not believed shows no time`() {
    let clock = input(trusted: false).snapshot(v: 1).clock
    #expect(clock == .init(trusted: false, text: "--:--", dateText: ""))
  }

  @Test func `equal walls are equal bytes, and the clock alone is no new look`() {
    let one = Self.full().snapshot(v: 1)
    #expect(Self.full().snapshot(v: 1).json == one.json)
    var later = Self.full()
    later.now += 10
    #expect(later.snapshot(v: 2).looksLike(one))
    later.now = at(2, "8:09")
    #expect(!later.snapshot(v: 2).looksLike(one))
  }

  @Test func `any change that people see is a new look`() {
    let one = Self.full().snapshot(v: 1)
    let changes: [(inout WallInput) -> Void] = [
      { $0.overlay = nil }, { $0.overlay?.texts.detail = "other" }, { $0.late = [] }, { $0.ended[0].isMissed = false },
      { $0.ledgerFails = false }, { $0.reader.tagLying = true }, { $0.reader.state = "absent" },
      { $0.clockTrusted = false },
      { $0.language = "de" }, { $0.zone = .gmt }, { $0.speakerFault = "muted" }, { $0.configurationFellBack = true },
    ]
    for (index, change) in changes.enumerated() {
      var input = Self.full()
      change(&input)
      #expect(!input.snapshot(v: 1).looksLike(one), "change \(index)")
    }
  }
}
