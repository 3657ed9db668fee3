internal import Foundation

/// What OneBusAway's servers allow: a known key, and 100 ms between two requests with it. A refused request counts as the
/// last one, so that whoever hammers is never let in again.
package struct OneBusAwayRules: Sendable {
  package static let distance: Duration = .milliseconds(100)

  package var key: String
  /// Requests by method name, refused ones included.
  package private(set) var requests: [String: Int] = [:]
  /// How many came too early.
  package private(set) var refused = 0
  private var last: Duration?

  package init(key: String) { self.key = key }

  /// - Parameter uptime: by a clock that never steps.
  /// - Returns: the code of a refusal; nil: it may be answered.
  package mutating func admit(_ path: String, key: String?, at uptime: Duration) -> Int? {
    let method = path.split(separator: "/").dropFirst(2).first.map(String.init) ?? path
    requests[method.replacingOccurrences(of: ".json", with: ""), default: 0] += 1
    guard key == self.key else { return 401 }
    let isEarly = last.map { uptime - $0 < Self.distance } ?? false
    last = uptime
    if isEarly { refused += 1 }
    return isEarly ? 429 : nil
  }

  /// The parameters of a query, percent-decoded.
  package static func parameters(_ query: String) -> [String: String] {
    let items = query.split(separator: "&").map { item -> (String, String) in
      let parts = item.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
      return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }
    return Dictionary(items) { first, _ in first }
  }
}
