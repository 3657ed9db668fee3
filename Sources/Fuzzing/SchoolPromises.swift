internal import BellSchedule
internal import Foundation

/// What the days of any school promise that a file or a server describes.
struct SchoolPromises {
  let calendar: SchoolCalendar

  private static let pupils = [
    Pupil(id: "ann", lunch: "5A", halfPeriods: true), Pupil(id: "ben", lunch: "5", halfPeriods: true),
    Pupil(id: "cleo", lunch: "5B"),
  ]

  /// Fourteen days, bell by bell for the school and each pupil.
  func checkFortnight(from first: DayKey) throws(BrokenPromise) {
    for ahead in 0..<14 {
      let day = first.advanced(by: ahead)
      let midnight = calendar.endOfDay(day.advanced(by: -1))
      for pupil in [nil] + Self.pupils.map(Optional.some) {
        try check(calendar.resolveDay(day, for: pupil, at: midnight), on: day)
      }
    }
    for ahead in [0, 5, 12] { try checkBoard(on: first.advanced(by: ahead)) }
  }

  private func check(_ timeline: DayTimeline, on day: DayKey) throws(BrokenPromise) {
    let blocks = timeline.blocks
    let (midnight, end) = (calendar.endOfDay(day.advanced(by: -1)), calendar.endOfDay(day))
    try expect(timeline.day == day, "another day than was asked for")
    if case .school = timeline.kind {} else { try expect(blocks.isEmpty, "bells on a day that has none") }
    for block in blocks {
      try expect(midnight <= block.tableStart && block.tableEnd <= end, "a block outside its day")
      try expect(block.startsAt < block.endsAt, "an empty block")
    }
    try expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.endsAt <= $1.startsAt }, "blocks overlap")
    try checkMoments(timeline)
  }

  /// At every bell, and a second before it.
  private func checkMoments(_ timeline: DayTimeline) throws(BrokenPromise) {
    let blocks = timeline.blocks
    for bell in blocks.flatMap({ [$0.startsAt, $0.endsAt] }) {
      for instant in [bell, bell.addingTimeInterval(-1)] {
        let running = blocks.filter { $0.startsAt <= instant && instant < $0.endsAt }
        switch timeline.momentState(at: instant) {
        case .inPeriod(let block, let next):
          try expect(running == [block], "a period that is not on")
          try expect(next.map { $0.startsAt >= block.endsAt } ?? true, "the next period is not")
        case .passing(let from, let to):
          try expect(running.isEmpty && from.endsAt <= instant && instant < to.startsAt, "a passing that is none")
        case .beforeSchool(let first):
          try expect(first == blocks.first && instant < first.startsAt, "not before school")
        case .afterSchool(let last): try expect(last == blocks.last && last.endsAt <= instant, "not after school")
        case .noSchool, .unpublished: throw BrokenPromise("bells on a day that has none")
        }
      }
    }
  }

  private func checkBoard(on day: DayKey) throws(BrokenPromise) {
    let midnight = calendar.endOfDay(day.advanced(by: -1))
    let bells = calendar.resolveDay(day, at: midnight).blocks
    let instants =
      [midnight, midnight.addingTimeInterval(43_200)] + [bells.first?.startsAt, bells.last?.endsAt].compactMap(\.self)
    for now in instants {
      let board = calendar.board(at: now, pupils: Self.pupils)
      for facts in [board.school] + board.people.map(\.facts) { try check(facts, at: now) }
      try expect(calendar.nextChange(after: now, pupils: Self.pupils) > now, "a change that is past")
      let poll = calendar.nextPoll(after: now).timeIntervalSince(now)
      try expect((600...3600).contains(poll), "asked again after \(poll) s")
    }
  }

  private func check(_ facts: PeriodFacts, at now: Date) throws(BrokenPromise) {
    try expect(facts.day == calendar.day(of: now), "facts of another day")
    try expect((facts.secondsLeft == nil) == (facts.endsAt == nil), "an end without a countdown")
    if let left = facts.secondsLeft { try expect((1...86_400 + 7200).contains(left), "\(left) s are left") }
    try expect(facts.startsAt.map { $0 <= now } ?? true, "a state that has not begun")
    try expect(facts.endsAt.map { now < $0 } ?? true, "a state that has ended")
    if let next = facts.next {
      try expect(next.day >= facts.day && next.daysAhead == next.day.number - facts.day.number, "the next is not ahead")
      try expect(next.block.map { now < $0.startsAt } ?? true, "the next has begun")
    }
    if let lunch = facts.lunch {
      try expect(lunch.secondsLeft >= 1 && now < lunch.block.endsAt, "a lunch that is over")
    }
  }
}
