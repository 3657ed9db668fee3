internal import Agenda

/// What is not as it should be in a calendar that is one. Of an event only its line is told.
struct EventTrouble: Sendable {
  /// How many, and the first cause.
  let words: String
  /// What is not on the wall, or not when it takes place; nil: nothing of the days that were worked out. An event of years
  /// ago must not be a warning for ever.
  let means: String?

  /// nil: there is nothing.
  init?(_ feed: CalendarFeed, _ expansion: AgendaExpansion) {
    let problems = feed.problems + expansion.problems
    let shown = Set(expansion.instances.map(\.uid))
    let missed = problems.filter { Self.isMissed($0, shown) }
    // What is missed on the wall is more to the point than the first in the file.
    let told = missed.isEmpty ? problems : missed
    guard let first = told.first(where: \.isDropped) ?? told.first else { return nil }
    let count = feed.problemCount + expansion.problems.count
    let cause = "the event at line \(first.line) \(Self.cause(first.kind))"
    words =
      "\(count) \(count == 1 ? "problem" : "problems")"
      + (feed.droppedCount > 0 ? ", \(feed.droppedCount) not shown" : "") + ": \(cause)"
    means =
      switch missed.count {
      case 0: nil
      case 1: "\(cause)."
      default: "\(cause), and \(missed.count - 1) more."
      }
  }

  /// - Parameter shown: the UIDs of what takes place in the days that were worked out. An event without one is of unknown
  ///   days.
  private static func isMissed(_ problem: EventProblem, _ shown: Set<String>) -> Bool {
    switch problem.kind {
    case .badProperty: false
    // The file is torn there, and the rules are worked out for these days.
    case .notClosed, .tooManyRepetitions: true
    case .noStart, .badStart, .tooLong, .unknownZone, .unsupportedRule: shown.contains(problem.uid)
    }
  }

  private static func cause(_ kind: EventProblem.Kind) -> String {
    switch kind {
    case .noStart: "has no start and is not shown"
    case .badStart: "has a start that is no date and is not shown"
    case .notClosed: "has no end (END:VEVENT) and is not shown"
    case .tooLong: "has a part that is too long to be read and is not shown"
    case .badProperty: "is shown without a part that is not understood"
    case .unknownZone: "is of a zone that is not known and shown at the wall's time"
    case .unsupportedRule: "repeats in a way that is not understood and is shown once"
    case .tooManyRepetitions: "repeats too often, and only a part of it is shown"
    }
  }
}
