package import Foundation
package import Reminders

/// A household as a file that imports back to the same household (DESIGN 4.1 `export`).
package enum HouseholdWriter {
  /// JSON, every key present: a section that was never imported is null, which an import leaves untouched.
  ///
  /// A reference to a medication or person that has ended since is left out: it stands for nothing any more, and the file
  /// would not import.
  ///
  /// - Parameters:
  ///   - documents: the sections that are kept as JSON text, by name, as `HouseholdFile.documents` made them.
  ///   - zone: what instants are written in.
  package static func text(_ household: Household, documents: [String: String], zone: TimeZone) -> String {
    let people = Set(household.people.map(\.id))
    let medications = household.medications.filter { people.contains($0.person) }
    let ids = Set(medications.map(\.id))
    let tags = household.tags.compactMap { tag -> Tag? in
      var tag = tag
      tag.medications.removeAll { !ids.contains($0) }
      return tag.medications.isEmpty ? nil : tag
    }
    return JSONText.object([
      ("people", .list(household.people.map(json))),
      ("medications", .list(medications.map { json($0, zone) })),
      ("tags", .list(tags.map(json))),
      ("watches", watches(documents["watches"])),
      ("bell", bell(documents["bell"], people)),
    ]).pretty
  }

  private static func json(_ person: Person) -> JSONText {
    .object([
      ("id", .text(person.id)), ("name", .text(person.name)), ("remindersEnabled", .bool(person.remindersEnabled)),
    ])
  }

  private static func json(_ medication: Medication, _ zone: TimeZone) -> JSONText {
    .object([
      ("id", .text(medication.id)), ("person", .text(medication.person)), ("name", .text(medication.name)),
      ("dose", .text(medication.dose)), ("times", .list(medication.times.map { json($0, zone) })),
      ("minimumSpacing", .whole(medication.minimumSpacing)),
    ])
  }

  private static func json(_ time: DoseTime, _ zone: TimeZone) -> JSONText {
    .object([
      ("at", .text(time.at.description)),
      ("days", .list(Weekday.allCases.filter { time.days.contains($0) }.map { .text($0.rawValue) })),
      ("opensBefore", .whole(time.opensBefore)), ("lateAfter", .whole(time.lateAfter)),
      ("closesAfter", .whole(time.closesAfter)),
      ("since", .text(time.since.map { InstantFormat.text($0, in: zone) })),
    ])
  }

  private static func json(_ tag: Tag) -> JSONText {
    .object([
      ("uid", .text(tag.uid.hex)), ("label", .text(tag.label)),
      ("medications", .list(tag.medications.map { .text($0) })),
    ])
  }

  /// A document that cannot be read goes out as it is: an import then complains instead of a section being lost.
  private static func watches(_ document: String?) -> JSONText {
    guard let document else { return .null }
    return HouseholdFile.watches(in: document).map { .list($0.map(\.json)) } ?? .raw(document)
  }

  private static func bell(_ document: String?, _ people: Set<String>) -> JSONText {
    guard let document else { return .null }
    guard var bell = try? JSONDecoder().decode(HouseholdFile.Bell.self, from: Data(document.utf8)) else {
      return .raw(document)
    }
    bell.people.removeAll { !people.contains($0.id) }
    return bell.json
  }
}

extension HouseholdFile {
  /// The ledger's document `watches`; nil when it cannot be read.
  package static func watches(in document: String) -> [Watch]? {
    try? JSONDecoder().decode([Watch].self, from: Data(document.utf8))
  }

  /// The sections that the ledger keeps as JSON text, by name, in one canonical form: the same section gives the same text.
  package var documents: [String: String] {
    var documents: [String: String] = [:]
    documents["watches"] = watches.map { JSONText.list($0.map(\.json)).compact }
    documents["bell"] = bell.map(\.json.compact)
    return documents
  }
}

extension HouseholdFile.Watch {
  /// As an export writes it.
  package var json: JSONText {
    .object([
      ("id", .text(id)), ("label", .text(label)), ("source", .text(source)), ("stop", .text(stop)),
      ("route", .text(route)), ("enabled", .bool(enabled)), ("window", window.map(\.json) ?? .null),
      ("walkMinutes", .whole(walkMinutes)),
    ])
  }
}

extension HouseholdFile.Watch.Window {
  var json: JSONText {
    .object([("days", .list(days.map { .text($0) })), ("from", .text(from)), ("to", .text(to))])
  }
}

extension HouseholdFile.Bell {
  var json: JSONText {
    .object([
      ("school", .text(school)),
      (
        "people",
        .list(
          people.map {
            .object([("id", .text($0.id)), ("lunch", .text($0.lunch)), ("halfPeriods", .bool($0.halfPeriods))])
          })
      ),
    ])
  }
}
