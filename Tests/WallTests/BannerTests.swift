internal import Foundation
internal import Testing

@testable internal import Wall

@Suite struct BannerTests {
  private static func ids(_ change: (inout WallInput) -> Void) -> [String] {
    var input = input()
    change(&input)
    return input.snapshot(v: 1).banners.map(\.id)
  }

  @Test func `a wall that is well has none`() { #expect(Self.ids { _ in } == []) }

  @Test(arguments: [
    ("starting", false), ("ready", false), ("unknown", false), ("absent", true), ("unavailable", true),
    ("noService", true),
  ])
  func `a reader that cannot read is one, in both languages`(state: String, isBanner: Bool) {
    for language in TapTextWriter.languages {
      var input = input(language: language)
      input.reader = .init(state: state)
      let snapshot = input.snapshot(v: 1)
      #expect(snapshot.banners.map(\.id) == (isBanner ? ["reader"] : []))
      #expect(snapshot.reader.message == Words.of(language).readerStates[state])
      #expect(snapshot.reader.message.isEmpty == false)
    }
  }

  @Test func `a technician's test comes first, in both languages`() {
    #expect(
      Self.ids {
        $0.isTesting = true
        $0.ledgerFails = true
      } == ["test", "ledger"])
    for language in TapTextWriter.languages {
      var input = input(language: language)
      input.isTesting = true
      #expect(input.snapshot(v: 1).banners.first?.text.contains("TEST") == true)
      let texts = TapTextWriter(language: language, zone: losAngeles).test(milliseconds: 42, unreadable: nil)
      #expect(texts.headline == "TEST" && texts.detail.contains("42 ms") && texts.style == .warn)
    }
  }

  @Test func `one cause of the reader is one banner`() {
    for language in TapTextWriter.languages {
      var input = input(language: language)
      input.reader = .init(state: "unavailable", isRefused: true, fault: "hung")
      let banners = input.snapshot(v: 1).banners
      #expect(banners == [.init(id: "reader", text: Words.of(language).readerBanners["hung"] ?? "")])
      input.reader.fault = nil
      #expect(input.snapshot(v: 1).banners.map(\.text) == [Words.of(language).readerBanners["refused"]])
    }
  }

  @Test func `what stops recording comes first`() {
    #expect(
      Self.ids {
        $0.configurationFellBack = true
        $0.speakerFault = "muted"
        $0.clockTrusted = false
        $0.reader = .init(state: "absent", tagLying: true)
        $0.ledgerFails = true
        $0.recordsLostSince = at(2, "3:00")
      } == ["ledger", "records", "reader", "tag", "clock", "sound", "configuration"])
  }

  @Test(arguments: [
    ("en", 2, "Records since 3:00 may be lost: doses of that time are not known"),
    ("en", 1, "Records since Sun 3:00 may be lost: doses of that time are not known"),
    ("de", 2, "Aufzeichnungen seit 3:00 sind vielleicht verloren: Einnahmen dieser Zeit sind nicht bekannt"),
  ])
  func `a restored ledger says since when its records may be lost`(language: String, day: Int, text: String) {
    var input = input(language: language)
    input.recordsLostSince = at(day, "3:00")
    #expect(input.snapshot(v: 1).banners == [.init(id: "records", text: text)])
  }

  @Test func `of a ledger that began anew no time is told`() {
    var input = input()
    input.recordsLostSince = Date(timeIntervalSince1970: 0)
    #expect(
      input.snapshot(v: 1).banners.map(\.text) == ["Earlier records may be lost: doses of that time are not known"])
  }

  @Test func `a tag that lies there since the start is told to be lifted`() {
    var input = input()
    input.reader.tagLying = true
    #expect(input.snapshot(v: 1).reader.message == "Lift the tag and tap again")
    #expect(input.snapshot(v: 1).banners == [.init(id: "tag", text: "Lift the tag and tap again")])
  }

  @Test(arguments: [
    ("muted", "The speaker is muted"), ("quiet", "The speaker is nearly silent"),
    ("hdmi", "Sound goes to the screen and ends when the screen sleeps"),
    ("badFile", "A sound file is missing or broken: a plain tone is heard"),
    ("noDevice", "No sound: the speaker is not there"), ("lost", "No sound: the speaker is not there"),
    ("busy", "No sound: another program holds the speaker"), ("noPermission", "No sound: the speaker may not be used"),
    ("failing", "No sound: the speaker does not answer"), ("hung", "No sound: the speaker does not answer"),
  ])
  func `a speaker says what ails it`(state: String, text: String) {
    var input = input()
    input.speakerFault = state
    #expect(input.snapshot(v: 1).banners == [.init(id: "sound", text: text)])
  }

  @Test func `both languages have words for the same things`() {
    let (a, b) = (Words.english, Words.german)
    #expect(Set(a.readerStates.keys) == Set(b.readerStates.keys))
    #expect(Set(a.readerBanners.keys) == Set(b.readerBanners.keys))
    #expect(Set(a.unreadableReasons.keys) == Set(b.unreadableReasons.keys))
    #expect(Set(a.causes.keys) == Set(b.causes.keys))
    #expect(a.weekdays.count == 7 && b.weekdays.count == 7 && a.months.count == 12 && b.months.count == 12)
    #expect(TapTextWriter.languages == [a.language, b.language])
  }
}
