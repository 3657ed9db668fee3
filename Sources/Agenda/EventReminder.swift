package import Foundation

/// A reminder before a chosen event.
package struct EventReminder: Equatable, Sendable {
  /// How long before, in minutes.
  package enum Lead: Int, CaseIterable, Sendable {
    case atStart = 0
    case five = 5
    case ten = 10
    case fifteen = 15
    case thirty = 30

    package static let standard = Lead.ten
  }

  /// Of the event at its time: an event that is moved has another.
  package var id: String { item.id }
  package let item: AgendaItem
  package let start: Date
  /// So long before the start as was asked.
  package let due: Date
  /// When it is to be heard: when it is due; of one that is late already, now.
  package let fireAt: Date

  /// More are not kept waiting; those left out come in as others fire.
  package static let mostPending = 60

  /// What is to be reminded of from now on, by time, then by id. The same input gives the same answer. Whole days have no
  /// time to be reminded of.
  package static func plan(_ items: [AgendaItem], lead: Lead = .standard, at now: Date) -> [EventReminder] {
    let reminders = items.compactMap { TimedItem($0) }.compactMap { item -> EventReminder? in
      let due = item.start.addingTimeInterval(-Double(lead.rawValue * 60))
      // Too late to be early, but not too late to go.
      guard due >= now || item.start > now else { return nil }
      return EventReminder(item: item.item, start: item.start, due: due, fireAt: max(due, now))
    }
    return Array(reminders.sorted { ($0.fireAt, $0.id) < ($1.fireAt, $1.id) }.prefix(mostPending))
  }
}
