import Testing

/// What a picture of a page at rest cannot show: that it moves against burn-in, stands still for whom motion makes ill, and
/// never flashes into a dark room.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct PageMotionTests {
  @Test func `wherever it stands against burn-in nothing leaves the glass and nothing is cut`() throws {
    let states = PageStates.all.filter { ["full", "lateMany"].contains($0.key) }
    let page = try ServedPage(states.mapValues { PageStates.json($0) })
    var places: Set<[Double]> = []
    for minute in 1...8 {
      let views = try page.audit(
        states.keys.sorted(), sizes: PageTests.panels, named: "minute\(minute)", ["--minutes", "\(minute)"])
      #expect(views.count == states.count * PageTests.panels.count)
      for view in views { #expect(view.faults == [], "\(view.name) \(view.size), see \(view.screenshot ?? "-")") }
      let now = Set(views.compactMap(\.moved))
      #expect(now.count == 1 && now.allSatisfy { $0.allSatisfy { abs($0) <= 8 } }, "\(now)")
      #expect(now.contains([0, 0]) == (minute == 8), "after 8 minutes it is back")
      places.formUnion(now)
    }
    #expect(places.count == 8)
  }

  @Test(arguments: [("no-preference", ["enter", "transform"], ["transform"]), ("reduce", [], [])])
  func `it glides, and jumps for whom motion makes ill`(preference: String, moving: [String], running: [String]) throws
  {
    let state = try #require(PageStates.all["full"])
    let page = try ServedPage(["full": PageStates.json(state)])
    // Looked at when it has come to rest.
    let views = try page.audit(
      ["full"], sizes: PageTests.panels, named: preference,
      ["--motion", preference, "--minutes", "1", "--settle", "2500"])
    for view in views {
      #expect(view.faults == [], "\(view.size)")
      #expect(view.moving == moving, "\(view.size)")
      // A minute has just passed.
      #expect(view.running == running, "\(view.size)")
    }
  }

  @Test(arguments: ["day", "night"], [".css", ".js"])
  func `a file that comes late or never leaves the room dark`(mode: String, file: String) throws {
    let state = try #require(PageStates.all["full"])
    let page = try ServedPage(["full": PageStates.json(state, mode: mode)])
    let views = try page.audit(["full"], sizes: PageTests.panels, named: "without\(file)-\(mode)", ["--hold", file])
    #expect(views.count == PageTests.panels.count)
    for view in views {
      #expect(view.faults == [], "\(view.size)")
      // A page without its files knows no night, and is as dark by day.
      #expect(try #require(view.light) < 0.2, "\(view.size)")
    }
  }
}
