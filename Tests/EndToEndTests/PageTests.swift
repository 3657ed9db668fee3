import Foundation
import HTTP
import Linux
import TestSupport
import Testing
import Wall

/// The page in a real browser, in every state, on every kind of panel: `audit.py` looks at each text for contrast, size and
/// wholeness. The pictures stay in Tests/artifacts for people to look at.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct PageTests {
  static let panels = ["1080x1920", "1920x1080", "800x480", "2160x3840", "3840x2160"]

  @Test(arguments: ["day", "night"])
  func `every state is readable on every panel`(mode: String) throws {
    let states = PageStates.all
    let page = try ServedPage(states.mapValues { PageStates.json($0, mode: mode) })
    let views = try page.audit(states.keys.sorted(), sizes: Self.panels, named: mode)
    #expect(views.count == states.count * Self.panels.count)
    for view in views { #expect(view.faults == [], "\(view.name) \(view.size), see \(view.screenshot ?? "-")") }
  }

  @Test(arguments: [0.6, 2.5, 3.2, 6.0])
  func `from near and from afar it is as readable`(distance: Double) throws {
    let states = PageStates.all.filter { ["full", "lateMany", "german", "missed"].contains($0.key) }
    let page = try ServedPage(states.mapValues { PageStates.json($0) }, viewingDistance: distance)
    // At the largest scale, what must stay has no room in these two.
    let overfull = distance == 6 ? ["german", "missed"] : []
    let views = try page.audit(
      states.keys.sorted(), sizes: ["1080x1920", "1920x1080", "600x1024"], named: "distance\(distance)",
      mayShrink: overfull)
    #expect(views.count == states.count * 3)
    for view in views { #expect(view.faults == [], "\(view.name) \(view.size)") }
    #expect(Set(views.filter { $0.shrunkTo != nil }.map(\.name)) == Set(overfull.map { "distance\(distance)-\($0)" }))
  }

  @Test func `no text is cut but a name`() throws {
    let states = PageStates.all.filter { !$0.value.late.isEmpty || !$0.value.ended.isEmpty || $0.key == "full" }
    let page = try ServedPage(states.mapValues { PageStates.json($0) })
    let titles: Set = [
      "Parent-teacher conference, room 12 with Mrs. Delgado", "Jackson Park Express", "Garfield Station",
    ]
    var shortened: Set<String> = []
    for view in try page.audit(states.keys.sorted(), sizes: Self.panels + ["600x1024"], named: "cut") {
      let state = try #require(states[String(view.name.dropFirst("cut-".count))])
      let doses = state.late + state.ended.map(\.dose)
      // The dot between a medication and its dose stands with the medication.
      let names = titles.union(doses.flatMap { [$0.person, $0.medication, $0.medication + " ·"] })
      #expect(names.isSuperset(of: view.shortened), "\(view.name) \(view.size), see \(view.screenshot ?? "-")")
      #expect(view.faults == [], "\(view.name) \(view.size), see \(view.screenshot ?? "-")")
      #expect(doses.isEmpty || doses.contains { $0.dose.map(view.said.contains) ?? false }, "\(view.name) \(view.size)")
      shortened.formUnion(view.shortened)
    }
    // Or nothing was put to the test.
    #expect(shortened.contains(PageStates.clavulanic + " ·"))
  }

  @Test(arguments: [(4, 4, 2, "1080x1920"), (4, 3, 3, "800x480")])
  func `a small panel shows three cards and counts the others`(cards: Int, shown: Int, more: Int, size: String) throws {
    let state = try #require(PageStates.all["full"])
    let page = try ServedPage(["full": PageStates.json(state)])
    let said = try page.audit(["full"], sizes: [size], named: "small").flatMap(\.said)
    let titles = ["Garfield Station", "Ann", "Jackson Park Express", "Period 3"]
    #expect(titles.count == cards)
    #expect(titles.filter(said.contains).count == shown)
    #expect(said.contains("+\(more) more"), "\(said)")
  }

  @Test(arguments: [(20, false, false), (26, true, false), (121, true, true)])
  func `a page whose agent is silent says so, and then takes back what it cannot know`(
    seconds: Int, isSaid: Bool, isTakenBack: Bool
  ) throws {
    let state = try #require(PageStates.all["full"])
    let page = try ServedPage(["full": PageStates.json(state)])
    let views = try page.audit(["full"], sizes: Self.panels, named: "silent\(seconds)", silentFor: seconds)
    for view in views {
      #expect(view.faults == [], "\(view.size)")
      #expect(view.said.contains { $0.hasPrefix("The wall has lost its connection for") } == isSaid)
      #expect(view.said.contains("8:08") == !isTakenBack, "the clock")
      #expect(view.said.contains("Reader ready") == !isSaid, "a promise nobody can make")
      #expect(view.said.contains("22") == !isTakenBack, "the time left until a dose")
    }
  }

  @Test func `a text that is too faint, too small, cut or outside is found`() throws {
    for (name, css, kind) in [
      ("faint", "#date { color: #555 }", "contrast"), ("small", "#date { font-size: 1.5rem }", "size"),
      ("shrunk", "#clock { height: 200vh }", "shrunk"),
      ("shrunk-at-the-root", "html { font-size: 1.1852vmin !important }", "size"),
      ("cut", "#reader { overflow: hidden; width: 3rem; white-space: nowrap }", "cut"),
      ("outside", "#date { position: relative; left: 60rem }", "outside"),
    ] {
      let state = try #require(PageStates.all["full"])
      let page = try ServedPage(["full": PageStates.json(state)], css: css)
      let faults = try page.audit(["full"], sizes: ["1080x1920"], named: "audit-\(name)").flatMap(\.faults)
      #expect(faults.contains { $0.kind == kind }, "\(name): \(faults)")
    }
  }
}

/// The page of the product, served by its own server with the product's rules, with snapshots that stand still.
final class ServedPage {
  struct View: Decodable {
    struct Fault: Decodable, Equatable {
      var kind: String
      var text: String
      var `where`: String
    }
    var name: String
    var size: String
    var screenshot: String?
    var shortened: [String]
    var said: [String]
    /// `day`, `night` or `off`.
    var mode: String?
    /// The scale that the page chose for itself because it was too full; nil: the one it was served with.
    var shrunkTo: Double?
    /// Pixels to the right and down.
    var moved: [Double]?
    /// What would move: the names of animations and of properties with a transition.
    var moving: [String]?
    /// What does.
    var running: [String]?
    /// The largest share of the glass that was ever not dark.
    var light: Double?
    var faults: [Fault]
  }

  private struct Report: Decodable { var results: [View] }

  private let server: Server
  private let port: UInt16

  /// - Parameters:
  ///   - snapshots: JSON by name; each is the page at `/NAME`.
  ///   - css: added to the page's own.
  init(_ snapshots: [String: String], viewingDistance: Double = 2.5, css: String = "") throws {
    let page = Page(language: "en", viewingDistance: viewingDistance, panelInches: 32)
    server = Server(
      settings: ServerSettings(
        address: "127.0.0.1", port: 0, boot: "b1", asset: Page.hash, timeZone: "America/Los_Angeles"),
      time: SystemTime()
    ) { request in
      if let snapshot = snapshots[String(request.path.dropFirst())] {
        return page.index(snapshot: snapshot, live: request.query != "live=0")
      }
      guard var file = Page.file(request.path) else { return Response(status: request.method == "POST" ? 204 : 404) }
      if request.path.hasSuffix(".css") { file.body += Array(css.utf8) }
      return file
    }
    port = try server.start()
  }

  deinit { server.stop() }

  /// What `audit.py` sees of these pages.
  ///
  /// - Parameters:
  ///   - silentFor: seconds since the agent was last heard; nil: the page has no stream.
  ///   - mayShrink: of `names`, those too full for the letters of their scale.
  ///   - more: further options of `audit.py`.
  func audit(
    _ names: [String], sizes: [String], named prefix: String, silentFor: Int? = nil, mayShrink: [String] = [],
    _ more: [String] = []
  ) throws -> [View] {
    let query = silentFor == nil ? "?live=0" : ""
    let pages = names.map { (name: "\(prefix)-\($0)", address: "http://127.0.0.1:\(port)/\($0)\(query)") }
    let shrinking = mayShrink.flatMap { ["--may-shrink", "\(prefix)-\($0)"] }
    return try Self.audit(pages, sizes: sizes, silentFor: silentFor, more + shrinking)
  }

  static func audit(
    _ pages: [(name: String, address: String)], sizes: [String], silentFor: Int? = nil, _ more: [String] = []
  ) throws -> [View] {
    try views(of: look(at: pages, sizes: sizes, more + (silentFor.map { ["--silent", "\($0)"] } ?? [])))
  }

  /// Opens a page at every size and returns: the look at it is taken when it shows `selector`.
  static func watch(_ page: (name: String, address: String), sizes: [String], until selector: String) throws
    -> ChildProgram
  {
    let audit = try look(at: [page], sizes: sizes, ["--until", selector])
    try audit.waitFor("watching", within: 60)
    return audit
  }

  static func views(of audit: ChildProgram) throws -> [View] {
    let code = try audit.waitForExit(within: 300)
    #expect(code < 2, "\(audit.text)")
    let report = audit.text.drop { $0 != "{" }
    return try JSONDecoder().decode(Report.self, from: Data(report.utf8)).results
  }

  private static func look(at pages: [(name: String, address: String)], sizes: [String], _ more: [String]) throws
    -> ChildProgram
  {
    let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/audit.py"
    var words = ["python3", script] + pages.map(\.address)
    words += pages.flatMap { ["--name", $0.name] } + sizes.flatMap { ["--size", $0] }
    return try ChildProgram("/usr/bin/env", words + ["--out", artifacts] + more)
  }

  /// Pictures for people to look at.
  private static let artifacts =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/artifacts"
}
