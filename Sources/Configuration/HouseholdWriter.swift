package import Foundation
package import Reminders

/// A household as a file that imports back to the same household.
package enum HouseholdWriter {
  /// - Parameters:
  ///   - documents: the sections that are kept as JSON text, by name.
  ///   - zone: what instants are written in.
  package static func text(_ household: Household, documents: [String: String], zone: TimeZone) -> String {
    struct File: Encodable {
      var people: [PersonEntry]
      var medications: [MedicationEntry]
      var tags: [TagEntry]
      var watches: [HouseholdFile.Watch]?
      var bell: HouseholdFile.Bell?
    }
    let file = File(
      people: household.people.map { PersonEntry(id: $0.id, name: $0.name, remindersEnabled: $0.remindersEnabled) },
      medications: household.medications.map { medication in
        MedicationEntry(
          id: medication.id, person: medication.person, name: medication.name, dose: medication.dose,
          times: medication.times.map { time in
            TimeEntry(
              at: time.at.description, days: Weekday.allCases.filter { time.days.contains($0) }.map(\.rawValue),
              opensBefore: time.opensBefore, lateAfter: time.lateAfter, closesAfter: time.closesAfter,
              since: time.since.map { InstantFormat.text($0, in: zone) })
          }, minimumSpacing: medication.minimumSpacing)
      },
      tags: household.tags.map { TagEntry(uid: $0.uid.hex, label: $0.label, medications: $0.medications) },
      watches: documents["watches"].flatMap {
        try? JSONDecoder().decode([HouseholdFile.Watch].self, from: Data($0.utf8))
      },
      bell: documents["bell"].flatMap { try? JSONDecoder().decode(HouseholdFile.Bell.self, from: Data($0.utf8)) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(file)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  private struct PersonEntry: Encodable {
    var id: String
    var name: String
    var remindersEnabled: Bool
  }

  private struct TimeEntry: Encodable {
    var at: String
    var days: [String]
    var opensBefore: Int?
    var lateAfter: Int
    var closesAfter: Int?
    var since: String?
  }

  private struct MedicationEntry: Encodable {
    var id: String
    var person: String
    var name: String
    var dose: String?
    var times: [TimeEntry]
    var minimumSpacing: Int?
  }

  private struct TagEntry: Encodable {
    var uid: String
    var label: String?
    var medications: [String]
  }
}

extension HouseholdFile {
  /// The sections that the ledger keeps as JSON text, in one canonical form: the same section gives the same text.
  package var documents: [String: String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var documents: [String: String] = [:]
    if let watches, let data = try? encoder.encode(watches) {
      documents["watches"] = String(decoding: data, as: UTF8.self)
    }
    if let bell, let data = try? encoder.encode(bell) { documents["bell"] = String(decoding: data, as: UTF8.self) }
    return documents
  }
}
