internal import WallPage

/// The wall's page: three files, embedded, named by their content so that a browser may keep them for ever.
package struct Page: Sendable {
  private static let html = unsafe text(page_html())
  private static let css = unsafe text(page_css())
  private static let js = unsafe text(page_js())

  /// Names the files: FNV-1a over all of them.
  package static let hash: String = {
    let digest = (html + css + js).utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(digest, radix: 16)
  }()

  private let language: String
  private let scale: String

  /// - Parameters:
  ///   - viewingDistance: metres.
  ///   - panelInches: the diagonal of a 16:9 panel.
  package init(language: String, viewingDistance: Double, panelInches: Double) {
    self.language = language
    scale = Self.scale(viewingDistance: viewingDistance, panelInches: panelInches)
  }

  /// How much larger than at 2.5 m from a 32" panel letters must be to keep their angle (ISO 9241-3: 20 arc minutes),
  /// in tenths from 0.8 to 1.6; 1 for what is no distance or no panel.
  static func scale(viewingDistance: Double, panelInches: Double) -> String {
    guard viewingDistance > 0, panelInches > 0, viewingDistance.isFinite else { return "1" }
    let wanted = viewingDistance / panelInches * (32 / 2.5)
    let tenths = Int((min(max(wanted, 0.8), 1.6) * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  /// The page with the snapshot in it: the first paint needs no second request.
  package func index(snapshot: String, live: Bool) -> Response {
    // Inside a script element only `<` can end it; as JSON it may be written as an escape.
    let safe = snapshot.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
    let filled = Self.fill(
      Self.html,
      ["LANG": language, "HASH": Self.hash, "SCALE": scale, "LIVE": live ? "1" : "0", "SNAPSHOT": safe])
    return Response(type: "text/html; charset=utf-8", body: Array(filled.utf8))
  }

  /// One of the other files; nil: no such file.
  package static func file(_ path: String) -> Response? {
    switch path {
    case "/wall.\(hash).css": Response(type: "text/css; charset=utf-8", body: Array(css.utf8), isVolatile: false)
    case "/wall.\(hash).js": Response(type: "text/javascript; charset=utf-8", body: Array(js.utf8), isVolatile: false)
    case "/favicon.ico": Response(status: 204)
    default: nil
    }
  }

  /// Puts values in the place of `@NAME@`; what a value holds is never looked at again.
  private static func fill(_ text: String, _ values: [String: String]) -> String {
    text.split(separator: "@", omittingEmptySubsequences: false).map { part in values[String(part)] ?? String(part) }
      .joined()
  }

  private static func text(_ file: page_file) -> String {
    unsafe String(decoding: UnsafeBufferPointer(start: file.start, count: file.count), as: UTF8.self)
  }
}
