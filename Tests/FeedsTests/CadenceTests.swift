import Foundation
import Glibc
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Feeds

/// When a source asks: one at a time, not too often, and later after failures.
@Suite(.timeLimit(.minutes(1)))
struct CadenceTests {
  @Test func `two who ask for one document within a tick cost one request`() async throws {
    let bench = Bench(.success(.good("one")))
    for _ in 1...5 { #expect(try await bench.fetch().value == "one") }
    bench.time.advance(by: .seconds(20))
    #expect(try await bench.fetch().standing.nextAttempt == bench.time.uptime() + .seconds(10))
    #expect(bench.server.requests.count == 1)
    bench.time.advance(by: .seconds(9.9))
    _ = try await bench.fetch()
    #expect(bench.server.requests.count == 2)
  }

  @Test func `many at once are asked for one after the other, each document once, with the gap between`() async throws {
    let bench = Bench(.success(.good("one")), paced: true)
    let names = (0..<30).map { "stop\($0 % 5)" }
    try await withThrowingTaskGroup(of: String?.self) { group in
      for name in names { group.addTask { try await bench.fetch(.stop(name)).value } }
      for _ in 1...4 {
        await bench.time.waitForSleepers()
        #expect(bench.time.nextDeadline == bench.time.uptime() + .milliseconds(110))
        bench.time.advance(by: .milliseconds(110))
      }
      for try await value in group { #expect(value == "one") }
    }
    #expect(bench.server.mostRunning == 1)
    #expect(Set(bench.server.requests.map(\.address.text)).count == 5)
    #expect(bench.server.requests.count == 5)
  }

  @Test func `one who waited takes the failure of the request before too`() async throws {
    let bench = Bench(.failure(.broken), .success(.good("one")))
    bench.server.isHeld.store(true, ordering: .releasing)
    async let first = bench.fetch()
    async let second = bench.fetch()
    await waitUntil { bench.server.requests.count == 1 && bench.source.turnstile.waitingCount == 1 }
    bench.server.isHeld.store(false, ordering: .releasing)
    #expect(try await [first.standing.fault, second.standing.fault] == [.broken, .broken])
    #expect(bench.server.requests.count == 1)
  }

  @Test func `a cancelled caller goes at once, waiting or asking, and the next one is served`() async throws {
    let bench = Bench(.success(.good("one")))
    bench.server.isHeld.store(true, ordering: .releasing)
    let asking = Task { try await bench.fetch() }
    await waitUntil { bench.server.requests.count == 1 }
    let waiting = Task { try await bench.fetch(.stop("other")) }
    await waitUntil { bench.source.turnstile.waitingCount == 1 }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    asking.cancel()
    await #expect(throws: CancellationError.self) { try await asking.value }
    bench.server.isHeld.store(false, ordering: .releasing)
    let reading = try await bench.fetch()
    #expect(reading.value == "one" && reading.standing.fault == nil)
    #expect(bench.book.lines.isEmpty, "a cancel is nobody's fault")
  }

  @Test func `failures are followed by longer and longer waits, and one success ends them`() async throws {
    let bench = Bench(.failure(.noConnection))
    for wait in [15, 30, 60, 120, 240, 300, 300] {
      let asked = bench.server.requests.count
      let reading = try await bench.fetch()
      #expect(bench.server.requests.count == asked + 1)
      #expect(reading.standing.nextAttempt == bench.time.uptime() + .seconds(wait))
      bench.time.advance(by: .seconds(wait) - .milliseconds(1))
      #expect(try await bench.fetch().standing.fault == .noConnection)
      #expect(bench.server.requests.count == asked + 1)
      bench.time.advance(by: .milliseconds(1))
    }
    bench.server.says(.success(.good("one")), .failure(.noConnection))
    #expect(try await bench.fetch().value == "one")
    bench.time.advance(by: .seconds(30))
    #expect(try await bench.fetch().standing.nextAttempt == bench.time.uptime() + .seconds(15))
  }

  @Test func `chance spreads the waits`() async throws {
    let bench = Bench(.failure(.noConnection), chance: 0)
    #expect(try await bench.fetch().standing.nextAttempt == bench.time.uptime() + .seconds(7.5))
  }

  @Test func `what is wrong with the provider holds back all documents, what is wrong with one only that`() async throws
  {
    let bench = Bench(.failure(.overdue(.seconds(15))))
    _ = try await bench.fetch()
    #expect(try await bench.fetch(.stop("other")).standing.fault == .overdue(.seconds(15)))
    #expect(bench.server.requests.count == 1)
    let other = Bench(.success(.good("", status: 404)), .success(.good("one")))
    #expect(try await other.fetch().standing.fault == .notFound)
    let reading = try await other.fetch(.stop("other"))
    #expect(reading.value == "one" && reading.standing.fault == nil)
    #expect(await other.source.standing(of: .stop()).fault == .notFound)
  }

  @Test(arguments: [429, 503]) func `Retry-After is kept to`(status: Int) async throws {
    let bench = Bench(.success(.busy("900", status: status)), chance: 0)
    #expect(try await bench.fetch().standing.nextAttempt == bench.time.uptime() + .seconds(900))
    bench.time.advance(by: .seconds(899))
    _ = try await bench.fetch()
    #expect(bench.server.requests.count == 1)
  }

  @Test func `a parser that finds a limit in the body holds back the source for as long as it says`() async throws {
    var answer = Answer.good("limit")
    answer.retryAfter = "900"
    let bench = Bench(.success(answer), chance: 0)
    let reading = try await bench.source.fetch(.stop()) { delivery throws(Objection) -> String in
      throw Objection("too many: wait", scope: .source, retryAfter: delivery.retryAfter)
    }
    #expect(reading.standing.nextAttempt == bench.time.uptime() + .seconds(900))
    #expect(try await bench.fetch(.stop("other")).standing.message == "too many: wait")
    #expect(bench.server.requests.count == 1)
  }

  // MARK: Keys

  @Test func `the key goes along, and a rejection says how to get one`() async throws {
    let bench = Bench(.success(.good("", status: 401)), key: "k&y")
    let reading = try await bench.fetch(.stop(at: "https://api.example.org/stop?a=b"))
    #expect(bench.server.requests[0].address.text == "https://api.example.org/stop?a=b&key=k%26y")
    #expect(reading.standing.fault == .keyRejected)
    #expect(
      reading.standing.message == "api.example.org rejects the key of onebusaway: check it, or ask the office for a key"
    )
    #expect(bench.state(reading) == .down)
  }

  @Test func `the parser is told how long ago the key worked`() async throws {
    let bench = Bench(.success(.good("one")), key: "k")
    func since() async throws -> Duration? {
      try await bench.source.fetch(.stop()) { delivery throws(Objection) in delivery.sinceSuccess }.value ?? nil
    }
    #expect(try await since() == nil)
    bench.time.advance(by: .seconds(599))
    #expect(try await since() == .seconds(599))
  }

  @Test func `a key that the parser finds rejected is replaced like any other`() async throws {
    let folder = TemporaryFolder()
    let file = "\(folder.path)/key"
    try Data("wrong".utf8).write(to: URL(filePath: file))
    unsafe chmod(file, 0o600)
    let bench = Bench(.success(.good("Denied")), .success(.good("one")), keyFile: file) { $0.verdict = .body }
    let parse: @Sendable (Delivery) throws(Objection) -> String = { delivery throws(Objection) in
      if delivery.body.first == UInt8(ascii: "D") { throw Objection("bad key: check it", scope: .key) }
      return try words(delivery)
    }
    for _ in 1...2 {
      #expect(try await bench.source.fetch(.stop(), parse: parse).standing.message == "bad key: check it")
    }
    #expect(bench.server.requests.count == 1)
    try Data("right".utf8).write(to: URL(filePath: file))
    #expect(try await bench.source.fetch(.stop(), parse: parse).value == "one")
  }

  @Test func `without a key nothing is asked, the source is off, and a key put there later is used`() async throws {
    let folder = TemporaryFolder()
    let file = "\(folder.path)/key"
    let bench = Bench(.success(.good("one")), keyFile: file)
    let reading = try await bench.fetch()
    #expect(reading.standing.fault == .noKey(.unreadable(path: file, errno: ENOENT)))
    #expect(bench.state(reading) == .off)
    #expect(bench.server.requests.isEmpty)
    try Data("key".utf8).write(to: URL(filePath: file))
    unsafe chmod(file, 0o600)
    let next = try await bench.fetch()
    #expect(next.value == "one" && bench.state(next) == .fresh)
  }

  @Test func `a key put in the place of a rejected one is tried at once`() async throws {
    let folder = TemporaryFolder()
    let file = "\(folder.path)/key"
    try Data("wrong".utf8).write(to: URL(filePath: file))
    unsafe chmod(file, 0o600)
    let bench = Bench(.success(.good("", status: 403)), .success(.good("one")), keyFile: file)
    #expect(try await bench.fetch().standing.fault == .keyRejected)
    #expect(try await bench.fetch().standing.fault == .keyRejected)
    #expect(bench.server.requests.count == 1)
    try Data("right".utf8).write(to: URL(filePath: file))
    #expect(try await bench.fetch().value == "one")
  }

  @Test func `without a key the place for it is named`() async throws {
    var settings = FeedSettings(id: "onebusaway")
    settings.keyParameter = "key"
    settings.keyAdvice = "ask the office for a key"
    let server = ScriptedServer()
    let source = Bench.source(
      settings, exchange: server.exchange, time: ManualTime(), folder: TemporaryFolder(), boot: "boot", LogBook())
    let message = try await source.fetch(.stop(), parse: words).standing.message
    #expect(
      message == "onebusaway has no key: put it into sources.onebusaway.keyFile or KIOSK_AGENT_ONEBUSAWAY_KEY; "
        + "ask the office for a key")
  }
}

/// Lets others run until it is so; the suite's time limit is the deadline.
func waitUntil(_ condition: () -> Bool) async {
  while !condition(), !Task.isCancelled { await Task.yield() }
}
