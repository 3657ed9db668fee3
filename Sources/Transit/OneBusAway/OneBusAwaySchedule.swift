internal import Foundation

extension OneBusAwayReply {
  /// Servers do not agree on which instant stands for a day, and a day's service runs on into the night.
  private static func isOf(_ day: ServiceDay, _ told: Date?) -> Bool {
    let noon = Date(timeIntervalSince1970: Double(day.number) * 86_400 + 43_200)
    return told.map { abs($0.timeIntervalSince(noon)) < 36 * 3600 } ?? true
  }

  /// More calls than any stop has in a day.
  private static let mostCalls = 4000

  /// The timetable of a stop on one service date.
  package func timetable() throws(OneBusAwayError) -> StopTimetable {
    guard case .schedule(_, let day) = request else { throw .unexpectedShape("another request") }
    let (data, _) = try decoded(EntryData<ScheduleEntry>.self)
    var calls: [TransitID: Int] = [:]
    let visits = data.entry.routes.flatMap { route in
      route.directions.flatMap { direction in
        (direction.times + direction.frequencies).map { call in
          let count = calls[call.trip, default: 0]
          calls[call.trip] = count + 1
          // What tells two calls of one trip apart is their order: a timetable names no places in the trip.
          let key = Visit.Key(trip: call.trip, serviceDate: day.number, stopSequence: count)
          let names = data.references.routes[route.id]
          var visit = Visit(
            key: key, route: route.id, routeName: names.flatMap { $0.shortName ?? $0.longName } ?? "",
            headsign: call.headsign ?? direction.headsign, scheduledAt: call.at, frequency: call.frequency)
          visit.isDropOffOnly = call.isDropOffOnly
          return visit
        }
      }
    }
    // A timetable of which nothing is understood is none; believed, it would be a day without buses.
    guard !visits.isEmpty || !data.entry.isPartial else {
      throw .unexpectedShape("data.entry.stopRouteSchedules")
    }
    // A copy is of the day that it was asked for.
    guard Self.isOf(day, data.entry.date ?? visits.first?.scheduledAt) else {
      throw .unexpectedShape("data.entry.date")
    }
    return StopTimetable(
      day: day, visits: Array(visits.prefix(Self.mostCalls)), isExpired: isDataExpired,
      isPartial: data.entry.isPartial || visits.count > Self.mostCalls)
  }
}

private struct ScheduleEntry: Decodable {
  let routes: [RouteSchedule]
  /// Something of them was not understood.
  let isPartial: Bool
  /// What stands for the day; nil: it is not told.
  let date: Date?

  private enum Key: String, CodingKey { case stopRouteSchedules, date }

  init(from decoder: any Decoder) throws {
    let entry = try decoder.container(keyedBy: Key.self)
    let list = try entry.decode(TolerantList<RouteSchedule>.self, forKey: .stopRouteSchedules)
    routes = list.elements
    isPartial = list.rejected > 0 || routes.contains(where: \.isPartial)
    date = entry.instant(.date)
  }
}

private struct RouteSchedule: Decodable {
  let id: TransitID
  let directions: [Direction]
  let isPartial: Bool

  private enum Key: String, CodingKey { case routeId, stopRouteDirectionSchedules }

  init(from decoder: any Decoder) throws {
    let route = try decoder.container(keyedBy: Key.self)
    id = try route.decode(TransitID.self, forKey: .routeId)
    let list = route.list(Direction.self, .stopRouteDirectionSchedules)
    directions = list.elements
    isPartial =
      !route.contains(.stopRouteDirectionSchedules) || list.rejected > 0 || directions.contains(where: \.isPartial)
  }
}

private struct Direction: Decodable {
  let headsign: String
  let times: [Call]
  let frequencies: [Call]
  let isPartial: Bool

  private enum Key: String, CodingKey { case tripHeadsign, scheduleStopTimes, scheduleFrequencies }

  init(from decoder: any Decoder) throws {
    let direction = try decoder.container(keyedBy: Key.self)
    headsign = direction.text(.tripHeadsign) ?? ""
    let (timed, frequent) = (
      direction.list(Call.self, .scheduleStopTimes), direction.list(Call.self, .scheduleFrequencies)
    )
    (times, frequencies) = (timed.elements, frequent.elements)
    isPartial = timed.rejected + frequent.rejected > 0
  }
}

/// A call at a time, or calls every so often from a time on.
private struct Call: Decodable {
  let trip: TransitID
  let at: Date
  let headsign: String?
  let isDropOffOnly: Bool
  let frequency: Frequency?

  private enum Key: String, CodingKey {
    case tripId, arrivalTime, departureTime, departureEnabled, stopHeadsign, startTime, endTime, headway
  }

  init(from decoder: any Decoder) throws {
    let call = try decoder.container(keyedBy: Key.self)
    trip = try call.decode(TransitID.self, forKey: .tripId)
    let start = call.instant(.startTime)
    guard let at = call.instant(.departureTime) ?? call.instant(.arrivalTime) ?? start else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a call without a time"))
    }
    self.at = at
    headsign = call.text(.stopHeadsign)
    isDropOffOnly = call.lenient(Bool.self, .departureEnabled).map(!) ?? false
    frequency = start.map { _ in
      Frequency(
        headway: call.lenient(Double.self, .headway).flatMap { $0 > 0 ? $0 : nil }, end: call.instant(.endTime))
    }
  }
}
