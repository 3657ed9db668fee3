import Foundation
import Testing

@testable import Transit

/// Errors and oddities that were reported against other clients, and what is right.
struct ReportedCaseTests {
  @Test(arguments: [
    // Case, then each row: trip, state, seconds from the server's clock, minutes, lateness.
    ("pred_zero", ["1_T1 scheduled 240 4 -"]),
    ("pred_false_time", ["1_T1 scheduled 240 4 -"]),
    ("29999", ["1_T1 scheduled 240 4 -"]),
    ("canceled", ["1_T1 canceled 240 4 -", "1_T2 live 905 15 5.0"]),
    ("late_window", ["1_T1 live 330 5 90.0", "1_T2 live 330.001 5 90.001"]),
    ("frequency", ["1_T1 frequency 600 - -"]),
    ("situations", ["1_T1 live 300 5 60.0"]),
    ("minimal_old", ["1_T1 live 300 5 60.0"]),
    ("unknown_status", ["1_T1 live 300 5 60.0"]),
  ])
  func `the row is what it should be`(_ name: String, _ expected: [String]) throws {
    #expect(try described(answer(name), at: sundayEight) == expected)
  }

  @Test(arguments: [
    ("minus_one", ["1_5500 scheduled 240 4 -"]),
    ("passed", ["1_5301 live 530 8 30.0"]),
    ("passed_early", ["1_5311 live 530 8 30.0"]),
    ("skew", ["1_5400 live 300 5 60.0"]),
    // An arrival is held against an arrival.
    ("arrival_predicted_only", ["1_5510 live 420 7 120.0"]),
    // A day or a day and five hours away from its timetable is no prediction; one out in the past is gone.
    ("other_day", ["1_5522 live 960 16 60.0", "1_5520 scheduled 87000 1450 -"]),
    (
      "unsorted",
      [
        "1_5600 scheduled 60 1 -", "1_5601 scheduled 900 15 -", "1_5604 scheduled 900 15 -",
        "1_5602 scheduled 900 15 -",
        "1_5603 scheduled 3000000 50000 -",
      ]
    ),
    ("canceled_both_spellings", ["1_5901 canceled 200 3 -", "1_5902 canceled 300 5 -", "1_5903 live 420 7 20.0"]),
    ("added", ["1_5950 live 600 10 -"]),
    // What is predicted is counted down to, and never late: its timetable time is the prediction itself.
    ("frequency_predicted", ["1_5960 frequency 240 4 -"]),
    ("empty", []),
  ])
  func `a row of the shape of a real one is what it should be`(_ name: String, _ expected: [String]) throws {
    #expect(try described(answer(name), at: eight) == expected)
  }

  private func described(_ answer: StopAnswer, at now: Date) -> [String] {
    rows(answer, at: now).map { row -> String in
      let seconds = Double(row.at.milliseconds(since: now)) / 1000
      let text = seconds == seconds.rounded() ? String(Int(seconds)) : String(seconds)
      let minutes = row.minutes.map { String($0) } ?? "-"
      let lateness = row.lateness.map { String($0) } ?? "-"
      return "\(row.trip) \(row.state) \(text) \(minutes) \(lateness)"
    }
  }

  @Test func `90 s behind is not late, a thousandth more is; a minute ahead is early`() throws {
    #expect(try rows(answer("late_window"), at: sundayEight).map(\.isLate) == [false, true])
    let lateness = [-61, -60, -59.999, 0, 90, 90.001, 659].map { seconds -> String in
      guard let row = visit(at: 1000, predicted: 1000 + seconds).arrival(at: eight) else { return "gone" }
      return row.isLate ? "late" : row.isEarly ? "early" : "on time"
    }
    #expect(lateness == ["early", "early", "on time", "on time", "on time", "late", "late"])
  }

  @Test func `a frequency says how often, and its row does not come back as a countdown in the next answer`() throws {
    let row = try #require(try rows(answer("frequency"), at: sundayEight).first)
    #expect(row.headway == 600 && row.minutes == nil && row.lateness == nil && row.predictedAt == nil)
    // Two minutes behind its made-up time it stands for the next one, until the service ends at nine.
    let later = try answer("frequency").visits.compactMap { $0.arrival(at: sundayEight + 720) }
    #expect(later.map(\.at) == [sundayEight + 1200])
    #expect(try answer("frequency").visits.compactMap { $0.arrival(at: sundayEight + 3601) }.isEmpty)
  }

  @Test func `of twins the one that has been located counts`() throws {
    let rows = try rows(answer("phantom_twins"), at: eight)
    #expect(rows.map(\.trip) == ["1_5001", "1_5002"])
    #expect(rows.first?.at == eight + 338 && rows.first?.updatedAt == eight - 69)
  }

  @Test func `where the trip ends nobody boards, and where it begins the departure counts`() throws {
    let rows = try rows(answer("terminal"), at: eight)
    #expect(rows.map(\.trip) == ["1_5101", "1_5103"])
    #expect(rows.map(\.minutes) == [6, 21])
    // The vehicle that waits at the terminal was last heard of 217 s ago.
    #expect(rows.map(\.state) == [.live, .scheduled])
  }

  @Test func `eight minutes early and gone, eleven minutes late and still coming`() throws {
    let rows = try rows(answer("early_and_late"), at: eight)
    #expect(rows.map(\.trip) == ["1_5201", "1_5202", "1_5203", "1_5204", "1_5205", "1_5206"])
    #expect(rows.map(\.lateness) == [-476, 659, 259, nil, nil, 0])
    #expect(rows.map(\.isEarly) == [true, false, false, false, false, false])
    #expect(rows.map(\.isLate) == [false, true, true, false, false, false])
  }

  @Test func `ids with spaces, slashes and underscores stay as they are`() throws {
    let answer = try answer("ids_with_spaces")
    #expect(answer.agencyZone == zone("America/New_York") && answer.stopName == nil)
    let loop = rows(answer, at: eight).filter { $0.route == "Valley Regional Transit_18" }
    // Each call of a trip is a row of its own.
    #expect(loop.map(\.trip.text) == ["303", "304", "304"].map { "Valley Regional Transit_\($0)" })
    #expect(loop.map(\.key.stopSequence) == [12, 55, 56])
    let slash = try rows(
      reply(body("slash_in_ids"), .arrivals(stop: "1_Forge Park / 495", minutesAfter: 60)).arrivals(), at: eight)
    #expect(slash.map(\.routeName) == ["Forge Park Line"])
  }

  @Test func `names that a row leaves out are looked up`() throws {
    let row = try #require(try rows(answer("empty_names"), at: eight).first)
    #expect(row.routeName == "90" && row.headsign == "Hilltop")
    #expect(try answer("empty").stopName == "Mill St & 4th Ave")
    #expect(try answer("empty").agencyZone == losAngeles)
  }

  @Test func `an id is compared byte by byte`() {
    #expect(TransitID("1_caf\u{E9}") != TransitID("1_cafe\u{301}"))
    #expect(TransitID("1_a") == TransitID("1_a") && Set<TransitID>(["1_a", "1_a"]).count == 1)
  }

  @Test func `odd fields and broken rows are left out, the rest stays`() throws {
    let answer = try answer("wrong_types")
    #expect(rows(answer, at: eight).map(\.trip) == ["1_5800", "1_5803"])
    // Without a usable time of its own a prediction is as old as the answer; `predicted: "true"` is no prediction.
    #expect(rows(answer, at: eight).map(\.state) == [.live, .scheduled])
    #expect(answer.lostRoutes.isEmpty, "of each route something is understood")
  }

  @Test func `a prediction from the future is as old as the answer`() throws {
    var text = try String(decoding: body("skew"), as: UTF8.self)
    text = text.replacing("\"lastUpdateTime\": 1793721580000", with: "\"lastUpdateTime\": 1793725200000")
    let answer = try reply(Data(text.utf8)).arrivals()
    #expect(answer.visits.map(\.prediction?.updatedAt) == [eight])
  }

  @Test func `an answer of 2012 is understood`() throws {
    #expect(try rows(answer("of_2012"), at: eight).map(\.state) == [.live, .live, .live])
    #expect(try rows(answer("of_2012"), at: eight).map(\.isLate) == [true, true, true])
  }
}
