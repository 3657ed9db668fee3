import Foundation
import Testing

@testable import Transit

/// What a board makes of answers that come, fail to come and contradict each other.
struct StopBoardTests {
  private static func stop(_ answers: StopAnswer...) -> StopBoard {
    var stop = StopBoard()
    for answer in answers { stop.received(answer) }
    return stop
  }

  /// State and seconds from `eight` of the first row.
  private static func first(_ stop: StopBoard, _ seconds: Double) -> String {
    stop.board(seconds).arrivals.first.map { "\($0.state) \(Int($0.at.timeIntervalSince(eight)))" } ?? "nothing"
  }

  @Test(arguments: [
    (0, "live 400"), (90, "live 400"), (90.001, "aging 400"), (180, "aging 400"), (180.001, "scheduled 300"),
    // It should have left and was expected later: it is kept until then.
    (300, "scheduled 300"), (300.001, "scheduled 400"), (400, "scheduled 400"), (400.001, "nothing"),
  ])
  func `a prediction is live for 90 s, aging for 180 s, then it is the timetable's turn`(
    _ now: Double, _ expected: String
  ) {
    #expect(Self.first(Self.stop(answer(at: 0, [visit(at: 300, predicted: 400)])), now) == expected)
  }

  @Test func `a row counts from its own prediction, not from the answer`() {
    let stop = Self.stop(answer(at: 0, [visit(at: 300, predicted: 400, updated: -100)]))
    #expect(Self.first(stop, 0) == "aging 400")
    #expect(Self.first(stop, 80.001) == "scheduled 300")
  }

  @Test func `the age is shown, and nothing is late or early without a prediction that counts`() throws {
    let stop = Self.stop(answer(at: 0, [visit(at: 300, predicted: 400)]))
    let row = try #require(stop.board(0).arrivals.first)
    #expect(row.updatedAt == eight && row.predictedAt == eight + 400 && row.lateness == 100 && row.isLate)
    let old = try #require(stop.board(200).arrivals.first)
    #expect(old.updatedAt == eight && old.predictedAt == nil && old.lateness == nil && !old.isLate)
    let kept = try #require(stop.board(350).arrivals.first)
    #expect(kept.predictedAt == eight + 400 && kept.lateness == nil && kept.minutes == 0)
  }

  @Test(arguments: [
    (61.0, 1), (60, 1), (59.5, 1), (59.499, 0), (29, 0), (0.4, 0), (0, 0), (119.499, 1), (119.5, 2), (3600, 60),
  ])
  func `minutes are whole seconds to the nearest, divided and rounded down`(_ left: Double, _ minutes: Int) {
    #expect(visit(at: left).arrival(at: eight)?.minutes == minutes)
  }

  @Test func `an early bus that has left does not come back at its scheduled time`() {
    let stop = Self.stop(answer(at: 0, [visit(at: 400, predicted: 100)]))
    for now in [100.001, 181, 399] { #expect(Self.first(stop, now) == "nothing") }
    // Not even when the next answer knows it by the timetable only, or not at all.
    for later in [[visit(at: 400)], []] {
      var next = stop
      next.received(answer(at: 120, later))
      next.received(answer(at: 150, later))
      for now in [150.0, 200, 399] { #expect(Self.first(next, now) == "nothing", "\(now)") }
    }
    // When it is still predicted, it had not left.
    var slower = stop
    slower.received(answer(at: 120, [visit(at: 400, predicted: 160, updated: 110)]))
    #expect(Self.first(slower, 120) == "live 160")
  }

  @Test func `a bus that has passed the stop is gone whatever its time says`() {
    var passed = visit(at: 400, predicted: 300)
    passed.hasPassed = true
    var stop = Self.stop(answer(at: 0, [passed]))
    #expect(Self.first(stop, 0) == "nothing" && Self.first(stop, 250) == "nothing")
    stop.received(answer(at: 30, [visit(at: 400)]))
    #expect(Self.first(stop, 30) == "nothing" && Self.first(stop, 350) == "nothing")
  }

  /// What the second answer says of a bus that the first one had live, its own vehicle being beyond the stop.
  private static let passing: [(name: String, predicted: Double?, updated: Double)] = [
    ("no predicted time, as servers send -1 with it", nil, 0), ("a time of an older server", 450, -20),
    ("the same report", 400, 0), ("a time to come", 500, 25),
  ]

  @Test(arguments: passing)
  func `a bus that has passed is gone at once, and no answer brings it back but news of its vehicle`(
    name: String, predicted: Double?, updated: Double
  ) {
    var passed = visit(at: 500, predicted: predicted, updated: updated)
    passed.hasPassed = true
    let stop = Self.stop(answer(at: 0, [visit(at: 500, predicted: 400)]), answer(at: 30, [passed]))
    let withWalk = stop.board(30, withWalk(4))
    #expect(withWalk.arrivals.isEmpty && withWalk.leave == nil, "\(name)")
    let old = min(updated, 0)
    let laters = [[], [visit(at: 500)], [visit(at: 500, predicted: 450, updated: old)]]
    for later in laters {
      var next = stop
      for time in [60.0, 90] {
        next.received(answer(at: time, later))
        #expect(Self.first(next, time) == "nothing", "\(name): \(later)")
      }
      next.received(answer(at: 120, [visit(at: 500, predicted: 480, updated: 110)]))
      #expect(Self.first(next, 120) == "live 480", "\(name): its vehicle has told that it is still to come")
    }
  }

  @Test func `a bus that has passed before anything else was known of it does not come back by the timetable`() {
    var passed = visit(at: 500)
    passed.hasPassed = true
    let stop = Self.stop(answer(at: 0, [passed]), answer(at: 30, [visit(at: 500)]))
    #expect(Self.first(stop, 30) == "nothing")
  }

  @Test func `one poll without a trip or without its vehicle changes nothing for 90 s`() {
    let live = answer(at: 0, [visit(at: 600, predicted: 700)])
    for lacking in [[], [visit(at: 600)]] {
      let stop = Self.stop(live, answer(at: 30, lacking))
      #expect(Self.first(stop, 90) == "live 700")
      // There is no aging of what the server has taken back.
      #expect(Self.first(stop, 90.001) == "scheduled 600")
      #expect(stop.board(90).arrivals.map(\.isUnconfirmed) == [lacking.isEmpty])
      var back = stop
      back.received(answer(at: 60, [visit(at: 600, predicted: 720, updated: 55)]))
      #expect(Self.first(back, 145) == "live 720")
      #expect(back.board(60).arrivals.map(\.isUnconfirmed) == [false])
    }
  }

  @Test func `a bus that is known by its timetable is doubted when it is not named for 90 s`() {
    var stop = Self.stop(answer(at: 0, [visit(at: 600)]), answer(at: 30, []))
    #expect(stop.board(90).arrivals.map(\.isUnconfirmed) == [false] && stop.board(61).changesIn == 29.001)
    #expect(stop.board(90.001).arrivals.map(\.isUnconfirmed) == [true])
    stop.received(answer(at: 60, []))
    #expect(stop.board(90.001).arrivals.map(\.isUnconfirmed) == [true], "by the answer that named it")
    stop.received(answer(at: 100, [visit(at: 600)]))
    #expect(stop.board(300).arrivals.map(\.isUnconfirmed) == [false])
  }

  @Test func `a bus that lost its vehicle is known by its timetable: one answer without it is no doubt`() {
    var stop = Self.stop(answer(at: 0, [visit(at: 900, predicted: 930)]))
    for time in [100.0, 130, 160] { stop.received(answer(at: time, [visit(at: 900)])) }
    #expect(stop.board(160).arrivals.map(\.isUnconfirmed) == [false])
    stop.received(answer(at: 190, []))
    #expect(stop.board(190).arrivals.map(\.isUnconfirmed) == [false])
    #expect(stop.board(250.001).arrivals.map(\.isUnconfirmed) == [true], "not named for 90 s")
    // Named with a vehicle a moment before: that the answer lacks it now is news.
    stop.received(answer(at: 260, [visit(at: 900, predicted: 930, updated: 255)]))
    stop.received(answer(at: 290, []))
    #expect(stop.board(290).arrivals.map(\.isUnconfirmed) == [true])
  }

  @Test func `an older prediction from another server does not take a newer one away`() {
    let stop = Self.stop(
      answer(at: 60, [visit(at: 600, predicted: 700, updated: 50)]),
      answer(at: 90, [visit(at: 600, predicted: 650, updated: 20)]))
    #expect(Self.first(stop, 90) == "live 700")
  }

  @Test func `a canceled bus is struck at once, stays until its time, and is never the next`() {
    var canceled = visit(at: 600)
    canceled.isCanceled = true
    let stop = Self.stop(
      answer(at: 0, [visit(at: 600, predicted: 700)]), answer(at: 30, [canceled, visit("U", at: 900, predicted: 905)]))
    let board = stop.board(30)
    #expect(board.arrivals.map(\.state) == [.canceled, .live])
    #expect(board.next?.trip == "U" && board.arrivals.first?.minutes == 9 && board.arrivals.first?.updatedAt == nil)
    #expect(stop.board(601).arrivals.map(\.trip) == ["U"])
    // A server that hides canceled trips has not said that it runs.
    var hidden = stop
    hidden.received(answer(at: 60, []))
    #expect(hidden.board(60).arrivals.map(\.state) == [.canceled, .live])
  }

  @Test func `a departed bus is never next, and the one after it takes its place`() {
    let stop = Self.stop(
      answer(at: 0, [visit(at: 60, predicted: 70), visit("U", at: 600, predicted: 610), visit("V", at: 900)]))
    #expect(stop.board(70).next?.trip == "T" && stop.board(70).after?.trip == "U")
    #expect(stop.board(70.001).next?.trip == "U" && stop.board(70.001).after?.trip == "V")
  }

  @Test func `a late bus is kept when its scheduled time passes, and is not taken for the one behind it`() {
    let stop = Self.stop(answer(at: 0, [visit(at: -60, predicted: 120), visit("U", at: 1740)]))
    #expect(stop.board(0).arrivals.map(\.lateness) == [180, nil])
    #expect(stop.board(0).next?.minutes == 2)
  }

  @Test func `a failure takes nothing away, and is over with the next answer`() {
    var stop = Self.stop(answer(at: 0, [visit(at: 300, predicted: 400)]))
    stop.failed(since: eight + 30)
    stop.failed(since: eight + 60)
    #expect(Self.first(stop, 60) == "live 400")
    #expect(stop.board(60).trouble == .down(since: eight + 30))
    #expect(
      stop.board(60).basis == .answer && stop.board(181).basis == .oldAnswer && stop.board(60).answeredAt == eight)
    stop.received(answer(at: 90, []))
    #expect(stop.board(90).trouble == nil)
  }

  @Test func `only the watch's route is shown, and its rows are there outside the window too`() {
    let stop = Self.stop(answer(at: 0, [visit(at: 300), visit("U", at: 400, route: "1_2")]))
    #expect(stop.board(0).arrivals.map(\.trip) == ["T"])
    let sunday = BoardTime(server: eight, local: eight - 2 * 86_400)
    let board = stop.board(for: watch, at: sunday, in: losAngeles)
    #expect(board.arrivals.map(\.trip) == ["T"] && !board.isOpen && stop.board(0).isOpen)
  }

  @Test func `a clock on the wall that is wrong changes no minutes`() throws {
    var stop = StopBoard()
    stop.received(try answer("skew"))
    let board = stop.board(for: watch, at: BoardTime(server: eight, local: eight + 240), in: losAngeles)
    #expect(board.next?.minutes == 5)
  }

  @Test func `an agency in another zone is told`() throws {
    var stop = StopBoard()
    #expect(!stop.agencyClockDiffers(from: losAngeles, at: eight))
    stop.received(try answer("ids_with_spaces"))
    #expect(
      stop.agencyClockDiffers(from: losAngeles, at: eight)
        && !stop.agencyClockDiffers(from: zone("America/Toronto"), at: eight))
  }
}
