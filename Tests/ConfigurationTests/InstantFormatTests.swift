internal import Configuration
internal import Foundation
internal import Testing

@Suite struct InstantFormatTests {
  @Test(arguments: [
    ("2026-11-02T08:01:00-08:00", 1_793_635_260.0), ("2026-11-02T16:01:00Z", 1_793_635_260),
    ("2026-11-02t16:01:00z", 1_793_635_260), ("2026-11-02T16:01:00+00:00", 1_793_635_260),
    ("2026-11-02T16:01:00-00:00", 1_793_635_260), ("2026-11-02T08:01-08:00", 1_793_635_260),
    ("2026-11-02T08:01:00-0800", 1_793_635_260), ("2026-11-02T08:01:00-08", 1_793_635_260),
    ("2026-11-02T08:01:00\u{2212}08:00", 1_793_635_260), ("20261102T080100-0800", 1_793_635_260),
    ("20261102T0801-08", 1_793_635_260), ("2026-306T08:01:00-08:00", 1_793_635_260),
    ("2026306T080100-0800", 1_793_635_260), ("2026-W45-1T08:01:00-08:00", 1_793_635_260),
    ("2026W451T080100-0800", 1_793_635_260), ("2026-11-02T21:46:00+05:45", 1_793_635_260),
    ("2026-11-02T16:01:00.25Z", 1_793_635_260.25), ("2026-11-02T16:01:00,5Z", 1_793_635_260.5),
    ("2026-11-02T16:01,5Z", 1_793_635_290), ("2026-11-02T16.5Z", 1_793_637_000), ("2026-11-02T16Z", 1_793_635_200),
    ("2026-11-02T24:00:00Z", 1_793_664_000), ("2026-11-03T00:00:00Z", 1_793_664_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800), ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1),
    ("2024-02-29T00:00:00Z", 1_709_164_800), ("2024-366T00:00:00Z", 1_735_603_200),
    ("2020-W53-5T00:00:00Z", 1_609_459_200),
    ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
  ])
  func `every form with an offset is one instant`(text: String, seconds: Double) {
    #expect(InstantFormat.parse(text)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    "", "now", "2026-11-02", "08:01:00-08:00", "2026-11-02T08:01:00", "2026-11-02 08:01:00-08:00",
    "2026-11-02T08:01:00-08:00 ",
    " 2026-11-02T08:01:00-08:00", "2026-11-02T08:01:00-08:00x", "2026-11-02T08:01:00PST", "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-00T00:00:00Z", "2026-366T00:00:00Z", "2026-000T00:00:00Z",
    "2026-W54-1T00:00:00Z",
    "2025-W53-1T00:00:00Z", "2026-W45-8T00:00:00Z", "2026-W45T00:00:00Z", "2026-11-02T25:00:00Z",
    "2026-11-02T24:00:01Z", "2026-11-02T08:60:00Z",
    "2026-11-02T08:01:61Z", "2026-11-02T08:01:00+24:00", "2026-11-02T08:01:00+08:60", "2026-11-02T08:01:00+8",
    "2026-11-02T8:01:00Z",
    "2026-11-02T08:1:00Z", "2026-11-02T08:01:00.Z", "2026-11-02T08:01:Z", "26-11-02T08:01:00Z", "+2026-11-02T08:01:00Z",
    "２０２６-11-02T08:01:00Z", "1793635260", "2026-11-02T08:01:00--08:00",
  ])
  func `what is no instant is refused`(text: String) {
    #expect(InstantFormat.parse(text) == nil)
  }

  @Test(arguments: [
    ("America/Los_Angeles", 1_793_521_800.0, "2026-11-01T01:30:00-07:00"),
    ("America/Los_Angeles", 1_793_525_400, "2026-11-01T01:30:00-08:00"),
    ("Europe/London", 1_793_525_400, "2026-11-01T09:30:00+00:00"), ("UTC", 0, "1970-01-01T00:00:00+00:00"),
    ("UTC", 59.999, "1970-01-01T00:00:59+00:00"), ("UTC", -0.001, "1969-12-31T23:59:59+00:00"),
    ("Asia/Kathmandu", 0, "1970-01-01T05:30:00+05:30"),
    ("Australia/Lord_Howe", 1_793_521_800, "2026-11-01T19:30:00+11:00"),
    ("America/St_Johns", 1_793_521_800, "2026-11-01T05:00:00-03:30"),
  ])
  func `an instant is written in its zone, rounded down, never with Z`(zone: String, seconds: Double, text: String)
    throws
  {
    let zone = try #require(TimeZone(identifier: zone))
    #expect(InstantFormat.text(Date(timeIntervalSince1970: seconds), in: zone) == text)
  }

  @Test func `in every zone and century a written instant is read back as itself`() throws {
    var random = SplitMix(state: 3)
    for identifier in TimeZone.knownTimeZoneIdentifiers {
      let zone = try #require(TimeZone(identifier: identifier))
      for _ in 0..<30 {
        let seconds = Double(Int.random(in: -62_135_510_400...253_402_214_400, using: &random))
        let text = InstantFormat.text(Date(timeIntervalSince1970: seconds), in: zone)
        #expect(InstantFormat.parse(text)?.timeIntervalSince1970 == seconds, "\(identifier): \(text)")
        #expect(text.utf8.count == 25)
      }
    }
  }

  @Test(arguments: [-Double.infinity, -1e300, 1e300, .infinity, .greatestFiniteMagnitude])
  func `an instant beyond the years of four digits does not stop the writer`(seconds: Double) {
    let text = InstantFormat.text(Date(timeIntervalSince1970: seconds), in: .gmt)
    #expect(text == (seconds < 0 ? "0001-01-02T00:00:00+00:00" : "9999-12-31T00:00:00+00:00"))
  }
}
