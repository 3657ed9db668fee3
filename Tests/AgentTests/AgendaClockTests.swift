import Foundation
import Linux
import TestSupport
import Testing
import Wall

@testable import Agent

/// What the calendars show when the wall's clock is set, and at the edges of days. The wall is in Los Angeles.
@Suite(.timeLimit(.minutes(2))) struct AgendaClockTests {
  private static let family = "[{ id: 'family', file: 'family.ics' }]"

  @Test func `a clock that is set back by an hour brings back at once what was over`() async throws {
    let bench = try AgendaBench(
      Self.family, at: AgendaBench.at(2, "9:30"),
      files: [
        "family.ics": calendarText(eventText("Breakfast", "02T0800", "02T0900"), eventText("Tea", "02T1500", "02T1600"))
      ])
    await bench.running {
      await bench.until { bench.titles == ["Tea"] }
      bench.time.step(by: .seconds(-3600))
      // No time passes: the kiosk asks for a new snapshot, and gets what is there a moment later.
      await bench.until { bench.titles == ["Breakfast", "Tea"] }
      #expect(bench.look().agenda.map(\.state) == ["now", "next"])
    }
  }

  @Test func `a clock that is set to another day shows that day at once`() async throws {
    let bench = try AgendaBench(
      Self.family, at: AgendaBench.at(2, "9:30"),
      files: [
        "family.ics": calendarText(eventText("Tea", "02T1500", "02T1600"), eventText("Trip", "20T1500", "20T1600"))
      ]
    )
    await bench.running {
      await bench.until { bench.titles == ["Tea"] }
      bench.time.step(by: .seconds(18 * 86_400))
      await bench.until { bench.titles == ["Trip"] }
      bench.time.step(by: .seconds(-18 * 86_400))
      await bench.until { bench.titles == ["Tea"] }
    }
  }

  @Test func `what was heard by a clock that was an hour ahead is heard again at its time`() async throws {
    let bench = try AgendaBench(
      "[{ id: 'family', file: 'family.ics', picks: { sound: true } }]", at: AgendaBench.at(2, "13:45"),
      files: ["family.ics": calendarText(eventText("Tea", "02T1400", "02T1430"))])
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      await bench.pass(.seconds(600))
      #expect(bench.sounds.count == 1)
      bench.time.step(by: .seconds(-3600))
      _ = bench.look()
      await bench.pass(.seconds(3500))
      #expect(bench.sounds.map { $0 == AgendaBench.at(2, "13:50") } == [true, true], "\(bench.sounds)")
      // A minute is the clock being put right, and nobody's other day.
      bench.time.step(by: .seconds(-60))
      await bench.pass(.seconds(300))
      #expect(bench.sounds.count == 2)
    }
  }

  /// Half-open at the other end than elsewhere: what begins in just three hours is one of the next three.
  @Test func `what begins in three hours is offered, a second earlier it is not`() async throws {
    let bench = try AgendaBench(
      "[{ id: 'talks', file: 'talks.ics', picks: { files: ['ann.json'] } }]",
      at: AgendaBench.at(2, "10:59") + 59,
      files: ["talks.ics": calendarText(eventText("Talk", "02T1400", "02T1430")), "ann.json": "[]"])
    await bench.running {
      await bench.pass(.zero)
      #expect(bench.look().rail.cards.isEmpty)
      await bench.pass(.seconds(1))
      #expect(bench.look().rail.cards.map(\.detail) == ["14:00 Talk"])
      await bench.pass(.seconds(3 * 3600 - 1))
      #expect(bench.look().rail.cards.map(\.detail) == ["14:00 Talk"], "until it begins")
      await bench.pass(.seconds(1))
      #expect(bench.look().rail.cards.isEmpty)
    }
  }

  @Test func `on the day on which the clock goes back every event has its time, and the day has twenty-five hours`()
    async throws
  {
    let bench = try AgendaBench(
      Self.family, at: AgendaBench.at(1, "0:00") - 7200,
      files: [
        "family.ics": calendarText(
          "BEGIN:VEVENT\r\nUID:d\r\nSUMMARY:Sunday\r\nDTSTART;VALUE=DATE:20261101\r\nEND:VEVENT",
          eventText("Twice", "01T0130", "01T0145"), eventText("Night", "01T2350", "02T0010"))
      ])
    await bench.running {
      await bench.until { !bench.titles.isEmpty }
      // 23:00 on Saturday.
      #expect(bench.titles == ["Twice", "Sunday", "Night"], "\(bench.titles)")
      await bench.pass(.seconds(3601))
      #expect(bench.titles == ["Sunday", "Twice", "Night"])
      // The first of the two hours.
      await bench.pass(.seconds(90 * 60))
      #expect(bench.look().agenda.first { $0.title == "Twice" }?.state == "now")
      await bench.pass(.seconds(3600))
      #expect(!bench.titles.contains("Twice"), "the second of them")
      await bench.pass(.seconds(AgendaBench.at(1, "23:55").timeIntervalSince(bench.time.now())))
      #expect(bench.titles == ["Sunday", "Night"] && bench.look().agenda.last?.state == "now")
      await bench.pass(.seconds(301))
      #expect(bench.titles == ["Night"], "it is Monday")
    }
  }
}
