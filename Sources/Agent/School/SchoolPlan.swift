package import BellSchedule
internal import Configuration
internal import Foundation

/// What the household wants to see of its school, and what somebody at the wall has said about it.
package struct SchoolPlan: Equatable, Sendable {
  /// The school's file, an absolute path; nil: there is no school.
  package var path: String?
  package var pupils: [Pupil] = []
  package var overrides: [BellOverride] = []

  package init() {}

  /// - Parameter documents: the ledger's.
  package init(_ documents: [String: String]) {
    guard let document = documents["bell"],
      let bell = try? JSONDecoder().decode(HouseholdFile.Bell.self, from: Data(document.utf8))
    else { return }
    path = bell.school
    pupils = bell.people.map { Pupil(id: $0.id, lunch: $0.lunch, halfPeriods: $0.halfPeriods) }
    overrides = BellOverrides.parse(documents[BellOverrides.name])
  }
}
