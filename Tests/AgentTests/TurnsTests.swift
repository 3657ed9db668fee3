import Linux
import Synchronization
import TestSupport
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(5))) struct TurnsTests {
  private final class Record: Sendable {
    private let steps = Mutex<[Int]>([])
    func note(_ number: Int) { steps.withLock { $0.append(number) } }
    var all: [Int] { steps.withLock { $0 } }
  }

  /// Asks for a turn before it returns. Its piece works for a second.
  private func piece(_ number: Int, _ turns: Turns, _ time: ManualTime, _ record: Record) -> Task<Void, Never> {
    Task.immediate {
      await turns.take {
        record.note(number)
        try? await time.sleep(for: .seconds(1))
        record.note(number)
      }
    }
  }

  @Test func `work is done one piece at a time, in the order of asking`() async {
    let time = ManualTime()
    let turns = Turns(time: time)
    let record = Record()
    let pieces = (0..<20).map { piece($0, turns, time, record) }
    for piece in pieces {
      await time.waitForSleepers()
      #expect(time.sleeperCount == 1)
      time.advance(by: .seconds(1))
      await piece.value
    }
    #expect(record.all == (0..<20).flatMap { [$0, $0] })
  }

  @Test func `who is stuck is seen by an old sign of life, and an idle one is always fresh`() async {
    let time = ManualTime()
    let turns = Turns(time: time)
    time.advance(by: .seconds(100))
    #expect(turns.heartbeat() == time.uptime())
    let began = time.uptime()
    let stuck = Task { await turns.take { try? await time.sleep(for: .seconds(1000)) } }
    await time.waitForSleepers()
    time.advance(by: .seconds(20))
    #expect(turns.heartbeat() == began)
    #expect(Watchdog.silent(["kiosk": turns.heartbeat()], at: time.uptime()) == ["kiosk"])
    stuck.cancel()
    await stuck.value
    #expect(turns.heartbeat() == time.uptime())
  }

  @Test func `a claimed turn comes before all that was asked for earlier, and after what runs`() async {
    let time = ManualTime()
    let turns = Turns(time: time)
    let record = Record()
    let pieces = (0..<3).map { piece($0, turns, time, record) }
    #expect(!turns.isClaimed)
    turns.claim()
    #expect(turns.isClaimed)
    let claimed = Task.immediate { await turns.takeClaimed { record.note(9) } }
    for piece in pieces {
      await time.waitForSleepers()
      time.advance(by: .seconds(1))
      await piece.value
    }
    await claimed.value
    #expect(record.all == [0, 0, 9, 1, 1, 2, 2])
    #expect(!turns.isClaimed)
  }

  @Test func `nothing begins while a turn is claimed, until the claim is given up`() async {
    let turns = Turns(time: ManualTime())
    let record = Record()
    turns.claim()
    turns.claim()
    let piece = Task { await turns.take { record.note(1) } }
    await turns.takeClaimed { record.note(0) }
    for _ in 0..<1000 { await Task.yield() }
    #expect(record.all == [0])
    turns.release()
    await piece.value
    #expect(record.all == [0, 1])
    // More claims than there are: none is left, and none is owed.
    turns.release(.max)
    turns.claim()
    #expect(turns.isClaimed)
    turns.release(.max)
    await turns.take { record.note(2) }
    #expect(record.all == [0, 1, 2])
  }

  @Test func `a claim that nobody takes is seen by an old sign of life`() async {
    let time = ManualTime()
    let turns = Turns(time: time)
    time.advance(by: .seconds(100))
    turns.claim()
    let claimed = time.uptime()
    time.advance(by: .seconds(20))
    #expect(turns.heartbeat() == claimed)
    await turns.takeClaimed {}
    #expect(turns.heartbeat() == time.uptime())
  }
}
