import Foundation
import Testing

@testable import Transit

/// The clock of the fixtures that have the shape of real answers: Tuesday 2026-11-03, 08:00 in Los Angeles.
let eight = Date(timeIntervalSince1970: 1_793_721_600)
/// The clock of the fixtures of reported errors: Sunday 2026-11-01, 08:00 in Los Angeles, a day with a clock change.
let sundayEight = Date(timeIntervalSince1970: 1_793_548_800)

let losAngeles = zone("America/Los_Angeles")

func zone(_ name: String) -> TimeZone { TimeZone(identifier: name) ?? .gmt }

/// A body of `Fixtures/transit`.
func body(_ name: String) throws -> Data {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/transit")
  return try Data(contentsOf: folder.appending(path: name.contains(".") ? name : name + ".json"))
}

/// The bodies of a folder, by name.
func bodies(in folder: String) throws -> [(name: String, body: Data)] {
  try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted().map {
    ($0, try Data(contentsOf: URL(filePath: folder).appending(path: $0)))
  }
}

let fixtureFolder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/transit").path

let stop: TransitID = "1_90001"
let route: TransitID = "1_100900"

func reply(
  _ body: Data, _ request: OneBusAwayRequest = .arrivals(stop: stop, minutesAfter: 60), status: Int = 200,
  sinceSuccess: TimeInterval? = nil, expired: Bool = false
) -> OneBusAwayReply {
  OneBusAwayReply(
    request: request, body: body, httpStatus: status, date: eight, sinceSuccess: sinceSuccess, isDataExpired: expired)
}

func answer(_ name: String) throws -> StopAnswer { try reply(body(name)).arrivals() }

func timetable(_ name: String, _ day: ServiceDay = tuesday) throws -> StopTimetable {
  try reply(body(name), .schedule(stop: stop, day: day)).timetable()
}

/// 2026-11-03.
let tuesday = ServiceDay(number: 20_760)

/// The rows of all routes at an instant, in order.
func rows(_ answer: StopAnswer, at now: Date) -> [Arrival] {
  answer.visits.compactMap { $0.arrival(at: now) }.sorted(by: Arrival.inOrder)
}

/// A trip of route 90, in seconds from `eight`.
func visit(
  _ trip: TransitID = "T", at scheduled: Double, predicted: Double? = nil, updated: Double = 0, route: TransitID = route
) -> Visit {
  Visit(
    key: Visit.Key(trip: trip, serviceDate: 1, stopSequence: 5), route: route, routeName: "90", headsign: "Riverside",
    scheduledAt: eight + scheduled, prediction: predicted.map { Prediction(at: eight + $0, updatedAt: eight + updated) }
  )
}

/// An answer given `at` seconds from `eight`, for the hour after it.
func answer(at: Double, _ visits: [Visit]) -> StopAnswer {
  StopAnswer(time: eight + at, until: eight + at + 3600, visits: visits)
}

func clock(_ seconds: Double) -> BoardTime { BoardTime(server: eight + seconds, local: eight + seconds) }

let watch = Watch(id: "school", stop: stop, route: route)

func withWalk(_ minutes: Int) -> Watch {
  var watch = watch
  watch.walkMinutes = minutes
  return watch
}

extension StopBoard {
  func board(_ seconds: Double, _ watch: Watch = watch, previous: WatchBoard? = nil) -> WatchBoard {
    board(for: watch, at: clock(seconds), in: losAngeles, previous: previous)
  }
}

extension TransitID: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init(text) }
}

/// The same numbers in every run.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
