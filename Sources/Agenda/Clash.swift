package import Foundation

/// Two chosen events that one person cannot both attend whole.
package struct Clash: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// The second begins before the first is over, by so many seconds.
    case overlap(TimeInterval)
    /// Between them so many seconds are missing for the way.
    case tight(missing: TimeInterval)
  }

  /// What begins first.
  package let first: AgendaItem
  package let second: AgendaItem
  package let kind: Kind
  package let walk: WalkingTimes.Walk

  /// Every clashing pair once, by the start of the first, then of the second; at most `limit` of them. Whole days clash
  /// with nothing, nor does what takes nobody's time.
  package static func find(in items: [AgendaItem], walking: WalkingTimes, limit: Int = 200) -> [Clash] {
    let timed = items.filter { !$0.instance.isFree }.compactMap { TimedItem($0) }.sorted(by: TimedItem.precedes)
    let reach = Double(max(WalkingTimes.elsewhere, WalkingTimes.inVenue) * 60)
    var clashes: [Clash] = []
    for (index, first) in timed.enumerated() {
      for second in timed[(index + 1)...] {
        guard second.start < first.end.addingTimeInterval(reach) else { break }
        guard let clash = Clash(first, second, walking) else { continue }
        guard clashes.count < limit else { return clashes }
        clashes.append(clash)
      }
    }
    return clashes
  }

  private init?(_ first: TimedItem, _ second: TimedItem, _ walking: WalkingTimes) {
    let walk = walking.walk(from: first.item.instance.location, to: second.item.instance.location)
    let missing = first.end.addingTimeInterval(Double(walk.minutes * 60)).timeIntervalSince(second.start)
    if second.start < first.end {
      kind = .overlap(min(first.end, second.end).timeIntervalSince(second.start))
    } else if missing > 0 {
      kind = .tight(missing: missing)
    } else {
      return nil
    }
    self.first = first.item
    self.second = second.item
    self.walk = walk
  }
}

/// Time between two chosen events in which nothing is chosen.
package struct AgendaGap: Equatable, Sendable {
  package let start: Date
  /// When the next begins.
  package let end: Date

  /// Shorter ones are no gaps.
  package static let shortest: TimeInterval = 15 * 60

  /// The gaps of one local day, between its first event and its last.
  package static func find(in items: [AgendaItem], on day: CalendarDay, zone: TimeZone) -> [AgendaGap] {
    let (from, to) = (day.start(in: zone), day.advanced(by: 1).start(in: zone))
    let timed = items.compactMap { TimedItem($0) }
      .filter { !$0.item.instance.isFree && $0.start < to && ($0.end > from || $0.start >= from) }
      .sorted(by: TimedItem.precedes)
    var gaps: [AgendaGap] = []
    var busyUntil: Date?
    for item in timed {
      if let busyUntil, item.start.timeIntervalSince(busyUntil) >= shortest {
        gaps.append(AgendaGap(start: busyUntil, end: item.start))
      }
      busyUntil = max(busyUntil ?? item.end, item.end)
    }
    return gaps
  }
}
