import Foundation
import Testing

@testable import Transit

/// The last good answer, then the timetable, then words.
struct FallbackTests {
  /// Route 90: every half hour from 06:00 to 22:30, one more at 00:20.
  private static func stop(_ answer: StopAnswer? = nil, _ timetables: StopTimetable...) -> StopBoard {
    var stop = StopBoard()
    for timetable in timetables { stop.received(timetable) }
    if let answer { stop.received(answer) }
    return stop
  }

  private static let hour = 3600.0

  @Test func `without an answer the timetable's next hour is shown`() throws {
    var stop = Self.stop(nil, try timetable("schedule"))
    stop.failed(since: eight)
    let board = stop.board(60)
    #expect(board.arrivals.map(\.trip) == ["1_6205", "1_6206"] && board.arrivals.allSatisfy { $0.state == .scheduled })
    #expect(board.arrivals.map(\.minutes) == [29, 59])
    #expect(board.basis == .timetable && board.silence == nil && board.after?.trip == "1_6206")
    #expect(stop.board(0).arrivals.count == 3)
  }

  @Test func `behind what an old answer reached to the timetable goes on, within it the answer's list counts`() throws {
    // The 8:30 is canceled and hidden; the timetable must not bring it back.
    let answer = answer(at: 0, [visit("1_6206", at: 3600)])
    var stop = Self.stop(answer, try timetable("schedule"))
    #expect(stop.board(0).arrivals.map(\.trip) == ["1_6206"] && stop.board(0).basis == .answer)
    #expect(stop.board(0).after?.trip == "1_6207")
    stop.failed(since: eight + 30)
    #expect(stop.board(1800).arrivals.map(\.trip) == ["1_6206", "1_6207"])
    #expect(stop.board(1800).basis == .oldAnswer)
    #expect(stop.board(3601).basis == .timetable)
  }

  @Test func `a bus that is late in the answer is not a second bus in the timetable`() throws {
    var answer = answer(at: 0, [visit("1_6205", at: 1800, predicted: 2400)])
    answer.until = eight + 1700
    let stop = Self.stop(answer, try timetable("schedule"))
    #expect(stop.board(0).arrivals.map(\.trip) == ["1_6205"] && stop.board(0).after?.trip == "1_6206")
  }

  @Test func `no service, no more today, timetable expired, provider down are four different things`() throws {
    let empty = StopTimetable(day: tuesday, visits: [])
    #expect(Self.stop(answer(at: 0, []), empty).board(0).silence == .noServiceToday)
    let short = StopTimetable(day: tuesday, visits: [visit(at: 60)])
    #expect(Self.stop(answer(at: 61, []), short).board(61).silence == .noMoreToday(next: nil))
    let tomorrow = StopTimetable(
      day: tuesday.advanced(by: 1), visits: [visit("U", at: 80_000), visit("V", at: 90_000)])
    #expect(Self.stop(answer(at: 61, []), short, tomorrow).board(61).silence == .noMoreToday(next: eight + 80_000))
    var old = answer(at: 0, [])
    old.isTimetableExpired = true
    #expect(Self.stop(old).board(0).silence == .timetableExpired)
    #expect(
      Self.stop(nil, StopTimetable(day: tuesday, visits: [visit(at: 60)], isExpired: true)).board(0).silence
        == .timetableExpired)
    var expired = StopBoard()
    expired.failedAsTimetableExpired()
    #expect(expired.board(0).silence == .timetableExpired)
    var down = StopBoard()
    down.failed(since: eight - 600)
    #expect(down.board(0).silence == .providerDown(since: eight - 600))
  }

  @Test func `what is not known is not claimed`() throws {
    #expect(StopBoard().board(0).silence == .notAsked)
    #expect(Self.stop(answer(at: 0, [])).board(0).silence == .noneUntil(eight + 3600))
    // An expired timetable is no timetable: its buses are not shown.
    let stop = Self.stop(nil, StopTimetable(day: tuesday, visits: [visit(at: 60)], isExpired: true))
    #expect(stop.board(0).arrivals.isEmpty && stop.board(0).basis == .nothing)
  }

  @Test func `what the last answer reached to it told, and only then the failure is all that is known`() {
    var stop = Self.stop(answer(at: 0, []))
    stop.failed(since: eight + 30)
    #expect(stop.board(3599).silence == .noneUntil(eight + 3600))
    #expect(stop.board(3599).changesIn == 1)
    #expect(stop.board(3600).silence == .providerDown(since: eight + 30))
  }

  @Test func `what the last answer reached to is nothing to say when it is past`() {
    let stop = Self.stop(answer(at: 0, []))
    #expect(stop.board(3599.999).silence == .noneUntil(eight + 3600))
    for later in [3600, 3601, 86_400.0] { #expect(stop.board(later).silence == .notAsked) }
  }

  @Test func `the next bus may be further off than the rows reach`() throws {
    let stop = Self.stop(answer(at: 0, []), StopTimetable(day: tuesday, visits: [visit(at: 7200)]))
    guard case .later(let row) = stop.board(0).silence else {
      Issue.record("\(String(describing: stop.board(0).silence))")
      return
    }
    #expect(row.at == eight + 7200 && stop.board(0).arrivals.isEmpty)
  }

  @Test func `after midnight last night's timetable still runs`() throws {
    let midnight = 16 * Self.hour
    var stop = Self.stop(nil, try timetable("schedule"))
    stop.failed(since: eight)
    #expect(stop.board(midnight + 600).arrivals.map(\.trip) == ["1_6290"])
    #expect(stop.board(midnight + 600).arrivals.map(\.minutes) == [10])
    #expect(stop.board(midnight + 1201).silence == .providerDown(since: eight))
  }

  @Test func `the last bus of the window is told when all that could come after is known`() throws {
    let day = try timetable("schedule")
    // The window ends at nine. The 8:30 is the last in it, the 9:00 is not in it.
    let half = answer(at: 0, [visit("1_6205", at: 1800), visit("1_6206", at: 3600)])
    #expect(Self.stop(half, day).board(0).last == .ofWindow)
    #expect(Self.stop(half).board(0).last == .ofWindow)
    var short = half
    short.until = eight + 3599
    #expect(Self.stop(short).board(0).last == nil)
    let two = answer(at: 0, [visit("A", at: 600), visit("1_6205", at: 1800)])
    #expect(Self.stop(two, day).board(0).last == nil)
    #expect(Self.stop(two, day).board(601).last == .ofWindow)
    #expect(Self.stop(two, day).board(1801).last == nil)
  }

  @Test func `a canceled bus behind it leaves it the last`() {
    var canceled = visit("B", at: 2400)
    canceled.isCanceled = true
    #expect(Self.stop(answer(at: 0, [visit(at: 600), canceled])).board(0).last == .ofWindow)
  }

  @Test func `the last bus of the day is told by the timetable alone`() {
    let stop = Self.stop(answer(at: 0, [visit(at: 600)]), StopTimetable(day: tuesday, visits: [visit(at: 600)]))
    #expect(stop.board(0).last == .ofDay && stop.board(0).after == nil)
  }

  @Test func `in a window over midnight tomorrow's first buses are behind today's last`() throws {
    var night = watch
    night.window = try #require(WatchWindow(days: ["tue"], from: "23:30", to: "00:30"))
    let midnight = 16 * Self.hour
    let tonight = StopTimetable(day: tuesday, visits: [visit("A", at: midnight - 600)])
    let tomorrow = StopTimetable(
      day: tuesday.advanced(by: 1), visits: [visit("B", at: midnight + 600), visit("C", at: midnight + 7200)])
    let both = Self.stop(nil, tonight, tomorrow)
    #expect(both.board(midnight - 1200, night).arrivals.map(\.trip) == ["A", "B"])
    #expect(both.board(midnight - 1200, night).last == nil)
    #expect(both.board(midnight - 300, night).last == .ofWindow)
    #expect(Self.stop(nil, tonight).board(midnight - 1200, night).last == nil)
  }

  @Test func `old timetables go`() throws {
    var stop = StopBoard()
    for number in 0..<10 { stop.received(StopTimetable(day: tuesday.advanced(by: number), visits: [])) }
    #expect(stop.timetableDays == Set((7..<10).map { tuesday.advanced(by: $0) }))
  }
}
