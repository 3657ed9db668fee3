internal import Foundation

extension Date {
  /// Milliseconds from `other` to this, to the nearest: what providers tell is whole milliseconds, and a limit of 90 s must
  /// not be passed by the rounding of a `Double`.
  func milliseconds(since other: Date) -> Int {
    let exact = (timeIntervalSince(other) * 1000).rounded()
    if let whole = Int(exactly: exact) { return whole }
    return exact > 0 ? Int.max / 4 : Int.min / 4
  }

  /// Before `now` by a millisecond or more.
  func isPast(at now: Date) -> Bool { milliseconds(since: now) < 0 }

  /// To the nearest millisecond.
  var wholeMilliseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000) }

  func adding(milliseconds: Int) -> Date { addingTimeInterval(Double(milliseconds) / 1000) }

  /// An instant from milliseconds since 1970; nil outside 2001 to 2099: providers send 0, -1 and sums of these for "none".
  init?(providerMilliseconds milliseconds: Double?) {
    guard let milliseconds, milliseconds >= 978_307_200_000, milliseconds < 4_102_444_800_000 else { return nil }
    self.init(timeIntervalSince1970: milliseconds.rounded() / 1000)
  }
}

/// The whole seconds in a time left, to the nearest (DESIGN 4.4).
func wholeSeconds(ofMilliseconds left: Int) -> Int { floorDivide(left + 500, 1000) }

/// Rounded towards minus infinity.
func floorDivide(_ value: Int, _ divisor: Int) -> Int {
  let quotient = value / divisor
  return value % divisor < 0 ? quotient - 1 : quotient
}
