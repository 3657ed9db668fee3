internal import Foundation

/// An instance and the calendar it comes from.
package struct AgendaItem: Hashable, Sendable {
  /// The calendar's id in the configuration.
  package let calendar: String
  package let instance: AgendaInstance

  package init(calendar: String, instance: AgendaInstance) {
    self.calendar = calendar
    self.instance = instance
  }

  /// The same for as long as the event stays at its time: a reminder of one that was moved is another reminder.
  package var id: String {
    switch instance.span {
    case .days(let first, _): "\(calendar)/\(instance.uid)/\(first)"
    case .times(let start, _): "\(calendar)/\(instance.uid)/\(start.wholeSeconds)"
    }
  }
}

/// When a timed item is; the planner's work is with these only.
struct TimedItem {
  let item: AgendaItem
  let start: Date
  let end: Date
  /// The item's.
  let id: String

  /// - Returns: nil for whole days.
  init?(_ item: AgendaItem) {
    guard case .times(let start, let end) = item.instance.span else { return nil }
    self.item = item
    self.start = start
    self.end = end
    id = item.id
  }

  /// By start, then by what ends first, then by id, so that the same items always stand in the same order.
  static func precedes(_ a: TimedItem, _ b: TimedItem) -> Bool {
    (a.start, a.end, a.id) < (b.start, b.end, b.id)
  }
}
