import Testing

@testable import HTTP

struct PageTests {
  private let page = Page(language: "en", viewingDistance: 2.5, panelInches: 32)

  @Test func `the page names its files by their content and serves just those`() throws {
    let html = String(decoding: page.index(snapshot: "{}", live: true).body, as: UTF8.self)
    for name in ["css", "js"] {
      #expect(html.contains("\"/wall.\(Page.hash).\(name)\""))
      let file = try #require(Page.file("/wall.\(Page.hash).\(name)"))
      #expect(!file.isVolatile && file.body.count > 1000)
    }
    #expect(Page.file("/wall.0.css") == nil)
    #expect(Page.file("/wall.css") == nil)
    #expect(Page.file("/favicon.ico")?.status == 204)
    #expect(!html.contains("@"))
  }

  @Test func `no name can end the script that the snapshot stands in`() {
    let snapshot = #"{"person":"</script><!-- @HASH@ & <script>alert(1)"}"#
    let html = String(decoding: page.index(snapshot: snapshot, live: true).body, as: UTF8.self)
    #expect(html.contains(#"{"person":"\u003c/script>\u003c!-- @HASH@ & \u003cscript>alert(1)"}"#))
    #expect(html.components(separatedBy: "</script>").count == 3)
  }

  @Test func `the policy of the page holds: nothing is inline`() {
    let html = String(decoding: page.index(snapshot: "{}", live: false).body, as: UTF8.self)
    #expect(!html.contains("<style") && !html.contains("style=") && !html.contains(" on"))
    #expect(html.contains(#"data-live="0""#))
  }

  @Test(arguments: [
    (2.5, 32.0, "1"), (5, 32, "1.6"), (1, 32, "0.8"), (2.5, 24, "1.3"), (3, 43, "0.9"), (2.5, 0, "1"), (0, 0, "1"),
    (-1, 32, "1"), (.infinity, 32, "1"), (.nan, 32, "1"), (2.5, .nan, "1"), (2.5, .infinity, "0.8"),
    (1e300, 1e-300, "1.6"),
  ])
  func `letters keep their angle`(distance: Double, inches: Double, scale: String) {
    #expect(Page.scale(viewingDistance: distance, panelInches: inches) == scale)
  }
}

extension String {
  fileprivate func components(separatedBy mark: String) -> [Substring] {
    split(separator: mark, omittingEmptySubsequences: false)
  }
}
