package import Foundation

/// One time at which an event takes place.
package struct AgendaInstance: Hashable, Sendable {
  package enum Span: Hashable, Sendable {
    /// Whole days, the last one not included; at least one.
    case days(CalendarDay, until: CalendarDay)
    /// From and until, half-open; equal for an event without length.
    case times(Date, until: Date)
  }

  /// The event's UID, the same for all of its instances.
  package let uid: String
  package let span: Span
  /// On one line; empty when the event has none.
  package let title: String
  /// On one line; nil when the event has none.
  package let location: String?
  /// It may not take place.
  package let isTentative: Bool
  /// Nobody's time is taken (TRANSP).
  package let isFree: Bool
  /// CLASS is PRIVATE or CONFIDENTIAL.
  package let isPrivate: Bool
  /// It is the first of a series whose rule is not understood: there are others, nobody knows when.
  package let repeatsUnknown: Bool

  package var isAllDay: Bool {
    if case .days = span { true } else { false }
  }

  /// Of days: when the first begins in the zone.
  package func start(in zone: TimeZone) -> Date {
    switch span {
    case .days(let first, _): first.start(in: zone)
    case .times(let start, _): start
    }
  }

  /// Of days: when the last is over in the zone. Not included.
  package func end(in zone: TimeZone) -> Date {
    switch span {
    case .days(_, let end): end.start(in: zone)
    case .times(_, let end): end
    }
  }
}
