import Linux
import Synchronization
import TestSupport
import Testing

@testable import Feeds

/// Sources that are due at the same instant ask one after the other.
@Suite(.timeLimit(.minutes(1))) struct SpacedExchangeTests {
  private let time = ManualTime()

  /// What got through, with the instant and what was left of its deadline.
  private final class Record: Sendable {
    private let starts = Mutex<[(at: Duration, left: Duration)]>([])
    func note(_ at: Duration, _ left: Duration) { starts.withLock { $0.append((at, left)) } }
    var all: [(at: Duration, left: Duration)] { starts.withLock { $0 } }
  }

  private let record = Record()

  private func exchange() -> Exchange {
    Exchange { [time, record] request in
      record.note(time.uptime(), request.deadline)
      return Answer(status: 200)
    }.spaced(time)
  }

  private func request(_ deadline: Duration = .seconds(15)) throws -> Request {
    Request(address: try #require(Address("https://api.example.org/")), deadline: deadline, limit: 1)
  }

  @Test func `requests of the same instant start 100 ms apart, each by its own deadline`() async throws {
    let exchange = exchange()
    let began = time.uptime()
    let request = try request()
    let all = (0..<7).map { _ in Task { try await exchange.perform(request) } }
    await time.waitForSleepers(6)
    while record.all.isEmpty, !Task.isCancelled { await Task.yield() }
    while let next = time.nextDeadline {
      time.advance(by: next - time.uptime())
      let due = Int((time.uptime() - began) / .milliseconds(100)) + 1
      while record.all.count < due, !Task.isCancelled { await Task.yield() }
    }
    for one in all { _ = try await one.value }
    let waits = (0..<7).map { Duration.milliseconds(100 * $0) }
    #expect(record.all.map { $0.at - began } == waits)
    #expect(record.all.map(\.left) == waits.map { .seconds(15) - $0 })
  }

  @Test func `one that comes alone waits for nothing`() async throws {
    let exchange = exchange()
    for _ in 0..<3 {
      time.advance(by: .milliseconds(100))
      _ = try await exchange.perform(request())
    }
    #expect(record.all.map(\.left) == [.seconds(15), .seconds(15), .seconds(15)])
  }

  @Test func `one whose deadline passes before its start does not ask`() async throws {
    let exchange = exchange()
    _ = try await exchange.perform(request())
    let request = try request(.milliseconds(50))
    let late = Task { try await exchange.perform(request) }
    await time.waitForSleepers()
    time.advance(by: .milliseconds(100))
    await #expect(throws: Fault.overdue(.milliseconds(50))) { try await late.value }
    #expect(record.all.count == 1)
  }

  @Test func `one that is cancelled while it waits does not ask`() async throws {
    let exchange = exchange()
    _ = try await exchange.perform(request())
    let request = try request()
    let waiting = Task { try await exchange.perform(request) }
    await time.waitForSleepers()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(record.all.count == 1)
  }
}
