import Foundation
import Linux
import Synchronization
import TestSupport
import Testing
import Wall

@testable import Agent
@testable import Feeds

/// The school's file, what the school publishes and what somebody says, on the wall (DESIGN 5.4, `schedule.md` 1.6).
@Suite(.timeLimit(.minutes(2))) struct SchoolServiceTests {
  private func bench(_ now: String, fetches: Bool = false, lunch: String? = nil) throws -> SchoolBench {
    let bench = try SchoolBench(now)
    try bench.writeSchool(fetches: fetches)
    bench.live(lunch: lunch)
    return bench
  }

  // MARK: The file

  @Test func `a household without a school has neither period nor source`() async throws {
    let bench = try SchoolBench("2025-09-02 08:45")
    bench.service.household(["watches": "[]"])
    await bench.start()
    let wall = bench.look()
    #expect(wall.period == nil && wall.sources.isEmpty && bench.contributed().changesAt == nil)
  }

  @Test func `the school's file is on the wall, and the wall knows when it is another day`() async throws {
    let bench = try bench("2025-09-02 08:45", lunch: "5A")
    await bench.start()
    let wall = bench.look()
    #expect(wall.period?.text == "Period 1 · 36 min left · ends 9:21")
    #expect(wall.period?.people.map(\.text) == ["lunch at 12:02"])
    #expect(wall.source("bell")?.state == "fresh" && wall.source("lunch") == nil)
    #expect(bench.requestCount == 0)
    // The next bell.
    #expect(bench.contributed().changesAt == bench.time.uptime() + .seconds(36 * 60))
    #expect(bench.changes > 0, "the kiosk is told that there is something new")
  }

  @Test func `a file that becomes wrong keeps the last good one, says so once, and is well again`() async throws {
    let bench = try bench("2025-09-02 08:45")
    await bench.start()
    try bench.writeSchool { $0.replacingOccurrences(of: "\"2\": \"9:26-10:13\"", with: "\"2\": \"9:26-9:20\"") }
    await bench.pass(minutes: 3)
    let wall = bench.look()
    #expect(wall.period?.text == "Period 1 · 33 min left · ends 9:21")
    #expect(wall.source("bell")?.state == "stale")
    #expect(wall.source("bell")?.message?.contains("its file has a mistake · dayTypes.Standard.periods.2") == true)
    #expect(bench.lines.count == 1 && bench.lines[0].contains("ends at 9:20"), "\(bench.lines)")
    try bench.writeSchool { $0.replacingOccurrences(of: "\"1\": \"8:30-9:21\"", with: "\"1\": \"8:30-9:22\"") }
    await bench.pass(minutes: 2)
    #expect(bench.look().source("bell")?.state == "stale", "the halves do not fit any more")
    try bench.writeSchool { $0.replacingOccurrences(of: "\"8\": \"14:38-15:25\"", with: "\"8\": \"14:38-15:26\"") }
    await bench.pass(minutes: 2)
    try bench.writeSchool()
    await bench.pass(minutes: 2)
    #expect(bench.look().source("bell")?.state == "fresh")
    #expect(bench.lines.last?.contains("is well again") == true)
  }

  @Test func `a wrong file does not take the school away over a restart`() async throws {
    let first = try bench("2025-09-02 08:45")
    first.isKept.store(true, ordering: .relaxed)
    await first.start()
    await first.stop()
    try first.write("{ broken")
    let second = try SchoolBench("2025-09-02 08:50", folder: first.folder)
    second.live()
    await second.start()
    let wall = second.look()
    #expect(wall.period?.text == "Period 1 · 31 min left · ends 9:21")
    #expect(wall.source("bell")?.state == "stale")
  }

  @Test func `a file that is not there is said, and found within a minute when it is`() async throws {
    let bench = try SchoolBench("2025-09-02 08:45")
    bench.live()
    await bench.start()
    #expect(bench.look().period == nil)
    #expect(bench.look().source("bell")?.state == "down")
    #expect(bench.look().source("bell")?.message?.contains("its file cannot be read") == true)
    await bench.pass(minutes: 5)
    #expect(bench.lines.count == 1, "said once: \(bench.lines)")
    try bench.writeSchool()
    await bench.pass(minutes: 1)
    await bench.time.waitForSleepers()
    #expect(bench.look().period?.name == "Period 1")
  }

  @Test func `another school shows nothing of the one before`() async throws {
    let bench = try bench("2025-09-02 08:45")
    await bench.start()
    bench.service.household(["bell": "{\"school\":\"\(bench.folder)/other.json5\",\"people\":[]}"])
    #expect(bench.look().period == nil)
    await bench.until { bench.look().source("bell")?.state == "down" }
    #expect(bench.look().period == nil, "nor its last good file")
  }

  @Test func `while the clock is wrong no day is known and nothing is asked`() async throws {
    let bench = try bench("2025-09-02 08:45", fetches: true)
    bench.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/3/2025\"]}")
    bench.serveMenu()
    bench.setClock(trusted: false)
    await bench.start()
    await bench.pass(minutes: 60)
    #expect(bench.look().period == nil && bench.requestCount == 0)
    bench.setClock(trusted: true)
    bench.look()
    await bench.until { bench.requestCount >= 7 }
    #expect(bench.look().period?.name == "Period 2")
  }

  // MARK: Overrides

  @Test func `what somebody says counts at once and ends by itself`() async throws {
    let bench = try bench("2025-09-02 09:30")
    await bench.start()
    bench.live(
      override: """
        [{"day":"2025-09-02","type":"Late Arrival","until":"2025-09-02T12:00:00-05:00","rotation":null}]
        """)
    let said = bench.look().period
    #expect(said?.text == "School starts at 10:30 · in 1 h · Late Arrival · set by hand")
    #expect(said?.source == "override" && said?.secondsLeft == 3600)
    await bench.pass(minutes: 149)
    #expect(bench.look().period?.source == "override")
    #expect(bench.contributed().changesAt == bench.time.uptime() + .seconds(60))
    await bench.pass(minutes: 1)
    #expect(bench.look().period?.source == "default")
    #expect(bench.look().period?.text == "Passing · 2 min left · Period 5 at 12:02")
  }

  @Test func `what was said of the whole day is on the wall again when a word about its morning ends`() async throws {
    let bench = try bench("2025-09-02 09:30")
    await bench.start()
    bench.live(
      override: """
        [{"day":"2025-09-02","type":"Late Arrival","until":"2025-09-03T00:00:00-05:00","rotation":null},
         {"day":"2025-09-02","type":"No School","until":"2025-09-02T10:00:00-05:00","rotation":null}]
        """)
    #expect(bench.look().period?.text == "No school · School starts at 10:30 · Late Arrival · set by hand")
    await bench.pass(minutes: 30)
    #expect(bench.look().period?.text == "School starts at 10:30 · in 30 min · Late Arrival · set by hand")
  }

  @Test func `a school that is closed for the morning says when it opens, and then what runs`() async throws {
    let bench = try bench("2025-09-02 09:30")
    await bench.start()
    bench.live(
      override: """
        [{"day":"2025-09-02","type":"No School","until":"2025-09-02T13:00:00-05:00","rotation":null}]
        """)
    let closed = try #require(bench.look().period)
    #expect(closed.text == "No school · School starts at 13:00 · set by hand")
    #expect(closed.state == "noSchool" && closed.secondsLeft == nil && closed.next?.name == "Period 6")
    #expect(closed.endsAt == "2025-09-02T13:00:00-05:00" && closed.next?.startsAt == closed.endsAt)
    await bench.pass(minutes: 210)
    #expect(bench.look().period?.text == "Period 6 · 41 min left · ends 13:41")
  }

  @Test func `in a year that nobody has published no day is named`() async throws {
    let bench = try bench("2026-08-15 12:00")
    await bench.start()
    #expect(bench.look().period?.text == "No school · Weekend" && bench.look().period?.next == nil)
  }

  @Test func `a weekend that somebody says is meant is not called ignored`() async throws {
    let bench = try bench("2025-09-02 09:30", fetches: true)
    bench.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/13/2025\"]}")
    await bench.start()
    #expect(bench.look().source("bell")?.message == "School day: 13 Sep: Late Arrival on a weekend is ignored")
    bench.live(
      override: """
        [{"day":"2025-09-13","type":"Late Arrival","until":"2025-09-14T00:00:00-05:00","rotation":null}]
        """)
    #expect(bench.look().source("bell")?.message == nil)
  }

  // MARK: What the school publishes

  @Test func `a published map takes the place of the file's exceptions`() async throws {
    let bench = try bench("2025-09-02 09:30", fetches: true)
    bench.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/2/2025\"]}")
    await bench.start()
    #expect(bench.look().period?.source == "remote")
    #expect(bench.look().period?.text == "School starts at 10:30 · in 1 h · Late Arrival")
    #expect(bench.look().source("bell")?.state == "fresh")
  }

  @Test func `a wrong map changes nothing, is said, and is asked for again soon`() async throws {
    let bench = try bench("2025-09-02 09:30", fetches: true)
    bench.serveMenu()
    bench.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/2/2025\"]}")
    await bench.start()
    for wrong in [
      "{\"Late Arrival\": [\"9/2/2025\"],}", "{\"Late Arrival\": [\"2/30/2026\"]}", "<html>log in</html>",
      "{\"Late Arrival\": [\"5/20/2022, 9/30/202\"]}",
    ] {
      bench.serve("schedule-dates.json", wrong)
      await bench.pass(minutes: 65)
      #expect(bench.look().period?.dayType == "Late Arrival", "\(wrong)")
    }
    let asked = bench.times(of: "schedule-dates.json").count
    #expect(asked > 10, "not only once an hour: \(asked)")
    #expect(bench.lines.count == 4, "each once: \(bench.lines)")
    let source = try #require(bench.look().source("bell"))
    #expect(source.state == "stale" || source.state == "aging")
    #expect(source.message?.contains("the answer cannot be understood") == true, "\(source)")
  }

  @Test func `the map is confirmed by its validator, and a day later it is old`() async throws {
    let bench = try bench("2025-09-02 09:30", fetches: true)
    bench.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/3/2025\"]}", tag: "\"one\"")
    await bench.start()
    bench.serve("schedule-dates.json", "", status: 304)
    await bench.pass(minutes: 60 * 20)
    #expect(bench.tags(of: "schedule-dates.json").first == .some(nil))
    #expect(bench.tags(of: "schedule-dates.json").dropFirst().allSatisfy { $0 == "\"one\"" })
    #expect(bench.look().period?.dayType == "Late Arrival", "the next day has its own")
    #expect(bench.look().source("bell")?.state == "fresh")
    bench.fail("schedule-dates.json", .noConnection)
    await bench.pass(minutes: 60 * 25)
    #expect(bench.look().source("bell")?.state == "stale")
    #expect(bench.look().period?.source == "default", "and is still what the school said last")
  }

  @Test func `it asks every ten minutes in the morning of a school day, and hourly otherwise`() async throws {
    let bench = try bench("2025-09-02 03:30", fetches: true)
    bench.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/3/2025\"]}")
    bench.serveMenu()
    await bench.start()
    await bench.pass(minutes: 9 * 60)
    let dense = (5..<10).flatMap { hour in stride(from: 0, to: 60, by: 10).map { String(format: "%02d:%02d", hour, $0) }
    }
    #expect(bench.times(of: "schedule-dates.json") == ["03:30", "04:30"] + dense + ["10:50", "11:50"])
    #expect(bench.times(of: "soup.json") == bench.times(of: "schedule-dates.json"))
    let weekend = try self.bench("2025-09-06 03:30", fetches: true)
    weekend.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/3/2025\"]}")
    weekend.serveMenu()
    await weekend.start()
    await weekend.pass(minutes: 5 * 60)
    #expect(weekend.times(of: "schedule-dates.json") == ["03:30", "04:30", "05:30", "06:30", "07:30", "08:30"])
  }

  @Test func `what the map has wrong about days to come is said`() async throws {
    let bench = try bench("2025-09-02 09:30", fetches: true)
    bench.serve(
      "schedule-dates.json", "{\"Late Arrival\": [\"8/30/2025\", \"9/13/2025\"], \"Activity Period\": [\"9/25/2025\"]}")
    await bench.start()
    #expect(bench.look().source("bell")?.message == "School day: 13 Sep: Late Arrival on a weekend is ignored")
    #expect(bench.lines.filter { $0.contains("2025-09-13: is a weekend") }.count == 1, "\(bench.lines)")
    #expect(!bench.lines.contains { $0.contains("2025-08-30") }, "what is over is over")
  }

  @Test func `a lunch that no table has is said`() async throws {
    let bench = try bench("2025-09-02 09:30", lunch: "9C")
    await bench.start()
    #expect(bench.look().source("bell")?.message == "School day: Ann's lunch 9C is in no bell table")
  }

  // MARK: Lunch

  @Test func `the menu stands on the wall from ten, with whoever eats, and then the next day's`() async throws {
    let bench = try bench("2025-09-02 09:55", fetches: true, lunch: "5A")
    bench.serve("schedule-dates.json", "{\"Late Arrival\": [\"9/4/2025\"]}")
    bench.serveMenu()
    await bench.start()
    #expect(bench.look().agenda.isEmpty)
    await bench.pass(minutes: 5)
    #expect(
      bench.look().agenda.map(\.title) == [
        "Tacos Tuesday, comfort 3.2, mindful 3.2, sides 3.2, soup 3, international 3"
      ])
    await bench.pass(minutes: 130)
    #expect(
      bench.look().period?.people.map(\.text)
        == ["Lunch · 12 min left · ends 12:22 · Tacos Tuesday · comfort 3.2 · mindful 3.2"])
    #expect(bench.look().agenda.map(\.state) == ["now"])
    await bench.pass(minutes: 240)
    #expect(bench.look().agenda.first?.title.hasPrefix("Wings Wednesday, comfort 3.3") == true)
    #expect(bench.look().agenda.map(\.text) == ["Lunch Wed"])
    #expect(bench.look().source("lunch")?.state == "fresh")
  }

  @Test(arguments: ["not there", "no JSON", "other weeks"])
  func `one bad station leaves the last good menu, over a restart too`(fault: String) async throws {
    let first = try bench("2025-09-02 10:05", fetches: true)
    first.isKept.store(true, ordering: .relaxed)
    first.serveMenu()
    await first.start()
    let menu = first.look().agenda.map(\.title)
    #expect(menu.count == 1)
    // All stations have something new, and one of them is bad.
    first.serveMenu(comfort: "new")
    switch fault {
    case "not there": first.fail("soup.json", .notFound)
    case "no JSON": first.serve("soup.json", "{\"cadence\":\"weekly\",\"data\":[\"a\",\"b\",\"c\",\"d\",]}")
    default: first.serve("soup.json", "{\"cadence\":\"weekly\",\"data\":[\"a\",\"b\",\"c\"]}")
    }
    await first.pass(minutes: 190)
    #expect(first.look().agenda.map(\.title) == menu)
    let source = try #require(first.look().source("lunch"))
    #expect(source.state != "fresh" && source.message != nil, "\(source)")
    await first.stop()
    let second = try SchoolBench("2025-09-02 13:20", folder: first.folder)
    second.fail("soup.json", .notFound)
    second.live()
    await second.start()
    #expect(second.look().agenda.map(\.title) == menu)
  }
}
