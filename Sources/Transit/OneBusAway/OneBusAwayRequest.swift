/// A question to a OneBusAway server. The key is no part of it: whoever sends it adds `key=` to its query.
package enum OneBusAwayRequest: Equatable, Hashable, Sendable {
  /// Who leaves from a stop, from five minutes ago on; `minutesAfter` from now.
  case arrivals(stop: TransitID, minutesAfter: Int)
  /// The timetable of a stop on a day.
  case schedule(stop: TransitID, day: ServiceDay)
  case stop(TransitID)
  case route(TransitID)
  case agenciesWithCoverage

  /// The arrivals for some watches of one stop: an hour, and the longest way to the stop on top.
  package static func arrivals(stop: TransitID, watches: [Watch]) -> OneBusAwayRequest {
    let walk = watches.filter { $0.stop == stop }.compactMap(\.walkMinutes).max() ?? 0
    return .arrivals(stop: stop, minutesAfter: 60 + max(0, min(walk, 240)))
  }

  /// The address without the key.
  ///
  /// - Parameter base: as `https://api.pugetsound.onebusaway.org`, with or without a slash at its end.
  package func url(base: String) -> String {
    var base = base[...]
    while base.last == "/" { base = base.dropLast() }
    let query = query.map { "\($0)=\($1)" }.joined(separator: "&")
    return query.isEmpty ? "\(base)\(path)" : "\(base)\(path)?\(query)"
  }

  /// The path on the server, without query and key.
  package var path: String {
    switch self {
    case .arrivals(let stop, _): "/api/where/arrivals-and-departures-for-stop/\(Self.encoded(stop.text)).json"
    case .schedule(let stop, _): "/api/where/schedule-for-stop/\(Self.encoded(stop.text)).json"
    case .stop(let stop): "/api/where/stop/\(Self.encoded(stop.text)).json"
    case .route(let route): "/api/where/route/\(Self.encoded(route.text)).json"
    case .agenciesWithCoverage: "/api/where/agencies-with-coverage.json"
    }
  }

  private var query: [(String, String)] {
    switch self {
    case .arrivals(_, let minutes): [("minutesBefore", "5"), ("minutesAfter", String(minutes))]
    case .schedule(_, let day): [("date", day.description)]
    default: []
    }
  }

  /// What is asked for, for an error.
  var subject: String {
    switch self {
    case .arrivals(let stop, _), .schedule(let stop, _), .stop(let stop): "stop \(stop)"
    case .route(let route): "route \(route)"
    case .agenciesWithCoverage: "list of agencies"
    }
  }

  var advice: String {
    switch self {
    case .arrivals, .schedule, .stop: "check the watch's stop; `kiosk-agent bus stop CODE` finds its id"
    case .route: "check the watch's route; `kiosk-agent bus stop CODE` lists the routes of a stop"
    case .agenciesWithCoverage: "check sources.onebusaway.baseURL"
    }
  }

  /// Percent-encoded as one segment: ids hold spaces and slashes.
  private static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
  }
}
