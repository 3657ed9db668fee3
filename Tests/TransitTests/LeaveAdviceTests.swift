import Foundation
import Testing

@testable import Transit

struct LeaveAdviceTests {
  private static func advice(_ left: Double, walk: Int = 6, after previous: LeaveAdvice? = nil) -> LeaveAdvice {
    .advice(left: Int(left * 1000), walk: walk, previous: previous)
  }

  @Test(arguments: [
    (600.0, LeaveAdvice.leave(inMinutes: 4)), (420, .leave(inMinutes: 1)), (419.5, .leave(inMinutes: 1)),
    (419.499, .leaveNow), (360, .leaveNow), (359.4, .run), (300, .run), (299.4, .missed), (0, .missed),
  ])
  func `with six minutes to walk`(_ left: Double, _ expected: LeaveAdvice) { #expect(Self.advice(left) == expected) }

  @Test func `a short way leaves little to make up`() {
    #expect(Self.advice(41, walk: 1) == .run && Self.advice(39, walk: 1) == .missed)
    #expect(Self.advice(0, walk: 0) == .leaveNow && Self.advice(130, walk: 0) == .leave(inMinutes: 2))
  }

  @Test func `a prediction that moves by a few seconds does not move the advice back`() {
    var shown: LeaveAdvice?
    var seen: [LeaveAdvice] = []
    for left in [425, 415, 430, 418, 440, 425, 449, 450, 500] as [Double] {
      let next = Self.advice(left, after: shown)
      if next != shown { seen.append(next) }
      shown = next
    }
    #expect(seen == [.leave(inMinutes: 1), .leaveNow, .leave(inMinutes: 1)])
    #expect(Self.advice(329, after: .missed) == .missed && Self.advice(330, after: .missed) == .run)
    #expect(Self.advice(1200, after: .missed) == .leave(inMinutes: 13))
  }

  @Test func `the advice is about the first bus that can be caught, by its real time`() {
    var stop = StopBoard()
    stop.received(
      answer(at: 0, [visit(at: 240, predicted: 250), visit("U", at: 300, predicted: 900), visit("V", at: 1800)]))
    let board = stop.board(0, withWalk(6))
    #expect(board.next?.trip == "T" && board.leave?.key.trip == "U" && board.leave?.advice == .leave(inMinutes: 9))
    #expect(stop.board(0).leave == nil)
    // The board before keeps it steady.
    let later = stop.board(481, withWalk(6), previous: board)
    #expect(later.leave?.key.trip == "U" && later.leave?.advice == .leaveNow)
    stop.received(answer(at: 482, [visit("U", at: 300, predicted: 922, updated: 482), visit("V", at: 1800)]))
    #expect(stop.board(482, withWalk(6), previous: later).leave?.advice == .leaveNow)
    #expect(stop.board(482, withWalk(6)).leave?.advice == .leave(inMinutes: 1))
  }

  @Test func `nobody is told when to leave for a canceled bus or for one without a time`() {
    var canceled = visit(at: 1200)
    canceled.isCanceled = true
    var often = visit("F", at: 600)
    often.frequency = Frequency(headway: 600, end: nil)
    var stop = StopBoard()
    stop.received(answer(at: 0, [canceled, often]))
    #expect(stop.board(0, withWalk(6)).leave == nil)
    #expect(stop.board(0).next?.state == .frequency)
  }
}
