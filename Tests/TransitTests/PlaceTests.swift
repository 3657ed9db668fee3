import Foundation
import Testing

@testable import Transit

/// Timetables, stops, routes, agencies and notices as a server tells them.
struct PlaceTests {
  @Test func `a timetable is all calls of a day, the night after it included`() throws {
    let day = try timetable("schedule")
    #expect(day.day == tuesday && !day.isExpired)
    let buses = day.visits.filter { $0.route == route }.compactMap { $0.arrival(at: eight - 7200) }
    #expect(buses.count == 35)
    #expect(buses.allSatisfy { $0.state == .scheduled && $0.routeName == "90" })
    #expect(buses.map(\.at).max() == eight + 16 * 3600 + 1200)
    #expect(buses.first { $0.trip == "1_6290" }?.headsign == "Night owl")
    let often = day.visits.filter { $0.route == "1_100943" }.compactMap { $0.arrival(at: eight + 60) }
    #expect(often.map(\.state) == [.frequency] && often.map(\.headway) == [600] && often.map(\.at) == [eight + 600])
    #expect(try timetable("schedule_without_service").visits.isEmpty)
    let without = #"{"code":200,"currentTime":1793721600000,"data":{"entry":{"stopRouteSchedules":[{"routeId":"1_7","#
    let empty = Data((without + #""stopRouteDirectionSchedules":[]}]}}}"#).utf8)
    let none = try reply(empty, .schedule(stop: stop, day: tuesday)).timetable()
    #expect(none.visits.isEmpty && !none.isPartial, "it says that there is none")
  }

  @Test(arguments: [
    (#""routeId""#, #""route""#), (#""stopRouteDirectionSchedules": ["#, #""stopRouteDirectionSchedules": 7, "x": ["#),
    (#""stopRouteDirectionSchedules""#, #""directions""#), (#""tripId""#, #""trip""#),
    (#""scheduleStopTimes": ["#, #""scheduleStopTimes": 7, "x": ["#),
  ]) func `a timetable of which nothing is understood is none, or it would be a day without buses`(
    old: String, new: String
  ) throws {
    let text = String(decoding: try body("schedule"), as: UTF8.self).replacing(
      #""scheduleFrequencies": ["#, with: #""x": ["#)
    try #require(text.contains(old))
    #expect(throws: OneBusAwayError.unexpectedShape("data.entry.stopRouteSchedules")) {
      try reply(Data(text.replacing(old, with: new).utf8), .schedule(stop: stop, day: tuesday)).timetable()
    }
  }

  @Test func `a timetable that is not understood whole says nothing of routes that it does not have`() throws {
    let other = String(decoding: try body("schedule"), as: UTF8.self).replacing("\"\(route.text)\"", with: "\"1_7\"")
    let partial = other.replacing(#""scheduleFrequencies": []"#, with: #""scheduleFrequencies": [7]"#)
    try #require(partial != other)
    for (text, silence) in [(other, WatchBoard.Silence.noServiceToday), (partial, .noneUntil(eight + 3600))] {
      var stop = StopBoard()
      stop.received(answer(at: 0, []))
      stop.received(try reply(Data(text.utf8), .schedule(stop: "1_90001", day: tuesday)).timetable())
      #expect(stop.board(0).silence == silence)
    }
  }

  @Test func `a server that says its data are old is taken at its word`() throws {
    #expect(try reply(body("schedule"), .schedule(stop: stop, day: tuesday), expired: true).timetable().isExpired)
    #expect(try reply(body("skew"), expired: true).arrivals().isTimetableExpired)
  }

  @Test func `a stop is told with its routes, named where they are known`() throws {
    let stop = try reply(body("stop"), .stop(stop)).stopDetails()
    #expect(stop.name == "Mill St & 4th Ave" && stop.code == "90001" && stop.direction == "S")
    #expect(stop.routes.map(\.id) == ["1_8", "1_10", "1_77"])
    #expect(
      stop.routes.map(\.shortName) == ["8", "10", nil] && stop.routes.map(\.longName) == ["Hilltop", "Crosstown", nil])
  }

  @Test func `a route and the agencies are told by name`() throws {
    let route = try reply(body("route"), .route("1_10")).routeDetails()
    #expect(route == RouteDetails(id: "1_10", shortName: "10", longName: "Hilltop"))
    let agencies = try reply(body("agencies"), .agenciesWithCoverage).agencies()
    #expect(agencies == [AgencyDetails(id: "1", name: "Example Metro"), AgencyDetails(id: "40", name: "40")])
    #expect(throws: OneBusAwayError.unknown(.stop("1_0"))) { try reply(body("404"), .stop("1_0")).stopDetails() }
  }

  @Test func `notices hold in their periods, told in seconds or milliseconds, open where 0`() throws {
    let today = try answer("situations")
    #expect(today.notices.filter { $0.isActive(at: sundayEight) }.map(\.summary) == ["ms window", "seconds, open end"])
    #expect(today.notices.filter { $0.isActive(at: sundayEight + 1) }.map(\.summary) == ["seconds, open end"])
    #expect(try !answer("notice_of_the_past").notices.contains { $0.isActive(at: eight) })
  }

  @Test func `a board shows what concerns its buses and its stop, each text once, three at most`() throws {
    var stop = StopBoard()
    stop.received(try answer("notices_without_end"))
    var watch = watch
    watch.route = "RDG_52"
    let board = stop.board(0, watch)
    #expect(board.notices.map(\.summary) == ["Detour on Oak St", "Elevator out of order", "Longer buses"])
    #expect(board.notices.first?.detail == "Oak St is closed. Use the stop at Elm St & 3rd.")
    #expect(stop.board(600, watch).notices.map(\.id) == ["RDG_1", "RDG_3", "RDG_4"])
  }

  @Test(arguments: [
    ("<b>Stop</b> closed", "Stop closed"), ("a\r\n\r\nb\tc", "a b c"), ("5 &lt; 6 &amp;amp; x", "5 < 6 &amp; x"),
    ("broken <a href=", "broken"), ("", ""), (String(repeating: "x", count: 9000), String(repeating: "x", count: 500)),
  ])
  func `texts come out plain`(_ text: String, _ plain: String) { #expect(Notice.plain(text) == plain) }
}
