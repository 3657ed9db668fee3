import Foundation
import Testing

@testable import Transit

/// Every bad body is a typed error that says what is wrong and what to do, and never a crash.
struct BadAnswerTests {
  private static let request = OneBusAwayRequest.arrivals(stop: stop, minutesAfter: 60)

  private static func failure(_ reply: OneBusAwayReply) -> OneBusAwayError? {
    do {
      _ = try reply.arrivals()
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    ("401", 401, OneBusAwayError.keyRejected), ("401", 200, .keyRejected), ("error_in_http_200", 200, .keyRejected),
    ("404", 404, .unknown(request)), ("404", 200, .unknown(request)), ("legacy_bad_id", 500, .unknown(request)),
    ("429", 429, .tooManyRequests(retryAfter: nil)), ("429", 200, .tooManyRequests(retryAfter: nil)),
    ("500", 500, .serverFault(500)), ("500", 200, .serverFault(500)),
    ("bad_request", 400, .badRequest(["minutesAfter"])),
    ("out_of_time_range", 510, .timetableExpired), ("null", 200, .noData), ("entry_null", 200, .noData),
    ("web_page.html", 200, .webPage), ("web_page.html", 502, .serverFault(502)), ("web_page.html", 404, .refused(404)),
    ("web_page.html", 429, .tooManyRequests(retryAfter: nil)), ("web_page.html", 403, .refused(403)),
    ("web_page.html", 401, .webPage),
    ("stop", 200, .unexpectedShape("data.entry.arrivalsAndDepartures")),
  ])
  func `the code in the answer counts, the HTTP status where there is none`(
    _ name: String, _ status: Int, _ expected: OneBusAwayError
  ) throws {
    #expect(Self.failure(reply(try body(name), status: status)) == expected)
  }

  @Test(arguments: [
    ("", OneBusAwayError.emptyBody), (" \r\n", .emptyBody), ("null", .noData), ("\u{FEFF}<html>", .webPage),
    ("[]", .unexpectedShape("the whole answer")), ("17", .unexpectedShape("the whole answer")),
    ("\"OK\"", .unexpectedShape("the whole answer")), ("{}", .noData), ("{\"code\":200}", .noData),
    ("{\"code\":200,\"data\":null}", .noData), ("{\"code\":200,\"data\":[]}", .unexpectedShape("data")),
    (
      "{\"code\":200,\"data\":{\"entry\":{\"arrivalsAndDepartures\":{}}}}",
      .unexpectedShape("data.entry.arrivalsAndDepartures")
    ),
    (
      "{\"code\":200,\"data\":{\"entry\":{\"arrivalsAndDepartures\":[1,2]}}}",
      .unexpectedShape("data.entry.arrivalsAndDepartures")
    ),
    ("{\"code\":\"200\",\"data\":{\"entry\":{", .notJSON), ("garbage", .notJSON), ("{\"code\":302}", .refused(302)),
    (String(repeating: "[", count: 100_000), .notJSON), ("{\"code\":1e400}", .noData),
    ("{\"code\":440}", .outOfServiceArea),
  ])
  func `a body that is no answer is named`(_ text: String, _ expected: OneBusAwayError) {
    #expect(Self.failure(reply(Data(text.utf8))) == expected)
  }

  @Test func `bytes that are no text are named`() {
    #expect(Self.failure(reply(Data([0x1F, 0x8B, 8, 0, 0]))) == .compressed)
    #expect(Self.failure(reply(Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]))) == .notJSON)
    #expect(Self.failure(reply(Data(repeating: 0, count: 1000))) == .notJSON)
  }

  @Test func `401 soon after a success is too many requests, later it is the key`() throws {
    let body = try body("401")
    #expect(Self.failure(reply(body, status: 401, sinceSuccess: 600)) == .tooManyRequests(retryAfter: nil))
    #expect(Self.failure(reply(body, status: 401, sinceSuccess: 601)) == .keyRejected)
    #expect(Self.failure(reply(body, status: 401)) == .keyRejected)
    #expect(Self.failure(reply(Data("garbage".utf8), status: 401)) == .keyRejected)
    #expect(Self.failure(reply(Data("\u{FEFF}\r\n <html>".utf8), status: 401, sinceSuccess: 30)) == .webPage)
  }

  @Test func `an answer with code 200 is good whatever the HTTP status, and one without a code by it`() throws {
    #expect(try reply(body("skew"), status: 500).arrivals().visits.count == 1)
    let text = try String(decoding: body("skew"), as: UTF8.self).replacing("\"code\": 200", with: "\"other\": 200")
    #expect(try reply(Data(text.utf8)).arrivals().visits.count == 1)
    #expect(Self.failure(reply(Data(text.utf8), status: 500)) == .serverFault(500))
  }

  @Test func `an answer without a clock takes the time of the HTTP answer`() throws {
    let text = try String(decoding: body("skew"), as: UTF8.self).replacing(
      "\"currentTime\": 1793721600000", with: "\"currentTime\": 0")
    #expect(try reply(Data(text.utf8)).arrivals().time == eight)
  }

  @Test func `of more calls than a stop can have the nearest are kept`() throws {
    let rows = (0..<5000).map { number in
      let at = 1_793_721_600_000 + number * 1000
      return #"{"tripId":"1_\#(number)","routeId":"1_1","stopId":"1_2","scheduledArrivalTime":\#(at),"#
        + #""scheduledDepartureTime":\#(at),"stopSequence":3}"#
    }
    let text =
      #"{"code":200,"currentTime":1793721600000,"data":{"entry":{"stopId":"1_2","arrivalsAndDepartures":[\#(rows.joined(separator: ","))]}}}"#
    let answer = try reply(Data(text.utf8)).arrivals()
    #expect(answer.visits.count == 200)
    #expect(answer.visits.allSatisfy { $0.scheduledAt < eight + 200 })
    #expect(answer.until == eight + 199, "of what lies beyond them nothing is told")
  }

  @Test func `a route of which no row is understood is named`() throws {
    func row(_ trip: Int, _ route: String, _ at: String) -> String {
      #"{"tripId":"1_\#(trip)","routeId":\#(route),"stopId":"1_2","scheduledDepartureTime":\#(at),"stopSequence":3}"#
    }
    let (good, bad) = ("1793722000000", #""8:06""#)
    let rows = [
      row(1, #""1_1""#, good), row(2, #""1_1""#, bad), row(3, #""1_2""#, bad), row(4, "7", bad), "7", "null",
    ]
    let text = #"{"code":200,"currentTime":1793721600000,"data":{"entry":{"arrivalsAndDepartures":"#
    let answer = try reply(Data("\(text)[\(rows.joined(separator: ","))]}}}".utf8)).arrivals()
    #expect(answer.visits.map(\.key.trip) == ["1_1"] && answer.lostRoutes == ["1_2"])
  }

  @Test func `an answer cut anywhere is an error`() throws {
    let whole = try body("skew")
    let end = try #require(whole.lastIndex(of: UInt8(ascii: "}")))
    for length in 0..<end { #expect(Self.failure(reply(whole.prefix(length))) != nil, "\(length)") }
    #expect(Self.failure(reply(whole)) == nil)
  }

  @Test func `an answer with any byte changed is an answer or an error, and what it says is believable`() throws {
    var (good, bad) = (0, 0)
    for name in ["early_and_late", "notices_without_end", "wrong_types", "schedule"] {
      let whole = try body(name)
      var dice = Dice(7)
      for _ in 0..<400 {
        var changed = whole
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
          changed[Int.random(in: 0..<changed.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
        }
        if name == "schedule" {
          let timetable = try? reply(changed, .schedule(stop: stop, day: tuesday)).timetable()
          if timetable == nil { bad += 1 } else { good += 1 }
        } else if let answer = try? reply(changed).arrivals() {
          good += 1
          for row in rows(answer, at: answer.time) {
            if abs(row.at.timeIntervalSince(row.scheduledAt)) > 21_600 { Issue.record("\(name): \(row)") }
          }
        } else {
          bad += 1
        }
      }
    }
    #expect(good > 50 && bad > 50)
  }

  @Test func `no error shows a key, and each says what to do`() throws {
    let key = "SECRET-KEY-123"
    let echo =
      "{\"code\":403,\"text\":\"Key '\(key)' does not exist\",\"data\":{\"fieldErrors\":{\"\(key)\":[\"\(key)\"]}}}"
    var errors = [
      Self.failure(reply(Data(echo.utf8))), Self.failure(reply(Data(echo.replacing("403", with: "400").utf8))),
    ]
    .compactMap(\.self)
    errors += [
      .keyMissing, .keyRejected, .tooManyRequests(retryAfter: 3), .unknown(Self.request), .badRequest([]),
      .outOfServiceArea,
      .timetableExpired, .serverFault(500), .refused(302), .emptyBody, .noData, .webPage, .compressed, .notJSON,
      .unexpectedShape("data"),
    ]
    for error in errors {
      let text = String(describing: error)
      #expect(!text.contains(key))
      #expect(text.split(separator: ": ").count == 3, "\(text)")
    }
    for error in [OneBusAwayError.keyMissing, .keyRejected] {
      #expect(String(describing: error).contains("ask oba_api_key@soundtransit.org for a key"))
    }
    #expect(String(describing: OneBusAwayError.unknown(Self.request)).contains("stop 1_90001"))
  }

  @Test func `an address has everything but the key, whatever is in the ids`() {
    let request = OneBusAwayRequest.arrivals(stop: "1_Forge Park / 495", minutesAfter: 66)
    #expect(
      request.url(base: "https://example.org/")
        == "https://example.org/api/where/arrivals-and-departures-for-stop/1_Forge%20Park%20%2F%20495.json"
        + "?minutesBefore=5&minutesAfter=66")
    #expect(
      OneBusAwayRequest.schedule(stop: "1_é", day: tuesday).url(base: "http://127.0.0.1:9")
        == "http://127.0.0.1:9/api/where/schedule-for-stop/1_%C3%A9.json?date=2026-11-03")
    #expect(
      OneBusAwayRequest.agenciesWithCoverage.url(base: "https://o")
        == "https://o/api/where/agencies-with-coverage.json")
    #expect(OneBusAwayRequest.stop("1_2").path == "/api/where/stop/1_2.json")
    #expect(OneBusAwayRequest.route("1_2").path == "/api/where/route/1_2.json")
  }

  @Test func `a stop's arrivals are asked for an hour and its longest way ahead`() {
    var far = withWalk(25)
    far.stop = "1_2"
    #expect(
      OneBusAwayRequest.arrivals(stop: stop, watches: [watch, withWalk(6), withWalk(9), far])
        == .arrivals(stop: stop, minutesAfter: 69))
    #expect(OneBusAwayRequest.arrivals(stop: stop, watches: [watch]) == .arrivals(stop: stop, minutesAfter: 60))
  }
}
