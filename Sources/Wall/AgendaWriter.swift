internal import Foundation

/// Puts events into rows of the wall's list. Pure.
struct AgendaWriter {
  let now: Date
  let zone: TimeZone
  let words: Words

  /// The page has room for six rows: what is now and what comes next are always among them, so no more of the first kinds
  /// than this stand before them.
  private static let mostAhead = 2

  private var times: LocalTimes { LocalTimes(zone: zone, words: words) }

  /// In the order of the rows: what is all day today, what is now, what is next, what comes later today, then tomorrow.
  static func ordered(_ facts: [AgendaFacts]) -> [AgendaFacts] {
    let timed = facts.filter { !$0.isAllDay }
    let wholeToday = facts.filter { $0.isAllDay && $0.isToday }
    let running = timed.filter { $0.state == .now }
    let kinds: [[AgendaFacts]] = [
      Array(wholeToday.prefix(mostAhead)), Array(running.prefix(mostAhead)),
      timed.filter { $0.state == .next }, Array(running.dropFirst(mostAhead)),
      timed.filter { $0.state == .later && $0.isToday }, Array(wholeToday.dropFirst(mostAhead)),
      facts.filter { $0.isAllDay && !$0.isToday }, timed.filter { $0.state == .later && !$0.isToday },
    ]
    return kinds.flatMap { $0 }
  }

  func row(_ facts: AgendaFacts) -> Snapshot.AgendaEntry {
    let written = written(facts.span)
    return Snapshot.AgendaEntry(
      start: written.start, end: written.end, allDay: facts.isAllDay, title: name(facts), note: note(facts),
      state: facts.state.rawValue, text: when(facts))
  }

  /// The title as anybody may see it.
  func name(_ facts: AgendaFacts) -> String {
    if facts.isPrivate { return words.agenda.hidden }
    return facts.title.isEmpty ? words.agenda.untitled : TapTextWriter.bounded(facts.title)
  }

  private func note(_ facts: AgendaFacts) -> String {
    [
      facts.isTentative ? words.agenda.tentative : nil, facts.repeatsUnknown ? words.agenda.repeatsUnknown : nil,
      facts.plan.flatMap(words.clashes),
    ].compactMap { $0 }.joined(separator: ", ")
  }

  /// What one looks for: of what runs when it is over, of what comes when it begins, of several days which one it is.
  private func when(_ facts: AgendaFacts) -> String {
    switch facts.span {
    case .days(let first, _):
      if facts.isToday {
        return facts.position.map { words.agenda.day($0.number, $0.count) } ?? words.agenda.allDay
      }
      // What began before tomorrow is in the list of today.
      return weekday(of: first)
    case .times(let start, let end):
      guard facts.state == .now else { return times.named(start, from: now) }
      // A night is over in the morning; what lasts for days is not looked at by its end.
      if let position = facts.position, position.count > 2 { return words.agenda.day(position.number, position.count) }
      return words.agenda.until(times.named(end, from: now))
    }
  }

  /// 1970-01-01 was a Thursday.
  private func weekday(of day: Int) -> String {
    String(words.weekdays[CivilDay.modulo(day + 4, 7)].prefix(words.shortDay))
  }

  private func written(_ span: AgendaFacts.Span) -> (start: String, end: String) {
    switch span {
    case .days(let first, let end): (Self.text(first), Self.text(end))
    case .times(let start, let end): (InstantText.text(start, in: zone), InstantText.text(end, in: zone))
    }
  }

  private static func text(_ number: Int) -> String {
    let day = CivilDay(number: number)
    return String(format: "%04d-%02d-%02d", day.year, day.month, day.day)
  }
}

extension AgendaFacts {
  fileprivate var isAllDay: Bool {
    if case .days = span { true } else { false }
  }
}

extension Words {
  /// What a chosen event clashes with, at most two of them by name; nil: with nothing.
  func clashes(_ plan: EventPlan) -> String? {
    guard !plan.clashes.isEmpty else { return nil }
    let named = plan.clashes.prefix(2).map { clash in
      switch clash {
      case .overlap(let other): agenda.clash(short(other))
      case .tight(let other, let missing): agenda.tight(missing, short(other))
      }
    }
    let more = plan.clashes.count - named.count
    return (named + (more > 0 ? ["+\(more) \(self.more)"] : [])).joined(separator: ", ")
  }

  /// A name within a sentence.
  func short(_ title: String) -> String {
    title.isEmpty ? agenda.another : TapTextWriter.bounded(title, characters: 30, bytes: 60)
  }
}

extension WallInput {
  /// A page paints six of them; a few more are for who reads the snapshot.
  private static let mostAgendaRows = 12

  /// The rows there is room for; nothing while it is not known what day it is.
  func agendaShown(_ words: Words, in room: inout Int) -> [Snapshot.AgendaEntry] {
    guard clockTrusted else { return [] }
    let writer = AgendaWriter(now: now, zone: zone, words: words)
    let ordered = AgendaWriter.ordered(agenda)
    guard isForPage else { return ordered.map(writer.row) }
    var shown: [Snapshot.AgendaEntry] = []
    for row in ordered.prefix(Self.mostAgendaRows).map(writer.row) {
      guard row.weight <= room else { break }
      room -= row.weight
      shown.append(row)
    }
    return shown
  }
}
