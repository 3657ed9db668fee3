package import Agenda
package import Configuration
package import Foundation
package import Linux
package import Wall

/// One look at all calendars, for a command that shows them and ends: files are read, nothing is stored.
package struct AgendaLook: Sendable {
  private let calendars: [Configuration.CalendarSource]
  private let subscriptions: [String: CalendarSubscription]
  private let time: any TimeSource

  /// - Parameter subscriptions: by the ids of the calendars that are fetched; their copies are only read.
  package init(
    _ calendars: [Configuration.CalendarSource], subscriptions: [String: CalendarSubscription], time: any TimeSource
  ) {
    self.calendars = calendars
    self.subscriptions = subscriptions
    self.time = time
  }

  /// The calendars in the configuration's order: files as they are now, addresses as the agent's last good copy has them.
  package func kept() async -> [CalendarSheet] {
    var sheets = await files()
    for index in sheets.indices {
      guard let subscription = subscriptions[sheets[index].calendar.id] else { continue }
      sheets[index].take(await subscription.kept())
    }
    return sheets
  }

  /// The calendars, every address asked once.
  package func fetched() async throws -> [CalendarSheet] {
    var sheets = await files()
    for index in sheets.indices {
      guard let subscription = subscriptions[sheets[index].calendar.id] else { continue }
      sheets[index].take(try await subscription.fetch(known: nil))
    }
    return sheets
  }

  private func files() async -> [CalendarSheet] {
    let (looks, _) = await CalendarShelf(calendars, stateDirectory: nil).look(at: time.now())
    return calendars.map { calendar in
      var sheet = CalendarSheet(calendar)
      if let look = looks[calendar.id] { sheet.take(look) }
      return sheet
    }
  }

  /// Adds what the wall would show then of the last good copies.
  package func addKept(to input: inout WallInput) async { add(await kept(), to: &input) }

  /// Adds what the wall would show then, everything fetched anew.
  package func refresh(_ input: inout WallInput) async throws { add(try await fetched(), to: &input) }

  private func add(_ sheets: [CalendarSheet], to input: inout WallInput) {
    let (now, uptime) = (time.now(), time.uptime())
    let plan = AgendaPlan(sheets, at: input.now, in: input.zone)
    input.sources += sheets.map { sheet in
      var sheet = sheet
      sheet.cutEventCount = plan.cutEventCounts[sheet.calendar.id] ?? 0
      return sheet.source(at: now, uptime: uptime)
    }
    _ = plan.add(to: &input)
  }
}

extension [CalendarSheet] {
  /// All that takes place from one day to another, which is not included, by start; whole days before what begins then.
  ///
  /// - Returns: also how many events of each calendar repeat too often to be there whole, by the calendar's id; those with
  ///   none are not there.
  package func items(from first: CalendarDay, to end: CalendarDay, in zone: TimeZone) -> (
    items: [AgendaItem], cutEventCounts: [String: Int]
  ) {
    var found: [(start: Date, isTimed: Bool, item: AgendaItem)] = []
    var cut: [String: Set<String>] = [:]
    var from = first
    // A long stretch in parts: what one expansion gives is bounded.
    while from < end {
      let to = Swift.min(from.advanced(by: 31), end)
      let begin = from.start(in: zone)
      for sheet in self {
        let expansion = sheet.feed?.instances(from: begin, to: to.start(in: zone), in: zone)
        for problem in expansion?.problems ?? [] { cut[sheet.calendar.id, default: []].insert(problem.uid) }
        for instance in expansion?.instances ?? [] {
          let start = instance.start(in: zone)
          // What goes on from the part before was there.
          guard from == first || start >= begin else { continue }
          found.append((start, !instance.isAllDay, AgendaItem(calendar: sheet.calendar.id, instance: instance)))
        }
      }
      from = to
    }
    let order = Dictionary(enumerated().map { ($1.calendar.id, $0) }) { first, _ in first }
    let items = found.sorted { a, b in
      (a.start, a.isTimed ? 1 : 0, order[a.item.calendar] ?? 0, a.item.instance.uid)
        < (b.start, b.isTimed ? 1 : 0, order[b.item.calendar] ?? 0, b.item.instance.uid)
    }.map(\.item)
    return (items, cut.mapValues(\.count))
  }
}
