/// Whether a bus can still be caught from the door, and when to leave for it.
package enum LeaveAdvice: Equatable, Sendable {
  /// Leave in 1 minute or more.
  case leave(inMinutes: Int)
  /// Leave within the minute.
  case leaveNow
  /// Too late to walk, not too late to run: a third of the way, at most a minute, can be made up.
  case run
  case missed

  /// Seconds that a new prediction must be on the safe side of a step before the advice goes back to it. Predictions move
  /// by half a minute from poll to poll; the advice must not.
  static let hysteresis = 30

  /// - Parameters:
  ///   - left: milliseconds until the bus leaves.
  ///   - walk: minutes.
  ///   - previous: what was last advised about this bus.
  static func advice(left: Int, walk: Int, previous: LeaveAdvice?) -> LeaveAdvice {
    let seconds = wholeSeconds(ofMilliseconds: left) - walk * 60
    let plain = step(seconds, walk: walk)
    guard let before = previous?.rank, plain > before else { return LeaveAdvice(rank: plain) }
    return LeaveAdvice(rank: max(before, step(seconds - hysteresis, walk: walk)))
  }

  /// How many milliseconds before the bus leaves this advice ends, by the passing of time alone; nil: it does not.
  func endsAtMillisecondsLeft(walk: Int) -> Int? {
    switch self {
    case .missed: nil
    case .run: (walk * 60 - Self.runSeconds(walk)) * 1000 - 501
    case .leaveNow: walk * 60_000 - 501
    case .leave(let minutes): (walk + minutes) * 60_000 - 501
    }
  }

  private static func runSeconds(_ walk: Int) -> Int { min(60, walk * 20) }

  private static func step(_ seconds: Int, walk: Int) -> Int {
    if seconds >= 0 { return seconds / 60 }
    return seconds >= -runSeconds(walk) ? -1 : -2
  }

  /// Minutes, then -1 for `run` and -2 for `missed`.
  private var rank: Int {
    switch self {
    case .leave(let minutes): minutes
    case .leaveNow: 0
    case .run: -1
    case .missed: -2
    }
  }

  private init(rank: Int) {
    switch rank {
    case 1...: self = .leave(inMinutes: rank)
    case 0: self = .leaveNow
    case -1: self = .run
    default: self = .missed
    }
  }
}
