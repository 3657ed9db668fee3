package import Foundation

/// A OneBusAway provider in miniature: buses that run by a simple pattern, each late by its own seconds, told with the
/// paths, parameters and bodies of the real one (OneBusAway "Where" API, version 2).
package struct SimulatedBuses: Sendable {
  /// The buses of one route at one stop.
  package struct Line: Codable, Sendable {
    package var stop: String
    package var stopName: String
    /// What is written on the stop.
    package var code: String
    package var direction: String
    package var route: String
    package var shortName: String
    package var longName: String
    package var headsign: String
    /// Minutes since local midnight of the first bus and the last, and from one to the next.
    package var first: Int
    package var last: Int
    package var every: Int
    /// Seconds behind the timetable, bus by bus, over and over; null: nothing is heard of it.
    package var late: [Int?]
    /// Which buses of a day, from 0, do not run.
    package var canceled: [Int]

    package init(
      stop: String, stopName: String = "Garfield Station", code: String = "75403", direction: String = "S",
      route: String, shortName: String, longName: String = "", headsign: String = "Downtown", first: Int, last: Int,
      every: Int, late: [Int?] = [0], canceled: [Int] = []
    ) {
      self.stop = stop
      self.stopName = stopName
      self.code = code
      self.direction = direction
      self.route = route
      self.shortName = shortName
      self.longName = longName
      self.headsign = headsign
      self.first = first
      self.last = last
      self.every = every
      self.late = late
      self.canceled = canceled
    }
  }

  package var lines: [Line]
  /// The agency's.
  package var zone: TimeZone
  /// Seconds ago at which every vehicle was heard of last.
  package var reportAge = 20
  /// Trips that arrivals do not name, as servers hide what they have struck; the timetable does.
  package var hidden: Set<String> = []
  /// As real ones are: each bus is missing in every fifth answer, and until two minutes before it leaves its prediction is
  /// up to 20 s off, in each answer otherwise. Answers are told apart by the half minute they are of.
  package var isRestless = false

  package init(_ lines: [Line], zone: TimeZone) {
    self.lines = lines
    self.zone = zone
  }

  /// The answer to a request.
  ///
  /// - Parameters:
  ///   - path: percent-encoded.
  ///   - now: the provider's clock.
  package func answer(_ path: String, query: [String: String], at now: Date) -> (status: Int, body: String) {
    let parts = path.removingPercentEncoding?.split(separator: "/").map(String.init) ?? []
    guard parts.count >= 3, parts[0] == "api", parts[1] == "where" else { return Self.failure(404, at: now) }
    let name = parts[2].replacingOccurrences(of: ".json", with: "")
    let id = parts.count > 3 ? String(parts[3...].joined(separator: "/").dropLast(5)) : ""
    switch name {
    case "agencies-with-coverage": return success(agencies, at: now)
    case "arrivals-and-departures-for-stop":
      let after = query["minutesAfter"].flatMap(Double.init) ?? 35
      return found(arrivals(id, at: now, minutesAfter: after), at: now)
    case "schedule-for-stop": return found(query["date"].flatMap { schedule(id, on: $0) }, at: now)
    case "stop": return found(stop(id), at: now)
    case "route": return found(route(id), at: now)
    default: return Self.failure(404, at: now)
    }
  }

  package static func failure(_ code: Int, at now: Date) -> (status: Int, body: String) {
    let texts = [401: "permission denied", 404: "resource not found", 429: "rate limit exceeded"]
    return (
      code,
      json(["code": code, "currentTime": now.inMilliseconds, "text": texts[code] ?? "internal error", "version": 2])
    )
  }

  private func found(_ data: [String: Any]?, at now: Date) -> (status: Int, body: String) {
    data.map { success($0, at: now) } ?? Self.failure(404, at: now)
  }

  private func success(_ data: [String: Any], at now: Date) -> (status: Int, body: String) {
    let body: [String: Any] = [
      "code": 200, "currentTime": now.inMilliseconds, "data": data, "text": "OK", "version": 2,
    ]
    return (200, Self.json(body))
  }

  private static func json(_ object: [String: Any]) -> String {
    let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

// What there is.
extension SimulatedBuses {
  private var agencies: [String: Any] {
    ["list": [["agencyId": "1", "lat": 47.5, "lon": -122.1]], "limitExceeded": false, "references": references(lines)]
  }

  private func stop(_ id: String) -> [String: Any]? {
    let lines = lines.filter { $0.stop == id }
    guard let first = lines.first else { return nil }
    return ["entry": stop(first), "references": references(lines)]
  }

  private func route(_ id: String) -> [String: Any]? {
    guard let line = lines.first(where: { $0.route == id }) else { return nil }
    return ["entry": route(line), "references": references([line])]
  }

  private func stop(_ line: Line) -> [String: Any] {
    [
      "id": line.stop, "name": line.stopName, "code": line.code, "direction": line.direction, "lat": 47.6,
      "lon": -122.3,
      "locationType": 0, "routeIds": lines.filter { $0.stop == line.stop }.map(\.route),
    ]
  }

  private func route(_ line: Line) -> [String: Any] {
    ["id": line.route, "agencyId": "1", "shortName": line.shortName, "longName": line.longName, "type": 3]
  }

  func references(_ lines: [Line]) -> [String: Any] {
    [
      "agencies": [["id": "1", "name": "Metro Transit", "timezone": zone.identifier]],
      "routes": lines.map(route), "stops": lines.map(stop), "situations": [], "stopTimes": [], "trips": [],
    ]
  }
}

extension Date {
  var inMilliseconds: Int { Int((timeIntervalSince1970 * 1000).rounded()) }
}
