internal import Agenda

/// What is not as it should be in a calendar that is one. Of an event only its line is told.
struct EventTrouble: Sendable {
  /// How many, and the first cause.
  let words: String
  let means: String
  /// Something is not on the wall, or not when it takes place.
  let isMissed: Bool

  /// nil: there is nothing.
  init?(_ feed: CalendarFeed, _ expansion: AgendaExpansion) {
    let problems = feed.problems + expansion.problems
    // What is missed on the wall is more to the point than the first in the file.
    let missed = problems.first(where: \.isDropped) ?? problems.first { Self.isMissed($0.kind) }
    guard let first = missed ?? problems.first else { return nil }
    let count = feed.problemCount + expansion.problems.count
    let cause = "the event at line \(first.line) \(Self.cause(first.kind))"
    isMissed = Self.isMissed(first.kind)
    words =
      "\(count) \(count == 1 ? "problem" : "problems")"
      + (feed.droppedCount > 0 ? ", \(feed.droppedCount) not shown" : "") + ": \(cause)"
    means = count == 1 ? "\(cause)." : "\(cause), and \(count - 1) more."
  }

  private static func isMissed(_ kind: EventProblem.Kind) -> Bool {
    if case .badProperty = kind { false } else { true }
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
