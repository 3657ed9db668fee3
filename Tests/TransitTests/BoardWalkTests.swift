import Foundation
import Testing

@testable import Transit

/// Random mornings: answers come, fail, lose and find vehicles; the board is looked at all the time.
struct BoardWalkTests {
  /// One morning's truth, and what the board is told of it.
  private struct Morning {
    var dice: Dice
    var stop = StopBoard()
    /// The newest prediction that was told of each trip, ever.
    var newest: [TransitID: Date] = [:]
    var canceled: Set<TransitID> = []

    init(seed: UInt64) {
      dice = Dice(seed)
      if Bool.random(using: &dice) {
        let visits =
          (0..<20).map { visit(TransitID("\($0)"), at: Double($0) * 400 - 600) } + [visit("0", at: 7000, route: "1_2")]
        stop.received(StopTimetable(day: tuesday, visits: visits, isExpired: seed % 7 == 0))
      }
    }

    mutating func poll(at now: Double) {
      switch Int.random(in: 0..<10, using: &dice) {
      case 0: stop.failed(since: eight + now)
      case 1: stop.failedAsTimetableExpired()
      case 2: break
      default:
        var visits: [Visit] = []
        for number in 0..<20 {
          let scheduled = Double(number) * 400 - 600
          guard scheduled > now - 900, scheduled < now + 2400, Int.random(in: 0..<8, using: &dice) > 0 else { continue }
          visits.append(told(TransitID("\(number)"), scheduled, now))
        }
        var told = answer(at: now, visits)
        told.until = eight + now + 2400
        stop.received(told)
      }
    }

    private mutating func told(_ trip: TransitID, _ scheduled: Double, _ now: Double) -> Visit {
      var told = visit(trip, at: scheduled)
      if trip.text.hasSuffix("7") { told.frequency = Frequency(headway: 420, end: eight + 5000) }
      if Int.random(in: 0..<40, using: &dice) == 0 { canceled.insert(trip) }
      told.isCanceled = canceled.contains(trip)
      guard Int.random(in: 0..<4, using: &dice) > 0, !told.isCanceled else { return told }
      let updated = eight + now - Double(Int.random(in: 0...240_000, using: &dice)) / 1000
      told.prediction = Prediction(
        at: eight + scheduled + Double(Int.random(in: -200_000...700_000, using: &dice)) / 1000, updatedAt: updated)
      told.hasPassed = Int.random(in: 0..<9, using: &dice) == 0
      newest[trip] = max(newest[trip] ?? .distantPast, updated)
      return told
    }
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `no row is live, late or next when it must not be, whatever comes and fails`(_ seed: UInt64) {
    var morning = Morning(seed: seed)
    var previous: WatchBoard?
    for now in stride(from: 0.0, to: 7200, by: 15) {
      if now.truncatingRemainder(dividingBy: 30) == 0, !(2000..<3500 ~= now && seed % 3 == 0) { morning.poll(at: now) }
      let board = morning.stop.board(now, withWalk(4), previous: previous)
      previous = board
      for row in board.arrivals {
        let age = (eight + now).milliseconds(since: morning.newest[row.trip] ?? .distantPast)
        if row.state == .live && age > 90_000 { Issue.record("live after \(age) ms: \(row)") }
        if row.state == .aging && age > 180_000 { Issue.record("aging after \(age) ms: \(row)") }
        if row.lateness != nil && row.state != .live && row.state != .aging {
          Issue.record("late by the timetable: \(row)")
        }
        if row.at < eight + now { Issue.record("departed: \(row)") }
        if row.minutes ?? 0 < 0 { Issue.record("negative: \(row)") }
        if morning.canceled.contains(row.trip) && row.state == .live { Issue.record("canceled and live: \(row)") }
      }
      #expect(zip(board.arrivals, board.arrivals.dropFirst()).allSatisfy(Arrival.inOrder))
      #expect(Set(board.arrivals.map(\.key)).count == board.arrivals.count)
      #expect(board.next?.state != .canceled && board.after?.state != .canceled)
      #expect((board.next == nil) == (board.silence != nil))
    }
  }

  @Test(arguments: 0..<15 as Range<UInt64>)
  func `between two answers a board changes when it said it would, and not before`(_ seed: UInt64) throws {
    var morning = Morning(seed: seed &+ 1000)
    var (changes, idle) = (0, 0)
    for start in stride(from: 0.0, to: 7200, by: 450) {
      morning.poll(at: start)
      var now = start
      var board = morning.stop.board(now, withWalk(4))
      while now < start + 450, let wait = board.changesIn {
        #expect(wait > 0)
        let next = ((now + wait) * 1000).rounded() / 1000
        let moments = [now + 0.001, now + wait / 3, now + wait * 0.9, next - 0.001]
        for moment in moments where moment > now && moment < next - 0.0006 {
          var still = morning.stop.board(moment, withWalk(4), previous: board)
          still.changesIn = board.changesIn
          if still != board {
            Issue.record("seed \(seed): at \(now) said \(next), changed by \(moment): \(difference(board, still))")
          }
        }
        var changed = morning.stop.board(next, withWalk(4), previous: board)
        changes += 1
        changed.changesIn = board.changesIn
        if changed == board { idle += 1 }
        board = morning.stop.board(next, withWalk(4), previous: board)
        now = next
      }
    }
    #expect(changes > 100)
    // Most wake-ups are for something.
    #expect(idle * 4 < changes)
  }

  private func difference(_ a: WatchBoard, _ b: WatchBoard) -> String {
    zip(Mirror(reflecting: a).children, Mirror(reflecting: b).children).filter { "\($0.value)" != "\($1.value)" }
      .map { "\($0.label ?? ""): \($0.value) -> \($1.value)" }.joined(separator: "; ")
  }

  @Test func `a window that opens and closes is a change`() {
    let stop = StopBoard()
    #expect(stop.board(0).isOpen && stop.board(0).changesIn == 3600)
    #expect(stop.board(3600).changesIn == 54_000.0)
    #expect(stop.board(16 * 3600).changesIn == 23_400.0)
  }
}
