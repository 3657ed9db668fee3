package import Foundation

// The buses of a day.
extension SimulatedBuses {
  /// One bus.
  package struct Trip: Sendable {
    package var line: Line
    package var id: String
    package var day: Date
    package var scheduledAt: Date
    /// nil: nothing is heard of it.
    package var late: Int?
    package var isCanceled: Bool

    /// Tells it from its neighbours.
    fileprivate var unrest: Int { Int(scheduledAt.timeIntervalSince1970 / 60) }

    /// When it really leaves.
    package var leavesAt: Date { scheduledAt.addingTimeInterval(Double(late ?? 0)) }
  }

  private var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }

  /// The buses at a stop on the local day of an instant.
  package func trips(_ stop: String, on instant: Date) -> [Trip] {
    let calendar = calendar
    let day = calendar.startOfDay(for: instant)
    let parts = calendar.dateComponents([.year, .month, .day], from: day)
    let name = String(format: "%04d%02d%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    let isPlain = zone.secondsFromGMT(for: day) == zone.secondsFromGMT(for: day + 86_400)
    return lines.filter { $0.stop == stop }.flatMap { line in
      stride(from: line.first, through: line.last, by: line.every).enumerated().compactMap { index, minutes -> Trip? in
        guard let at = isPlain ? day + Double(minutes * 60) : localInstant(minutes, of: day) else { return nil }
        return Trip(
          line: line, id: "\(line.route)_\(name)_\(index)", day: day, scheduledAt: at,
          late: line.late.isEmpty ? nil : line.late[index % line.late.count], isCanceled: line.canceled.contains(index))
      }
    }
  }

  /// A local time of a day on which the clock is changed: in the hour that comes twice the first.
  private func localInstant(_ minutes: Int, of day: Date) -> Date? {
    calendar.date(
      bySettingHour: minutes / 60 % 24, minute: minutes % 60, second: 0, of: day + Double(minutes / 1440 * 86_400))
  }

  func arrivals(_ stop: String, at now: Date, minutesAfter: Double) -> [String: Any]? {
    guard lines.contains(where: { $0.stop == stop }) else { return nil }
    let days = [-86_400.0, 0, 86_400].map { now + $0 }
    let near = days.flatMap { trips(stop, on: $0) }.filter { trip in
      let last = max(trip.leavesAt, trip.scheduledAt)
      return last >= now - 300 && min(trip.leavesAt, trip.scheduledAt) <= now + minutesAfter * 60
        && !hidden.contains(trip.id) && !(isRestless && (number(of: now) + trip.unrest) % 5 == 0)
    }
    return [
      "entry": [
        "stopId": stop, "situationIds": [], "nearbyStopIds": [], "arrivalsAndDepartures": near.map { row($0, at: now) },
      ],
      "references": references(lines.filter { $0.stop == stop }),
    ]
  }

  /// Of an answer, so that two in a row have two.
  private func number(of now: Date) -> Int { Int((now.timeIntervalSince1970 / 30).rounded(.down)) }

  /// When it is said to leave.
  private func told(_ trip: Trip, at now: Date) -> Date {
    guard isRestless, trip.leavesAt > now + 120 else { return trip.leavesAt }
    return trip.leavesAt + Double((number(of: now) * 17 + trip.unrest * 7) % 41 - 20)
  }

  private func row(_ trip: Trip, at now: Date) -> [String: Any] {
    let heardAt = (now - Double(reportAge)).inMilliseconds
    let isPredicted = trip.late != nil && !trip.isCanceled
    let scheduled = trip.scheduledAt.inMilliseconds
    let predicted = isPredicted ? told(trip, at: now).inMilliseconds : 0
    let status: [String: Any] = [
      "activeTripId": trip.id, "status": trip.isCanceled ? "CANCELED" : "SCHEDULED", "predicted": isPredicted,
      "scheduleDeviation": trip.late ?? 0, "lastUpdateTime": isPredicted ? heardAt : 0,
      "lastLocationUpdateTime": isPredicted ? heardAt : 0, "vehicleId": isPredicted ? "1_7001" : "",
    ]
    return [
      "routeId": trip.line.route, "tripId": trip.id, "serviceDate": trip.day.inMilliseconds, "stopId": trip.line.stop,
      "stopSequence": 12, "totalStopsInTrip": 30, "blockTripSequence": 2, "arrivalEnabled": true,
      "departureEnabled": true, "routeShortName": trip.line.shortName, "routeLongName": trip.line.longName,
      "tripHeadsign": trip.line.headsign, "vehicleId": isPredicted ? "1_7001" : "", "predicted": isPredicted,
      "scheduledArrivalTime": scheduled, "scheduledDepartureTime": scheduled, "predictedArrivalTime": predicted,
      "predictedDepartureTime": predicted, "lastUpdateTime": isPredicted ? heardAt : 0,
      "status": trip.isCanceled ? "CANCELED" : "default",
      "numberOfStopsAway": trip.leavesAt < now ? -1 : 4, "distanceFromStop": trip.leavesAt < now ? -200.5 : 812.5,
      "frequency": NSNull(), "situationIds": [], "tripStatus": status,
    ]
  }

  /// - Parameter date: as `2026-11-03`.
  func schedule(_ stop: String, on date: String) -> [String: Any]? {
    let parts = date.split(separator: "-").compactMap { Int($0) }
    guard lines.contains(where: { $0.stop == stop }), parts.count == 3,
      let noon = calendar.date(from: DateComponents(year: parts[0], month: parts[1], day: parts[2], hour: 12))
    else { return nil }
    let routes = Dictionary(grouping: trips(stop, on: noon), by: \.line.route).sorted { $0.key < $1.key }
    let schedules = routes.map { route, trips -> [String: Any] in
      let times = trips.map { trip -> [String: Any] in
        [
          "arrivalTime": trip.scheduledAt.inMilliseconds, "departureTime": trip.scheduledAt.inMilliseconds,
          "arrivalEnabled": true, "departureEnabled": true, "serviceId": "1_daily", "tripId": trip.id,
          "stopHeadsign": "",
        ]
      }
      let direction: [String: Any] = [
        "tripHeadsign": trips.first?.line.headsign ?? "", "scheduleStopTimes": times, "scheduleFrequencies": [],
      ]
      return ["routeId": route, "stopRouteDirectionSchedules": [direction]]
    }
    return [
      "entry": ["date": noon.inMilliseconds, "stopId": stop, "stopRouteSchedules": schedules],
      "references": references(lines.filter { $0.stop == stop }),
    ]
  }
}
