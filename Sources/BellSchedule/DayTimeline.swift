package import Foundation

/// One stretch of a day between two bells, the end not included.
package struct Block: Equatable, Sendable {
  package let id: PeriodID
  /// Whether the pupil eats in it.
  package let isLunch: Bool
  /// As the table has it: what a text says.
  package let tableStart: Date
  package let tableEnd: Date
  /// When the bells ring: what decides and what is counted down to.
  package let startsAt: Date
  package let endsAt: Date

  /// - Parameter offset: seconds from the table's time to the bell (`School.bellOffset`).
  package init(id: PeriodID, isLunch: Bool = false, tableStart: Date, tableEnd: Date, offset: Int = 0) {
    self.id = id
    self.isLunch = isLunch
    self.tableStart = tableStart
    self.tableEnd = tableEnd
    startsAt = tableStart.addingTimeInterval(Double(offset))
    endsAt = tableEnd.addingTimeInterval(Double(offset))
  }

  private init(_ whole: Block, startsAt: Date, endsAt: Date) {
    (id, isLunch) = (whole.id, whole.isLunch)
    // No bell rings where it is cut, and the table does not know of it.
    tableStart = startsAt == whole.startsAt ? whole.tableStart : startsAt
    tableEnd = endsAt == whole.endsAt ? whole.tableEnd : endsAt
    (self.startsAt, self.endsAt) = (startsAt, endsAt)
  }

  /// What of it lies between two instants; nil: nothing.
  ///
  /// - Parameters:
  ///   - from: nil: from its beginning.
  ///   - until: nil: to its end.
  func part(from: Date?, until: Date?) -> Block? {
    let begin = max(startsAt, from ?? startsAt)
    let end = min(endsAt, until ?? endsAt)
    return begin < end ? Block(self, startsAt: begin, endsAt: end) : nil
  }
}

/// A day as `resolveDay` sees it.
package struct DayTimeline: Equatable, Sendable {
  package var day: DayKey
  package var kind: DayKind
  package var source: DaySource
  package var notes: [DayNote]
  /// The break that the day lies in, also when an exception says it shorter ("No School" in Winter Break).
  package var occasion: String?
  /// The day's name in a school that counts its days (`School.cycle`); nil: it has none.
  package var cycle: String?
  /// In order, none touching the next for longer than no time; empty: there is no school, or its times are not known. Those
  /// of a day on which an override ends are the override's, then the day's own.
  package var blocks: [Block]
}

/// What is going on at an instant of a day.
package enum MomentState: Equatable, Sendable {
  /// No bell rings: the day is free, or what was said of it leaves none of its bells.
  case noSchool
  /// Whether and when there is school is not known.
  case unpublished
  case beforeSchool(first: Block)
  /// - Parameter next: of the same day; nil: it is the last.
  case inPeriod(Block, next: Block?)
  case passing(from: Block, to: Block)
  case afterSchool(last: Block)
}

extension DayTimeline {
  /// - Parameter instant: of this day. All stretches are half-open: at the bell the next one has begun, and between two that
  ///   touch there is no passing.
  package func momentState(at instant: Date) -> MomentState {
    guard let first = blocks.first, first.startsAt <= instant else {
      if kind.isFree { return .noSchool }
      guard kind.isSchool else { return .unpublished }
      return blocks.first.map { .beforeSchool(first: $0) } ?? .noSchool
    }
    var before = first
    for (index, block) in blocks.enumerated() {
      if instant < block.startsAt { return .passing(from: before, to: block) }
      if instant < block.endsAt {
        return .inPeriod(block, next: index + 1 < blocks.count ? blocks[index + 1] : nil)
      }
      before = block
    }
    return .afterSchool(last: before)
  }
}
