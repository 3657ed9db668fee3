package import Foundation

/// What a provider says in words about a stop, a route or a trip: a detour, a holiday.
package struct Notice: Equatable, Sendable {
  /// When it holds; nil: open on that side.
  package struct Period: Equatable, Sendable {
    package var from: Date?
    package var to: Date?

    package init(from: Date?, to: Date?) {
      self.from = from
      self.to = to
    }

    func holds(_ instant: Date) -> Bool { from.map { $0 <= instant } ?? true && to.map { instant < $0 } ?? true }
  }

  /// The most that are shown at once: servers have sent hundreds.
  static let shown = 3

  package var id: TransitID
  /// Empty: it always holds.
  package var periods: [Period]
  /// Plain text on one line.
  package var summary: String
  /// Plain text on one line; may be empty.
  package var detail: String

  package init(id: TransitID, periods: [Period], summary: String, detail: String) {
    self.id = id
    self.periods = periods
    self.summary = summary
    self.detail = detail
  }

  package func isActive(at now: Date) -> Bool { periods.isEmpty || periods.contains { $0.holds(now) } }

  /// Those of `ids` that hold now, each text once, at most three.
  static func active(_ notices: [Notice], among ids: Set<TransitID>, at now: Date) -> [Notice] {
    var texts: Set<String> = []
    let active = notices.filter { ids.contains($0.id) && $0.isActive(at: now) && texts.insert($0.summary).inserted }
    return Array(active.prefix(shown))
  }

  /// The first instant after `now` at which one of `ids` begins or ends to hold.
  static func nextChange(_ notices: [Notice], among ids: Set<TransitID>, after now: Date) -> Date? {
    notices.lazy.filter { ids.contains($0.id) }.flatMap(\.periods).flatMap { [$0.from, $0.to] }.compactMap(\.self)
      .filter { $0 > now }.min()
  }

  /// Text as providers write it, without its HTML and line ends, at most 500 characters.
  static func plain(_ text: String) -> String {
    var kept = ""
    var isInTag = false
    for character in text.prefix(4000) {
      switch character {
      case "<": isInTag = true
      case ">" where isInTag:
        isInTag = false
        kept.append(" ")
      default: if !isInTag { kept.append(character) }
      }
    }
    for (entity, meaning) in [
      ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ] {
      kept = kept.replacingOccurrences(of: entity, with: meaning)
    }
    return String(kept.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(500))
  }
}
