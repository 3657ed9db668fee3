import Foundation
import Glibc
import Testing

/// `import` and `export` (DESIGN 4.1, 4.3).
struct HouseholdTests {
  private func imported(_ text: String = household) throws -> Kitchen {
    let kitchen = try Kitchen()
    let answer = try kitchen.agent("import", try kitchen.write("household.json5", text))
    #expect(answer.code == 0, "\(answer.err)")
    return kitchen
  }

  private func export(_ kitchen: Kitchen) throws -> [String: Any] {
    let answer = try kitchen.agent("export")
    #expect(answer.code == 0 && answer.err == "")
    return try #require(try JSONSerialization.jsonObject(with: Data(answer.out.utf8)) as? [String: Any])
  }

  private func ids(_ section: String, _ key: String, in export: [String: Any]) -> [String] {
    (export[section] as? [[String: Any]] ?? []).compactMap { $0[key] as? String }.sorted()
  }

  @Test func `a file says what it added, and the same file twice changes nothing`() throws {
    let kitchen = try Kitchen()
    let file = try kitchen.write("household.json5", household)
    let first = try kitchen.agent("import", file)
    #expect(first.out == "imported: people 2 added; medications 2 added; tags 2 added; other sections 1 added\n")
    #expect(try kitchen.agent("import", file).out == "nothing changed\n")
    #expect(try kitchen.agent("import", file, "--json").out == "{\"result\":\"nothing changed\"}\n")
  }

  @Test func `an export is JSON with every key, and imports as no change, into the same ledger and into a new one`()
    throws
  {
    let kitchen = try imported()
    let export = try kitchen.agent("export").out
    let object = try #require(try JSONSerialization.jsonObject(with: Data(export.utf8)) as? [String: Any])
    #expect(Set(object.keys) == ["people", "medications", "tags", "watches", "bell"])
    let medication = try #require((object["medications"] as? [[String: Any]])?.first { $0["id"] as? String == "levo" })
    #expect(Set(medication.keys) == ["id", "person", "name", "dose", "times", "minimumSpacing"])
    let time = try #require((medication["times"] as? [[String: Any]])?.first)
    #expect(Set(time.keys) == ["at", "days", "opensBefore", "lateAfter", "closesAfter", "since"])
    let since = try #require(time["since"] as? String, "the default of since is when it was entered")
    #expect(since.hasSuffix("-08:00") || since.hasSuffix("-07:00"), "in the wall's zone: \(since)")
    #expect(ids("tags", "uid", in: object) == ["04A1B2C3D4E5F6", "04B0B0B0B0B0B0"], "upper-case")
    let file = try kitchen.write("export.json", export)
    #expect(try kitchen.agent("import", file).out == "nothing changed\n")
    #expect(try kitchen.agent("export").out == export)
    let other = try Kitchen()
    #expect(try other.agent("import", file).code == 0)
    #expect(try other.agent("export").out == export, "a fixpoint")
  }

  @Test func `a section that is absent is untouched, and one that is there is the whole of it`() throws {
    let kitchen = try imported()
    let file = try kitchen.write(
      "some.json5", "{ people: [{ id: 'ann', name: 'Anna' }, { id: 'bob', name: 'Bob' }], watches: [] }")
    #expect(try kitchen.agent("import", file).code == 0)
    var now = try export(kitchen)
    #expect(ids("people", "name", in: now) == ["Anna", "Bob"])
    #expect(ids("medications", "id", in: now) == ["drops", "levo"])
    #expect(ids("tags", "uid", in: now).count == 2)
    #expect((now["watches"] as? [Any])?.isEmpty == true)
    #expect(now["bell"] is NSNull)
    try kitchen.write("tags.json5", "{ tags: [{ uid: '04B0B0B0B0B0B0', medications: ['drops'] }] }")
    #expect(try kitchen.agent("import", kitchen.path("tags.json5")).out == "imported: tags 1 ended\n")
    now = try export(kitchen)
    #expect(ids("tags", "uid", in: now) == ["04B0B0B0B0B0B0"])
    #expect(ids("people", "id", in: now) == ["ann", "bob"])
  }

  private static let people = "people: [{ id: 'ann', name: 'Ann' }, { id: 'bob', name: 'Bob' }],"

  @Test(arguments: [
    (
      "{ medications: [{ id: 'levo', name: 'Levo', times: [] }] }",
      "person is missing: every medication belongs to a person"
    ),
    ("{ medications: [{ id: 'levo', person: 'ann', name: 'Levo' }] }", "\"ann\" is nobody in people"),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A' }, { id: 'b', person: 'bob', name: 'B' }],\n tags: [{ uid: '04A1B2C3D4E5F6', medications: ['a', 'b'] }] }",
      "belong to two people"
    ),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A', times: [{ at: '25:00' }] }] }",
      "\"25:00\" is no time of day: say 00:00 to 23:59 (line 1)"
    ),
    ("{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A', times: [{ at: '8' }] }] }", "is no time of day"),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A', times: [{ at: '08:00', lateAftr: 5 }] }] }",
      "did you mean lateAfter?"
    ),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A', times: [{ at: '08:00', days: ['moon'] }] }] }",
      "is no day"
    ),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A' }], tags: [{ uid: '08A1B2C3', medications: ['a'] }] }",
      "begins with 08"
    ),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A' }], tags: [{ uid: '04A1', medications: ['a'] }] }",
      "must be hex of 4, 7, 8 or 10 bytes"
    ),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A' }], tags: [{ uid: '04A1B2C3', medications: ['z'] }] }",
      "\"z\" is no medication"
    ),
    (
      "{ \(people) medications: [{ id: 'a', person: 'ann', name: 'A' }, { id: 'a', person: 'ann', name: 'B' }] }",
      "stands twice"
    ),
    ("{ people: [{ id: 'ann', name: 'A' }, { id: 'ann', name: 'B' }] }", "id \"ann\" stands twice"),
    ("{ people: [{ id: 'ann', name: 7 }] }", "must be a text, not a number"),
    ("{ people: [{ id: 'ann', name: '' }] }", "must not be empty"),
    ("{ people: 'ann' }", "people must be a list, not a text (line 1)"),
    ("{ peple: [] }", "unknown key peple (line 1): did you mean people?"),
    ("{ watches: [{ id: 'w', source: 'bus', stop: '1', route: '2' }] }", "say onebusaway, gtfs, trafiklab"),
    ("{ bell: { people: [{ id: 'zoe' }] } }", "is nobody in people"),
    ("{ people: [", "line 1"),
  ]) func `a household with a mistake is 65, says which, and changes nothing`(text: String, words: String) throws {
    let kitchen = try Kitchen()
    let problem = try kitchen.agent("import", try kitchen.write("household.json5", text)).problem(65)
    #expect(problem.contains(words), "\(problem)")
    #expect(problem.contains(kitchen.path("household.json5")))
    #expect(ids("people", "id", in: try export(kitchen)) == [])
  }

  @Test func `what is no text, and what is not there, is 65`() throws {
    let kitchen = try Kitchen()
    try Data([0x7B, 0xFF, 0x7D]).write(to: URL(filePath: kitchen.path("latin.json5")))
    #expect(try kitchen.agent("import", kitchen.path("latin.json5")).problem(65).contains("not UTF-8"))
    #expect(try kitchen.agent("import", kitchen.path("none.json5")).problem(65).contains("No such file"))
    #expect(try kitchen.agent("import", kitchen.folder).problem(65).contains("not a file"))
  }

  @Test func `no error tells a whole UID`() throws {
    let kitchen = try Kitchen()
    let text = "{ tags: [{ uid: '04A1B2C3D4E5F6', medications: ['gone'] }] }"
    let problem = try kitchen.agent("import", try kitchen.write("household.json5", text)).problem(65)
    #expect(!problem.contains("04A1B2C3D4E5F6") && problem.contains("E5F6"), "\(problem)")
  }

  @Test func `the state directory is its owner's alone`() throws {
    let kitchen = try imported()
    for (name, most) in [("state", 0o700), ("state/ledger.sqlite", 0o600)] {
      let mode = try #require(
        try FileManager.default.attributesOfItem(atPath: kitchen.path(name))[.posixPermissions] as? Int)
      #expect(mode & ~most == 0, "\(name) \(String(mode, radix: 8))")
    }
  }
}
