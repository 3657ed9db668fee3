internal import Foundation

/// N6: whether the network wants somebody to log in first. Then it answers in place of the Internet, and all else that
/// fails does so because of it.
enum PortalCheck {
  static let check = Check(
    "N6", "No log-in page in the way", needs: ["N3"], impact: .wall, eyes: .service, usesNetwork: true
  ) { await look($0) }

  /// Debian's page for this very question; nothing of this kiosk is in the request.
  private static let page = (address: "http://network-test.debian.org/nm", host: "network-test.debian.org")
  private static let answer = "NetworkManager is online"

  private static func look(_ box: Surroundings) async -> Finding {
    guard !box.outside.isEmpty else { return Surroundings.nothingOutside }
    return finding(CurlProbe(time: box.time).page(page.address))
  }

  static func finding(_ found: CurlProbe.Page) -> Finding {
    guard case .answer(let status, let redirect, let body) = found else {
      return .skip("The page that tells it does not answer.")
    }
    if status == 200, body.hasPrefix(answer) { return .pass([.init("a known page", "came as it is")]) }
    let text = body.prefix(512).trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    let target = redirect.flatMap { URLComponents(string: $0)?.host?.lowercased() }
    // 511 says so itself (RFC 6585 6).
    let isPortal = status == 511 || target.map { $0 != page.host } ?? (text.hasPrefix("<") && status < 400)
    guard isPortal else { return .skip("The page that tells it answers with \(status).") }
    var seen: [Finding.Fact] = [.init("a known page", target == nil ? "another page came" : "sent elsewhere")]
    if let target { seen.append(.init("to", Redaction.line(target))) }
    return .fail(
      seen, "The network answers in place of the Internet: it wants a log-in.",
      "Sign in to the network, or let this machine out without.")
  }
}
