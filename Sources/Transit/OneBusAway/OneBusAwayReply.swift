package import Foundation

/// What came back for a request, and what is known around it.
package struct OneBusAwayReply: Sendable {
  package var request: OneBusAwayRequest
  package var body: Data
  package var httpStatus: Int
  /// `Date` of the HTTP answer, else the local clock when it came: used when the answer tells no time itself.
  package var date: Date
  /// `Retry-After` in seconds.
  package var retryAfter: TimeInterval?
  /// Seconds since the last good answer with this key; nil: there was none.
  package var sinceSuccess: TimeInterval?
  /// `X-Data-Expired: true`, which some servers send with an old timetable.
  package var isDataExpired: Bool

  package init(
    request: OneBusAwayRequest, body: Data, httpStatus: Int, date: Date, retryAfter: TimeInterval? = nil,
    sinceSuccess: TimeInterval? = nil, isDataExpired: Bool = false
  ) {
    self.request = request
    self.body = body
    self.httpStatus = httpStatus
    self.date = date
    self.retryAfter = retryAfter
    self.sinceSuccess = sinceSuccess
    self.isDataExpired = isDataExpired
  }

  /// The data of the answer and the server's clock.
  ///
  /// The code in the envelope counts; the HTTP status only where there is none: servers and caches have sent 200 with
  /// every error.
  func decoded<Payload: Decodable>(
    _ type: Payload.Type
  ) throws(OneBusAwayError) -> (payload: Payload, time: Date) {
    let envelope: Envelope<Payload>
    do {
      envelope = try JSONDecoder().decode(Envelope<Payload>.self, from: body)
    } catch {
      // A page that is not there is not a stop that is not there.
      if httpStatus == 404 { throw .refused(404) }
      // A page for people is not the provider's word on a key.
      if httpStatus == 401, Self.isWebPage(body) { throw .webPage }
      throw failure(httpStatus, says: nil, fields: []) ?? Self.nature(of: body)
    }
    if let failure = failure(envelope.code ?? httpStatus, says: envelope.text, fields: envelope.fields) {
      throw failure
    }
    guard let payload = envelope.payload else {
      throw envelope.misshapen.map { .unexpectedShape($0) } ?? .noData
    }
    return (payload, envelope.currentTime ?? date)
  }

  /// What a code means; nil for 200.
  private func failure(_ code: Int, says text: String?, fields: [String]) -> OneBusAwayError? {
    switch code {
    case 200: nil
    case 400: .badRequest(fields)
    // A key that worked ten minutes ago has not become wrong: old servers say 401 for too many requests.
    case 401: sinceSuccess.map { $0 <= 600 } ?? false ? .tooManyRequests(retryAfter: retryAfter) : .keyRejected
    case 404: .unknown(request)
    case 429: .tooManyRequests(retryAfter: retryAfter)
    case 440: .outOfServiceArea
    case 510: .timetableExpired
    // Old servers say so of an id they cannot take apart.
    case 500 where text?.hasPrefix("invalidArgument") ?? false: .unknown(request)
    case 500...: .serverFault(code)
    default: .refused(code)
    }
  }

  /// A body behind its byte order mark and white space.
  private static func start(of body: Data) -> Data {
    let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body
    return text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  private static func isWebPage(_ body: Data) -> Bool { start(of: body).first == UInt8(ascii: "<") }

  /// What a body is that is no envelope.
  private static func nature(of body: Data) -> OneBusAwayError {
    if body.starts(with: [0x1F, 0x8B]) { return .compressed }
    if isWebPage(body) { return .webPage }
    let text = start(of: body)
    if text.isEmpty { return .emptyBody }
    guard (try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) != nil else { return .notJSON }
    return text.starts(with: Array("null".utf8)) ? .noData : .unexpectedShape("the whole answer")
  }
}

/// `{"code":200,"text":"OK","currentTime":…,"data":{…}}`; of a failure, without `data`, with null or with anything.
private struct Envelope<Payload: Decodable>: Decodable {
  let code: Int?
  let text: String?
  let currentTime: Date?
  let payload: Payload?
  /// Where `data` is not what it should be.
  let misshapen: String?
  /// The parameters that the server found wrong.
  let fields: [String]

  private enum Key: String, CodingKey { case code, text, currentTime, data }
  private struct Refusal: Decodable { let fieldErrors: [String: TolerantList<String>] }

  init(from decoder: any Decoder) throws {
    let envelope = try decoder.container(keyedBy: Key.self)
    code = envelope.whole(.code)
    text = envelope.text(.text)
    currentTime = envelope.instant(.currentTime)
    fields = envelope.lenient(Refusal.self, .data)?.fieldErrors.keys.filter(isName).sorted() ?? []
    do {
      payload = try envelope.decodeIfPresent(Payload.self, forKey: .data)
      misshapen = nil
    } catch {
      payload = nil
      misshapen = place(of: error)
    }
  }
}

/// A parameter's name, and nothing that could be a key.
private func isName(_ text: String) -> Bool {
  text.utf8.count <= 30 && text.utf8.allSatisfy { (65...90).contains($0) || (97...122).contains($0) }
}

/// Where data is not what it should be; nil when there is none.
private func place(of error: any Error) -> String? {
  let path: [any CodingKey]
  switch error as? DecodingError {
  case .valueNotFound(_, let context): path = context.codingPath
  case .keyNotFound(let key, let context): path = context.codingPath + [key]
  case .typeMismatch(_, let context), .dataCorrupted(let context):
    return context.codingPath.map(\.stringValue).joined(separator: ".")
  default: return "data"
  }
  let names = path.map(\.stringValue)
  return names.last == "entry" ? nil : names.joined(separator: ".")
}
