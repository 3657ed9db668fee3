internal import Foundation

/// How long people walk from one place to another: estimates, since calendars have names and no coordinates.
package struct WalkingTimes: Equatable, Sendable {
  package struct Walk: Equatable, Sendable {
    package let minutes: Int
    /// One of the places is not known: the minutes are a guess within the venue.
    package let isGuess: Bool
  }

  package static let inVenue = 5
  package static let elsewhere = 25

  private let venue: Set<String>

  /// - Parameter venue: the places, as events name them, that lie in one building or on one campus.
  package init(venue: [String] = []) { self.venue = Set(venue.map(Self.name)) }

  /// Nothing within a place, 5 minutes within the venue, 25 to anywhere else, 5 marked as a guess where a place is missing.
  package func walk(from: String?, to: String?) -> Walk {
    let (from, to) = (Self.name(from ?? ""), Self.name(to ?? ""))
    if from.isEmpty || to.isEmpty { return Walk(minutes: Self.inVenue, isGuess: true) }
    if from == to { return Walk(minutes: 0, isGuess: false) }
    let isInVenue = venue.contains(from) && venue.contains(to)
    return Walk(minutes: isInVenue ? Self.inVenue : Self.elsewhere, isGuess: false)
  }

  /// Capitals and spaces make no other place.
  private static func name(_ place: String) -> String {
    place.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
  }
}
