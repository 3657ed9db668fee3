package import Foundation

/// Whose clock a time of a calendar is read from.
enum EventZone: Hashable, Sendable {
  /// The wall's: a floating time (RFC 5545 3.3.5, form 1).
  case wall
  case named(TimeZone)
  /// Seconds east of UTC.
  case fixed(Int)
  /// By rules that the calendar brings along (VTIMEZONE).
  case embedded(EmbeddedZone)

  static let utc = EventZone.fixed(0)
}

/// Turns local times of one zone into instants and back. Instants are whole seconds since 1970.
///
/// In the hour that comes twice a local time is the first, in the hour that does not come it is as if the clock had not
/// been changed: 02:30 becomes 03:30 (RFC 5545 3.3.5).
struct ZoneClock {
  private enum Rules {
    case fixed(Int)
    case named(TimeZone, Calendar)
    case embedded(EmbeddedZone)
  }

  private let rules: Rules

  init(_ zone: EventZone, wall: TimeZone) {
    switch zone {
    case .wall: self.init(wall)
    case .named(let zone): self.init(zone)
    case .fixed(let offset): self.init(rules: .fixed(offset))
    case .embedded(let zone): self.init(rules: .embedded(zone))
    }
  }

  init(_ zone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.init(rules: .named(zone, calendar))
  }

  private init(rules: Rules) { self.rules = rules }

  func instant(of moment: LocalMoment) -> Int {
    switch rules {
    case .fixed(let offset): return moment.seconds - offset
    case .embedded(let zone): return moment.seconds - zone.offset(ofLocal: moment.seconds)
    case .named(_, let calendar):
      let day = moment.day.parts
      let second = moment.secondOfDay
      let wanted = DateComponents(
        year: day.year, month: day.month, day: day.day, hour: second / 3600, minute: second / 60 % 60,
        second: second % 60)
      // Every Gregorian date has an answer; without one the time would be UTC's.
      return calendar.date(from: wanted).map { Int($0.timeIntervalSince1970.rounded()) } ?? moment.seconds
    }
  }

  func moment(at instant: Int) -> LocalMoment { LocalMoment(seconds: instant + offset(at: instant)) }

  private func offset(at instant: Int) -> Int {
    switch rules {
    case .fixed(let offset): offset
    case .embedded(let zone): zone.offset(at: instant)
    case .named(let zone, _): zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    }
  }
}

extension CalendarDay {
  /// The local day of an instant.
  package init(of instant: Date, in zone: TimeZone) {
    self = ZoneClock(zone).moment(at: instant.wholeSeconds).day
  }

  /// When the day begins; where midnight does not come, when the clock jumps over it.
  package func start(in zone: TimeZone) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let noon = Date(timeIntervalSince1970: Double(ZoneClock(zone).instant(of: LocalMoment(self, second: 43_200))))
    return calendar.startOfDay(for: noon)
  }
}

extension Date {
  /// Seconds since 1970, rounded down; of the years 1 to 9999, so that sums of them cannot overflow.
  var wholeSeconds: Int {
    Int(min(max(timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
  }
}
