package import Foundation

/// What a provider answered about the arrivals at a stop, in the board's own terms.
package struct StopAnswer: Equatable, Sendable {
  /// The server's clock when it answered.
  package var time: Date
  /// Buses up to here were asked for.
  package var until: Date
  /// One a key, in no order.
  package var visits: [Visit]
  package var notices: [Notice]
  /// `Notice.id` of what concerns the whole stop.
  package var stopNotices: [TransitID]
  /// nil: not told.
  package var stopName: String?
  /// The zone of the agency's timetable; nil: not told.
  package var agencyZone: TimeZone?
  /// The server says that its timetable has run out: what it answers is not to be believed.
  package var isTimetableExpired: Bool
  /// Routes of which there were rows, none of them understood: of these it tells nothing.
  package var lostRoutes: Set<TransitID>

  package init(
    time: Date, until: Date, visits: [Visit], notices: [Notice] = [], stopNotices: [TransitID] = [],
    stopName: String? = nil, agencyZone: TimeZone? = nil, isTimetableExpired: Bool = false,
    lostRoutes: Set<TransitID> = []
  ) {
    self.time = time
    self.until = until
    self.visits = visits
    self.notices = notices
    self.stopNotices = stopNotices
    self.stopName = stopName
    self.agencyZone = agencyZone
    self.isTimetableExpired = isTimetableExpired
    self.lostRoutes = lostRoutes
  }
}

/// All calls at a stop on one service date, which may run on into the night after it.
package struct StopTimetable: Equatable, Sendable {
  package var day: ServiceDay
  /// Without predictions.
  package var visits: [Visit]
  package var isExpired: Bool
  /// Not all of it was understood: of a route that it does not have it tells nothing.
  package var isPartial: Bool

  package init(day: ServiceDay, visits: [Visit], isExpired: Bool = false, isPartial: Bool = false) {
    self.day = day
    self.visits = visits
    self.isExpired = isExpired
    self.isPartial = isPartial
  }
}
