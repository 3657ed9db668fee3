internal import Foundation

/// A card of the rail in words, and where it belongs.
struct RailCard: Equatable, Sendable {
  var place: RailPlace
  var card: Snapshot.Card

  /// - Parameter at: what it is ordered by, and what the snapshot says as its instant.
  init(
    _ kind: RailClass, _ name: String, id: String, badge: String = "", title: String, facts: [String],
    value: (text: String, unit: String) = ("", ""), at: Date?, style: String = "normal", in zone: TimeZone
  ) {
    let id = TapTextWriter.bounded("\(name):\(id)")
    place = RailPlace(id: id, kind: kind, at: at)
    card = Snapshot.Card(
      id: id, kind: name, badge: TapTextWriter.bounded(badge), title: TapTextWriter.bounded(title),
      detail: facts.joined(separator: " · "), value: value.text, unit: value.unit,
      at: at.map { InstantText.text($0, in: zone) }, style: style)
  }
}

extension RailInput.Dose {
  /// How long before it is due a dose has a card (DESIGN 5.5).
  static let ahead: TimeInterval = 30 * 60
}

extension RailInput.PeriodChange {
  /// How long before it a change of the school day has a card (DESIGN 5.5).
  static let ahead: TimeInterval = 5 * 60
}

extension RailInput.Event {
  /// How long before its start the next event has a card: an hour (`display.md` 3.4).
  static let ahead: TimeInterval = 60 * 60
}

/// Puts the facts of the rail into cards. Pure.
struct RailWriter {
  let now: Date
  let zone: TimeZone
  let words: Words

  var times: LocalTimes { LocalTimes(zone: zone, words: words) }

  /// Every card there is now, in no order; outside its window a card does not exist.
  ///
  /// - Parameter clockTrusted: false: only faults are shown. What is soon is not known while the clock is wrong.
  func cards(of rail: RailInput, clockTrusted: Bool) -> [RailCard] {
    let faults = rail.faults.filter { isShown($0, of: rail) }.map(card)
    guard clockTrusted else { return faults }
    let buses = rail.buses.filter { isShown($0, of: rail) }
    let changes = rail.periodChanges.filter { isSoon($0.at, within: RailInput.PeriodChange.ahead) }
    return doseCards(rail.doses) + buses.map { BusCardWriter(bus: $0, now: now, zone: zone, words: words).card }
      + rail.notices.map(card) + changes.map(card) + shownEvents(rail.events).map(card)
      + [suggestionCard(rail.suggestions)].compactMap { $0 } + faults
  }

  private func isShown(_ fault: RailInput.Fault, of rail: RailInput) -> Bool { now >= fault.since + rail.grace }

  /// That a provider fails is said once: by the fault of its source, which speaks for every watch, and not before its grace
  /// is over. A watch that knows something better says that.
  private func isShown(_ bus: BusFacts, of rail: RailInput) -> Bool {
    let fault = rail.faults.first { $0.source == bus.source && isShown($0, of: rail) }
    if let since = bus.failingSince { return fault == nil && now >= since + rail.grace }
    // Why there are no buses is known, and said at once; unless the fault says the same.
    return bus.state != .silent(.timetableExpired) || fault?.problem != .timetableExpired
  }

  /// The earliest instant after `now` at which a card of this rail comes, goes or reads otherwise by the passing of time
  /// alone; nil: never. Of buses only those that wait for the grace of a fault are among them: their boards know the rest.
  func nextChange(of rail: RailInput) -> Date? {
    let countdowns =
      rail.doses.map { ($0.dueAt, RailInput.Dose.ahead) }
      + rail.periodChanges.map { ($0.at, RailInput.PeriodChange.ahead) }
      + rail.events.map { ($0.start, RailInput.Event.ahead) }
    let changes =
      countdowns.compactMap { Countdown(to: $0, at: now).nextChange(shownWithin: $1) }
      + rail.doses.filter(\.isLate).map { $0.dueAt + Double(minutesSince($0.dueAt) + 1) * 60 }
      + (rail.faults.map(\.since) + rail.buses.compactMap(\.failingSince)).map { $0 + rail.grace }
      + rail.events.flatMap(turns)
    return changes.filter { $0 > now }.min()
  }

  /// One card a person, for the earliest dose; those that are due with it are named on it.
  private func doseCards(_ doses: [RailInput.Dose]) -> [RailCard] {
    let due = doses.filter { $0.isLate || Countdown(to: $0.dueAt, at: now).isShown(within: RailInput.Dose.ahead) }
    return Dictionary(grouping: due, by: \.personID).values.compactMap { doses in
      guard let first = doses.min(by: { ($0.dueAt, $0.medication) < ($1.dueAt, $1.medication) }) else { return nil }
      let names = doses.filter { $0.dueAt == first.dueAt }.map(\.medication).sorted()
      let more = names.count > 2 ? ", +\(names.count - 2) \(words.more)" : ""
      let minutes = minutesSince(first.dueAt)
      return RailCard(
        .dose, "dose", id: first.personID, title: first.person,
        facts: [
          first.isLate
            ? words.lateBy(minutes / 60, minutes % 60) : words.due(times.time(first.dueAt, from: now)),
          TapTextWriter.bounded(names.prefix(2).joined(separator: ", ")) + more,
        ],
        value: first.isLate ? ("", "") : countdown(to: first.dueAt), at: first.dueAt,
        style: first.isLate ? "late" : "normal", in: zone)
    }
  }

  private func card(_ change: RailInput.PeriodChange) -> RailCard {
    RailCard(
      .periodChange, "bell", id: change.id, title: change.title, facts: [words.rail.at(times.time(change.told))],
      value: countdown(to: change.at), at: change.at, in: zone)
  }

  /// Behind the buses: it is read once, they are looked at every day.
  private func card(_ notice: RailInput.Notice) -> RailCard {
    RailCard(
      .scheduledBus, "bus", id: "notice \(notice.id)", title: notice.name,
      facts: [TapTextWriter.bounded(notice.text, characters: 120, bytes: 240)], at: nil, in: zone)
  }

  private func card(_ fault: RailInput.Fault) -> RailCard {
    RailCard(
      .fault, "fault", id: fault.source, title: fault.name,
      facts: [TapTextWriter.bounded(fault.message, characters: 120, bytes: 240)], at: fault.since, style: "stale",
      in: zone)
  }

  func isSoon(_ instant: Date, within seconds: TimeInterval) -> Bool {
    instant > now && Countdown(to: instant, at: now).isShown(within: seconds)
  }

  func countdown(to instant: Date) -> (text: String, unit: String) {
    let minutes = Countdown(to: instant, at: now).minutes
    return minutes > 0 ? ("\(minutes)", words.rail.minutes) : (words.rail.now, "")
  }

  private func minutesSince(_ instant: Date) -> Int {
    max(0, Int((min(now.timeIntervalSince(instant), 1e9) / 60).rounded(.down)))
  }
}

/// The time left to an instant, by DESIGN 4.4: seconds rounded to the nearest whole one, then minutes rounded down.
struct Countdown {
  private let milliseconds: Double
  private let instant: Date

  init(to instant: Date, at now: Date) {
    self.instant = instant
    // Instants of this century are exact to less than a microsecond only: half a second must not depend on that.
    milliseconds = (min(max(instant.timeIntervalSince(now), -1e9), 1e9) * 1000).rounded()
  }

  /// Whole minutes left; never negative.
  var minutes: Int { max(0, Int(((milliseconds / 1000).rounded() / 60).rounded(.down))) }

  /// The instant is past, or not further away than so many seconds.
  func isShown(within seconds: TimeInterval) -> Bool { milliseconds <= seconds * 1000 }

  /// When a card that is shown so many seconds before the instant next comes, counts down or goes; nil: it has gone.
  func nextChange(shownWithin seconds: TimeInterval) -> Date? {
    guard milliseconds > 0 else { return nil }
    guard isShown(within: seconds) else { return instant - seconds }
    return minutes > 0 ? instant - Double(minutes * 60) + 0.501 : instant
  }
}
