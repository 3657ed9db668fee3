import Foundation
import Linux
import TestSupport
import Testing

@testable import Feeds

/// What a source makes of answers: when it asks, what it keeps, what it says.
@Suite(.timeLimit(.minutes(1)))
struct SourceTests {
  static let noon = Date(timeIntervalSince1970: 1_793_548_800)

  @Test func `a good answer is parsed, dated by the server's clock and kept`() async throws {
    let bench = Bench(.success(.good("one", date: Self.noon)))
    let reading = try await bench.fetch()
    #expect(reading.value == "one")
    #expect(reading.standing.fetchedAt == Self.noon)
    #expect(reading.standing.fault == nil && reading.standing.message == nil)
    #expect(reading.standing.receivedAt == bench.time.uptime())
    #expect(bench.state(reading) == .fresh)
    #expect(bench.book.lines.isEmpty)
    bench.time.step(by: .seconds(-86400))
    bench.time.advance(by: .seconds(100))
    let later = await bench.source.latest(.stop(), parse: words)
    #expect(later.value == "one")
    #expect(later.standing.age(at: bench.time.uptime(), now: bench.time.now()) == .known(.seconds(100)))
    #expect(later.standing.serverNow(at: bench.time.uptime()) == Self.noon + 100)
    #expect(bench.state(later) == .aging)
    #expect(bench.server.requests.count == 1)
  }

  @Test func `an answer from a cache is as old as the cache says`() async throws {
    var answer = Answer.good(date: Self.noon)
    answer.cachedFor = .seconds(300)
    let bench = Bench(.success(answer))
    let reading = try await bench.fetch()
    #expect(reading.standing.age(at: bench.time.uptime(), now: bench.time.now()) == .known(.seconds(300)))
    #expect(reading.standing.serverNow(at: bench.time.uptime()) == Self.noon + 300)
    #expect(bench.state(reading) == .stale)
  }

  /// Every bad body and every fault on the way: the last good value stays with its age, one line is logged.
  @Test(
    arguments: [
      (.success(.good("")), .empty), (.success(.good("null?")), .objection(.notAWord)),
      (.success(.good("<html>login")), .webPage),
      (.success(.good("one", status: 204)), .unexpected(status: 204)),
      (.success(.good("one", status: 206)), .unexpected(status: 206)),
      (.success(.good("one", status: 400)), .unexpected(status: 400)),
      (.success(.good("one", status: 401)), .forbidden(status: 401)), (.success(.good("one", status: 404)), .notFound),
      (.success(.good("one", status: 410)), .notFound),
      (.success(.good("one", status: 500)), .serverError(status: 500, retryAfter: nil)),
      (.success(.busy("120", status: 503)), .serverError(status: 503, retryAfter: .seconds(120))),
      (.success(.busy("120")), .tooMany(retryAfter: .seconds(120))),
      (.success(Answer(status: 304)), .unexpected(status: 304)),
      (.success(.redirect(nil)), .redirectRefused(to: nil)),
      (.success(.redirect("https://portal.example.org/")), .redirectRefused(to: "portal.example.org")),
      (.failure(.noSuchName), .noSuchName), (.failure(.noConnection), .noConnection), (.failure(.broken), .broken),
      (.failure(.overdue(.seconds(3))), .overdue(.seconds(15))),
      (.failure(.certificate(.expired)), .certificate(.expired)),
      (.failure(.tooLarge(limit: 9)), .tooLarge(limit: 9)), (.failure(.badEncoding), .badEncoding),
      (.failure(.noCurl(errno: 2)), .noCurl(errno: 2)), (.failure(.curl(-11)), .curl(-11)),
    ] as [(Result<Answer, Fault>, Fault)]) func `after a good answer a bad one changes nothing but the fault`(
      bad: Result<Answer, Fault>, fault: Fault
    ) async throws
  {
    let bench = Bench(.success(.good("one", date: Self.noon)))
    _ = try await bench.fetch()
    bench.server.says(bad)
    for round in 1...3 {
      bench.time.advance(by: .seconds(700))
      let reading = try await bench.fetch()
      #expect(reading.value == "one")
      #expect(reading.standing.fault == fault)
      #expect(reading.standing.fetchedAt == Self.noon)
      #expect(reading.standing.failingSince == Self.noon + 700)
      #expect(reading.standing.age(at: bench.time.uptime(), now: bench.time.now()) == .known(.seconds(700 * round)))
      #expect(bench.state(reading) == (round == 1 ? .stale : .down))
      let message = try #require(reading.standing.message)
      #expect(message.contains(": ") && !message.contains("\n"), "a cause and a remedy: \(message)")
      #expect(bench.book.lines == ["warning: onebusaway: \(message)"], "said once")
    }
    #expect(bench.server.requests.count == 4)
    bench.server.says(.success(.good("two")))
    bench.time.advance(by: .seconds(700))
    let reading = try await bench.fetch()
    #expect(reading.value == "two" && reading.standing.fault == nil)
    #expect(bench.book.lines.last == "notice: onebusaway: fetched again after 2100 s")
  }

  @Test func `at first use there is nothing to fall back to, and the source is down`() async throws {
    let bench = Bench(.failure(.noSuchName))
    let before = await bench.source.latest(.stop(), parse: words)
    #expect(before.value == nil && before.standing.fault == .notAsked && bench.state(before) == .off)
    let reading = try await bench.fetch()
    #expect(reading.value == nil && bench.state(reading) == .down)
  }

  // MARK: The parser's word

  @Test func `what the parser says goes before the guess of the source`() async throws {
    for (verdict, body) in [(FeedSettings.Verdict.status, "one"), (.body, ""), (.body, "<html>")] {
      let bench = Bench(.success(.good(body)), key: "SECRET") { $0.verdict = verdict }
      let reading = try await bench.source.fetch(.stop()) { _ throws(Objection) -> String in throw .notAWord }
      #expect(reading.standing.fault == .objection(.notAWord))
      #expect(reading.standing.message == "no word: check the address")
    }
  }

  @Test func `the envelope goes before the HTTP status where there is one`() async throws {
    let denied = Objection("denied: check the key", scope: .key)
    let envelope: @Sendable (Delivery) throws(Objection) -> String = { delivery throws(Objection) in
      let text = String(decoding: delivery.body, as: UTF8.self)
      if text == "denied" { throw denied }
      guard text.hasPrefix("ok") else { throw Objection("status \(delivery.status): wait") }
      return text
    }
    func outcome(_ answer: Answer, _ verdict: FeedSettings.Verdict) async throws -> Reading<String> {
      let bench = Bench(.success(answer), key: "SECRET") { $0.verdict = verdict }
      return try await bench.source.fetch(.stop(), parse: envelope)
    }
    #expect(try await outcome(.good("denied"), .body).standing.fault == .objection(denied))
    #expect(try await outcome(.good("denied", status: 500), .body).standing.fault == .objection(denied))
    #expect(try await outcome(.good("ok", status: 500), .body).value == "ok")
    #expect(try await outcome(.good("junk", status: 404), .body).standing.message == "status 404: wait")
    #expect(
      try await outcome(.good("<html>blocked", status: 403), .status).standing.fault == .forbidden(status: 403))
    #expect(
      try await outcome(.good("denied", status: 500), .status).standing.fault
        == .serverError(status: 500, retryAfter: nil))
    #expect(try await outcome(.good("ok", status: 500), .status).value == nil)
  }

  @Test func `a sentence of the parser is cut to one line, and the key is taken out of it`() async throws {
    let bench = Bench(.success(.good("one")), key: "SECRET")
    let reading = try await bench.source.fetch(.stop()) { _ throws(Objection) -> String in
      throw Objection("a\n<3>SECRET\u{7}" + String(repeating: "x", count: 1000))
    }
    let message = try #require(reading.standing.message)
    #expect(message.hasPrefix("a<3>…xxx") && message.count == 300)
  }

  @Test func `the parser is given the clocks and the headers it wants, also with the copy`() async throws {
    var answer = Answer.good(date: Self.noon)
    answer.cachedFor = .seconds(7)
    answer.headers = ["x-data-expired": "true"]
    answer.took = .seconds(2)
    let bench = Bench(.success(answer)) { $0.headers = ["x-data-expired"] }
    let whole: @Sendable (Delivery) throws(Objection) -> Delivery = { $0 }
    let fresh = try #require(try await bench.source.fetch(.stop(), parse: whole).value)
    #expect(bench.server.requests[0].wanted == ["x-data-expired"])
    let copy = try #require(await bench.source.latest(.stop(), parse: whole).value)
    #expect(fresh.toldAgo == .seconds(8) && copy.toldAgo == .zero)
    for delivery in [fresh, copy] {
      #expect(delivery.headers == ["x-data-expired": "true"] && delivery.status == 200)
      #expect(delivery.instant == Self.noon + 7 && delivery.receivedAt == bench.time.uptime())
    }
  }

  // MARK: Confirmation

  @Test func `validators go along, and a 304 confirms the copy and evaluates it anew`() async throws {
    let bench = Bench(.success(.good("one", date: Self.noon, tag: "\"a\"", modified: "Sun, 06 Nov 1994 08:49:37 GMT")))
    _ = try await bench.fetch()
    #expect(bench.server.requests[0].headers.isEmpty)
    bench.server.says(.success(Answer(status: 304, date: Self.noon + 30)))
    bench.time.advance(by: .seconds(30))
    let reading = try await bench.source.fetch(.stop()) { delivery throws(Objection) in
      try words(delivery) + " seen anew \(delivery.instant == Self.noon + 30)"
    }
    #expect(reading.value == "one seen anew true")
    #expect(reading.standing.fetchedAt == Self.noon + 30)
    #expect(bench.state(reading) == .fresh)
    #expect(bench.server.requests[1].headers.map(\.name) == ["If-None-Match", "If-Modified-Since"])
    #expect(bench.server.requests[1].headers.map(\.value) == ["\"a\"", "Sun, 06 Nov 1994 08:49:37 GMT"])
  }

  @Test func `validators of a body that the parser does not take are not kept`() async throws {
    let bench = Bench(
      .success(.good("one", tag: "\"a\"")), .success(.good("Bad!", tag: "\"b\"")), .success(.good("two")))
    _ = try await bench.fetch()
    for _ in 1...2 {
      bench.time.advance(by: .seconds(700))
      _ = try await bench.fetch()
    }
    #expect(bench.server.requests.map { $0.headers.map(\.value) } == [[], ["\"a\""], ["\"a\""]])
  }

  @Test func `a copy that the parser no longer takes is fetched anew in spite of a 304`() async throws {
    let bench = Bench(
      .success(.good("one", tag: "\"a\"")), .success(Answer(status: 304)), .success(.good("two", tag: "\"b\"")))
    _ = try await bench.fetch()
    bench.time.advance(by: .seconds(30))
    let reading = try await bench.source.fetch(.stop()) { delivery throws(Objection) in
      let word = try words(delivery)
      if word == "one" { throw Objection("expired: wait") }
      return word
    }
    #expect(reading.value == "two")
    #expect(bench.server.requests.map(\.headers.count) == [0, 1, 0])
  }

  @Test func `once a day a body is asked for without validators`() async throws {
    let bench = Bench(.success(.good("one", tag: "\"a\"")), .success(Answer(status: 304)))
    let hourly = Resource.stop(interval: .seconds(3600))
    for _ in 0..<24 {
      _ = try await bench.fetch(hourly)
      bench.time.advance(by: .seconds(3600))
    }
    bench.server.says(.success(.good("two", tag: "\"a\"")))
    #expect(try await bench.fetch(hourly).value == "two")
    #expect(bench.server.requests.map(\.headers.count) == [0] + Array(repeating: 1, count: 23) + [0])
  }

  // MARK: Redirects

  @Test func `a redirect on the same host is followed within the deadline`() async throws {
    let bench = Bench(.success(.redirect("https://api.example.org/new")), .success(.good("one")))
    #expect(try await bench.fetch().value == "one")
    #expect(
      bench.server.requests.map(\.address.text) == ["https://api.example.org/stop", "https://api.example.org/new"])
  }

  @Test func `a loop ends, and each step waits its turn`() async throws {
    let bench = Bench(.success(.redirect("https://api.example.org/stop")), paced: true)
    async let reading = bench.fetch()
    for _ in 1...3 {
      await bench.time.waitForSleepers()
      bench.time.advance(by: .milliseconds(110))
    }
    #expect(try await reading.standing.fault == .redirectLoop)
    #expect(bench.server.requests.count == 4)
    #expect(bench.server.requests.map(\.deadline) == [15000, 15000, 14890, 14780].map { .milliseconds($0) })
  }
}
