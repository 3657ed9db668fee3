import Linux
import Synchronization
import TestSupport
import Testing

@testable import Agent

struct TurnsTests {
  private final class Record: Sendable {
    private let steps = Mutex<[Int]>([])
    func note(_ number: Int) { steps.withLock { $0.append(number) } }
    var all: [Int] { steps.withLock { $0 } }
  }

  /// As the kiosk is one: whoever is woken first asks first.
  private actor Desk {
    /// Asks at a millisecond of its own, and works for a second.
    func piece(_ number: Int, _ turns: Turns, _ time: ManualTime, _ record: Record) async {
      try? await time.sleep(untilUptime: .milliseconds(2_000_000 + number))
      await turns.take {
        record.note(number)
        try? await time.sleep(for: .seconds(1))
        record.note(number)
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `work is done one piece at a time, in the order of asking`() async {
    let time = ManualTime()
    let turns = Turns(time: time)
    let record = Record()
    let desk = Desk()
    let pieces = (0..<20).map { number in Task { await desk.piece(number, turns, time, record) } }
    await time.waitForSleepers(20)
    while record.all.count < 40 {
      if let next = time.nextDeadline { time.advance(by: next - time.uptime()) }
      await Task.yield()
    }
    for piece in pieces { await piece.value }
    #expect(record.all == (0..<20).flatMap { [$0, $0] })
  }

  @Test(.timeLimit(.minutes(1)))
  func `who is stuck is seen by an old sign of life, and an idle one is always fresh`() async {
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
}
