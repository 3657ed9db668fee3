/// A zone by the rules of a VTIMEZONE, as the instants at which its clock is changed.
struct EmbeddedZone: Hashable, Sendable {
  struct Onset: Hashable, Sendable {
    /// Seconds since 1970.
    let at: Int
    /// Seconds east of UTC, until then and from then on.
    let before: Int
    let after: Int
  }

  /// One STANDARD or DAYLIGHT part.
  struct Observance {
    var isDaylight = false
    /// By the clock that was valid until then.
    var start: LocalMoment
    var before: Int
    var after: Int
    var rule: RecurrenceRule?
    var dates: [LocalMoment] = []
  }

  /// In order.
  private let onsets: [Onset]
  private let first: Int
  /// Of all onsets, worked out once: zones are looked up by every event, and a zone may have thousands of them.
  private let digest: Int

  /// Onsets are worked out for these years; what lies beyond has the offset of the nearest.
  private static let years = 1960...2100

  /// More parts, or more onsets named one by one, than any zone has.
  private static let mostParts = 200
  private static let mostDates = 1000

  /// - Parameter steps: how many are left to work onsets out; what is used is taken off.
  /// - Returns: nil when there is no observance, or more than there can be.
  init?(_ observances: [Observance], steps: inout Int) {
    guard observances.count <= Self.mostParts, let earliest = observances.min(by: { $0.start < $1.start }) else {
      return nil
    }
    var onsets: [Onset] = []
    for observance in observances {
      // Microsoft writes each era of its rules without an end; the next one of the same kind ends it.
      let successor = observances.lazy
        .filter { $0.isDaylight == observance.isDaylight && $0.rule != nil && $0.start > observance.start }
        .map(\.start).min()
      guard let moments = Self.moments(of: observance, steps: &steps) else { return nil }
      for moment in moments where successor.map({ moment < $0 }) ?? true {
        onsets.append(
          Onset(at: moment.seconds - observance.before, before: observance.before, after: observance.after))
      }
    }
    onsets.sort { $0.at < $1.at }
    self.onsets = onsets
    first = earliest.before
    var hasher = Hasher()
    hasher.combine(first)
    hasher.combine(onsets)
    digest = hasher.finalize()
  }

  /// nil: it is no rule of a clock.
  private static func moments(of observance: Observance, steps: inout Int) -> [LocalMoment]? {
    guard observance.dates.count <= mostDates else { return nil }
    var moments = [observance.start] + observance.dates
    guard let rule = observance.rule else { return moments }
    let from = LocalMoment(CalendarDay(number: CalendarDay.number(year: years.lowerBound, month: 1)))
    let to = LocalMoment(CalendarDay(number: CalendarDay.number(year: years.upperBound, month: 12)))
    guard steps > 0 else { return nil }
    Recurrence(rule, start: observance.start, isAllDay: false).walk(
      from: from, through: to, steps: &steps,
      isPast: { rule.until?.isPast($0, utc: $0.seconds - observance.before) ?? false },
      found: { moments.append($0) })
    return moments
  }

  static func == (a: EmbeddedZone, b: EmbeddedZone) -> Bool {
    a.digest == b.digest && a.first == b.first && a.onsets == b.onsets
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }

  func offset(at instant: Int) -> Int {
    offset { $0.at <= instant }
  }

  /// The offset by which a local time is to be read. A change counts for local times from the later of its two readings
  /// on: so a time that comes twice is the first, and one that does not come is read by the clock before.
  func offset(ofLocal seconds: Int) -> Int {
    offset { $0.at + max($0.before, $0.after) <= seconds }
  }

  /// The offset after the last onset that has begun.
  private func offset(hasBegun: (Onset) -> Bool) -> Int {
    var low = 0
    var high = onsets.count
    while low < high {
      let middle = (low + high) / 2
      if hasBegun(onsets[middle]) { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : onsets[low - 1].after
  }
}
