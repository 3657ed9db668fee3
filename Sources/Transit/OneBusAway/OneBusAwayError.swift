package import Foundation

/// Why a OneBusAway server's answer is no use. Each says, as text for a log or a technician, what is wrong and what to do;
/// nothing of the answer's own text is in it, because a server may repeat the key.
package enum OneBusAwayError: Error, Equatable, Sendable {
  /// No key is configured.
  case keyMissing
  /// The server does not know the key.
  case keyRejected
  /// Too many requests; seconds to stay away, when the server says so. Old servers say 401 for this.
  case tooManyRequests(retryAfter: TimeInterval?)
  /// The server knows no such thing.
  case unknown(OneBusAwayRequest)
  /// 400; names of parameters, where they are told.
  case badRequest([String])
  /// The place or the time is outside of what the server has.
  case outOfServiceArea
  case timetableExpired
  /// The server has a fault of its own: 500 and above.
  case serverFault(Int)
  /// Any other answer than 200.
  case refused(Int)
  /// No bytes at all.
  case emptyBody
  /// `null`, or an answer without data.
  case noData
  /// A web page: of a log-in to the network, or of a gateway.
  case webPage
  case compressed
  /// Text that is not JSON, or JSON that is cut.
  case notJSON
  /// JSON of another shape; where, such as `data.entry.arrivalsAndDepartures`.
  case unexpectedShape(String)

  /// Whether asking again soon cannot help.
  package var needsAPerson: Bool {
    switch self {
    case .keyMissing, .keyRejected, .unknown, .badRequest, .outOfServiceArea: true
    default: false
    }
  }
}

extension OneBusAwayError: CustomStringConvertible {
  private static let askForKey = "ask oba_api_key@soundtransit.org for a key and put it in the file named by keyFile"

  package var description: String {
    switch self {
    case .keyMissing: "OneBusAway: no key is configured: \(Self.askForKey)"
    case .keyRejected: "OneBusAway: the server does not accept the key: check it, or \(Self.askForKey)"
    case .tooManyRequests: "OneBusAway: too many requests with this key: nothing to do, it is asked again later"
    case .unknown(let request): "OneBusAway: the server knows no \(request.subject): \(request.advice)"
    case .badRequest(let fields):
      "OneBusAway: the server does not understand the request"
        + (fields.isEmpty ? "" : " (\(fields.joined(separator: ", ")))") + ": check the watch's stop and route"
    case .outOfServiceArea: "OneBusAway: the server does not serve this area: check sources.onebusaway.baseURL"
    case .timetableExpired:
      "OneBusAway: the server's timetable has run out: nothing to do here, the agency must publish a new one"
    case .serverFault(let code): "OneBusAway: the server has a fault (\(code)): nothing to do, it is asked again later"
    case .refused(let code): "OneBusAway: the server refused (\(code)): check sources.onebusaway.baseURL"
    case .emptyBody: "OneBusAway: the answer is empty: nothing to do, it is asked again later"
    case .noData: "OneBusAway: the server returned no data: nothing to do, it is asked again later"
    case .webPage:
      "OneBusAway: a web page came instead of data: check sources.onebusaway.baseURL, and whether the network wants a log-in"
    case .compressed: "OneBusAway: the answer is compressed, which was not asked for: check for a proxy in between"
    case .notJSON: "OneBusAway: the answer is cut or not JSON: nothing to do, it is asked again later"
    case .unexpectedShape(let path):
      "OneBusAway: the answer has another shape (\(path)): check that sources.onebusaway.baseURL is a OneBusAway server"
    }
  }
}
