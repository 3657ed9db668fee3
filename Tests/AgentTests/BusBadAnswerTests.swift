import Foundation
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds

/// What the wall makes of answers that are none, from the bytes of the provider to the card and the log.
@Suite(.timeLimit(.minutes(2))) struct BusBadAnswerTests {
  /// Tuesday 2026-11-03, 8:00 in Los Angeles.
  private static let start = Date(timeIntervalSince1970: 1_793_721_600)

  @Test(
    arguments: [
      (
        #"{"code":404,"text":"resource not found","version":2}"#, 404,
        "the server does not know it: run kiosk-agent --diagnose"
      ),
      (#"{"code":500,"text":"internal error","version":2}"#, 200, "the server is out of order"),
      (#"{"code":429,"text":"rate limit exceeded"}"#, 429, "asked too often, waiting"),
      ("<html>Log in</html>", 401, "the network wants a log-in"), ("null", 200, "the answer cannot be understood"),
    ])
  func `a provider that answers is not said to be silent`(body: String, status: Int, problem: String) async {
    let bench = BusBench(at: Self.start)
    bench.say(Array(body.utf8), status: status)
    await bench.running {
      // What the server does not know is a stop, and who is to mend it must know which.
      let name = status == 404 ? "Buses (To school)" : "Buses"
      #expect(bench.look().input.snapshot(v: 1).sources.first?.message == "\(name): no data · \(problem)")
      guard case .silent(.notAvailable)? = bench.look().input.rail.buses.first?.state else {
        Issue.record("\(bench.look().input.rail.buses)")
        return
      }
      #expect(bench.cards.isEmpty)
      await bench.pass(.seconds(900))
      #expect(bench.cards.map(\.detail) == ["no data · \(problem)"])
    }
  }

  private static let notUnderstood = "the answer cannot be understood"

  /// Name, body, status, what is wrong.
  private static let bodies: [(String, [UInt8], Int, String)] = [
    ("a web page", Array("<!doctype html><html><body>Log in</body></html>".utf8), 200, "the network wants a log-in"),
    ("nothing", [], 200, notUnderstood), ("null", Array("null".utf8), 200, notUnderstood),
    ("half an answer", Array(#"{"code":200,"currentTime":17937216"#.utf8), 200, notUnderstood),
    ("a list", Array("[1,2]".utf8), 200, notUnderstood), ("no UTF-8", [0x7B, 0x22, 0xFF, 0xFE], 200, notUnderstood),
    ("a whole answer that is no UTF-8", [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 200, notUnderstood),
    ("bytes of a compression", [0x1F, 0x8B, 8, 0, 0], 200, notUnderstood),
    (
      "another shape", Array(#"{"code":200,"data":{"entry":{"arrivalsAndDepartures":7}}}"#.utf8), 200, notUnderstood
    ),
    (
      "nothing of the route that is watched",
      Array(
        """
        {"code":200,"currentTime":1793721600000,"data":{"entry":{"arrivalsAndDepartures":[
          {"tripId":"1_1","routeId":"1_1","stopId":"1_75403","scheduledDepartureTime":1793722000000,"stopSequence":3},
          {"tripId":"1_2","routeId":"1_100225","stopId":"1_75403","scheduledDepartureTime":"8:06","stopSequence":3}]}}}
        """.utf8), 200, notUnderstood
    ),
    (
      "an error of the server", Array(#"{"code":500,"text":"internal error","version":2}"#.utf8), 200,
      "the server is out of order"
    ),
    ("a gateway's page", Array("<html>502 Bad Gateway</html>".utf8), 502, "the server is out of order"),
  ]

  @Test(arguments: bodies)
  func `a bad body leaves the old data with its age, says one sentence and never blanks the wall`(
    name: String, body: [UInt8], status: Int, problem: String
  ) async {
    let bench = BusBench(at: Self.start + 60)
    await bench.running {
      bench.say(body, status: status)
      await Self.expectOldRows(bench, problem, name)
    }
    #expect(bench.lines.count == 1, "\(name): \(bench.lines)")
  }

  @Test func `an answer over the limit leaves the old data with its age`() async {
    let bench = BusBench(at: Self.start + 60)
    await bench.running {
      bench.fail(.tooLarge(limit: 4 << 20))
      await Self.expectOldRows(bench, Self.notUnderstood, "too large")
    }
    #expect(bench.lines.count == 1 && bench.lines.first?.contains("more than 4194304 bytes") ?? false)
  }

  private static func expectOldRows(_ bench: BusBench, _ problem: String, _ name: String) async {
    await bench.pass(.seconds(100))
    #expect(bench.cards.map(\.at) == ["2026-11-03T08:10:00-08:00"], "\(name)")
    #expect(bench.cards.first?.detail.hasPrefix("on time · heard 2 min ago") ?? false, "\(name): \(bench.cards)")
    #expect(
      bench.look().input.snapshot(v: 1).sources.first?.message == "Buses: as of 8:01 · \(problem)", "\(name)")
  }

  @Test func `an hour of a thousand rows, wrong types and unknown words breaks nothing and is said`() async {
    let bench = BusBench(at: Self.start)
    await bench.running {
      let rows = Array(repeating: #"{"tripId":5,"routeId":null,"status":"DANCING","predicted":"yes"}"#, count: 1000)
      bench.say(
        Array(#"{"code":200,"data":{"entry":{"arrivalsAndDepartures":[\#(rows.joined(separator: ","))]}}}"#.utf8))
      await bench.pass(.seconds(1800))
      #expect(bench.cards.map(\.kind) == ["bus", "fault"])
      #expect(bench.cards.first?.detail.hasPrefix("by the timetable · ") ?? false, "\(bench.cards)")
      #expect(
        bench.look().input.snapshot(v: 1).sources.first?.message == "Buses: no data since 8:00 · \(Self.notUnderstood)")
    }
    #expect(bench.lines.count == 1, "\(bench.lines)")
  }

  // MARK: What the provider asks for

  private static let asked = "arrivals-and-departures-for-stop"

  @Test(arguments: [#"{"code":429,"text":"rate limit exceeded","version":2}"#, ""])
  func `who is told to wait a quarter of an hour asks nothing before`(body: String) async {
    let bench = BusBench(at: Self.start)
    await bench.running {
      bench.say(Array(body.utf8), status: 429, retryAfter: "900")
      let before = bench.requests[Self.asked] ?? 0
      await bench.pass(.seconds(31))
      #expect(bench.requests[Self.asked] == before + 1)
      #expect(bench.look().input.snapshot(v: 1).sources.first?.message == nil, "it is fresh still")
      let all = bench.requests
      bench.say(nil)
      await bench.pass(.seconds(890))
      #expect(bench.requests == all)
      #expect(
        bench.look().input.snapshot(v: 1).sources.first?.message
          == "Buses: no data since 8:00 · asked too often, waiting"
      )
      // A tenth is added by chance, and it is asked at whole ticks.
      await bench.pass(.seconds(150))
      #expect(bench.requests[Self.asked] ?? 0 > before + 1)
      #expect(bench.cards.map(\.style) == ["normal"])
    }
  }

  @Test func `a key that was good a moment ago is used too often, after ten minutes it is wrong`() async {
    let bench = BusBench(at: Self.start)
    await bench.running {
      bench.say(Array(#"{"code":401,"text":"permission denied","version":1}"#.utf8), status: 401)
      await bench.pass(.seconds(100))
      #expect(
        bench.look().input.snapshot(v: 1).sources.first?.message == "Buses: as of 8:00 · asked too often, waiting")
      #expect(!bench.lines.contains { $0.contains("ask oba_api_key@soundtransit.org") }, "\(bench.lines)")
      bench.say(nil)
      await bench.pass(.seconds(100))
      #expect(bench.cards.map(\.style) == ["normal"], "it is not given up")
      bench.say(Array(#"{"code":401,"text":"permission denied","version":1}"#.utf8), status: 401)
      await bench.pass(.seconds(1300))
      #expect(
        bench.look().input.snapshot(v: 1).sources.first?.message?.contains("the key is refused") ?? false,
        "ten minutes after the last good answer it is the key")
    }
  }

  @Test(arguments: [
    ([:], "no more buses today"), (["x-data-expired": "true"], "the timetable has expired"),
    (["x-data-expired": "false"], "no more buses today"),
  ])
  func `a server that says its timetable is old is not taken for one without buses`(
    headers: [String: String], detail: String
  ) async {
    var line = BusBench.line
    line.last = 420
    let bench = BusBench([line], at: Self.start)
    bench.setHeaders(headers)
    await bench.running {
      #expect(bench.cards.map(\.detail) == [detail])
      await bench.pass(.seconds(1200))
      #expect(bench.cards.map(\.detail) == [detail], "it is no fault")
    }
  }
}
