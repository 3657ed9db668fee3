/// Seconds as people count them down: digits only, the same in every language.
package enum CountdownText {
  /// `0:59`, `25:00`, `1:15:00`; nil from a day on, where a day's name says more.
  package static func digits(_ seconds: Int) -> String? {
    guard seconds < 86_400 else { return nil }
    let left = max(0, seconds)
    let (hours, minutes) = (left / 3600, left / 60 % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(left % 60))" : "\(minutes):\(two(left % 60))"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
