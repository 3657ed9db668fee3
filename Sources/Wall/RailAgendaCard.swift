internal import Foundation

extension RailInput.Event {
  /// How long a chosen event's card stays after its start: a reminder at the start must be seen.
  static let linger: TimeInterval = 2 * 60
}

// The cards of the agenda.
extension RailWriter {
  /// More do not fit beside the time.
  private static let mostFacts = 3

  /// What begins next, several when they begin at one instant, since each is somebody's; and what people are to be
  /// reminded of, next or not.
  func shownEvents(_ events: [RailInput.Event]) -> [RailInput.Event] {
    let next = events.filter { isSoon($0.start, within: RailInput.Event.ahead) }.map(\.start).min()
    return events.filter { $0.start == next || isReminding($0) }
  }

  /// When a card comes, goes or reads otherwise beside its countdown.
  func turns(_ event: RailInput.Event) -> [Date] {
    guard let plan = event.plan else { return [] }
    return [plan.remindFrom, plan.departure?.at, event.start + RailInput.Event.linger].compactMap { $0 }
  }

  func card(_ event: RailInput.Event) -> RailCard {
    let facts = [
      words.rail.at(times.time(event.start)), event.plan.flatMap(words.clashes), event.plan?.departure.map(leave),
      event.place.map { TapTextWriter.bounded($0, characters: 40, bytes: 80) },
      event.plan?.freeUntil.map { words.agenda.freeUntil(times.time($0)) },
    ].compactMap { $0 }.prefix(Self.mostFacts)
    return RailCard(
      .event, "agenda", id: event.id, title: event.title, facts: Array(facts), value: countdown(to: event.start),
      at: event.start, in: zone)
  }

  /// What could be chosen, on one card.
  func suggestionCard(_ events: [RailInput.Event]) -> RailCard? {
    guard let first = events.first else { return nil }
    let facts = events.prefix(Self.mostFacts).map { "\(times.time($0.start)) \(words.short($0.title))" }
    return RailCard(
      .event, "agenda", id: "coming", title: words.agenda.comingHours, facts: facts, at: first.start,
      style: "scheduled", in: zone)
  }

  private func isReminding(_ event: RailInput.Event) -> Bool {
    guard let plan = event.plan else { return false }
    return plan.remindFrom <= now && now < event.start + RailInput.Event.linger
  }

  private func leave(_ departure: EventPlan.Departure) -> String {
    if now >= departure.at { return words.rail.leaveNow }
    let time = times.time(departure.at)
    return departure.isGuess ? words.agenda.leaveAbout(time) : words.agenda.leaveAt(time)
  }
}
