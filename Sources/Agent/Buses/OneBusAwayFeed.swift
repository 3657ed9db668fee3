package import Configuration
package import Feeds
package import Foundation
package import Linux
internal import Synchronization
package import Transit

/// OneBusAway by `Feeds`: what is fetched for whom, and what an answer means.
package struct OneBusAwayFeed: Sendable {
  package static let id = "onebusaway"
  /// Some servers send it with an old timetable.
  fileprivate static let expiry = "x-data-expired"

  /// How a request ended.
  package enum Outcome<Value: Sendable>: Sendable {
    /// A new answer; how long before it came the provider looked at its clock.
    case new(Value, toldAgo: Duration)
    /// The last good one, of before the failure or of an earlier run.
    case old(Value, Trouble)
    case nothing(Trouble)
  }

  /// Why nothing new came.
  package struct Trouble: Sendable {
    /// What the provider said; nil: it did not come to that.
    package var error: OneBusAwayError?
    package var fault: Fault?
    /// What is wrong: what to do.
    package var sentence: String
  }

  package let source: Source
  private let base: String
  private let time: any TimeSource

  /// - Parameters:
  ///   - copies: nil: nothing is read from disk or stored.
  ///   - backsOff: false: every question is asked, whatever became of the one before, as a command does it.
  ///   - environment: of this process, for the key.
  package init(
    _ configuration: Configuration.Source, copies: CopyFolder?, exchange: Exchange, environment: [String: String],
    backsOff: Bool = true, time: any TimeSource, boot: String, log: Log
  ) {
    var settings = FeedSettings(id: Self.id)
    settings.keyParameter = "key"
    settings.keyAdvice = "ask oba_api_key@soundtransit.org for a key"
    settings.verdict = .body
    if !backsOff { settings.backOff = BackOff.Range(first: .zero, cap: .zero) }
    settings.headers = [Self.expiry]
    source = Source(
      settings, keys: KeyStore(source: Self.id, keyFile: configuration.keyFile, environment: environment),
      copies: copies, exchange: exchange.paced(time), time: time, boot: boot, log: log)
    base = configuration.baseURL ?? ""
    self.time = time
  }

  /// Who leaves from a stop.
  package func arrivals(_ stop: TransitID, watches: [Watch]) async throws(CancellationError) -> Outcome<StopAnswer> {
    try await ask(.arrivals(stop: stop, watches: watches)) { reply throws(OneBusAwayError) in
      try Self.arrivals(reply, of: stop, watches)
    }
  }

  /// What an answer says of the watches of a stop.
  private static func arrivals(_ reply: OneBusAwayReply, of stop: TransitID, _ watches: [Watch])
    throws(OneBusAwayError) -> StopAnswer
  {
    let answer = try reply.arrivals()
    // Believed, it would be an hour without a bus of that route.
    guard !watches.contains(where: { $0.stopKey.stop == stop && answer.lostRoutes.contains($0.route) }) else {
      throw .unexpectedShape("data.entry.arrivalsAndDepartures")
    }
    return answer
  }

  package func timetable(_ key: TimetableKey) async throws(CancellationError) -> Outcome<StopTimetable> {
    try await ask(
      .schedule(stop: key.stop.stop, day: key.day), parse: { reply throws(OneBusAwayError) in try reply.timetable() })
  }

  /// The last good copy of a stop's arrivals, without a request, and the provider's clock now as far as the copy tells it:
  /// nil when another boot fetched it.
  package func kept(_ stop: TransitID, watches: [Watch]) async -> (answer: StopAnswer, server: Date?)? {
    let answer = await kept(.arrivals(stop: stop, watches: watches)) { reply throws(OneBusAwayError) in
      try Self.arrivals(reply, of: stop, watches)
    }
    guard let answer else { return nil }
    return (answer, await standing(stop, watches: watches)?.serverNow(at: time.uptime()))
  }

  package func kept(_ key: TimetableKey) async -> StopTimetable? {
    await kept(.schedule(stop: key.stop.stop, day: key.day)) { reply throws(OneBusAwayError) in try reply.timetable() }
  }

  private func kept<Value: Sendable>(
    _ request: OneBusAwayRequest, parse: @Sendable (OneBusAwayReply) throws(OneBusAwayError) -> Value
  ) async -> Value? {
    guard let resource = resource(request) else { return nil }
    return await source.latest(resource) { delivery throws(Objection) in
      do throws(OneBusAwayError) { return try parse(delivery.reply(to: request)) } catch { throw Objection(error) }
    }.value
  }

  /// How a stop's arrivals stand.
  package func standing(_ stop: TransitID, watches: [Watch]) async -> Standing? {
    guard let resource = resource(.arrivals(stop: stop, watches: watches)) else { return nil }
    return await source.standing(of: resource)
  }

  /// Any question, for setting up.
  package func ask<Value: Sendable>(
    _ request: OneBusAwayRequest, parse: @Sendable (OneBusAwayReply) throws(OneBusAwayError) -> Value
  ) async throws(CancellationError) -> Outcome<Value> {
    guard let resource = resource(request) else {
      return .nothing(Trouble(sentence: "sources.onebusaway.baseURL is no address: correct it"))
    }
    let start = time.uptime()
    let asked = Mutex<(error: OneBusAwayError?, toldAgo: Duration)>((nil, .zero))
    let reading = try await source.fetch(resource) { delivery throws(Objection) in
      do throws(OneBusAwayError) {
        let value = try parse(delivery.reply(to: request))
        asked.withLock { $0.toldAgo = delivery.toldAgo }
        return value
      } catch {
        asked.withLock { $0.error = error }
        throw Objection(error)
      }
    }
    let (error, toldAgo) = asked.withLock { $0 }
    let isNew = reading.standing.fault == nil && reading.standing.receivedAt.map { $0 >= start } ?? false
    if let value = reading.value, isNew {
      return .new(value, toldAgo: toldAgo)
    }
    let sentence = error.map { String(describing: $0) } ?? reading.standing.message ?? "it was asked for a moment ago"
    let trouble = Trouble(error: error, fault: reading.standing.fault, sentence: sentence)
    return reading.value.map { .old($0, trouble) } ?? .nothing(trouble)
  }

  /// nil: the base address is none.
  private func resource(_ request: OneBusAwayRequest) -> Resource? {
    guard let address = Address(request.url(base: base)) else { return nil }
    return Resource(
      name: request.document, address: address, freshness: request.freshness, usesValidators: request.usesValidators)
  }
}

extension OneBusAwayRequest {
  /// The name of its document. Timetables of three days stand side by side, a fourth takes the place of the first, which its
  /// parser no longer takes: a window over midnight, and one before six, need two.
  fileprivate var document: String {
    if case .schedule(_, let day) = self { "\(path)/\((day.number % 3 + 3) % 3)" } else { path }
  }

  /// Arrivals tell the provider's clock: one that says they are as before would set it back.
  fileprivate var usesValidators: Bool {
    if case .arrivals = self { false } else { true }
  }

  /// How often it is asked for, and how long its answer counts.
  fileprivate var freshness: Freshness {
    switch self {
    // Predictions end after 180 s, whatever fails; after 15 min a failing feed is down (display.md 3.5).
    case .arrivals:
      Freshness(interval: .seconds(FetchPlanner.tick), staleAfter: .seconds(180), downAfter: .seconds(900))
    case .schedule: Freshness(interval: .seconds(6 * 3600))
    case .stop, .route, .agenciesWithCoverage: Freshness(interval: .seconds(1))
    }
  }
}

extension Delivery {
  fileprivate func reply(to request: OneBusAwayRequest) -> OneBusAwayReply {
    OneBusAwayReply(
      request: request, body: Data(body), httpStatus: status, date: instant, retryAfter: retryAfter?.inSeconds,
      sinceSuccess: sinceSuccess?.inSeconds, isDataExpired: headers[OneBusAwayFeed.expiry] == "true")
  }
}

extension Objection {
  fileprivate init(_ error: OneBusAwayError) {
    let sentence = String(describing: error)
    switch error {
    case .keyMissing, .keyRejected: self.init(sentence, scope: .key)
    case .tooManyRequests(let wait): self.init(sentence, scope: .source, retryAfter: wait.map { .seconds($0) })
    case .webPage, .compressed: self.init(sentence, scope: .source)
    default: self.init(sentence)
    }
  }
}
