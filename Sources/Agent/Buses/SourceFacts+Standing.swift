package import Feeds
package import Foundation
internal import Transit
package import Wall

extension SourceFacts {
  /// A fetched document as the wall shows its source.
  ///
  /// - Parameters:
  ///   - now: the local clock.
  ///   - uptime: of the same instant.
  package init(_ id: String, name: String? = nil, _ standing: Standing, at now: Date, uptime: Duration) {
    let state = State(rawValue: standing.state(at: uptime, now: now).rawValue) ?? .down
    self.init(
      id: id, name: name, state: state, fetchedAt: standing.fetchedAt, problem: standing.fault.flatMap(Problem.init),
      failingSince: standing.failingSince)
  }
}

extension SourceFacts {
  /// Of one state the older data is the worse.
  func isWorse(than other: SourceFacts) -> Bool {
    if state.gravity != other.state.gravity { return state.gravity > other.state.gravity }
    return (fetchedAt ?? .distantPast) < (other.fetchedAt ?? .distantPast)
  }
}

extension SourceFacts {
  /// What is wrong with a provider as a whole.
  struct Outage {
    var problem: Problem
    /// Since when, without a word of it between; nil: not known.
    var since: Date?
  }

  /// A provider as the worst of its stops, with one problem and since when there is that one.
  ///
  /// What lasts is said before what may be over in a moment: one request that fails must not take away the sentence of a
  /// stop that fails for days, nor inherit its beginning.
  ///
  /// - Parameters:
  ///   - stops: how each of them stands by itself.
  ///   - outage: nil: the provider was reached at last.
  init?(worstOf stops: [StopKey: SourceFacts], outage: Outage? = nil, of boards: BusBoards, at now: Date) {
    let all = boards.list.enabled.compactMap { stops[$0.stopKey] }
    let lasting = all.filter { $0.problem != nil && $0.failingSince.map { Self.lasts(since: $0, at: now) } ?? false }
    let isOutage = outage.map { lasting.isEmpty || Self.lasts(since: $0.since ?? now, at: now) } ?? false
    let told = isOutage || lasting.isEmpty ? all : lasting
    guard let worst = told.max(by: { $1.isWorse(than: $0) }) else { return nil }
    self = worst
    if let outage, isOutage {
      (problem, failingSince) = (outage.problem, outage.since)
      return
    }
    let concerned = stops.filter { problem != nil && $1.problem == problem }
    // It fails since the first of them does: a stop that is asked for the first time begins nothing new.
    failingSince = concerned.values.compactMap(\.failingSince).min()
    // Who is to mend a stop must know which one.
    if problem == .notFound || concerned.count < stops.count { parts = boards.names(of: Set(concerned.keys)) }
  }

  /// Whether what fails since then is a card by now.
  private static func lasts(since: Date, at now: Date) -> Bool { now >= since + RailInput.Fault.grace }
}

extension SourceFacts.State {
  fileprivate var gravity: Int {
    switch self {
    case .fresh: 0
    case .aging: 1
    case .stale: 2
    case .off: 3
    case .down: 4
    }
  }
}

extension SourceFacts.Problem {
  /// What a provider's own word means.
  init(_ error: OneBusAwayError) {
    switch error {
    case .keyMissing: self = .noKey
    case .keyRejected: self = .keyRejected
    case .tooManyRequests: self = .tooMany
    case .unknown: self = .notFound
    case .timetableExpired: self = .timetableExpired
    case .serverFault: self = .broken
    case .webPage: self = .webPage
    case .emptyBody, .noData, .compressed, .notJSON, .unexpectedShape: self = .unreadable
    case .badRequest, .outOfServiceArea, .refused: self = .other
    }
  }

  /// Whether it is that nothing is heard of the provider; what else is wrong is another sentence.
  var isSilence: Bool {
    switch self {
    case .notConnected, .slow: true
    default: false
    }
  }

  /// nil: nothing is wrong.
  init?(_ fault: Fault) {
    switch fault {
    case .notAsked: return nil
    case .noKey(.missing): self = .noKey
    case .noKey: self = .badKeyFile
    case .keyRejected: self = .keyRejected
    case .noSuchName, .noConnection, .broken: self = .notConnected
    case .overdue: self = .slow
    case .certificate: self = .notSecure
    // A log-in page of the network is where redirects to elsewhere lead.
    case .webPage, .redirectLoop, .redirectRefused: self = .webPage
    case .tooLarge, .badEncoding, .empty: self = .unreadable
    case .tooMany: self = .tooMany
    case .serverError, .unexpected: self = .broken
    case .notFound: self = .notFound
    case .objection(let objection):
      switch objection.scope {
      case .document: self = .unreadable
      case .source: self = .broken
      case .key: self = .keyRejected
      }
    case .forbidden, .noCurl, .curl: self = .other
    }
  }
}
