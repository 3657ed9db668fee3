import Foundation
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds

@Suite(.timeLimit(.minutes(2))) struct BusServiceTests {
  /// Tuesday 2026-11-03 in Los Angeles.
  private static func at(_ hour: Double, day: Int = 3) -> Date {
    Date(timeIntervalSince1970: 1_793_692_800 + Double(day - 3) * 86_400 + hour * 3600)
  }

  @Test func `a stop is asked for two minutes ahead, every 30 s while the window is open, and never otherwise`() async {
    let bench = BusBench(at: Self.at(0))
    await bench.running {
      let untilAhead = 6 * 3600 + 28 * 60
      await bench.pass(.seconds(untilAhead - 1))
      #expect(bench.requests.isEmpty, "nobody has asked before 6:28")
      await bench.pass(.seconds(2))
      #expect(bench.requests == ["arrivals-and-departures-for-stop": 1, "schedule-for-stop": 1])
      await bench.pass(.seconds(86_400 - untilAhead))
      #expect(bench.requests == ["arrivals-and-departures-for-stop": 301, "schedule-for-stop": 1])
      #expect(bench.refused == 0)
    }
  }

  @Test func `the card says how late the bus is, when to leave, and which comes after it`() async {
    var line = BusBench.line
    line.late = [240]
    let bench = BusBench([line], at: Self.at(8) + 60)
    await bench.running {
      let card = bench.cards.first
      #expect(card?.badge == "45" && card?.title == "To school" && card?.style == "late")
      #expect(card?.value == "3" && card?.unit == "min" && card?.at == "2026-11-03T08:04:00-08:00")
      #expect(card?.detail == "4 min late · too late to walk · then 8:14")
      await bench.pass(.seconds(190))
      #expect(bench.cards.first?.detail == "4 min late · leave in 3 min · then 8:24")
      let source = bench.look().input.snapshot(v: 1).sources.first
      #expect(source?.id == "onebusaway" && source?.state == "fresh" && source?.message == nil)
    }
  }

  @Test func `a bus that does not run stays, struck, and the next one is another`() async {
    var line = BusBench.line
    line.canceled = [13]
    let bench = BusBench([line], at: Self.at(8) + 300)
    await bench.running {
      #expect(bench.cards.map(\.style) == ["canceled", "normal"])
      #expect(bench.cards.map(\.at) == ["2026-11-03T08:10:00-08:00", "2026-11-03T08:20:00-08:00"])
      #expect(bench.look().input.arrivals.first?.state == .canceled)
    }
  }

  @Test func `of canceled buses before the next one each is struck, and two of them leave room for the one that runs`()
    async
  {
    var line = BusBench.line
    line.canceled = [13, 14, 15]
    let bench = BusBench([line], at: Self.at(8))
    await bench.running {
      #expect(bench.cards.map(\.style) == ["canceled", "canceled", "normal"])
      #expect(Set(bench.cards.map(\.id)).count == 3)
    }
  }

  @Test func `minutes are counted by the provider's clock, whatever ours says`() async {
    let bench = BusBench(at: Self.at(8) + 60)
    bench.setSkew(-120)
    await bench.running {
      #expect(bench.cards.first?.value == "1", "7:59 there, and a bus at 8:00")
    }
  }

  @Test func `a wrong clock asks nobody and shows no bus`() async {
    let bench = BusBench(at: Self.at(8))
    _ = bench.look(clockTrusted: false)
    let run = Task { try await bench.service.run {} }
    defer { run.cancel() }
    await bench.settle()
    #expect(bench.requests.isEmpty)
    #expect(bench.look(clockTrusted: false).input.rail.buses.isEmpty)
    _ = bench.look(clockTrusted: true)
    while bench.requests.isEmpty, !Task.isCancelled {
      await bench.settle()
      await Task.yield()
    }
  }

  @Test func `what fails keeps its last good data, with its age, then the timetable, then words`() async {
    let bench = BusBench(at: Self.at(8) + 60)
    await bench.running {
      bench.fail(.noConnection)
      await bench.pass(.seconds(90))
      #expect(bench.cards.first?.detail == "on time · heard 1 min ago · leave in 1 min")
      #expect(bench.look().input.snapshot(v: 1).sources.first?.message == "Buses: as of 8:01 · no connection")
      await bench.pass(.seconds(180))
      #expect(bench.cards.first?.style == "scheduled")
      #expect(bench.cards.first?.detail.hasPrefix("by the timetable · ") ?? false)
      #expect(bench.look().input.snapshot(v: 1).sources.first?.state == "stale")
      await bench.pass(.seconds(900))
      #expect(bench.cards.map(\.kind) == ["bus", "fault"])
      #expect(bench.cards.last?.detail == "no data since 8:01 · no connection")
      bench.fail(nil)
      await bench.pass(.seconds(400))
      #expect(bench.cards.map(\.style) == ["normal"], "it comes back by itself")
    }
    #expect(bench.lines.count == 2, "said once, and once that it is over: \(bench.lines)")
  }

  /// The first answer after a start: there is no clock of an earlier one yet.
  @Test(arguments: [25, 70, 240])
  func `an answer that a cache has kept shows its bus when it comes, not so much later`(seconds: Int) async throws {
    func minutes(cachedFor kept: Int) async -> String? {
      let bench = BusBench(at: Self.at(8))
      bench.setCachedFor(.seconds(kept))
      return await bench.running { bench.cards.first?.value }
    }
    let fresh = try #require(await minutes(cachedFor: 0))
    #expect(await minutes(cachedFor: seconds) == fresh)
  }

  @Test func `a wrong key says what to do and is never shown`() async {
    let bench = BusBench(at: Self.at(8), key: "WRONGKEY9")
    await bench.running {
      let snapshot = bench.look().input.snapshot(v: 1)
      #expect(snapshot.sources.first?.message?.contains("ask oba_api_key@soundtransit.org for a key") ?? false)
      #expect(!snapshot.json.contains("WRONGKEY9"))
      #expect(bench.cards.isEmpty)
      #expect(bench.lines.contains { $0.contains("ask oba_api_key@soundtransit.org for a key") })
      #expect(!bench.lines.contains { $0.contains("WRONGKEY9") })
      await bench.pass(.seconds(3500))
      #expect(
        bench.cards.map(\.detail) == ["no data · the key is refused: ask oba_api_key@soundtransit.org for a key"])
      #expect((bench.requests["arrivals-and-departures-for-stop"] ?? 0) < 40, "it is not asked for ever")
    }
  }

  @Test func `without a key nobody is asked, and the strip says how to get one`() async {
    let bench = BusBench(at: Self.at(8), key: "")
    await bench.running {
      await bench.pass(.seconds(120))
      #expect(bench.requests.isEmpty)
      let source = bench.look().input.snapshot(v: 1).sources.first
      #expect(source?.state == "off")
      #expect(source?.message == "Buses: no key: ask oba_api_key@soundtransit.org for a key")
      #expect(bench.cards.isEmpty)
      await bench.pass(.seconds(900))
      #expect(bench.cards.map(\.detail) == ["no key: ask oba_api_key@soundtransit.org for a key"])
      #expect(bench.cards.map(\.kind) == ["fault"] && bench.requests.isEmpty)
    }
  }

  @Test func `yesterday's timetable is never taken for today's`() async {
    let bench = BusBench(at: Self.at(7))
    await bench.running {
      await bench.pass(.seconds(23 * 3600))
      bench.fail(.noConnection)
      await bench.pass(.seconds(31 * 60))
      #expect(bench.cards.isEmpty)
      await bench.pass(.seconds(720))
      #expect(bench.cards.map(\.detail) == ["no data since yesterday 8:59 · no connection"])
      bench.fail(nil)
      await bench.pass(.seconds(400))
      #expect(bench.cards.first?.style == "normal")
      #expect(bench.requests["schedule-for-stop"] ?? 0 >= 2)
    }
  }

  @Test func `a stop that is out of order does not keep the others from being asked`() async {
    var other = BusBench.line
    other.stop = "1_9"
    let watches = ["1_75403", "1_9"].map { stop in
      #"{"id":"\#(stop)","label":"\#(stop)","source":"onebusaway","stop":"\#(stop)","route":"1_100225","enabled":true,"#
        + #""window":null,"walkMinutes":null}"#
    }
    let bench = BusBench([BusBench.line, other], watches: "[\(watches.joined(separator: ","))]", at: Self.at(7))
    bench.breakPaths(with: "1_75403")
    await bench.running {
      await bench.pass(.seconds(1800))
      let cards = bench.cards.filter { $0.title == "1_9" }
      #expect(cards.map(\.style) == ["normal"], "\(bench.cards)")
    }
  }

  @Test func `after a step of the clock the windows are looked at anew, at once`() async {
    let bench = BusBench(at: Self.at(-2))
    await bench.running {
      bench.time.step(by: .seconds(9 * 3600))
      _ = bench.look()
      repeat {
        await bench.settle()
        await Task.yield()
      } while bench.requests.isEmpty && !Task.isCancelled
      #expect(bench.cards.first?.kind == "bus")
    }
  }

  @Test func `a bus that the provider names no longer is said to be not confirmed, and nobody is sent to it`() async {
    let bench = BusBench(at: Self.at(8) + 60)
    await bench.running {
      bench.change { $0.lines[0].first = 500 }
      await bench.pass(.seconds(200))
      #expect(bench.cards.first?.detail.hasPrefix("not confirmed · then 8:20") ?? false, "\(bench.cards)")
    }
  }

  @Test func `outside every window the source is off, which is no fault`() async {
    let bench = BusBench(at: Self.at(12))
    await bench.running {
      let snapshot = bench.look().input.snapshot(v: 1)
      #expect(snapshot.sources.map(\.state) == ["off"] && snapshot.sources.first?.message == nil)
      #expect(snapshot.rail.cards.isEmpty && snapshot.arrivals.isEmpty)
    }
  }

  /// Two stops, one for the morning and one for the afternoon.
  private static let twice = """
    [{"id":"school","label":"To school","source":"onebusaway","stop":"1_75403","route":"1_100225","enabled":true,
      "window":null,"walkMinutes":6},
     {"id":"home","label":"Home","source":"onebusaway","stop":"1_8","route":"1_100225","enabled":true,
      "window":{"days":["mon","tue","wed","thu","fri"],"from":"09:10","to":"09:40"},"walkMinutes":6}]
    """

  @Test func `a key that is there by now is not called missing outside the windows, nor one of a watch that is gone`()
    async
  {
    var other = BusBench.line
    other.stop = "1_8"
    func source(_ bench: BusBench) -> Snapshot.Source? { bench.look().input.snapshot(v: 1).sources.first }
    let bench = BusBench([BusBench.line, other], watches: Self.twice, at: Self.at(8))
    bench.fail(.keyRejected)
    await bench.running {
      await bench.pass(.seconds(3700))
      #expect(source(bench)?.message?.contains("the key is refused") == true, "between the windows too")
      bench.fail(nil)
      await bench.pass(.seconds(1200))
      #expect(bench.cards.map(\.title) == ["Home"])
      await bench.pass(.seconds(1800))
      #expect(source(bench)?.state == "off" && source(bench)?.message == nil)
    }
  }
}
