package import Foundation

/// The days that are not as every other: which type of day each of them is.
package struct ExceptionMap: Equatable, Sendable {
  /// Some days in a row, first and last among them.
  package struct Entry: Equatable, Sendable {
    /// A `DayType.name`, or a name that the school's file does not know.
    package var type: String
    package var first: DayKey
    package var last: DayKey
    /// Which order of a rotating type the first of the days has, from 1; nil: the first.
    package var rotation: Int?

    package init(type: String, first: DayKey, last: DayKey, rotation: Int? = nil) {
      self.type = type
      self.first = first
      self.last = last
      self.rotation = rotation
    }
  }

  /// The most days one entry may have: none is as long, and it is what a wrong year costs (`schedule.md` 1.6).
  package static let longestRange = 400

  package let entries: [Entry]
  private let byDay: [DayKey: [Int]]

  package init(_ entries: [Entry]) {
    self.entries = entries
    var byDay: [DayKey: [Int]] = [:]
    for (index, entry) in entries.enumerated() where entry.first <= entry.last {
      for number in entry.first.number...min(entry.last.number, entry.first.number + Self.longestRange) {
        byDay[DayKey(number: number), default: []].append(index)
      }
    }
    self.byDay = byDay
  }

  package func entries(on day: DayKey) -> [Entry] { byDay[day]?.map { entries[$0] } ?? [] }

  /// Every day that some entry holds, in order.
  package var days: [DayKey] { byDay.keys.sorted() }

  /// Whether it was made for the year from `first` to `last`: an entry begins in it. A summer that reaches into the year says
  /// nothing of the rest of it.
  func isOf(_ first: DayKey, _ last: DayKey) -> Bool {
    entries.contains { first <= $0.first && $0.first <= last }
  }
}

/// An exceptions map that was fetched, checked and found right as a whole.
package struct RemoteExceptions: Equatable, Sendable {
  package var map: ExceptionMap
  /// When the source last said that this is how it is, with a body or with 304.
  package var checkedAt: Date

  package init(map: ExceptionMap, checkedAt: Date) {
    self.map = map
    self.checkedAt = checkedAt
  }
}

/// What somebody at the wall has said about one day. It ends by itself.
package struct BellOverride: Equatable, Sendable {
  package var day: DayKey
  /// A `DayType.name`.
  package var type: String
  /// From then on it counts no more; it never counts on another day, so that the end of `day` is the default.
  package var until: Date
  /// Which order of a rotating type the day has, from 1; nil: as the exceptions say, else the first.
  package var rotation: Int?

  package init(day: DayKey, type: String, until: Date, rotation: Int? = nil) {
    self.day = day
    self.type = type
    self.until = until
    self.rotation = rotation
  }
}
