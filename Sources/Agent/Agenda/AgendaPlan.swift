package import Agenda
internal import Configuration
package import Foundation
package import Wall

/// What takes place today, tomorrow and the day after, worked out from the calendars: one more day than is shown, so that
/// the wall has what it needs when midnight comes.
package struct AgendaPlan: Sendable {
  package private(set) var zone: TimeZone
  /// The first of its days.
  package private(set) var day: CalendarDay
  private let madeAt: Date
  private let stock: AgendaStock
  /// What follows from an event having been chosen, by its id.
  private var plans: [String: EventPlan] = [:]
  /// By calendar.
  private let picks: [String: Configuration.CalendarSource.Picks]

  private var shown: [AgendaItem] { stock.shown }
  private var chosen: [AgendaItem] { stock.chosen }
  private var others: [AgendaItem] { stock.others }
  /// How many events of each calendar repeat too often to be shown whole; those with none are not there.
  package var cutEventCounts: [String: Int] { stock.cutEventCounts }

  package init(_ sheets: [CalendarSheet], at now: Date, in zone: TimeZone) {
    self.zone = zone
    madeAt = now
    day = CalendarDay(of: now, in: zone)
    stock = AgendaStock(sheets, days: day..<day.advanced(by: 3), at: now, in: zone)
    let all = sheets.compactMap { sheet in sheet.calendar.picks.map { (sheet.calendar.id, $0) } }
    picks = Dictionary(all) { first, _ in first }
    let walking = WalkingTimes(venue: sheets.flatMap { $0.picks?.venue ?? [] })
    let gaps = (0..<3).flatMap { AgendaGap.find(in: chosen, on: day.advanced(by: $0), zone: zone) }
    let clashes = Self.clashes(of: chosen, walking)
    for item in chosen {
      guard case .times(let start, let end) = item.instance.span else { continue }
      plans[item.id] = EventPlan(
        clashes: clashes[item.id] ?? [], departure: departure(to: item, at: start, walking),
        freeUntil: gaps.first { $0.start == end }?.end,
        remindFrom: start - Double((picks[item.calendar]?.remind ?? 0) * 60))
    }
  }

  private static func clashes(of chosen: [AgendaItem], _ walking: WalkingTimes) -> [String: [EventPlan.Clash]] {
    var found: [String: [EventPlan.Clash]] = [:]
    for clash in Clash.find(in: chosen, walking: walking) {
      let (first, second) = (clash.first, clash.second)
      switch clash.kind {
      case .overlap:
        found[first.id, default: []].append(.overlap(second.openTitle))
        found[second.id, default: []].append(.overlap(first.openTitle))
      case .tight(let missing):
        found[second.id, default: []].append(
          .tight(after: first.openTitle, missing: max(1, Int((missing / 60).rounded(.up)))))
      }
    }
    return found
  }

  /// Whether it is of the day and the zone, and has all that the wall can show.
  package func holds(_ now: Date, in zone: TimeZone) -> Bool {
    // A clock that was set back brings back what was over for longer than is looked back.
    let isCovered = now > madeAt - AgendaStock.past && stock.reaches(now)
    return isCovered && zone == self.zone && CalendarDay(of: now, in: zone) == day
  }

  // MARK: The wall

  /// Adds what is to be seen at `input.now`.
  ///
  /// - Returns: when that changes by the passing of time alone.
  package func add(to input: inout WallInput) -> Date {
    let now = input.now
    let view = AgendaView(shown, at: now, in: zone)
    let today = view.allDay.filter { $0.day == .today }
    let listed = Set(today.map(\.item.id))
    // What goes on from today is in the list once.
    let wholeDays = today + view.allDay.filter { $0.day == .tomorrow && !listed.contains($0.item.id) }
    var facts = wholeDays.map { entry in
      self.facts(entry.item, entry.day == .today ? .now : .later, entry.day, entry.position)
    }
    facts += view.timed.map { self.facts($0.item, AgendaFacts.State($0.state), $0.day, $0.position) }
    let coming = ComingHours(chosen: chosen, others: others, at: now)
    var suggestions: [AgendaFacts] = []
    if case .suggested(let items) = coming { suggestions = items.map { self.facts($0, .later, .today, nil) } }
    input.add(agenda: facts, suggestions: suggestions)
    return [view.changesAt, ComingHours.nextChange(chosen: chosen, others: others, after: now)].compactMap { $0 }.min()
      ?? view.changesAt
  }

  private func facts(
    _ item: AgendaItem, _ state: AgendaFacts.State, _ day: AgendaView.Day, _ position: AgendaView.Position?
  ) -> AgendaFacts {
    let instance = item.instance
    let span: AgendaFacts.Span =
      switch instance.span {
      case .days(let first, let end): .days(first.number, until: end.number)
      case .times(let start, let end): .times(start, until: end)
      }
    var facts = AgendaFacts(
      id: item.id, title: instance.title, span: span, state: state, isToday: day == .today,
      position: position.map { .init(number: $0.number, count: $0.count) }, place: instance.location,
      plan: plans[item.id])
    facts.isPrivate = instance.isPrivate
    facts.isTentative = instance.isTentative
    facts.repeatsUnknown = instance.repeatsUnknown
    return facts
  }

  /// So long after an event nobody knows where its people are.
  private static let departureReach: TimeInterval = 3600

  /// When to set out from the chosen event before it; nil: there is none, or no way to go.
  private func departure(to item: AgendaItem, at start: Date, _ walking: WalkingTimes) -> EventPlan.Departure? {
    let before = chosen.compactMap { other -> (item: AgendaItem, end: Date)? in
      guard case .times(let began, let ended) = other.instance.span, began < start, !other.instance.isFree,
        ended <= start, start.timeIntervalSince(ended) <= Self.departureReach
      else { return nil }
      return (other, ended)
    }
    guard let last = before.max(by: { ($0.end, $0.item.id) < ($1.end, $1.item.id) }) else { return nil }
    let walk = walking.walk(from: last.item.instance.location, to: item.instance.location)
    guard walk.minutes > 0 else { return nil }
    return EventPlan.Departure(at: start - Double(walk.minutes * 60), isGuess: walk.isGuess)
  }

  // MARK: Reminders

  /// The ids of the events that are chosen, of every calendar in which they are.
  var chosenIDs: Set<String> { Set(stock.chosenAnywhere.map(\.id)) }

  /// The reminders that are to be heard, from `since` on, by time; without those that were heard, by their ids, which must
  /// keep no place from others.
  package func sounds(since: Date, except known: Set<String>) -> [EventReminder] {
    let heard = picks.filter(\.value.sound)
    return Dictionary(grouping: stock.chosenAnywhere.filter { heard[$0.calendar] != nil && !known.contains($0.id) }) {
      heard[$0.calendar]?.remind ?? 0
    }
    .flatMap { lead, items in EventReminder.plan(items, lead: .init(rawValue: lead) ?? .standard, at: since) }
    .sorted { ($0.fireAt, $0.id) < ($1.fireAt, $1.id) }
  }
}

extension AgendaItem {
  /// Empty when it is nobody's business.
  fileprivate var openTitle: String { instance.isPrivate ? "" : instance.title }
}

extension AgendaFacts.State {
  fileprivate init(_ state: AgendaView.State) {
    switch state {
    case .now: self = .now
    case .next: self = .next
    case .later: self = .later
    }
  }
}
