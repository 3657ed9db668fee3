internal import Configuration
internal import Foundation
internal import Reminders
internal import Testing

@Suite struct HouseholdFileTests {
  private static func read(_ text: String, existing: Household = Household()) throws(DocumentError) -> HouseholdFile {
    try HouseholdFile.parse(Array(text.utf8), folder: "/home/ann", existing: existing)
  }

  private static let whole = """
    {
      people: [{ id: "ann", name: "Ann", remindersEnabled: false }, { id: "bob", name: "Bob" }],
      medications: [{
        id: "ann-levo", person: "ann", name: "Levothyroxine", dose: "1 tablet",
        times: [{ at: "8:00", days: ["mon", "fri"], opensBefore: 120, lateAfter: 5, closesAfter: 240,
                  since: "2026-01-01T00:00:00-08:00" }, { at: "20:00" }],
        minimumSpacing: 240,
      }, { id: "bob-d", person: "bob", name: "Vitamin D" }],
      tags: [{ uid: "04a1b2c3d4e5f6", label: "blue box", medications: ["ann-levo"] },
             { uid: "0011223344556677", medications: ["bob-d"] }],
      watches: [{ id: "school", label: "School bus", source: "onebusaway", stop: "1_75403", route: "1_100225", enabled: false,
                  window: { days: ["tue", "mon"], from: "6:30", to: "09:00" }, walkMinutes: 6 },
                { id: "b", source: "gtfs", stop: "s", route: "r" }],
      bell: { school: "bell.json5", people: [{ id: "ann", lunch: "5A", halfPeriods: true }, { id: "bob" }] },
    }
    """

  @Test func `the file of the contract is read whole, with its defaults`() throws {
    let file = try Self.read(Self.whole)
    #expect(file.people == [Person(id: "ann", name: "Ann", remindersEnabled: false), Person(id: "bob", name: "Bob")])
    #expect(
      file.medications == [
        Medication(
          id: "ann-levo", person: "ann", name: "Levothyroxine", dose: "1 tablet",
          times: [
            DoseTime(
              at: LocalTime(hour: 8, minute: 0), days: [.mon, .fri], opensBefore: 120, lateAfter: 5, closesAfter: 240,
              since: Date(timeIntervalSince1970: 1_767_254_400)), DoseTime(at: LocalTime(hour: 20, minute: 0)),
          ], minimumSpacing: 240), Medication(id: "bob-d", person: "bob", name: "Vitamin D"),
      ])
    #expect(
      file.tags == [
        Tag(uid: TagUID([4, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]), label: "blue box", medications: ["ann-levo"]),
        Tag(uid: TagUID([0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]), medications: ["bob-d"]),
      ])
    #expect(file.watches?.map(\.enabled) == [false, true])
    #expect(file.watches?.first?.window?.days == ["mon", "tue"])
    #expect(file.watches?.first?.window?.from == "06:30")
    #expect(file.bell?.school == "/home/ann/bell.json5")
    #expect(file.bell?.people.map(\.halfPeriods) == [true, false])
  }

  @Test func `a section that is absent or null is not the empty one`() throws {
    let file = try Self.read("{ tags: [], watches: null }")
    #expect(file.people == nil && file.medications == nil && file.watches == nil && file.bell == nil)
    #expect(file.tags == [])
    #expect(file.documents.isEmpty)
  }

  @Test func `the same section is the same document, however it is written`() throws {
    let one = try Self.read(
      "{ watches: [{ id: 'a', source: 'gtfs', stop: 's', route: 'r', window: { from: '6:05', to: '07:00', days: ['tue', 'mon'] } }] }"
    )
    let other = try Self.read(
      "{ watches: [{ route: 'r', stop: 's', window: { days: ['mon', 'tue', 'mon'], from: '06:05', to: '7:00' }, label: null, source: 'gtfs', id: 'a', enabled: true }] }"
    )
    #expect(one.documents == other.documents)
    #expect(
      one.documents["watches"]
        == #"[{"id":"a","label":null,"source":"gtfs","stop":"s","route":"r","enabled":true,"window":{"days":["mon","tue"],"from":"06:05","to":"07:00"},"walkMinutes":null}]"#
    )
  }

  @Test func `an export imports back to the same household`() throws {
    let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
    var file = try Self.read(Self.whole)
    let strange = "Zoë \"Z\" O'Neil \\ 😀 \u{2028}".replacingOccurrences(of: "\u{2028}", with: "ß")
    file.people?.append(Person(id: strange, name: strange))
    let household = Household(people: file.people ?? [], medications: file.medications ?? [], tags: file.tags ?? [])
    let text = HouseholdWriter.text(household, documents: file.documents, zone: zone)
    let again = try Self.read(text)
    #expect(again == file)
    #expect(again.documents == file.documents)
    #expect(
      HouseholdWriter.text(household, documents: again.documents, zone: zone) == text, "an export is not the same twice"
    )
  }

  @Test func `an export is JSON with every key`() throws {
    let file = try Self.read(
      "{ people: [{ id: 'a', name: 'A' }], medications: [{ id: 'm', person: 'a', name: 'M', times: [{ at: '8:00' }] }], tags: [{ uid: '04000001', medications: ['m'] }] }"
    )
    let household = Household(people: file.people ?? [], medications: file.medications ?? [], tags: file.tags ?? [])
    let text = HouseholdWriter.text(household, documents: file.documents, zone: .gmt)
    #expect(
      text == """
        {
          "people": [{"id": "a", "name": "A", "remindersEnabled": true}],
          "medications": [
            {
              "id": "m",
              "person": "a",
              "name": "M",
              "dose": null,
              "times": [
                {
                  "at": "08:00",
                  "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
                  "opensBefore": null,
                  "lateAfter": 0,
                  "closesAfter": null,
                  "since": null
                }
              ],
              "minimumSpacing": null
            }
          ],
          "tags": [{"uid": "04000001", "label": null, "medications": ["m"]}],
          "watches": null,
          "bell": null
        }
        """)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
  }

  @Test func `what has ended since does not keep an export from being imported`() throws {
    let household = Household(
      people: [Person(id: "a", name: "A")],
      medications: [Medication(id: "m", person: "a", name: "M"), Medication(id: "x", person: "gone", name: "X")],
      tags: [
        Tag(uid: TagUID([4, 0, 0, 1]), medications: ["m", "ended"]),
        Tag(uid: TagUID([4, 0, 0, 2]), medications: ["ended"]),
      ])
    let documents = ["bell": #"{"school":null,"people":[{"id":"gone","lunch":null,"halfPeriods":false}]}"#]
    let file = try Self.read(HouseholdWriter.text(household, documents: documents, zone: .gmt))
    #expect(file.medications?.map(\.id) == ["m"])
    #expect(file.tags == [Tag(uid: TagUID([4, 0, 0, 1]), medications: ["m"])])
    #expect(file.bell?.people.isEmpty == true)
  }

  private static let existing = Household(
    people: [Person(id: "ann", name: "Ann"), Person(id: "bob", name: "Bob")],
    medications: [Medication(id: "a", person: "ann", name: "A"), Medication(id: "b", person: "bob", name: "B")],
    tags: [Tag(uid: TagUID([4, 1, 2, 3]), medications: ["a"])])

  @Test(arguments: [
    "{ medications: [{ id: 'c', person: 'bob', name: 'C' }] }", "{ tags: [{ uid: '04AABBCC', medications: ['b'] }] }",
    "{ people: [{ id: 'ann', name: 'Anna' }, { id: 'bob', name: 'Bob' }] }", "{ bell: { people: [{ id: 'bob' }] } }",
    "{}",
    "{ people: [], medications: [] }",
  ])
  func `a file of some sections may name what is there already`(text: String) {
    #expect(problems { () throws(DocumentError) in _ = try Self.read(text, existing: Self.existing) } == [])
  }

  @Test(arguments: [
    ("{ people: [{ id: 'ann', name: 'Ann' }] }", "people leaves out \"bob\", who still has \"b\" (line 1)"),
    (
      "{ tags: [{ uid: '04AABBCC', medications: ['a', 'b'] }] }",
      "tags[0] (…BBCC).medications belong to two people: give each person a tag of their own (line 1)"
    ),
    (
      "{ tags: [{ uid: '04AABBCC', medications: ['c'] }] }",
      "tags[0] (…BBCC).medications \"c\" is no medication (line 1)"
    ),
    (
      "{ medications: [{ id: 'a', person: 'cy', name: 'A' }] }",
      "medications \"a\".person \"cy\" is nobody in people (line 1)"
    ),
    ("{ bell: { people: [{ id: 'cy' }] } }", "bell.people \"cy\".id \"cy\" is nobody in people (line 1)"),
  ])
  func `and must fit it`(text: String, problem: String) {
    #expect(problems { () throws(DocumentError) in _ = try Self.read(text, existing: Self.existing) } == [problem])
  }

  @Test func `a tag that stays must not come to belong to two people`() {
    var existing = Self.existing
    existing.tags[0].medications = ["a", "c"]
    existing.medications.append(Medication(id: "c", person: "ann", name: "C"))
    let text = "{ medications: [{ id: 'a', person: 'ann', name: 'A' }, { id: 'c', person: 'bob', name: 'C' }] }"
    #expect(
      problems { () throws(DocumentError) in _ = try Self.read(text, existing: existing) }
        == ["medications gives the tag …0203 to two people (line 1)"])
  }
}
