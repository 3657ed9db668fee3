internal import Reminders

// How the words of Reminders stand in columns.

extension LocalTime {
  /// Minutes after midnight.
  var minutes: Int { hour * 60 + minute }

  init(minutes: Int) { self.init(hour: minutes / 60, minute: minutes % 60) }
}

extension Weekday {
  /// One bit a day, Monday lowest.
  static func bits(of days: Set<Weekday>) -> Int64 {
    allCases.enumerated().reduce(0) { $0 | (days.contains($1.element) ? 1 << Int64($1.offset) : 0) }
  }

  static func days(of bits: Int64) -> Set<Weekday> {
    Set(allCases.enumerated().filter { bits & 1 << Int64($0.offset) != 0 }.map(\.element))
  }
}

extension Ending {
  /// The kinds of `history`.
  var kind: String {
    switch self {
    case .missed: "missed"
    case .unknown: "unknown"
    case .skipped: "skip"
    }
  }

  var reason: String? {
    switch self {
    case .missed: nil
    case .unknown(let reason): reason.rawValue
    case .skipped(let reason): reason.rawValue
    }
  }

  init?(kind: String?, reason: String?) {
    switch kind {
    case "missed": self = .missed
    case "unknown":
      guard let reason = reason.flatMap({ UnknownReason(rawValue: $0) }) else { return nil }
      self = .unknown(reason)
    case "skip":
      guard let reason = reason.flatMap({ SkipReason(rawValue: $0) }) else { return nil }
      self = .skipped(reason)
    default: return nil
    }
  }
}
