import Foundation
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Agent
@testable import Feeds
@testable import Transit

/// The distance between two requests, by the product's own exchange and the provider's rule.
@Suite(.timeLimit(.minutes(2))) struct BusPacingTests {
  private struct Server {
    var rules = OneBusAwayRules(key: "TEST")
    /// Requests on their way, and how many there were at once.
    var running = 0
    var most = 0
    var arrivals: [Duration] = []
    /// Of the two sources, how many fetches are not over.
    var left: [Int: Int]

    init(left: [Int: Int]) { self.left = left }
  }

  private final class Box: Sendable {
    let server: Mutex<Server>
    init(_ server: Server) { self.server = Mutex(server) }
  }

  @Test func `two sources with twenty requests at once share one distance, and none is refused`() async {
    let time = ManualTime()
    let box = Box(Server(left: [0: 10, 1: 10]))
    let exchange = Exchange { request in
      box.server.withLock { server in
        server.running += 1
        server.most = max(server.most, server.running)
      }
      defer { box.server.withLock { $0.running -= 1 } }
      // It takes as long to the server and back as the distance is: two that are sent in time can still meet there.
      try await time.sleep(for: .milliseconds(70))
      let refusal = box.server.withLock { server in
        server.arrivals.append(time.uptime())
        return server.rules.admit("/api/where/stop/1.json", key: "TEST", at: time.uptime())
      }
      try await time.sleep(for: .milliseconds(40))
      // An end that is no answer gives the turn on too.
      if request.address.text.hasSuffix("/3") { throw Fault.broken }
      return Answer(status: refusal ?? 200, body: [1])
    }.paced(time)
    let sources = (0..<2).map { number in
      Source(
        FeedSettings(id: "source\(number)"), keys: nil, copies: nil, exchange: exchange, time: time, boot: "boot",
        log: Log { _, _ in })
    }
    let answered = await withTaskGroup(of: Bool.self) { group in
      for (number, source) in sources.enumerated() {
        for document in 0..<10 {
          group.addTask {
            defer { box.server.withLock { $0.left[number, default: 0] -= 1 } }
            guard let address = Address("https://example.org/\(document)") else { return false }
            let resource = Resource(
              name: "\(document)", address: address, freshness: Freshness(interval: .seconds(30)))
            let reading = try? await source.fetch(resource) { delivery throws(Objection) in delivery.status }
            return reading?.value == 200
          }
        }
      }
      await Self.pass(time, box)
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(answered == 18, "all but the broken ones")
    box.server.withLock { server in
      #expect(server.rules.refused == 0 && server.most == 1)
      #expect(server.arrivals.count == 20)
      let gaps = zip(server.arrivals, server.arrivals.dropFirst()).map { $1 - $0 }
      #expect(gaps.allSatisfy { $0 >= RequestPacing.distance }, "\(gaps)")
      #expect(server.arrivals.last.map { $0 < .seconds(1000 + 20) } ?? false, "nobody waits for ever")
    }
  }

  /// Lets time pass, always when each source that has something to ask sleeps: on its way, or until it may go.
  private static func pass(_ time: ManualTime, _ box: Box) async {
    while !Task.isCancelled {
      let busy = box.server.withLock { server in server.left.values.filter { $0 > 0 }.count }
      if busy == 0 { return }
      if time.sleeperCount >= busy, let deadline = time.nextDeadline {
        time.advance(by: max(.zero, deadline - time.uptime()))
      }
      await Task.yield()
    }
  }
}
