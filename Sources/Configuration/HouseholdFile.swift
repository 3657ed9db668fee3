package import Reminders

/// A household file (DESIGN 4.3), checked. A section that is absent or null is nil: an import leaves it untouched.
package struct HouseholdFile: Equatable, Sendable {
  package var people: [Person]?
  package var medications: [Medication]?
  package var tags: [Tag]?
  package var watches: [Watch]?
  package var bell: Bell?

  /// A stop and route to show inside a time window.
  package struct Watch: Decodable, Equatable, Sendable {
    package struct Window: Decodable, Equatable, Sendable {
      /// `mon` to `sun`, in that order.
      package var days: [String]
      /// `HH:mm`; `to` is not the same, and is on the next day when it is earlier.
      package var from: String
      package var to: String
    }

    package var id: String
    package var label: String?
    /// `onebusaway`, `gtfs` or `trafiklab`.
    package var source: String
    package var stop: String
    package var route: String
    package var enabled: Bool
    /// nil: the default of DESIGN 5.3.
    package var window: Window?
    /// Minutes, 0 to 240.
    package var walkMinutes: Int?
  }

  /// Whose school day is shown, and by which bell table.
  package struct Bell: Decodable, Equatable, Sendable {
    package struct Pupil: Decodable, Equatable, Sendable {
      /// A `Person.id`.
      package var id: String
      package var lunch: String?
      package var halfPeriods: Bool
    }

    /// An absolute path.
    package var school: String?
    package var people: [Pupil]
  }
}
