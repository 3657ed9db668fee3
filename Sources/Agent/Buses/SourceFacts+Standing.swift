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
  /// A provider as the worst of its stops.
  ///
  /// - Parameter stops: how each of them stands.
  init?(worstOf stops: [StopKey: SourceFacts], of boards: BusBoards) {
    guard let worst = stops.values.max(by: { $1.isWorse(than: $0) }) else { return nil }
    self = worst
    guard let problem else { return }
    // It fails since the first of them does: a stop that is asked for the first time, or held up by another's failure,
    // begins no new one.
    failingSince = stops.values.compactMap(\.failingSince).min()
    let concerned = stops.filter { $1.problem == problem }
    // Who is to mend a stop must know which one.
    if problem == .notFound || concerned.count < stops.count { parts = boards.names(of: Set(concerned.keys)) }
  }
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
