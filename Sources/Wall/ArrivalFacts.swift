package import Foundation

/// A bus that one can still board, as programs get it (DESIGN 4.4 "arrivals"); what people see of it is `BusFacts`.
package struct ArrivalFacts: Equatable, Sendable {
  package enum State: String, CaseIterable, Sendable {
    case live, aging, scheduled, canceled, frequency
  }

  /// The watch's id.
  package var watch: String
  package var trip: String
  package var route: String
  package var headsign: String
  package var at: Date
  package var scheduledAt: Date
  package var predictedAt: Date?
  package var state: State
  /// Whole minutes left by the provider's clock; nil: nothing to count down to.
  package var minutes: Int?
  /// Behind the timetable, negative when early; nil: not known.
  package var lateSeconds: Double?
  /// When its prediction was made; nil: there is none.
  package var updatedAt: Date?

  package init(
    watch: String, trip: String, route: String, headsign: String, at: Date, scheduledAt: Date, predictedAt: Date?,
    state: State, minutes: Int?, lateSeconds: Double?, updatedAt: Date?
  ) {
    self.watch = watch
    self.trip = trip
    self.route = route
    self.headsign = headsign
    self.at = at
    self.scheduledAt = scheduledAt
    self.predictedAt = predictedAt
    self.state = state
    self.minutes = minutes
    self.lateSeconds = lateSeconds
    self.updatedAt = updatedAt
  }

  func row(in zone: TimeZone) -> Snapshot.Arrival {
    Snapshot.Arrival(
      watch: watch, trip: trip, route: route, headsign: headsign, at: InstantText.text(at, in: zone),
      scheduledAt: InstantText.text(scheduledAt, in: zone),
      predictedAt: predictedAt.map { InstantText.text($0, in: zone) },
      state: state.rawValue, minutes: minutes, lateSeconds: lateSeconds,
      updatedAt: updatedAt.map { InstantText.text($0, in: zone) })
  }
}

extension Snapshot.Arrival {
  /// Bytes of JSON, at most: keys, instants and numbers, and texts whose every byte may be escaped.
  var weight: Int { 320 + 2 * [watch, trip, route, headsign].reduce(0) { $0 + $1.utf8.count } }
}
