package import Foundation

/// An event of today or tomorrow, as facts: the wall puts it into words.
package struct AgendaFacts: Equatable, Sendable {
  package enum Span: Equatable, Sendable {
    /// Whole days, in days since 1970-01-01, the last not included.
    case days(Int, until: Int)
    /// Half-open; equal for an event without length.
    case times(Date, until: Date)
  }

  package enum State: String, CaseIterable, Sendable {
    case now, next, later
  }

  /// Day `number` of `count`, from 1, of an event over several days.
  package struct Position: Equatable, Sendable {
    package var number: Int
    package var count: Int

    package init(number: Int, count: Int) {
      self.number = number
      self.count = count
    }
  }

  /// The same for as long as the event stays at its time.
  package var id: String
  /// Empty: it has none.
  package var title: String
  package var span: Span
  package var state: State
  /// The day it is listed under is today, or else tomorrow.
  package var isToday: Bool
  /// nil: it begins and ends on one day.
  package var position: Position?
  package var place: String?
  /// Its title and place are nobody's business: the wall is seen by everybody in the kitchen.
  package var isPrivate = false
  /// It may not take place.
  package var isTentative = false
  /// There are more of it, nobody knows when.
  package var repeatsUnknown = false
  /// nil: nobody has chosen it.
  package var plan: EventPlan?

  package init(
    id: String, title: String, span: Span, state: State, isToday: Bool, position: Position? = nil, place: String? = nil,
    plan: EventPlan? = nil
  ) {
    self.id = id
    self.title = title
    self.span = span
    self.state = state
    self.isToday = isToday
    self.position = position
    self.place = place
    self.plan = plan
  }
}

/// What follows from somebody having chosen an event.
package struct EventPlan: Equatable, Sendable {
  /// Why one person cannot be at both; the other's title, empty when it has none or hides it.
  package enum Clash: Equatable, Sendable {
    case overlap(String)
    /// After the other so many minutes are missing for the way, at least one.
    case tight(after: String, missing: Int)
  }

  /// When to set out from the event before it.
  package struct Departure: Equatable, Sendable {
    package var at: Date
    /// One of the places is not known.
    package var isGuess: Bool

    package init(at: Date, isGuess: Bool) {
      self.at = at
      self.isGuess = isGuess
    }
  }

  package var clashes: [Clash]
  package var departure: Departure?
  /// Nothing is chosen between its end and then.
  package var freeUntil: Date?
  /// From when its people are reminded of it.
  package var remindFrom: Date

  package init(clashes: [Clash] = [], departure: Departure? = nil, freeUntil: Date? = nil, remindFrom: Date) {
    self.clashes = clashes
    self.departure = departure
    self.freeUntil = freeUntil
    self.remindFrom = remindFrom
  }
}

extension WallInput {
  /// How far ahead events are handed to the rail, which shows those of the next hour: more than it looks ahead.
  private static let railAhead: TimeInterval = 2 * 3600

  /// Shows events: in the list, and in the rail those that are timed and soon.
  ///
  /// - Parameters:
  ///   - suggestions: what could be chosen for the next hours, in order, when nothing is.
  package mutating func add(agenda facts: [AgendaFacts], suggestions: [AgendaFacts] = []) {
    agenda += facts
    rail.events += facts.compactMap { railEvent($0, ahead: Self.railAhead) }
    // A second more: what starts in just three hours is one of the next three.
    rail.suggestions += suggestions.compactMap { railEvent($0, ahead: 3 * 3600 + 1) }
  }

  private func railEvent(_ facts: AgendaFacts, ahead: TimeInterval) -> RailInput.Event? {
    guard case .times(let start, _) = facts.span, start > now - RailInput.Event.linger, start < now + ahead
    else { return nil }
    return RailInput.Event(
      id: facts.id, title: AgendaWriter(now: now, zone: zone, words: Words.of(language)).name(facts), start: start,
      place: facts.isPrivate ? nil : facts.place, plan: facts.plan)
  }
}
