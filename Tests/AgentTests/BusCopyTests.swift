import Configuration
import Foundation
import Linux
import Synchronization
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds
@testable import Transit

/// What is kept of a provider's answers, and by whose clock it counts.
@Suite(.timeLimit(.minutes(2))) struct BusCopyTests {
  /// Tuesday 2026-11-03, 8:01 in Los Angeles.
  private static let start = Date(timeIntervalSince1970: 1_793_721_660)

  @Test func `what an earlier run fetched is counted by the provider's clock too`() async throws {
    let holder = LedgerHolder()
    try FileManager.default.createDirectory(atPath: holder.path, withIntermediateDirectories: true)
    let first = BusBench(at: Self.start, stateDirectory: holder.path)
    first.setSkew(300)
    await first.running { #expect(first.cards.first?.value == "4", "8:06 there, and a bus at 8:10") }
    let second = BusBench(at: Self.start + 60, stateDirectory: holder.path)
    second.time.advance(by: .seconds(60))
    second.time.step(by: .seconds(-60))
    second.fail(.noConnection)
    await second.running { #expect(second.cards.first?.value == "3", "8:07 there: \(second.cards)") }
  }

  @Test func `an answer that tells the provider's clock is never confirmed by a 304, a timetable is`() async throws {
    struct Asked { var tags: [String: [String?]] = [:] }
    let asked = Mutex(Asked())
    let buses = SimulatedBuses([BusBench.line], zone: BusBench.zone)
    let time = ManualTime(now: Self.start)
    let feed = OneBusAwayFeed(
      Configuration.Source(baseURL: "https://example.org"), copies: nil,
      exchange: Exchange { request in
        let components = URLComponents(string: request.address.text)
        let path = components?.percentEncodedPath ?? ""
        let tag = request.headers.first { $0.name == "If-None-Match" }?.value
        asked.withLock { $0.tags[path.contains("schedule") ? "timetable" : "arrivals", default: []].append(tag) }
        let (status, body) = buses.answer(
          path, query: OneBusAwayRules.parameters(components?.percentEncodedQuery ?? ""), at: time.now())
        var answer = Answer(status: tag == nil ? status : 304, body: tag == nil ? Array(body.utf8) : [])
        answer.entityTag = "\"1\""
        return answer
      },
      environment: ["KIOSK_AGENT_ONEBUSAWAY_KEY": "TEST"], time: time, boot: "boot", log: Log { _, _ in })
    let stop = StopKey(source: OneBusAwayFeed.id, stop: TransitID("1_75403"))
    let key = TimetableKey(stop: stop, day: ServiceDay(of: Self.start, in: BusBench.zone))
    for _ in 0..<2 {
      // The distance between two requests.
      time.advance(by: .milliseconds(120))
      let outcome = try await feed.arrivals(TransitID("1_75403"), watches: [])
      guard case .new = outcome else {
        Issue.record("\(outcome)")
        return
      }
      time.advance(by: .milliseconds(120))
      _ = try await feed.timetable(key)
      time.advance(by: .seconds(6 * 3600 + 1))
    }
    #expect(asked.withLock { $0.tags } == ["arrivals": [nil, nil], "timetable": [nil, "\"1\""]])
  }

  @Test func `a timetable that has run out stays so while it is too early to ask again`() async {
    let bench = BusBench(at: Self.start)
    bench.say(Array(#"{"code":510,"text":"expired","version":2}"#.utf8), status: 510)
    await bench.running {
      var said: Set<String> = []
      await bench.pass(.seconds(600)) {
        said.formUnion(bench.cards.map(\.detail))
      }
      #expect(said.count == 1, "\(said)")
      #expect(said.first?.contains("timetable") ?? false, "\(said)")
    }
  }
}
