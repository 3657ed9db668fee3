import BellSchedule
import Configuration
import Foundation
import Testing

/// The ledger's document of what somebody has said about days of school.
struct BellOverridesTests {
  private static let said = [
    BellOverride(
      day: DayKey(number: 20_787), type: "Late \"Arrival\" 王", until: Date(timeIntervalSince1970: 1_796_104_800)),
    BellOverride(
      day: DayKey(number: 20_788), type: "Early Dismissal", until: Date(timeIntervalSince1970: 1_796_191_200),
      rotation: 2),
  ]

  @Test func `what is kept is read back, and equal overrides are equal texts`() {
    #expect(BellOverrides.parse(BellOverrides.document(Self.said)) == Self.said)
    #expect(BellOverrides.document(Self.said) == BellOverrides.document(Self.said))
    #expect(BellOverrides.parse(BellOverrides.document([])) == [])
  }

  @Test(arguments: [nil, "", "null", "{}", "[1]", "[{\"day\":\"2026-11-30\"}]"])
  func `what cannot be read counts as nothing`(document: String?) { #expect(BellOverrides.parse(document) == []) }

  @Test func `a row that names no day or no instant is left out`() {
    let day = Self.said[0].day
    let rows = """
      [{"day":"2026-02-30","type":"A","until":"2026-12-01T00:00:00Z"},{"day":"\(day)","type":"B","until":"noon"},
       {"day":"\(day)","type":"C","until":"2026-12-01T06:00:00+00:00"}]
      """
    #expect(BellOverrides.parse(rows).map(\.type) == ["C"])
  }

  @Test(arguments: [
    ("Late Arival", "Late Arrival"), ("late", "Late Arrival"), ("noschool", "No School"), ("PM asembly", "PM Assembly"),
  ]) func `the nearest day type is told`(written: String, nearest: String) {
    let types = ["Standard", "Late Arrival", "PM Assembly", "No School"].map { DayType(name: $0, plan: .free) }
    let school = School(regular: "Standard", dayTypes: types, years: [])
    #expect(BellOverrides.nearestDayType(to: written, in: school) == nearest)
  }
}
