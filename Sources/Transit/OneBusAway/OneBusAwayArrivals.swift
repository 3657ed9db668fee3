internal import Foundation

extension OneBusAwayReply {
  /// More calls than a stop has in the time that is asked for; the nearest are kept. All of them are gone through at every
  /// look at the wall, where a tap may be waiting.
  private static let mostVisits = 200
  private static let mostNotices = 100

  /// The arrivals at a stop, as the board wants them.
  package func arrivals() throws(OneBusAwayError) -> StopAnswer {
    guard case .arrivals(let stop, let minutesAfter) = request else { throw .unexpectedShape("another request") }
    let (data, time) = try decoded(EntryData<ArrivalsEntry>.self)
    let list = data.entry.rows
    let rows = list.elements.map { (route: $0.route, sighting: $0.row?.visit(data.references, answered: time)) }
    let visits = rows.compactMap(\.sighting)
    let rejected = list.rejected + rows.count - visits.count
    guard !visits.isEmpty || rejected == 0 else { throw .unexpectedShape("data.entry.arrivalsAndDepartures") }
    let lost = Set(rows.filter { $0.sighting == nil }.compactMap(\.route)).subtracting(visits.map(\.visit.route))
    let nearest = Sighting.withoutPhantoms(visits).sorted { one, other in
      abs(one.scheduledAt.timeIntervalSince(time)) < abs(other.scheduledAt.timeIntervalSince(time))
    }
    let kept = Array(nearest.prefix(Self.mostVisits))
    // Of what lies beyond the last that is kept the answer tells nothing.
    let reach = nearest.count > kept.count ? kept.last.map { abs($0.scheduledAt.timeIntervalSince(time)) } : nil
    return StopAnswer(
      time: time, until: time.addingTimeInterval(min(Double(minutesAfter) * 60, reach ?? .infinity)), visits: kept,
      notices: data.references.situations.prefix(Self.mostNotices).map(\.notice).filter { !$0.summary.isEmpty },
      stopNotices: data.entry.situationIds, stopName: data.references.stops[stop]?.name,
      agencyZone: data.references.zone(of: stop), isTimetableExpired: isDataExpired,
      lostRoutes: lost)
  }
}

private struct ArrivalsEntry: Decodable {
  let rows: TolerantList<Element>
  let situationIds: [TransitID]

  private enum Key: String, CodingKey { case arrivalsAndDepartures, situationIds }

  init(from decoder: any Decoder) throws {
    let entry = try decoder.container(keyedBy: Key.self)
    rows = try entry.decode(TolerantList<Element>.self, forKey: .arrivalsAndDepartures)
    situationIds = entry.elements(TransitID.self, .situationIds)
  }
}

/// A row; one that is not understood tells at least, mostly, which route it was of.
private struct Element: Decodable {
  let row: Row?
  let route: TransitID?

  private enum Key: String, CodingKey { case routeId }

  init(from decoder: any Decoder) throws {
    row = try? Row(from: decoder)
    route = (try? decoder.container(keyedBy: Key.self)).flatMap { $0.lenient(TransitID.self, .routeId) }
  }
}

/// A visit and what tells it from its twin.
private struct Sighting {
  var visit: Visit
  var hasPosition: Bool
  var vehicle: String

  /// One of each key. Servers name some trips twice, once with the coach and once with a vehicle that is only a name: the
  /// one that has been located counts, then the one heard of last.
  static func withoutPhantoms(_ sightings: [Sighting]) -> [Visit] {
    Dictionary(grouping: sightings, by: \.visit.key).values.compactMap { twins in
      twins.max { $0.isLessCredible(than: $1) }?.visit
    }
  }

  private func isLessCredible(than other: Sighting) -> Bool {
    if hasPosition != other.hasPosition { return other.hasPosition }
    let (mine, others) = (visit.prediction?.updatedAt, other.visit.prediction?.updatedAt)
    if mine != others { return mine ?? .distantPast < others ?? .distantPast }
    return vehicle < other.vehicle
  }
}

/// An element of `arrivalsAndDepartures`. Only ids and times by the timetable must be there: old servers leave all else out.
private struct Row: Decodable {
  private struct Times {
    let scheduled: Date?
    let predicted: Date?
  }

  private struct TripStatus: Decodable {
    let status: String?
    let lastUpdateTime: Date?
    let lastLocationUpdateTime: Date?

    private enum Key: String, CodingKey { case status, lastUpdateTime, lastLocationUpdateTime }

    init(from decoder: any Decoder) throws {
      let trip = try decoder.container(keyedBy: Key.self)
      status = trip.text(.status)
      lastUpdateTime = trip.instant(.lastUpdateTime)
      lastLocationUpdateTime = trip.instant(.lastLocationUpdateTime)
    }
  }

  private struct Interval: Decodable {
    let frequency: Frequency

    private enum Key: String, CodingKey { case endTime, headway }

    init(from decoder: any Decoder) throws {
      let interval = try decoder.container(keyedBy: Key.self)
      frequency = Frequency(
        headway: interval.lenient(Double.self, .headway).flatMap { $0 > 0 ? $0 : nil }, end: interval.instant(.endTime))
    }
  }

  private enum Key: String, CodingKey {
    case tripId, routeId, stopId, serviceDate, stopSequence, totalStopsInTrip, routeShortName, routeLongName,
      tripHeadsign
    case scheduledArrivalTime, scheduledDepartureTime, predictedArrivalTime, predictedDepartureTime, predicted
    case departureEnabled, lastUpdateTime, frequency, status, numberOfStopsAway, vehicleId, situationIds, tripStatus
  }

  /// A bus is not believed to be further from its timetable than this: what lies beyond belongs to another day or to no
  /// day (transit.md 3.16, 3.17).
  private static let believable = 6 * 3_600_000

  private let key: Visit.Key
  private let route: TransitID
  private let routeName: String?
  private let headsign: String?
  private let arrival: Times
  private let departure: Times
  private let isPredicted: Bool
  private let isFirstStop: Bool
  private let isDropOffOnly: Bool
  private let lastUpdateTime: Date?
  private let frequency: Frequency?
  private let statuses: Set<String>
  private let numberOfStopsAway: Int?
  private let vehicle: String
  private let notices: [TransitID]
  private let tripStatus: TripStatus?

  init(from decoder: any Decoder) throws {
    let row = try decoder.container(keyedBy: Key.self)
    let sequence = row.whole(.stopSequence)
    key = Visit.Key(
      trip: try row.decode(TransitID.self, forKey: .tripId), serviceDate: row.whole(.serviceDate),
      stopSequence: sequence)
    route = try row.decode(TransitID.self, forKey: .routeId)
    routeName = row.text(.routeShortName) ?? row.text(.routeLongName)
    headsign = row.text(.tripHeadsign)
    arrival = Times(scheduled: row.instant(.scheduledArrivalTime), predicted: row.instant(.predictedArrivalTime))
    departure = Times(scheduled: row.instant(.scheduledDepartureTime), predicted: row.instant(.predictedDepartureTime))
    isPredicted = row.lenient(Bool.self, .predicted) ?? false
    isFirstStop = sequence == 0
    let isLastStop = row.whole(.totalStopsInTrip).map { total in sequence.map { $0 + 1 == total } ?? false } ?? false
    isDropOffOnly = row.lenient(Bool.self, .departureEnabled).map(!) ?? isLastStop
    lastUpdateTime = row.instant(.lastUpdateTime)
    frequency = row.lenient(Interval.self, .frequency)?.frequency
    tripStatus = row.lenient(TripStatus.self, .tripStatus)
    statuses = Set([row.text(.status), tripStatus?.status].compactMap { $0?.lowercased() })
    numberOfStopsAway = row.whole(.numberOfStopsAway)
    vehicle = row.text(.vehicleId) ?? ""
    notices = row.elements(TransitID.self, .situationIds)
  }

  /// nil: it has no time by the timetable.
  func visit(_ references: References, answered: Date) -> Sighting? {
    let isCanceled = !statuses.isDisjoint(with: ["canceled", "cancelled"])
    let isBelieved = isPredicted && !isCanceled
    guard let times = event(isBelieved), let scheduledAt = times.scheduled else { return nil }
    var visit = Visit(
      key: key, route: route, routeName: name(references), headsign: headsign ?? references.headsigns[key.trip] ?? "",
      scheduledAt: scheduledAt, frequency: frequency)
    if isBelieved, Self.isBelievable(times), let at = times.predicted {
      // A prediction is not from the future; one without a time of its own is as old as the answer that gave it.
      let told = lastUpdateTime ?? tripStatus?.lastUpdateTime ?? tripStatus?.lastLocationUpdateTime ?? answered
      visit.prediction = Prediction(at: at, updatedAt: min(told, answered))
    }
    visit.isCanceled = isCanceled
    visit.isAdded = statuses.contains("added")
    visit.isDropOffOnly = isDropOffOnly
    visit.hasPassed = isBelieved && (numberOfStopsAway ?? 0) < 0
    visit.notices = notices
    return Sighting(visit: visit, hasPosition: tripStatus?.lastLocationUpdateTime != nil, vehicle: vehicle)
  }

  /// The event to wait for at the stop, by the timetable and predicted, never one of each: the departure; where only the
  /// arrival is known, that. At the first stop of a trip the arrival is the beginning of a pause.
  private func event(_ isBelieved: Bool) -> Times? {
    guard departure.scheduled != nil else { return isFirstStop ? nil : arrival }
    let isKnownByArrivalOnly = isBelieved && !Self.isBelievable(departure) && Self.isBelievable(arrival)
    return isKnownByArrivalOnly && !isFirstStop ? arrival : departure
  }

  private static func isBelievable(_ times: Times) -> Bool {
    guard let scheduled = times.scheduled, let predicted = times.predicted else { return false }
    return abs(predicted.milliseconds(since: scheduled)) <= believable
  }

  private func name(_ references: References) -> String {
    routeName ?? references.routes[route].flatMap { $0.shortName ?? $0.longName } ?? ""
  }
}
