package import Foundation

/// What a card is, by urgency: the order of the rail (DESIGN 5.5).
package enum RailClass: Int, Comparable, CaseIterable, Sendable {
  /// A late bus, and one that does not run: whoever counts on it must know first.
  case lateBus
  case dose
  case bus
  case periodChange
  case event
  /// A bus by the timetable only, or none.
  case scheduledBus
  case fault

  package static func < (a: RailClass, b: RailClass) -> Bool { a.rawValue < b.rawValue }
}

/// Where a card belongs: by class, then time, then id.
package struct RailPlace: Comparable, Sendable {
  package var id: String
  package var kind: RailClass
  /// Its instant; nil: it has none and stands behind those of its class that do.
  package var at: Date?

  package init(id: String, kind: RailClass, at: Date?) {
    self.id = id
    self.kind = kind
    self.at = at
  }

  package static func < (a: RailPlace, b: RailPlace) -> Bool {
    (a.kind, a.at ?? .distantFuture, a.id) < (b.kind, b.at ?? .distantFuture, b.id)
  }
}

/// The rail's order as people see it: predictions move by seconds from poll to poll, the cards must not.
///
/// Cards change places at most every 10 s, and at once when one of them changes its class. A new card takes the place it
/// belongs to without moving the others. Times are uptime.
package struct RailOrder: Equatable, Sendable {
  /// Between two changes of places.
  package static let rest: Duration = .seconds(10)

  private var shown: [RailPlace] = []
  private var changedAt: Duration?
  /// When cards that are not where they belong may change places; nil: all are.
  package private(set) var changesAt: Duration?

  package init() {}

  /// The ids in the order to show them.
  ///
  /// - Parameter places: all cards there are now; ids are unique.
  package mutating func arrange(_ places: [RailPlace], at now: Duration) -> [String] {
    let wanted = places.sorted()
    let byID = Dictionary(wanted.map { ($0.id, $0) }) { first, _ in first }
    let isReclassed = shown.contains { old in byID[old.id].map { $0.kind != old.kind } ?? false }
    let isRested = changedAt.map { now - $0 >= Self.rest } ?? true
    // What is known of each card is new, where it stands is not.
    let staying = shown.compactMap { byID[$0.id] }
    let isInOrder = zip(staying, staying.dropFirst()).allSatisfy { $0 < $1 }
    if isInOrder || isReclassed || isRested {
      if !isInOrder { changedAt = now }
      shown = wanted
      changesAt = nil
    } else {
      let known = Set(staying.map(\.id))
      shown = staying
      for place in wanted where !known.contains(place.id) {
        shown.insert(place, at: shown.firstIndex { place < $0 } ?? shown.endIndex)
      }
      changesAt = changedAt.map { $0 + Self.rest }
    }
    return shown.map(\.id)
  }
}
