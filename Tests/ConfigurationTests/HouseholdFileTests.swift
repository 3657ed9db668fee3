import Foundation
import Reminders
import Testing

@testable import Configuration

struct HouseholdFileTests {
  private func problems(_ text: String) -> [String] {
    do {
      _ = try HouseholdFile.parse(Array(text.utf8), folder: "/home")
      return []
    } catch { return error.problems }
  }

  private func household(_ medication: String = "", tags: String = "") -> String {
    """
    { people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }],
      medications: [{ id: 'levo', person: 'ann', name: 'Levothyroxine', \(medication) }, { id: 'drops', person: 'bob', name: 'Drops' }],
      tags: [\(tags)] }
    """
  }

  @Test func `a whole household is read`() throws {
    let text = household(
      "times: [{ at: '8:00', days: ['mon'] }]", tags: "{ uid: '04a1b2c3d4e5f6', medications: ['levo'] }")
    let file = try HouseholdFile.parse(Array(text.utf8), folder: "/home")
    #expect(file.medications?.first?.times.first?.at == LocalTime(hour: 8, minute: 0))
    #expect(file.tags?.first?.uid.hex == "04A1B2C3D4E5F6")
    #expect(file.watches == nil, "an absent section is left alone")
  }

  @Test(arguments: [
    ("times: [{ at: '25:00' }]", "25:00"),
    ("times: [{ at: '08:00', days: ['monday'] }]", "monday"),
    ("times: [{ at: '08:00' }, { at: '08:00', days: ['tue'] }]", "08:00"),
    ("times: [{ at: '08:00', opensBefore: -5 }]", "opensBefore"),
    ("times: [{ at: '08:00', since: 'yesterday' }]", "since"),
    ("times: [{ at: '08:00', lateAftr: 5 }]", "lateAfter"),
    ("minimumSpacing: 'four'", "minimumSpacing"),
  ])
  func `what is wrong with a medication is named`(medication: String, named: String) {
    let found = problems(household(medication))
    #expect(!found.isEmpty)
    #expect(found.joined().contains(named), "\(found)")
  }

  @Test(arguments: [
    "{ uid: '04A1B2C3D4E5F6', medications: ['levo', 'drops'] }", "{ uid: '0824A937', medications: ['levo'] }",
    "{ uid: '04A1', medications: ['levo'] }", "{ uid: '04A1B2C3D4E5F6', medications: ['gone'] }",
    "{ uid: '04A1B2C3D4E5F6' }",
    "{ uid: '04A1B2C3D4E5F6', medications: ['levo'] }, { uid: '04a1b2c3d4e5f6', medications: ['drops'] }",
  ])
  func `a tag for two people, a phone's UID and a tag of nothing are refused`(tags: String) {
    #expect(!problems(household(tags: tags)).isEmpty)
  }

  @Test func `a medication without a person is refused`() {
    #expect(!problems("{ people: [], medications: [{ id: 'x', name: 'X' }] }").isEmpty)
    #expect(!problems("{ people: [], medications: [{ id: 'x', person: 'nobody', name: 'X' }] }").isEmpty)
  }

  @Test func `taps go forwards, and a wrong line is named`() {
    let good = #"{"at":"2026-11-02T08:01:00-08:00","uid":"04A1B2C3D4E5F6"}"#
    let earlier = #"{"at":"2026-11-02T08:00:59-08:00","unreadable":"mute"}"#
    #expect(throws: Never.self) { try TapsFile.parse(Array((earlier + "\n" + good).utf8)) }
    for text in [good + "\n" + earlier, good + "\n{", good + "\n" + #"{"at":"2026-11-02T09:00:00-08:00"}"#] {
      do throws(DocumentError) {
        _ = try TapsFile.parse(Array(text.utf8))
        Issue.record("accepted: \(text)")
      } catch { #expect(error.sentence.contains("line 2"), "\(error.sentence)") }
    }
  }
}
