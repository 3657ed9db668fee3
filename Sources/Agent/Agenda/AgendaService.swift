internal import Agenda
package import Configuration
internal import Feeds
internal import Foundation
package import Linux
internal import Synchronization
package import Wall

/// The calendars on the wall: reads those that are files again when they change, fetches the others, and lets people hear
/// of what they chose.
package final class AgendaService: WallSource {
  /// How often files are looked at: whoever mends one waits beside the wall.
  static let lookEvery: Duration = .seconds(60)
  /// A reminder that comes later after the start of its event is not heard any more.
  private static let longestDelay: TimeInterval = 120

  private struct State {
    var sheets: [CalendarSheet]
    var plan: AgendaPlan?
    /// What is known is not in the plan yet.
    var isPlanOld = true
    var clockTrusted = false
    var zone = TimeZone.gmt
    /// Up to when reminders have been looked at; nil: not since the clock is believed.
    var remindedUntil: Date?
    /// Reminders that were heard, and when they were due.
    var reminded: [String: Date] = [:]
    /// The calendars that are in the plan, and those whose reminders have been looked at.
    var planned: Set<String> = []
    var remindedOf: Set<String> = []
  }

  private let state: Mutex<State>
  private let wake = Wake()
  /// One for each calendar that is fetched, by id.
  private let fetchWakes: [String: Wake]
  private let shelf: CalendarShelf
  private let subscriptions: [String: CalendarSubscription]
  private let time: any TimeSource
  private let log: Log
  private let remind: @Sendable () -> Void

  /// - Parameters:
  ///   - subscriptions: by the ids of the calendars that are fetched.
  ///   - remind: makes a reminder heard; returns at once.
  package init(
    _ calendars: [Configuration.CalendarSource], shelf: CalendarShelf, subscriptions: [String: CalendarSubscription],
    time: any TimeSource, log: Log, remind: @escaping @Sendable () -> Void
  ) {
    state = Mutex(State(sheets: calendars.map(CalendarSheet.init)))
    self.shelf = shelf
    self.subscriptions = subscriptions
    fetchWakes = subscriptions.mapValues { _ in Wake() }
    self.time = time
    self.log = log
    self.remind = remind
  }

  // MARK: The wall

  package func household(_ documents: [String: String]) {}

  package func contribute(to input: inout WallInput, at uptime: Duration) -> Duration? {
    let (now, zone, isTrusted) = (input.now, input.zone, input.clockTrusted)
    let (sheets, plan, isNews) = state.withLock { state in
      let isNews = state.clockTrusted != isTrusted || state.zone != zone
      if isNews { state.isPlanOld = true }
      if !isTrusted { state.remindedUntil = nil }
      (state.clockTrusted, state.zone) = (isTrusted, zone)
      return (state.sheets, state.plan, isNews)
    }
    if isNews { for wake in [wake] + fetchWakes.values { wake.wake() } }
    // A clock that was set, or another day: who waits for the next look at the files would show the old one until then.
    if isTrusted, !isNews, let plan, !plan.holds(now, in: zone) { wake.wake() }
    input.sources += sheets.map { $0.source(at: now, uptime: uptime) }
    var changes = sheets.compactMap { $0.standing?.nextChange(after: uptime, now: now) }
    if isTrusted, let plan {
      let at = plan.add(to: &input)
      // The wall clock may be wrong by years; who waits asks again within a minute anyway.
      changes.append(uptime + .seconds(min(max(at.timeIntervalSince(now), 0), 86_400)))
    }
    return changes.min()
  }

  // MARK: Files and network

  /// Reads and fetches until cancelled.
  ///
  /// - Parameter changed: called when there is something new to show.
  package func run(changed: @escaping @Sendable () -> Void) async throws {
    guard !state.withLock({ $0.sheets.isEmpty }) else { return try await time.sleep(for: .seconds(1_000_000_000)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in try await keepPlan(changed) }
      for (id, subscription) in subscriptions {
        group.addTask { [self] in try await keepFetching(id, subscription, changed) }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  private func keepPlan(_ changed: @Sendable () -> Void) async throws {
    while true {
      let isNew = try await lookAtFiles()
      if try await bringPlanUpToDate() || isNew { changed() }
      let next = soundReminders()
      let pause = min(next ?? Self.lookEvery, Self.lookEvery)
      try await time.sleep(pause, orUntil: wake)
    }
  }

  /// - Returns: whether there is something new to say.
  private func lookAtFiles() async throws -> Bool {
    let (looks, isNew) = await shelf.look(at: time.now())
    try Task.checkCancellation()
    guard isNew else { return false }
    let said = state.withLock { state in
      var said: [(id: String, before: CalendarSheet, after: CalendarSheet)] = []
      for index in state.sheets.indices {
        let before = state.sheets[index]
        guard let look = looks[before.calendar.id] else { continue }
        state.sheets[index].take(look)
        said.append((CalendarSubscription.id(of: before.calendar), before, state.sheets[index]))
      }
      state.isPlanOld = true
      return said
    }
    for (id, before, after) in said {
      tell(id, before.trouble, after.trouble)
      tellProblems(id, before.feed, after.feed)
    }
    return true
  }

  /// Says once what is wrong with a file, and that it is well again.
  private func tell(_ id: String, _ before: CalendarShelf.FileStanding?, _ after: CalendarShelf.FileStanding?) {
    if let after, let trouble = after.trouble {
      guard trouble != before?.trouble || after.path != before?.path else { return }
      let rest = after.readAt == nil ? "" : "; its last good content is shown"
      log.warning("\(id): \(after.path): \(trouble.sentence)\(rest)")
    } else if let before {
      log.notice("\(id): \(before.path) is well again")
    }
  }

  /// Says once what of a calendar is not as it should be: one bad event never drops the others.
  private func tellProblems(_ id: String, _ before: CalendarFeed?, _ after: CalendarFeed?) {
    guard let after, let first = after.problems.first, after.problems != before?.problems else { return }
    let rest = after.problemCount > 1 ? "; and \(after.problemCount - 1) more" : ""
    log.warning("\(id): \(first.sentence)\(rest)")
  }

  /// Works the plan out anew when the calendars, the zone or the day have changed.
  private func bringPlanUpToDate() async throws -> Bool {
    let now = time.now()
    let (sheets, zone) = state.withLock { state -> ([CalendarSheet]?, TimeZone) in
      let isToday = state.plan.map { $0.holds(now, in: state.zone) } ?? false
      guard state.clockTrusted, state.isPlanOld || !isToday else { return (nil, state.zone) }
      state.isPlanOld = false
      return (state.sheets, state.zone)
    }
    guard let sheets else { return false }
    let plan = await shelf.plan(sheets, at: now, in: zone)
    try Task.checkCancellation()
    let chosen = plan.chosenIDs
    let cut = state.withLock { state in
      state.plan = plan
      state.planned = Set(sheets.filter { $0.feed != nil }.map(\.calendar.id))
      state.reminded = state.reminded.filter { chosen.contains($0.key) }
      return state.sheets.indices.map { index -> (id: String, before: Int, after: Int) in
        let id = state.sheets[index].calendar.id
        let after = plan.cutEventCounts[id] ?? 0
        defer { state.sheets[index].cutEventCount = after }
        return (CalendarSubscription.id(of: state.sheets[index].calendar), state.sheets[index].cutEventCount, after)
      }
    }
    for (id, before, after) in cut where after > 0 && after != before { tellCut(id, after) }
    return true
  }

  /// Says that events are not shown whole, without what they are called: that is the family's.
  private func tellCut(_ id: String, _ count: Int) {
    let (events, them) = count == 1 ? ("1 event repeats", "it") : ("\(count) events repeat", "them")
    log.warning(
      "\(id): \(events) too often, and not every time of \(them) is shown: let \(them) repeat less, or give \(them) an end"
    )
  }

  private func keepFetching(
    _ id: String, _ subscription: CalendarSubscription, _ changed: @Sendable () -> Void
  ) async throws {
    guard let wakeUp = fetchWakes[id] else { return }
    take(await subscription.kept(), of: id, changed)
    while true {
      var pause: Duration = .seconds(3600)
      // With a wrong clock no certificate is known to be valid.
      let (isTrusted, known) = state.withLock { state in
        (state.clockTrusted, state.sheets.first { $0.calendar.id == id }?.feed)
      }
      if isTrusted {
        let reading = try await subscription.fetch(known: known)
        take(reading, of: id, changed)
        pause = max(reading.standing.nextAttempt - time.uptime(), .seconds(1))
      }
      try await time.sleep(pause, orUntil: wakeUp)
    }
  }

  private func take(_ reading: Reading<CalendarFeed>, of id: String, _ changed: @Sendable () -> Void) {
    let before = state.withLock { state -> CalendarFeed? in
      guard let index = state.sheets.firstIndex(where: { $0.calendar.id == id }) else { return nil }
      defer { state.sheets[index].take(reading) }
      if reading.value != nil { state.isPlanOld = true }
      return state.sheets[index].feed
    }
    tellProblems("calendar:\(id)", before, reading.value)
    wake.wake()
    changed()
  }

  // MARK: Reminders

  /// Sounds what is due. Several at once are one sound.
  ///
  /// - Returns: how long until the next; nil: there is none.
  private func soundReminders() -> Duration? {
    let now = time.now()
    let (isDue, next) = state.withLock { state -> (Bool, Date?) in
      guard state.clockTrusted, let plan = state.plan else { return (false, nil) }
      // From where it was left, since whoever waits until an instant wakes up after it.
      let since = max(state.remindedUntil ?? now, now - Self.longestDelay)
      // What was heard by a clock that was far ahead is heard again at its time; a clock that is put right a little is not
      // another day.
      state.reminded = state.reminded.filter { $0.value <= now + Self.longestDelay }
      // Of a calendar that is new to this run, what was due long ago was heard by the one before it.
      let news = state.planned.subtracting(state.remindedOf)
      state.remindedOf = state.planned
      var reminders = plan.sounds(since: min(since, now), except: Set(state.reminded.keys))
      for old in reminders where news.contains(old.item.calendar) && old.due < now - Self.longestDelay {
        state.reminded[old.id] = old.due
      }
      reminders.removeAll { state.reminded[$0.id] != nil }
      let due = reminders.filter { $0.fireAt <= now }
      for reminder in due { state.reminded[reminder.id] = reminder.fireAt }
      state.remindedUntil = now
      return (!due.isEmpty, reminders.first { $0.fireAt > now }?.fireAt)
    }
    if isDue { remind() }
    return next.map { .milliseconds(Int64((min($0.timeIntervalSince(now), 3600) * 1000).rounded(.up))) }
  }
}
