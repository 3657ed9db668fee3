package import BellSchedule
internal import Foundation

/// The ledger's document `bellOverride`: what somebody at the wall has said about days of school.
///
/// It is no section of the household file: an import leaves it alone, and an export does not carry it to another wall.
package enum BellOverrides {
  /// The document's name.
  package static let name = "bellOverride"

  private struct Row: Codable {
    var day: String
    var type: String
    var until: String
    var rotation: Int?
  }

  /// - Parameter document: nil: nothing was ever said. What cannot be read counts as nothing.
  package static func parse(_ document: String?) -> [BellOverride] {
    guard let document, let rows = try? JSONDecoder().decode([Row].self, from: Data(document.utf8)) else { return [] }
    return rows.compactMap { row in
      guard let day = DayKey(row.day), let until = InstantFormat.parse(row.until) else { return nil }
      return BellOverride(day: day, type: row.type, until: until, rotation: row.rotation)
    }
  }

  /// Equal overrides give equal texts.
  package static func document(_ overrides: [BellOverride]) -> String {
    JSONText.list(
      overrides.map { said in
        .object([
          ("day", .text(said.day.description)), ("type", .text(said.type)),
          ("until", .text(InstantFormat.text(said.until, in: .gmt))), ("rotation", .whole(said.rotation)),
        ])
      }
    ).compact
  }

  /// The day type of a school whose name is most like one that is none.
  package static func nearestDayType(to name: String, in school: School) -> String? {
    let wanted = name.prefix(100).lowercased()
    return school.dayTypes.map(\.name).min { a, b in
      DocumentReader.distance(wanted, a.lowercased()) < DocumentReader.distance(wanted, b.lowercased())
    }
  }
}
