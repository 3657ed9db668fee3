package import Foundation

/// What the wall shows of the calendars at one instant: today and tomorrow, as facts without words.
package struct AgendaView: Equatable, Sendable {
  package enum State: String, Sendable {
    case now, next, later
  }

  package enum Day: Sendable {
    case today, tomorrow
  }

  /// Day `number` of `count`, from 1: of an event over several days.
  package struct Position: Equatable, Sendable {
    package let number: Int
    package let count: Int
  }

  /// A timed event. Its start is never rewritten: one that began yesterday says so.
  package struct Timed: Equatable, Sendable {
    package let item: AgendaItem
    package let start: Date
    /// Not included.
    package let end: Date
    package let state: State
    /// The day it is listed under: today while it runs, else that of its start.
    package let day: Day
    /// Nil: it begins and ends on one day.
    package let position: Position?
  }

  /// An event of whole days, once for each of the two days.
  package struct WholeDay: Equatable, Sendable {
    package let item: AgendaItem
    package let day: Day
    /// Nil: it is one day long.
    package let position: Position?
  }

  /// By day, then by start.
  package let allDay: [WholeDay]
  /// What runs now, the latest start first, then what begins today and tomorrow, in order.
  package let timed: [Timed]
  /// When any of this changes by the passing of time alone; at the latest the next midnight.
  package let changesAt: Date

  /// What runs now. The first began last: that is the one a wall with room for one shows.
  package var now: [Timed] { timed.filter { $0.state == .now } }
  /// What begins next, today or tomorrow: all that begin together.
  package var next: [Timed] { timed.filter { $0.state == .next } }
  /// What else begins today.
  package var laterToday: [Timed] { timed.filter { $0.state == .later && $0.day == .today } }
  /// What else begins tomorrow.
  package var tomorrow: [Timed] { timed.filter { $0.state == .later && $0.day == .tomorrow } }

  /// The stretch of time whose instances a view needs, half-open: today and tomorrow in the zone.
  package static func window(at now: Date, in zone: TimeZone) -> (from: Date, to: Date) {
    let today = CalendarDay(of: now, in: zone)
    return (today.start(in: zone), today.advanced(by: 2).start(in: zone))
  }

  /// - Parameters:
  ///   - items: of all calendars, as `CalendarFeed.instances` gives them for `window`; others do no harm.
  ///   - now: the wall's clock.
  ///   - zone: the wall's.
  package init(_ items: [AgendaItem], at now: Date, in zone: TimeZone) {
    let today = CalendarDay(of: now, in: zone)
    let tomorrow = today.advanced(by: 1)
    let midnight = tomorrow.start(in: zone)
    let horizon = today.advanced(by: 2).start(in: zone)
    allDay = [(today, Day.today), (tomorrow, .tomorrow)].flatMap { date, day in
      Self.wholeDays(items, on: date, day)
    }
    let near = items.compactMap { TimedItem($0) }
      .filter { $0.start < horizon && ($0.end > now || $0.start > now) }.sorted(by: TimedItem.precedes)
    let running = near.filter { $0.start <= now }.sorted { a, b in
      a.start != b.start ? a.start > b.start : TimedItem.precedes(a, b)
    }
    let coming = near.filter { $0.start > now }
    let first = coming.first?.start
    timed =
      running.map { Timed($0, .now, .today, listedOn: today, in: zone) }
      + coming.map { item in
        let isToday = item.start < midnight
        return Timed(
          item, item.start == first ? .next : .later, isToday ? .today : .tomorrow,
          listedOn: isToday ? today : tomorrow, in: zone)
      }
    changesAt = (near.flatMap { [$0.start, $0.end] }.filter { $0 > now } + [midnight]).min() ?? midnight
  }

  private static func wholeDays(_ items: [AgendaItem], on date: CalendarDay, _ day: Day) -> [WholeDay] {
    var found: [(first: CalendarDay, id: String, entry: WholeDay)] = []
    for item in items {
      guard case .days(let first, let end) = item.instance.span, first <= date, date < end else { continue }
      let count = end.number - first.number
      let position = count > 1 ? Position(number: date.number - first.number + 1, count: count) : nil
      found.append((first, item.id, WholeDay(item: item, day: day, position: position)))
    }
    return found.sorted { ($0.first, $0.id) < ($1.first, $1.id) }.map(\.entry)
  }
}

extension AgendaView.Timed {
  fileprivate init(
    _ timed: TimedItem, _ state: AgendaView.State, _ day: AgendaView.Day, listedOn date: CalendarDay, in zone: TimeZone
  ) {
    item = timed.item
    start = timed.start
    end = timed.end
    self.state = state
    self.day = day
    let first = CalendarDay(of: start, in: zone)
    // What ends at midnight does not take place on the day that begins then.
    let last = end > start ? CalendarDay(of: end.addingTimeInterval(-1), in: zone) : first
    let count = last.number - first.number + 1
    position = count > 1 ? AgendaView.Position(number: date.number - first.number + 1, count: count) : nil
  }
}
