package import Foundation
internal import Wall

/// Instants as people and programs write them (DESIGN 4.1).
package enum InstantFormat {
  /// Any ISO 8601 date and time with an offset or Z; nil for anything else.
  package static func parse(_ text: String) -> Date? {
    guard text.utf8.count <= 40 else { return nil }
    for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
      if let date = try? Date(text, strategy: style) { return date }
    }
    // Without seconds, as people write it.
    let parts = text.split(separator: "T", maxSplits: 1)
    guard parts.count == 2, let sign = parts[1].firstIndex(where: { "+-Z".contains($0) }) else { return nil }
    let clock = parts[1][..<sign]
    guard clock.count == 5 else { return nil }
    return try? Date("\(parts[0])T\(clock):00\(parts[1][sign...])", strategy: .iso8601)
  }

  /// As `2026-11-01T01:30:00-07:00`: whole seconds rounded down, a numeric offset, never Z.
  package static func text(_ instant: Date, in zone: TimeZone) -> String { InstantText.text(instant, in: zone) }
}
