import Foundation
import Testing

@testable import Transit

struct FetchPlannerTests {
  private static let key = StopKey(source: "onebusaway", stop: stop)

  /// Asks as the agent does, from one instant to another, and says when each stop was asked for.
  private static func asked(_ watches: [Watch], from start: Date, for seconds: Double, in zone: TimeZone = losAngeles)
    -> [StopKey: [Date]]
  {
    let planner = FetchPlanner(watches: watches, zone: zone)
    var asked: [StopKey: [Date]] = [:]
    var now = start
    while now < start + seconds {
      let ages = asked.compactMapValues { $0.last.map { now.timeIntervalSince($0) } }
      let plan = planner.plan(at: now, sinceAttempt: ages)
      for stop in plan.due { asked[stop, default: []].append(now) }
      guard let wait = plan.nextIn else { break }
      #expect(wait > 0)
      now += max(wait, 0.001)
    }
    return asked
  }

  @Test func `a stop is asked for two minutes ahead and every thirty seconds of its window, never else`() throws {
    let times = try #require(Self.asked([watch], from: eight - 8 * 3600, for: 86_400)[Self.key])
    let ahead = eight - 5400 - 120
    #expect(times == [ahead] + (0..<300).map { ahead + 120 + Double($0) * 30 })
  }

  @Test func `several watches of one stop are one request`() throws {
    var other = watch
    other.route = "1_100943"
    var late = watch
    late.window = try #require(WatchWindow(days: ["tue"], from: "08:59", to: "09:10"))
    var elsewhere = watch
    elsewhere.stop = "1_2"
    var off = watch
    off.isEnabled = false
    off.stop = "1_3"
    let asked = Self.asked([watch, other, late, elsewhere, off], from: eight - 8 * 3600, for: 86_400)
    #expect(asked[Self.key]?.count == 1 + 300 + 20)
    #expect(asked[StopKey(source: "onebusaway", stop: "1_2")]?.count == 301)
    #expect(asked.count == 2)
    #expect(
      FetchPlanner(watches: [off, elsewhere, watch, other], zone: losAngeles).stops.map(\.stop) == ["1_2", stop])
  }

  @Test func `the day of a clock change has as many requests as another`() throws {
    for day in ["2026-03-08T08:00:00Z", "2026-11-01T07:00:00Z"] {
      for (from, to, expected) in [("01:10", "01:40", 61), ("02:10", "02:40", 61), ("06:30", "09:00", 301)] {
        var watch = watch
        watch.window = try #require(WatchWindow(days: ["sun"], from: from, to: to))
        let start = try Date(day, strategy: .iso8601)
        #expect(Self.asked([watch], from: start, for: 25 * 3600)[Self.key]?.count == expected, "\(day) \(from)")
      }
    }
  }

  @Test func `who starts in a window asks at once, and who asked a moment ago waits`() {
    let planner = FetchPlanner(watches: [watch], zone: losAngeles)
    #expect(planner.plan(at: eight, sinceAttempt: [:]) == .init(due: [Self.key], nextIn: 30))
    #expect(planner.plan(at: eight, sinceAttempt: [Self.key: 12]) == .init(due: [], nextIn: 18))
    #expect(planner.plan(at: eight, sinceAttempt: [Self.key: 29.9999]) == .init(due: [Self.key], nextIn: 30))
    // A clock that is set back does not stop the asking.
    #expect(planner.plan(at: eight - 3600, sinceAttempt: [Self.key: 31]).due == [Self.key])
    // The last tick of a window is not its end.
    #expect(planner.plan(at: eight + 3590, sinceAttempt: [Self.key: 0]).nextIn == 77_290.0)
    #expect(
      FetchPlanner(watches: [], zone: losAngeles).plan(at: eight, sinceAttempt: [:]) == .init(due: [], nextIn: nil))
  }

  @Test func `timetables are wanted of the days that the window touches, and of last night before six`() throws {
    func days(_ now: Date, _ from: String, _ to: String, zones: [StopKey: TimeZone] = [:]) throws -> [Int] {
      var watch = watch
      watch.window = try #require(WatchWindow(days: Weekday.allCases.map(\.rawValue), from: from, to: to))
      return FetchPlanner(watches: [watch, watch], zone: losAngeles).timetables(at: now, agencyZones: zones)
        .map { $0.day.number - tuesday.number }
    }
    let midnight = eight - 8 * 3600
    #expect(try days(eight, "06:30", "09:00") == [0])
    #expect(try days(eight + 3600, "06:30", "09:00") == [])
    #expect(try days(eight - 5520, "06:30", "09:00") == [0])
    #expect(try days(eight - 5521, "06:30", "09:00") == [])
    #expect(try days(midnight + 23.75 * 3600, "23:30", "00:30") == [0, 1])
    #expect(try days(midnight + 24.25 * 3600, "23:30", "00:30") == [0, 1])
    #expect(try days(midnight + 5 * 3600, "04:00", "07:00") == [-1, 0])
    #expect(try days(midnight + 5 * 3600, "04:00", "07:00", zones: [Self.key: zone("America/New_York")]) == [0])
  }

  @Test func `requests keep their distance whatever the network does, and every caller gets a turn`() {
    var pacing = RequestPacing()
    var dice = Dice(11)
    var now: Duration = .seconds(5)
    var atServer: [Duration] = []
    var waiting = 200
    var ends: Duration?
    while waiting > 0 || ends != nil {
      if let end = ends, end <= now {
        pacing.ended(at: end)
        ends = nil
      }
      switch pacing.turn(at: now) {
      case .send where waiting > 0:
        waiting -= 1
        #expect(pacing.turn(at: now) == .busy)
        let away = Duration.milliseconds(Int.random(in: 0...90, using: &dice))
        atServer.append(now + away)
        ends = now + away + .milliseconds(Int.random(in: 0...90, using: &dice))
        now = ends ?? now
      case .send: return
      case .wait(let until):
        #expect(until > now)
        now = until
      case .busy: now = ends ?? now + .milliseconds(1)
      }
    }
    #expect(atServer.count == 200)
    #expect(zip(atServer, atServer.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(110) })
  }

  @Test func `the server's clock has gone on while its answer was on the way, and our own clock does not matter`() {
    var server = ServerClock(told: eight, toldAgo: .seconds(1), at: .seconds(100))
    #expect(server.now(at: .seconds(100)) == eight + 1 && server.now(at: .seconds(160)) == eight + 61)
    #expect(server.skew(local: eight + 241, at: .seconds(100)) == -240)
    // An answer out of a cache tells an old time: it is not believed until the later one is ten minutes old.
    server.heard(eight - 300, toldAgo: .zero, at: .seconds(130))
    #expect(server.now(at: .seconds(130)) == eight + 31)
    server.heard(eight + 45, toldAgo: .zero, at: .seconds(130))
    #expect(server.now(at: .seconds(130)) == eight + 45)
    server.heard(eight + 640, toldAgo: .zero, at: .seconds(731))
    #expect(server.now(at: .seconds(731)) == eight + 640)
  }
}
