import Foundation
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds

/// What the wall says of a provider that fails: once, after a grace, and never in the place of something better.
@Suite(.timeLimit(.minutes(2))) struct BusFailureTests {
  /// Tuesday 2026-11-03, 8:00 in Los Angeles.
  private static let start = Date(timeIntervalSince1970: 1_793_721_600)
  private static let stops = ["1_75403", "1_8", "1_9"]

  private static func bench() -> BusBench {
    let lines = stops.map { stop in
      var line = BusBench.line
      line.stop = stop
      return line
    }
    let watches = stops.map { stop in
      #"{"id":"\#(stop)","label":"\#(stop)","source":"onebusaway","stop":"\#(stop)","route":"1_100225","enabled":true,"#
        + #""window":null,"walkMinutes":null}"#
    }
    return BusBench(lines, watches: "[\(watches.joined(separator: ","))]", at: start)
  }

  @Test func `without an answer ever nothing is made up, and the failure is one card after a quarter of an hour`()
    async
  {
    let bench = Self.bench()
    bench.fail(.noSuchName)
    await bench.running {
      await bench.pass(.seconds(898)) { #expect(bench.cards.isEmpty) }
      #expect(bench.look().input.rail.buses.count == 3)
      await bench.pass(.seconds(1500)) {
        guard bench.time.now() >= Self.start + 901 else { return }
        #expect(bench.cards.map(\.kind) == ["fault"] && bench.look().input.snapshot(v: 1).rail.more == 0)
        #expect(bench.cards.map(\.detail) == ["no data · no connection"])
        #expect(bench.cards.map(\.title) == ["Buses"], "it is all of them")
      }
      bench.fail(nil)
      await bench.pass(.seconds(400))
      #expect(bench.cards.map(\.style) == ["normal", "normal", "normal"], "it comes back by itself")
    }
  }

  @Test func `a watch with a timetable keeps its card beside the one of the failure`() async {
    let bench = Self.bench()
    bench.breakPaths(with: "1_9")
    await bench.running {
      #expect(bench.cards.map(\.title) == ["1_75403", "1_8"])
      bench.breakPaths(with: nil)
      bench.fail(.noConnection)
      await bench.pass(.seconds(600))
      #expect(bench.cards.map(\.title) == ["1_75403", "1_8"])
      await bench.pass(.seconds(600)) {
        #expect(bench.cards.filter { $0.kind == "fault" }.count <= 1)
        #expect(bench.cards.filter { $0.kind == "bus" }.map(\.title) == ["1_75403", "1_8"])
      }
      #expect(bench.cards.map(\.kind) == ["bus", "bus", "fault"])
      #expect(bench.cards.prefix(2).allSatisfy { $0.detail.hasPrefix("by the timetable") }, "\(bench.cards)")
      #expect(bench.cards.last?.detail == "no data · no connection")
    }
  }

  @Test func `a window that opens during an outage does not begin the grace anew`() async {
    let windows = [("1_75403", "06:30"), ("1_8", "08:30")]
    let watches = windows.map { stop, from in
      #"{"id":"\#(stop)","label":"\#(stop)","source":"onebusaway","stop":"\#(stop)","route":"1_100225","enabled":true,"#
        + #""window":{"days":["tue"],"from":"\#(from)","to":"10:00"},"walkMinutes":null}"#
    }
    let lines = windows.map { stop, _ in
      var line = BusBench.line
      line.stop = stop
      return line
    }
    let bench = BusBench(lines, watches: "[\(watches.joined(separator: ","))]", at: Self.start)
    await bench.running {
      // The first stop has been heard of, the second one never.
      await bench.pass(.seconds(60))
      bench.fail(.noSuchName)
      await bench.pass(.seconds(3600)) {
        guard bench.time.now() >= Self.start + 60 + 960 else { return }
        #expect(bench.cards.filter { $0.kind == "fault" }.count == 1, "\(bench.time.now())")
      }
    }
  }

  @Test func `a bus that was doubted is not believed again because the provider falls silent`() async {
    let bench = BusBench(at: Self.start + 240)
    await bench.running {
      #expect(bench.cards.first?.at == "2026-11-03T08:10:00-08:00")
      // The next bus is struck, which this server hides.
      bench.change { buses in buses.hidden = ["1_100225_20261103_13"] }
      await bench.pass(.seconds(120))
      #expect(bench.cards.first?.detail.hasPrefix("not confirmed") == true, "\(bench.cards)")
      bench.fail(.noConnection)
      await bench.pass(.seconds(220)) {
        guard let card = bench.cards.first, card.at == "2026-11-03T08:10:00-08:00" else { return }
        #expect(card.detail.hasPrefix("not confirmed") && !card.detail.contains("leave"), "\(card)")
      }
    }
  }

  @Test func `a stop that is not asked because another was refused has the provider's trouble, once`() async {
    let bench = Self.bench()
    await bench.running {
      await bench.pass(.seconds(3600))
      await bench.pass(.seconds(21 * 3600))
      bench.say(Array(#"{"code":429,"text":"rate limit exceeded"}"#.utf8), status: 429, retryAfter: "7200")
      // It is asked from 6:28 on Wednesday on, and nobody has been heard of since nine on Tuesday.
      await bench.pass(.seconds(1680 + 895)) {
        let silences = bench.look().input.rail.buses.map(\.state)
        #expect(
          silences.allSatisfy { if case .silent(.notAvailable(.tooMany, _)) = $0 { true } else { false } },
          "\(silences)")
        #expect(bench.cards.isEmpty, "\(bench.time.now()): \(bench.cards)")
      }
      #expect(bench.requests["arrivals-and-departures-for-stop"] == 3 * 120 + 1, "one was refused, none asked again")
      #expect(bench.look().input.rail.buses.count == 3)
      await bench.pass(.seconds(3600)) {
        guard bench.time.now() >= Self.start + 22 * 3600 + 1680 + 901 else { return }
        #expect(bench.cards.map(\.title) == ["Buses"])
        #expect(bench.cards.map(\.detail) == ["no data since yesterday 8:59 · asked too often, waiting"])
      }
    }
  }

  @Test func `one stop that is not known is one card beside the buses of the others`() async {
    let bench = Self.bench()
    bench.change { buses in buses.lines.removeAll { $0.stop == "1_9" } }
    await bench.running {
      await bench.pass(.seconds(600))
      #expect(bench.cards.map(\.title) == ["1_75403", "1_8"])
      await bench.pass(.seconds(600))
      #expect(bench.cards.map(\.kind) == ["bus", "bus", "fault"])
      #expect(bench.cards.last?.title == "Buses (1_9)", "who is to mend it is told which one")
      #expect(bench.cards.last?.detail == Self.unknown)
    }
  }

  private static let unknown = "no data · the server does not know it: run kiosk-agent --diagnose"

  /// The stops of a provider that does not know the last of them, long enough for that to be a card.
  private static func withUnknownStop(_ body: (BusBench) async -> Void) async {
    let bench = Self.bench()
    bench.change { buses in buses.lines.removeAll { $0.stop == "1_9" } }
    await bench.running {
      await bench.pass(.seconds(1000))
      #expect(bench.cards.map(\.title) == ["1_75403", "1_8", "Buses (1_9)"])
      await body(bench)
    }
  }

  private static func expectUnknownStop(_ bench: BusBench) {
    let faults = bench.cards.filter { $0.kind == "fault" }
    #expect(
      faults.map(\.title) == ["Buses (1_9)"] && faults.map(\.detail) == [Self.unknown],
      "\(bench.time.now()): \(bench.cards)")
    #expect(bench.cards.filter { $0.kind == "bus" }.map(\.title) == ["1_75403", "1_8"], "\(bench.cards)")
  }

  @Test(arguments: [Fault.noConnection, .tooMany(retryAfter: nil), .serverError(status: 502, retryAfter: nil)])
  func `one poll that fails is no outage since a stop was not known`(fault: Fault) async {
    await Self.withUnknownStop { bench in
      bench.fail(fault)
      await bench.pass(.seconds(31)) { Self.expectUnknownStop(bench) }
      bench.fail(nil)
      await bench.pass(.seconds(300)) { Self.expectUnknownStop(bench) }
    }
  }

  @Test func `a provider that answers every other time has the sentence of the stop that it does not know`() async {
    await Self.withUnknownStop { bench in
      for turn in 0..<80 {
        bench.fail(turn.isMultiple(of: 2) ? .noConnection : nil)
        await bench.pass(.seconds(30)) { Self.expectUnknownStop(bench) }
      }
    }
  }

  @Test func `an outage becomes the sentence when it has lasted itself, and then it is over at once`() async {
    await Self.withUnknownStop { bench in
      bench.fail(.noConnection)
      await bench.pass(.seconds(880)) { Self.expectUnknownStop(bench) }
      await bench.pass(.seconds(60))
      await bench.pass(.seconds(600)) {
        #expect(bench.cards.filter { $0.kind == "fault" }.map(\.title) == ["Buses"], "\(bench.cards)")
        #expect(bench.cards.last?.detail == "no data · no connection")
      }
      bench.fail(nil)
      await bench.pass(.seconds(600))
      Self.expectUnknownStop(bench)
    }
  }

  @Test func `a stop that begins to fail does not take the card of one that fails for long`() async {
    await Self.withUnknownStop { bench in
      bench.breakPaths(with: "stop/1_8")
      await bench.pass(.seconds(890)) { Self.expectUnknownStop(bench) }
    }
  }
}
