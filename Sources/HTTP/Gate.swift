/// Who may ask what: decided before any endpoint sees a request.
///
/// Loopback is no border: any page in any browser of this machine can send requests here, and a name that suddenly resolves
/// to 127.0.0.1 makes them same-origin. So the Host must be ours, and what changes something must come from our own page.
package struct Gate: Sendable {
  private let hosts: Set<String>

  /// - Parameter port: what the server listens on.
  package init(port: UInt16) { hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"] }

  /// The status to refuse with; nil: welcome.
  package func refusal(_ request: Request) -> Int? {
    guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else { return 421 }
    switch request.method {
    case "GET", "HEAD": return comesFromElsewhere(request) && !opensPage(request) ? 403 : nil
    case "POST":
      let type = (request.headers["content-type"] ?? "").lowercased()
      guard type == "application/json" || type.hasPrefix("application/json;") else { return 415 }
      guard request.headers["origin"]?.lowercased() == "http://\(host)" else { return 403 }
      return comesFromElsewhere(request) ? 403 : nil
    case "CONNECT", "DELETE", "OPTIONS", "PATCH", "PUT", "TRACE": return 405
    default: return 501
    }
  }

  /// Browsers say so on loopback with every request. A foreign page could otherwise hold all the event streams.
  private func comesFromElsewhere(_ request: Request) -> Bool {
    request.headers["sec-fetch-site"].map { $0 != "same-origin" && $0 != "none" } ?? false
  }

  /// A link to the wall may stand anywhere; it opens the wall and tells the page with the link nothing.
  private func opensPage(_ request: Request) -> Bool {
    request.headers["sec-fetch-mode"] == "navigate" && request.headers["sec-fetch-dest"] == "document"
  }
}
