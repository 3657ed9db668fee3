package import Foundation

/// The card "next 3 hours": what was chosen, or what one could still choose.
package enum ComingHours: Equatable, Sendable {
  /// What runs now or begins within the hours, in order.
  case chosen([AgendaItem])
  /// Nothing was chosen: what else begins within the hours, at most three.
  case suggested([AgendaItem])

  package static let length: TimeInterval = 3 * 3600
  package static let mostSuggested = 3

  /// - Parameters:
  ///   - chosen: the picks of the person.
  ///   - others: everything one could go to.
  package init(chosen: [AgendaItem], others: [AgendaItem], at now: Date) {
    let end = now.addingTimeInterval(Self.length)
    let mine = chosen.compactMap { TimedItem($0) }.filter { $0.start <= end && $0.end > now }
      .sorted(by: TimedItem.precedes)
    guard mine.isEmpty else {
      self = .chosen(mine.map(\.item))
      return
    }
    let soon = others.compactMap { TimedItem($0) }.filter { $0.start > now && $0.start <= end }
      .sorted(by: TimedItem.precedes)
    self = .suggested(soon.prefix(Self.mostSuggested).map(\.item))
  }

  /// When the card changes by the passing of time alone; nil: not with these items.
  package static func nextChange(chosen: [AgendaItem], others: [AgendaItem], after now: Date) -> Date? {
    (chosen + others).compactMap { TimedItem($0) }
      .flatMap { [$0.start.addingTimeInterval(-length), $0.start, $0.end] }
      .filter { $0 > now }.min()
  }
}
