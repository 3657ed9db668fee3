internal import Foundation

/// When the wall is dark: from one local time to another, over midnight when the second is the earlier one.
package struct NightHours: Equatable, Sendable {
  /// Minutes since local midnight, 0 to 1439. Equal: never.
  package var from: Int
  package var to: Int

  /// 22:00 to 6:00.
  package static let usual = NightHours(from: 22 * 60, to: 6 * 60)

  package init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }

  /// The end is not part of it.
  func holds(_ instant: Date, in zone: TimeZone) -> Bool {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents([.hour, .minute], from: instant)
    let minute = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
    return from <= to ? from <= minute && minute < to : minute >= from || minute < to
  }
}
