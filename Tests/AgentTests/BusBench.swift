import Configuration
import Foundation
import Linux
import Synchronization
import TestSupport
import Wall

@testable import Agent
@testable import Feeds

/// The service that watches buses, over a provider in miniature and clocks in the test's hand.
final class BusBench: Sendable {
  static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
  static let line = SimulatedBuses.Line(
    stop: "1_75403", route: "1_100225", shortName: "45", headsign: "Loyal Heights", first: 360, last: 600, every: 10)
  static let watch = """
    [{"id":"school","label":"To school","source":"onebusaway","stop":"1_75403","route":"1_100225","enabled":true,
      "window":null,"walkMinutes":6}]
    """

  private struct State {
    var buses: SimulatedBuses
    var rules = OneBusAwayRules(key: "TEST")
    /// Fails everything; nil: nothing.
    var fault: Fault?
    var instead: Answer?
    /// On every answer of the provider.
    var headers: [String: String] = [:]
    /// Seconds by which the provider's clock is ahead of the wall's.
    var skew = 0.0
    /// How long a cache on the way has kept every answer.
    var cachedFor: Duration = .zero
    /// Paths that hold this answer 500.
    var broken: String?
    var lines: [String] = []
  }

  private final class Box: Sendable {
    let state: Mutex<State>
    init(_ buses: SimulatedBuses) { state = Mutex(State(buses: buses)) }
  }

  let time: ManualTime
  let service: BusService
  private let box: Box

  init(
    _ lines: [SimulatedBuses.Line] = [line], watches: String = watch, at now: Date, key: String = "TEST",
    stateDirectory: String? = nil
  ) {
    let box = Box(SimulatedBuses(lines, zone: Self.zone))
    let time = ManualTime(now: now)
    self.box = box
    self.time = time
    let exchange = Exchange { request in
      let components = URLComponents(string: request.address.text)
      let path = components?.percentEncodedPath ?? ""
      let parameters = OneBusAwayRules.parameters(components?.percentEncodedQuery ?? "")
      let (now, uptime) = (time.now(), time.uptime())
      return try box.state.withLock { state throws(Fault) -> Answer in
        let server = now + state.skew - state.cachedFor.inSeconds
        let refusal = state.rules.admit(path, key: parameters["key"], at: uptime)
        if let fault = state.fault { throw fault }
        if let instead = state.instead { return instead }
        if let broken = state.broken, path.contains(broken) {
          return Answer(status: 500, body: Array(SimulatedBuses.failure(500, at: server).body.utf8), date: server)
        }
        let (status, body) =
          refusal.map { SimulatedBuses.failure($0, at: server) }
          ?? state.buses.answer(path, query: parameters, at: server)
        var answer = Answer(status: status, body: Array(body.utf8), date: server)
        answer.headers = state.headers
        answer.cachedFor = state.cachedFor
        return answer
      }
    }
    let copies = stateDirectory.map { CopyFolder(stateDirectory: $0, source: OneBusAwayFeed.id) }
    service = BusService(
      OneBusAwayFeed(
        Configuration.Source(baseURL: "https://example.org"), copies: copies, exchange: exchange,
        environment: ["KIOSK_AGENT_ONEBUSAWAY_KEY": key], time: time, boot: "boot",
        log: Log { _, line in box.state.withLock { $0.lines.append(line) } }), time: time)
    service.household(["watches": watches])
  }

  var requests: [String: Int] { box.state.withLock { $0.rules.requests } }
  var refused: Int { box.state.withLock { $0.rules.refused } }
  /// What went into the log.
  var lines: [String] { box.state.withLock { $0.lines } }

  func fail(_ fault: Fault?) { box.state.withLock { $0.fault = fault } }
  /// Answers everything with this; nil: as the provider does.
  ///
  /// - Parameter retryAfter: seconds.
  func say(_ body: [UInt8]?, status: Int = 200, retryAfter: String? = nil) {
    box.state.withLock { state in
      state.instead = body.map { Answer(status: status, body: $0) }
      state.instead?.retryAfter = retryAfter
    }
  }
  func setHeaders(_ headers: [String: String]) { box.state.withLock { $0.headers = headers } }
  func breakPaths(with text: String?) { box.state.withLock { $0.broken = text } }
  func setSkew(_ seconds: Double) { box.state.withLock { $0.skew = seconds } }
  func setCachedFor(_ duration: Duration) { box.state.withLock { $0.cachedFor = duration } }
  func change(_ change: (inout SimulatedBuses) -> Void) { box.state.withLock { change(&$0.buses) } }
  var buses: SimulatedBuses { box.state.withLock { $0.buses } }

  /// What the wall shows now, and when that changes by itself.
  func look(clockTrusted: Bool = true) -> (input: WallInput, changesAt: Duration?) {
    var input = WallInput(
      agent: "t", boot: "r", now: time.now(), zone: Self.zone, language: "en", clockTrusted: clockTrusted,
      reader: .init(state: "ready"))
    let changesAt = service.contribute(to: &input, at: time.uptime())
    return (input, changesAt)
  }

  var cards: [Snapshot.Card] { look().input.snapshot(v: 1).rail.cards }

  /// Runs the service while `body` lets time pass.
  func running<T>(_ body: () async throws -> T) async rethrows -> T {
    _ = look()
    let service = service
    let run = Task { try await service.run {} }
    defer { run.cancel() }
    await settle()
    return try await body()
  }

  /// Lets the service do all that is due, and leaves it asleep.
  func settle() async {
    while !Task.isCancelled {
      await time.waitForSleepers()
      guard let deadline = time.nextDeadline, deadline > time.uptime() else { continue }
      // The distance between two requests is no rest: there is more to ask.
      guard deadline <= time.uptime() + .milliseconds(120) else { return }
      time.advance(by: deadline - time.uptime())
    }
  }

  /// Lets time pass in steps of what the service and the wall wait for, and looks at each.
  func pass(_ duration: Duration, _ each: () -> Void = {}) async {
    let end = time.uptime() + duration
    while time.uptime() < end, !Task.isCancelled {
      let next =
        [time.nextDeadline, look().changesAt, end].compactMap { $0 }.filter { $0 > time.uptime() }.min() ?? end
      time.advance(by: next - time.uptime())
      await settle()
      each()
    }
  }
}
