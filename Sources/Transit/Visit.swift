package import Foundation

/// One trip's call at a stop, as a provider last told it: facts, not what is shown. `Arrival` is that.
package struct Visit: Equatable, Sendable {
  /// One instance of a trip at one of its calls at the stop. A trip id alone comes back every day, and a trip may come
  /// by twice (transit.md 0.4).
  package struct Key: Hashable, Sendable {
    package var trip: TransitID
    /// Opaque: servers do not agree on which instant stands for a day.
    package var serviceDate: Int?
    /// The place of the call in the trip, from 0.
    package var stopSequence: Int?

    package init(trip: TransitID, serviceDate: Int?, stopSequence: Int?) {
      self.trip = trip
      self.serviceDate = serviceDate
      self.stopSequence = stopSequence
    }
  }

  package var key: Key
  package var route: TransitID
  /// What the bus shows, such as "44"; a name when the route has no number.
  package var routeName: String
  package var headsign: String
  /// By the timetable; of the same event, departure or arrival, as the prediction.
  package var scheduledAt: Date
  package var prediction: Prediction?
  package var frequency: Frequency?
  package var isCanceled = false
  /// Not in the timetable: there is nothing to be late against.
  package var isAdded = false
  /// Nobody can board here: the trip ends.
  package var isDropOffOnly = false
  /// The vehicle is beyond the stop.
  package var hasPassed = false
  /// The last answer that named it; nil: the newest one does. Servers hide canceled trips, and lose others for a moment.
  var namedAt: Date?
  /// `Notice.id` of what concerns it.
  package var notices: [TransitID] = []

  package init(
    key: Key, route: TransitID, routeName: String, headsign: String, scheduledAt: Date, prediction: Prediction? = nil,
    frequency: Frequency? = nil
  ) {
    self.key = key
    self.route = route
    self.routeName = routeName
    self.headsign = headsign
    self.scheduledAt = scheduledAt
    self.prediction = prediction
    self.frequency = frequency
  }

  /// Whether there is reason to doubt that it runs: it was predicted when it was last named, or is not named for 90 s.
  func isUnconfirmed(at now: Date) -> Bool {
    guard let namedAt else { return false }
    let wasLive = prediction.map { namedAt.milliseconds(since: $0.updatedAt) <= Prediction.live } ?? false
    return wasLive || now.milliseconds(since: namedAt) > Prediction.live
  }

  /// After this there is nothing to show of it, whatever is still believed.
  var lastMoment: Date { max(scheduledAt, prediction?.at ?? scheduledAt) }
}

/// When a vehicle is expected, and how old that is.
package struct Prediction: Equatable, Sendable {
  /// Milliseconds up to which a prediction is live, both included.
  static let live = 90_000
  /// Milliseconds up to which it is shown at all.
  static let aging = 180_000

  package var at: Date
  /// When it was made, by the server's clock, never after the answer that brought it.
  package var updatedAt: Date
  /// A later answer had none: it counts while it is live and no longer.
  package var isWithdrawn = false

  package init(at: Date, updatedAt: Date) {
    self.at = at
    self.updatedAt = updatedAt
  }

  /// Milliseconds after `updatedAt` for which it counts.
  var countsFor: Int { isWithdrawn ? Self.live : Self.aging }
}

/// A trip without times of its own: one comes every so often.
package struct Frequency: Equatable, Sendable {
  /// Seconds from one to the next; nil: not told.
  package var headway: TimeInterval?
  package var end: Date?

  package init(headway: TimeInterval?, end: Date?) {
    self.headway = headway
    self.end = end
  }

  /// The headway in milliseconds, when it is one.
  var milliseconds: Int? {
    guard let headway, let whole = Int(exactly: (headway * 1000).rounded()), (1000...86_400_000).contains(whole)
    else { return nil }
    return whole
  }
}
