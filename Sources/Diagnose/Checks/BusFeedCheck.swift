internal import Agent
internal import Configuration
internal import Feeds
internal import Foundation
internal import Glibc
internal import Linux
internal import Transit

/// F1: whether OneBusAway takes the key, and knows the stops and routes that the household watches.
enum BusFeedCheck {
  static let check = Check(
    "F1", "Buses of OneBusAway", needs: ["N5", "C2"], impact: .wall, eyes: .service, deadline: .seconds(11),
    usesNetwork: true, overdue: ("OneBusAway does not answer.", "It is asked again; look at it later.")
  ) { await look($0) }

  private static func look(_ box: Surroundings) async -> Finding {
    guard let configuration = box.configuration else { return Surroundings.noConfiguration }
    guard let watches = box.watches, let wanted = box.wantedBuses else {
      return .skip("The household's watches cannot be read (D4).")
    }
    guard !wanted.isEmpty else {
      return .skip(
        watches.contains { $0.source == OneBusAwayFeed.id }
          ? "Every watch of OneBusAway is switched off." : "The household watches no bus of OneBusAway.")
    }
    let source = configuration.oneBusAway
    guard !KeyCheck.holdsKey(source.baseURL) else { return .skip("A key stands in its address (C2).") }
    do throws(KeyStore.Fault) {
      _ = try KeyStore(source: OneBusAwayFeed.id, keyFile: source.keyFile, environment: box.feedEnvironment).key()
    } catch {
      if case .unreadable(_, EACCES) = error, !box.hasServiceEyes {
        return .skip("You may not read the key: run this as root.")
      }
      return .skip("There is no key that can be used here (C2).")
    }
    var visit = Visit(
      inquiry: BusInquiry(box, source, within: .seconds(9)),
      host: source.baseURL.flatMap(Address.init)?.host ?? "no address", now: box.time.now())
    if let finding = await visit.askForAgencies() { return finding }
    let stops = wanted.map(\.stop).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    for (index, stop) in stops.enumerated() {
      let routes = wanted.filter { $0.stop == stop }.map(\.route)
      if let finding = await visit.look(at: stop, routes, isFirst: index == 0) { return finding }
    }
    return visit.warning ?? .pass(visit.seen)
  }

  /// What was seen on the way from question to question.
  private struct Visit {
    let inquiry: BusInquiry
    let now: Date
    private(set) var seen: [Finding.Fact]
    private(set) var warning: Finding?

    init(inquiry: BusInquiry, host: String, now: Date) {
      self.inquiry = inquiry
      seen = [.init("server", host)]
      self.now = now
    }

    /// nil: all is well.
    mutating func askForAgencies() async -> Finding? {
      let answer = await inquiry.ask(.agenciesWithCoverage) { reply throws(OneBusAwayError) in try reply.agencies() }
      switch answer {
      case .success(let (agencies, took)):
        seen += [
          .init("key", "accepted"), .init("agencies", agencies.count), .init("after", "\(took.inMilliseconds) ms"),
        ]
        return nil
      case .failure(let refusal): return finding(refusal)
      }
    }

    /// nil: the stop is known and these routes stop there.
    mutating func look(at stop: String, _ routes: [String], isFirst: Bool) async -> Finding? {
      let id = TransitID(stop)
      switch await inquiry.ask(.stop(id), parse: { reply throws(OneBusAwayError) in try reply.stopDetails() }) {
      case .success(let (details, _)):
        seen.append(.init("stop \(stop)", details.name ?? "known"))
        for route in routes where !details.routes.contains(where: { $0.id == TransitID(route) }) {
          return await missing(route, at: details)
        }
      case .failure(let refusal): return finding(refusal)
      }
      // One stop tells how far its clock is from ours.
      return isFirst ? await weighClock(at: id) : nil
    }

    private func missing(_ route: String, at stop: StopDetails) async -> Finding {
      let id = TransitID(route)
      switch await inquiry.ask(.route(id), parse: { reply throws(OneBusAwayError) in try reply.routeDetails() }) {
      case .success:
        let others = stop.routes.prefix(8).map { "\($0.shortName ?? "?") (\($0.id.text))" }.joined(separator: ", ")
        return .fail(
          seen + [.init("routes there", others)], "Route \(route) does not stop at \(stop.id.text).",
          "Correct the watch in the household file and import it.", "kiosk-agent bus stop \(stop.id.text)")
      case .failure(let refusal): return finding(refusal)
      }
    }

    private mutating func weighClock(at stop: TransitID) async -> Finding? {
      let request = OneBusAwayRequest.arrivals(stop: stop, minutesAfter: 60)
      switch await inquiry.ask(request, parse: { reply throws(OneBusAwayError) in try reply.arrivals() }) {
      case .success(let (arrivals, _)):
        let seconds = Int(arrivals.time.timeIntervalSince(now).rounded())
        seen.append(.init("its clock", "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead")"))
        let means = "Its answers are of another time than this machine's clock."
        if abs(seconds) >= 900 {
          return .fail(seen, means, "timedatectl", "If that is right: its owner must repair it.")
        }
        if abs(seconds) >= 120 { warning = .warn(seen, means, "timedatectl") }
        if arrivals.isTimetableExpired {
          warning = .warn(seen, "Its timetable has run out.", "The agency must publish a new one.")
        }
        return nil
      case .failure(let refusal): return finding(refusal)
      }
    }

    private func finding(_ refusal: BusInquiry.Refusal) -> Finding {
      guard case .refused(let trouble) = refusal else {
        return .fail(
          seen, "OneBusAway does not answer in time.", "It is asked again; if it stays: its owner must repair it.")
      }
      // Other names are found (N3), so the name is wrong.
      if trouble.fault == .noSuchName {
        return .fail(seen, "There is no such host.", "Correct sources.onebusaway.baseURL.")
      }
      let (means, remedy) = Redaction.sentence(trouble.sentence)
      if case .tooManyRequests = trouble.error { return .warn(seen, means, remedy) }
      return .fail(seen, means, remedy)
    }
  }
}
