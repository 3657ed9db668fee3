import Agent
import Foundation
import TestSupport
import Transit
import Wall

/// A snapshot of a wall with many watches, from the boards to the text that the pages get.
enum SnapshotBench {
  static func run(watches count: Int, into report: inout Report) throws {
    // Tuesday 2026-11-03, 08:00 in Los Angeles.
    let now = Date(timeIntervalSince1970: 1_793_721_600)
    let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
    let lines = (0..<count).map { number in
      SimulatedBuses.Line(
        stop: "1_\(number)", route: "1_100225", shortName: "45", first: 0, last: 1439, every: 7,
        late: [0, 120, nil, -90, 300])
    }
    let provider = SimulatedBuses(lines, zone: zone)
    let written = lines.map { line in
      #"{"id":"\#(line.stop)","label":null,"source":"onebusaway","stop":"\#(line.stop)","route":"1_100225","#
        + #""enabled":true,"window":null,"walkMinutes":5}"#
    }
    var boards = BusBoards()
    boards.list = WatchList("[\(written.joined(separator: ","))]", source: OneBusAwayFeed.id)
    for line in lines {
      let request = OneBusAwayRequest.arrivals(stop: TransitID(line.stop), watches: boards.list.watches)
      let answer = provider.answer(request.path, query: ["minutesAfter": "65"], at: now)
      let reply = OneBusAwayReply(request: request, body: Data(answer.body.utf8), httpStatus: 200, date: now)
      let stop = StopKey(source: OneBusAwayFeed.id, stop: TransitID(line.stop))
      boards.received(try reply.arrivals(), for: stop, toldAgo: .zero, at: .zero)
    }
    var durations: [Double] = []
    for second in 0..<200 {
      let start = monotonic()
      let at = now + Double(second)
      var input = WallInput(
        agent: "bench", boot: "bench", now: at, zone: zone, language: "en", clockTrusted: true,
        reader: .init(state: "ready"))
      input.add(boards.boards(at: at, uptime: .seconds(second), in: zone))
      let bytes = input.snapshot(v: second).json.utf8.count
      durations.append(Double(monotonic() - start) / 1e6)
      guard bytes > 4000 else { throw BenchError("a snapshot of \(bytes) bytes is none of \(count) watches") }
    }
    report.durations("a snapshot with \(count) watches", Figures(durations))
  }
}
