internal import Agent
internal import Configuration
internal import Feeds
internal import Foundation
internal import Ledger
internal import Linux
internal import Transit

/// What `bus` is asked.
enum BusQuestion: Equatable {
  /// The household's watches.
  case watches
  /// A stop, by the number that is written on it or by its id.
  case stop(String)
  /// Whether all that the watches need is there.
  case test
}

extension Setting {
  /// - Parameter stores: whether the agent's last good copies are looked at. A command never writes them.
  func oneBusAway(time: any TimeSource, stores: Bool) -> OneBusAwayFeed {
    let copies = CopyFolder(
      stateDirectory: configuration.stateDirectory, source: OneBusAwayFeed.id, isReadOnly: true)
    return OneBusAwayFeed(
      configuration.oneBusAway, copies: stores ? copies : nil,
      exchange: .curl(agent: "kiosk-agent/" + Commands.version),
      environment: ProcessInfo.processInfo.environment, backsOff: false, time: time, boot: BootID.current(), log: .none)
  }
}

/// `bus`, `bus stop CODE` and `bus test`.
struct BusCommands {
  /// The agencies of the Puget Sound, whose stops go by numbers that say nothing of the agency.
  static let agencies = [
    ("1", "King County Metro"), ("3", "Pierce Transit"), ("19", "Intercity Transit"), ("20", "Kitsap Transit"),
    ("23", "City of Seattle"), ("29", "Community Transit"), ("40", "Sound Transit"), ("95", "Washington State Ferries"),
    ("97", "Everett Transit"),
  ]

  let setting: Setting
  let json: Bool

  func run(_ question: BusQuestion) async throws {
    switch question {
    case .watches: try listWatches()
    case .stop(let code): try await look(up: code)
    case .test: try await test()
    }
  }

  private func watches() throws -> [HouseholdFile.Watch] {
    try Files.ledger(of: setting).documents()["watches"].flatMap(HouseholdFile.watches(in:)) ?? []
  }

  private func listWatches() throws {
    let watches = try watches()
    if json {
      for watch in watches { try Output.line(watch.json.compact) }
      return
    }
    if watches.isEmpty { try Output.line("the household watches no bus: see watches in the household file") }
    let rows = watches.map { watch in
      let window = watch.window.map { "\($0.days.joined(separator: ",")) \($0.from)-\($0.to)" } ?? "mon-fri 06:30-09:00"
      return [watch.id, watch.label ?? "", watch.stop, watch.route, window, watch.enabled ? "on" : "off"]
    }
    for line in Columns.aligned(rows) { try Output.line(line) }
  }

  // MARK: Asking

  /// Old servers call a second request within a moment a wrong key: only one that is refused twice is one.
  private func ask<Value: Sendable>(
    _ request: OneBusAwayRequest, _ feed: OneBusAwayFeed,
    parse: @Sendable (OneBusAwayReply) throws(OneBusAwayError) -> Value
  ) async throws -> Result<Value, Refusal> {
    var outcome = try await feed.ask(request, parse: parse)
    if case .nothing(let trouble) = outcome, trouble.error == .keyRejected {
      try await SystemTime().sleep(for: .seconds(1))
      outcome = try await setting.oneBusAway(time: SystemTime(), stores: false).ask(request, parse: parse)
    }
    switch outcome {
    case .new(let value, _): return .success(value)
    case .old(_, let trouble), .nothing(let trouble): return .failure(Refusal(trouble))
    }
  }

  private struct Refusal: Error {
    let trouble: OneBusAwayFeed.Trouble

    init(_ trouble: OneBusAwayFeed.Trouble) { self.trouble = trouble }

    var isUnknown: Bool {
      if case .unknown = trouble.error { true } else { false }
    }

    var failure: CommandFailure {
      let code: ExitCode
      switch (trouble.error, trouble.fault) {
      case (.keyRejected, _), (.keyMissing, _), (_, .noKey), (nil, .keyRejected), (nil, nil): code = .badConfiguration
      case (.unknown, _), (.badRequest, _), (.outOfServiceArea, _): code = .badInput
      default: code = .temporary
      }
      return CommandFailure(code: code, sentence: trouble.sentence)
    }
  }

  // MARK: A stop

  private func look(up code: String) async throws {
    let feed = setting.oneBusAway(time: SystemTime(), stores: false)
    let ids = code.contains("_") ? [code] : Self.agencies.map { "\($0.0)_\(code)" }
    var found = 0
    var last: Refusal?
    for id in ids {
      switch try await ask(
        .stop(TransitID(id)), feed, parse: { reply throws(OneBusAwayError) in try reply.stopDetails() })
      {
      case .success(let stop):
        found += 1
        try show(stop)
      case .failure(let refusal):
        last = refusal
        guard refusal.isUnknown else { throw refusal.failure }
      }
    }
    guard found == 0 else { return }
    if let last, ids.count == 1 { throw last.failure }
    throw CommandFailure(
      code: .badInput,
      sentence:
        "no agency knows a stop \(code.debugDescription): write the number on the stop's sign, or a whole id such "
        + "as 1_75403")
  }

  private func show(_ stop: StopDetails) throws(CommandFailure) {
    if json {
      let routes = stop.routes.map { route in
        JSONText.object([
          ("id", .text(route.id.text)), ("shortName", .text(route.shortName)), ("longName", .text(route.longName)),
        ])
      }
      try Output.line(
        JSONText.object([
          ("id", .text(stop.id.text)), ("name", .text(stop.name)), ("code", .text(stop.code)),
          ("direction", .text(stop.direction)), ("routes", .list(routes)),
        ]).compact)
      return
    }
    let direction = stop.direction.map { " (\($0))" } ?? ""
    let agency = Self.agencies.first { stop.id.text.hasPrefix($0.0 + "_") }.map { ", \($0.1)" } ?? ""
    try Output.line("\(stop.id.text)  \(stop.name ?? "?")\(direction)\(agency)")
    let rows = stop.routes.map { [$0.id.text, $0.shortName ?? "", $0.longName ?? ""] }
    for line in Columns.aligned(rows) { try Output.line("  " + line) }
  }

  // MARK: The connection

  private func test() async throws {
    let feed = setting.oneBusAway(time: SystemTime(), stores: false)
    let agencies: [AgencyDetails]
    switch try await ask(
      .agenciesWithCoverage, feed, parse: { reply throws(OneBusAwayError) in try reply.agencies() })
    {
    case .success(let list): agencies = list
    case .failure(let refusal): throw refusal.failure
    }
    if json {
      let list = agencies.map { JSONText.object([("id", .text($0.id.text)), ("name", .text($0.name))]) }
      try Output.line(JSONText.object([("kind", .text("server")), ("agencies", .list(list))]).compact)
    } else {
      try Output.line("the server answers, and has \(agencies.count) agencies:")
      for line in Columns.aligned(agencies.map { [$0.id.text, $0.name] }) { try Output.line("  " + line) }
    }
    var failure: CommandFailure?
    var known = Known()
    for watch in try watches() {
      if let problem = try await test(watch, feed, &known) { failure = failure ?? problem }
    }
    if let failure { throw failure }
  }

  /// What was asked already: watches share stops and routes, and a second request for the same is refused as too early.
  private struct Known {
    var stops: [TransitID: Result<StopDetails, Refusal>] = [:]
    var routes: [TransitID: Result<RouteDetails, Refusal>] = [:]
  }

  private func ask<Value: Sendable>(
    _ id: TransitID, _ request: OneBusAwayRequest, _ feed: OneBusAwayFeed,
    unless known: inout [TransitID: Result<Value, Refusal>],
    parse: @Sendable (OneBusAwayReply) throws(OneBusAwayError) -> Value
  ) async throws -> Result<Value, Refusal> {
    if let answer = known[id] { return answer }
    let answer = try await ask(request, feed, parse: parse)
    known[id] = answer
    return answer
  }

  /// - Returns: what is wrong with it.
  private func test(_ watch: HouseholdFile.Watch, _ feed: OneBusAwayFeed, _ known: inout Known) async throws
    -> CommandFailure?
  {
    guard watch.source == OneBusAwayFeed.id else { return nil }
    var problem: CommandFailure?
    var stop: StopDetails?
    let route = TransitID(watch.route)
    let place = TransitID(watch.stop)
    switch try await ask(
      place, .stop(place), feed, unless: &known.stops,
      parse: { reply throws(OneBusAwayError) in try reply.stopDetails() })
    {
    case .success(let details): stop = details
    case .failure(let refusal): problem = refusal.failure
    }
    var name = stop?.routes.first { $0.id == route }
    if let stop, name == nil {
      switch try await ask(
        route, .route(route), feed, unless: &known.routes,
        parse: { reply throws(OneBusAwayError) in try reply.routeDetails() })
      {
      case .success(let details):
        name = details
        let others = stop.routes.map { $0.shortName ?? $0.id.text }.joined(separator: ", ")
        problem = CommandFailure(
          code: .badInput,
          sentence:
            "watch \(watch.id): route \(watch.route) does not stop at \(watch.stop), where \(others) stop: correct "
            + "the watch")
      case .failure(let refusal): problem = refusal.failure
      }
    }
    let routeName = name.map { [$0.shortName, $0.longName].compactMap { $0 }.joined(separator: " ") }
    if json {
      try Output.line(
        JSONText.object([
          ("kind", .text("watch")), ("watch", .text(watch.id)), ("stop", .text(watch.stop)),
          ("stopName", .text(stop?.name)), ("route", .text(watch.route)), ("routeName", .text(routeName)),
          ("problem", .text(problem?.sentence)),
        ]).compact)
    } else {
      let words = problem.map { "WRONG: \($0.sentence)" } ?? "\(routeName ?? "") from \(stop?.name ?? "")"
      try Output.line("watch \(watch.id): \(words)")
    }
    return problem
  }
}
