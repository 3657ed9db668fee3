/// Who may ask what: decided before any endpoint sees a request.
///
/// Loopback is no border: any page in any browser of this machine can send requests here, and a name that suddenly resolves
/// to 127.0.0.1 makes them same-origin. So the Host must be ours, and what changes something must come from our own page.
struct Gate: Sendable {
  private let hosts: Set<String>

  init(port: UInt16) { hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"] }

  /// The status to refuse with; nil: welcome.
  func refusal(_ request: Request) -> Int? {
    guard let host = request.headers["host"], hosts.contains(host.lowercased()) else { return 421 }
    switch request.method {
    case "GET", "HEAD": return nil
    case "POST":
      let type = request.headers["content-type"]?.lowercased()
      guard let type, type == "application/json" || type.hasPrefix("application/json;") else { return 415 }
      guard request.headers["origin"]?.lowercased() == "http://\(host.lowercased())" else { return 403 }
      guard ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"]) else { return 403 }
      return nil
    default: return 405
    }
  }
}
