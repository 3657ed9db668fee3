internal import Configuration
internal import Foundation
internal import Reminders

/// What the reader of household files promises, and that nothing is lost on the way out and in again.
enum HouseholdPromises {
  static func check(_ bytes: [UInt8]) throws(BrokenPromise) {
    let file: HouseholdFile
    do throws(DocumentError) { file = try HouseholdFile.parse(bytes, folder: "/etc") } catch {
      try DocumentPromises.check(error)
      return
    }
    let household = Household(
      people: file.people ?? [], medications: file.medications ?? [], tags: file.tags ?? [])
    try checkReferences(household)
    let text = HouseholdWriter.text(household, documents: file.documents, zone: .gmt)
    let again: HouseholdFile
    do throws(DocumentError) { again = try HouseholdFile.parse(Array(text.utf8), folder: "/var") } catch {
      throw BrokenPromise("what was exported does not import: \(error.sentence)")
    }
    try expect(again == written(file), "what was exported imports as something else")
  }

  private static func checkReferences(_ household: Household) throws(BrokenPromise) {
    let people = Set(household.people.map(\.id))
    let owners = Dictionary(household.medications.map { ($0.id, $0.person) }) { first, _ in first }
    try expect(people.count == household.people.count, "a person stands twice")
    try expect(owners.count == household.medications.count, "a medication stands twice")
    try expect(owners.values.allSatisfy(people.contains), "a medication of nobody")
    for tag in household.tags {
      try expect(!tag.medications.isEmpty && tag.medications.allSatisfy { owners[$0] != nil }, "a tag for nothing")
      try expect(Set(tag.medications.compactMap { owners[$0] }).count == 1, "a tag of two people")
      try expect([4, 7, 8, 10].contains(tag.uid.bytes.count) && !tag.uid.isRandom, "a UID that is none")
    }
  }

  /// The file as an export says it: the sections of a ledger are all there, and instants are whole seconds of the years 1
  /// to 9999.
  private static func written(_ file: HouseholdFile) -> HouseholdFile {
    var file = file
    file.people = file.people ?? []
    file.tags = file.tags ?? []
    file.medications = (file.medications ?? []).map { medication in
      var medication = medication
      for time in medication.times.indices {
        medication.times[time].since = medication.times[time].since
          .flatMap { InstantFormat.parse(InstantFormat.text($0, in: .gmt)) }
      }
      return medication
    }
    return file
  }
}
