internal import Agenda
internal import Configuration
internal import Foundation

/// What an agenda is planned from: what the calendars have for some days, each event once, and of what is more than is
/// looked at the soonest.
struct AgendaStock: Sendable {
  /// What is shown: all of the calendars nobody chooses from, and what is chosen of the others.
  private(set) var shown: [AgendaItem] = []
  private(set) var chosen: [AgendaItem] = []
  /// What is chosen, of every calendar in which it is: each may want it heard in its own way.
  private(set) var chosenAnywhere: [AgendaItem] = []
  /// What could be chosen.
  private(set) var others: [AgendaItem] = []
  /// How many events of each calendar repeat too often to be shown whole; those with none are not there.
  private(set) var cutEventCounts: [String: Int] = [:]
  /// Until then nothing is missing that a wall shows or sounds then; nil: nothing was left out.
  private var goodUntil: Date?

  /// More of one calendar are not looked at at a time; those that are over are not among them.
  private static let mostItems = 500
  /// What is over is looked at for so long.
  static let past: TimeInterval = 5 * 60
  /// So long, at least, what was taken is enough: to take more is work.
  private static let shortestReach: TimeInterval = 15 * 60
  /// So long before it begins an event has a card.
  private static let cardLead: TimeInterval = 3600

  /// What makes two events of two calendars the same. At another time, or by another name, they are two.
  private struct Identity: Hashable {
    let uid: String
    let span: AgendaInstance.Span
    let title: String

    init(_ item: AgendaItem) {
      uid = item.instance.uid
      span = item.instance.span
      title = item.instance.title
    }
  }

  /// Where each event stands in `shown`.
  private var places: [Identity: Int] = [:]
  private var chosenOnes: Set<Identity> = []

  /// - Parameters:
  ///   - days: by the zone's clock.
  ///   - now: what was over for longer is left out.
  init(_ sheets: [CalendarSheet], days: Range<CalendarDay>, at now: Date, in zone: TimeZone) {
    let (from, to) = (days.lowerBound.start(in: zone), days.upperBound.start(in: zone))
    for sheet in sheets {
      guard let feed = sheet.feed else { continue }
      let expansion = feed.instances(from: from, to: to, in: zone)
      if expansion.cutEventCount > 0 { cutEventCounts[sheet.calendar.id] = expansion.cutEventCount }
      let items = expansion.instances
        .filter { $0.end(in: zone) > now - Self.past || $0.start(in: zone) >= now - Self.past }
        .map { AgendaItem(calendar: sheet.calendar.id, instance: $0) }
      guard let picks = sheet.calendar.picks else {
        for item in soonest(items, at: now, in: zone) { show(item) }
        continue
      }
      // What was chosen is looked for among all: a programme of a day can be longer than what is looked at.
      let found = picks.files == nil ? items : sheet.picks?.picks.chosen(of: items) ?? []
      for item in soonest(found, at: now, in: zone) { choose(item) }
      let ids = Set(found.map(\.id))
      others += soonest(items.filter { !ids.contains($0.id) }, at: now, in: zone)
    }
    others.removeAll { places[Identity($0)] != nil }
  }

  /// Whether it has all that a wall can show at an instant, as far as it is of the days.
  func reaches(_ now: Date) -> Bool { goodUntil.map { now < $0 } ?? true }

  private mutating func show(_ item: AgendaItem) {
    let identity = Identity(item)
    guard places[identity] == nil else { return }
    places[identity] = shown.count
    shown.append(item)
  }

  /// What is chosen in one calendar is chosen, whichever calendar has it too.
  private mutating func choose(_ item: AgendaItem) {
    chosenAnywhere.append(item)
    let identity = Identity(item)
    guard chosenOnes.insert(identity).inserted else { return }
    chosen.append(item)
    if let place = places[identity] {
      shown[place] = item
    } else {
      show(item)
    }
  }

  /// The first of each event before the second of any, so that one which repeats every minute hides no other; in the order
  /// in which they were.
  private mutating func soonest(_ items: [AgendaItem], at now: Date, in zone: TimeZone) -> [AgendaItem] {
    guard items.count > Self.mostItems else { return items }
    var counts: [String: Int] = [:]
    let ranked = items.indices.map { index in
      let rank = counts[items[index].instance.uid, default: 0]
      counts[items[index].instance.uid] = rank + 1
      return (rank: rank, index: index)
    }
    let inOrder = ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map(\.index)
    let kept = inOrder.prefix(Self.mostItems).sorted().map { items[$0] }
    // When half of them have begun it is time to look again, and before the first that was left out has a card.
    let half = kept[kept.count / 2].instance.start(in: zone)
    let first = inOrder.dropFirst(Self.mostItems).map { items[$0].instance.start(in: zone) }.min() ?? half
    let turn = max(min(half, first - Self.cardLead), now + Self.shortestReach)
    goodUntil = goodUntil.map { min($0, turn) } ?? turn
    return kept
  }
}
