package import Foundation

extension StopBoard {
  /// Seconds of timetable that are shown as rows when there is no answer to show.
  static let reach: TimeInterval = 3600

  /// What a watch shows now.
  ///
  /// The order of what is believed: the last good answer, then the timetable, then words (DESIGN 5.3). Within the time
  /// that an answer reaches to its list is the truth even when it is old: servers leave canceled buses out, and the
  /// timetable would bring them back.
  ///
  /// - Parameters:
  ///   - zone: the household's.
  ///   - previous: the board before, whose advice when to leave is not given up for a few seconds.
  package func board(
    for watch: Watch, at now: BoardTime, in zone: TimeZone, previous: WatchBoard? = nil
  ) -> WatchBoard {
    let look = Look(self, watch, now, zone)
    let shown = look.shown
    let next = shown.first { $0.state != .canceled }
    let after = next.flatMap(look.following)
    let advice = look.advice(of: shown, previous: previous)
    let catchable = shown.first { row in advice[row.key].map { $0 != .missed } ?? false }
    let ids = Set(shown.flatMap(\.notices)).union(answer?.stopNotices ?? [])
    var board = WatchBoard(
      watch: watch.id, isOpen: look.opening != nil, arrivals: shown, basis: look.basis, answeredAt: answer?.time,
      trouble: trouble, next: next, after: after, last: next.flatMap { look.last($0, after: after) },
      silence: next == nil ? look.silence : nil,
      leave: catchable.flatMap { row in advice[row.key].map { WatchBoard.Leave(key: row.key, advice: $0) } },
      notices: Notice.active(answer?.notices ?? [], among: ids, at: now.server), changesIn: nil, advice: advice)
    board.changesIn = look.changesIn(board, notices: ids)
    return board
  }

  /// The board of one watch at one instant, while it is made.
  struct Look {
    let stop: StopBoard
    let watch: Watch
    let now: BoardTime
    let zone: TimeZone
    let opening: WatchWindow.Opening?
    let agencyZone: TimeZone
    let today: ServiceDay
    /// The last answer is missing, or too old for any of its predictions to count.
    let isOld: Bool
    /// What the last answer tells of the route.
    let told: [Visit]
    /// What the timetable adds: what the last answer did not reach to.
    let planned: [Visit]

    init(_ stop: StopBoard, _ watch: Watch, _ now: BoardTime, _ zone: TimeZone) {
      self.stop = stop
      self.watch = watch
      self.now = now
      self.zone = zone
      opening = watch.window.opening(at: now.local, in: zone)
      agencyZone = stop.answer?.agencyZone ?? zone
      today = ServiceDay(of: now.server, in: agencyZone)
      isOld = stop.answer.map { now.server.milliseconds(since: $0.time) > Prediction.aging } ?? true
      told = stop.visits.values.filter { $0.route == watch.route }
      let until = stop.answer?.until ?? .distantPast
      let known = Dictionary(grouping: told, by: \.key.trip)
      planned = Self.timetables(stop, until: today, windowEnd: opening?.end).filter { visit in
        visit.route == watch.route && visit.frequency?.end ?? visit.scheduledAt > until
          && !(known[visit.key.trip] ?? []).contains { $0.isSameCall(as: visit) }
      }
    }

    /// The calls of today's timetable and of those before it; of the next day's only what a window over midnight holds.
    private static func timetables(_ stop: StopBoard, until today: ServiceDay, windowEnd: Date?) -> [Visit] {
      stop.timetables.values.filter { !$0.isExpired }.flatMap { timetable in
        if timetable.day <= today { return timetable.visits }
        guard let windowEnd, timetable.day == today.advanced(by: 1) else { return [] }
        return timetable.visits.filter { $0.scheduledAt < windowEnd }
      }
    }

    var basis: WatchBoard.Basis {
      if !isOld { return .answer }
      if told.contains(where: { $0.arrival(at: now.server) != nil }) { return .oldAnswer }
      return shown.isEmpty ? .nothing : .timetable
    }

    /// The rows.
    var shown: [Arrival] {
      var visits = told
      if isOld {
        let reach = now.server.addingTimeInterval(StopBoard.reach)
        visits += planned.filter { $0.scheduledAt <= reach }
      }
      return rows(visits)
    }

    /// The rows and all that the timetable has behind them.
    var all: [Arrival] { rows(told + planned) }

    private func rows(_ visits: [Visit]) -> [Arrival] {
      visits.compactMap { $0.arrival(at: now.server) }.sorted(by: Arrival.inOrder)
    }

    /// The one that runs after a row.
    func following(_ row: Arrival) -> Arrival? {
      all.first { $0.state != .canceled && $0.key != row.key && Arrival.inOrder(row, $0) }
    }

    /// Said only when all that could come after is known.
    func last(_ next: Arrival, after: Arrival?) -> WatchBoard.LastBus? {
      guard next.state != .frequency else { return nil }
      let isLastOfDay = after == nil && isOfToday(next)
      guard let opening, next.at < opening.end else { return isLastOfDay ? .ofDay : nil }
      guard reaches(opening.end) else { return nil }
      if isLastOfDay { return .ofDay }
      return after.map { $0.at >= opening.end } ?? true ? .ofWindow : nil
    }

    /// Whether today's timetable, which may run on after midnight, is known and has this bus.
    private func isOfToday(_ row: Arrival) -> Bool {
      guard let timetable = timetable(of: today), !timetable.isExpired else { return false }
      return row.at < ZoneClock(agencyZone).startOfDay(today.advanced(by: 1))
        || timetable.visits.contains { $0.key.trip == row.trip }
    }

    /// One of which a part was not understood tells only of the routes that it has.
    private func timetable(of day: ServiceDay) -> StopTimetable? {
      stop.timetables[day].flatMap { timetable in
        !timetable.isPartial || timetable.visits.contains { $0.route == watch.route } ? timetable : nil
      }
    }

    private func reaches(_ end: Date) -> Bool {
      if !isOld, let answer = stop.answer, answer.until >= end { return true }
      let last = ServiceDay(of: end.addingTimeInterval(-1), in: agencyZone)
      return (today.number...max(today.number, last.number)).allSatisfy {
        timetable(of: ServiceDay(number: $0)).map { !$0.isExpired } ?? false
      }
    }

    var silence: WatchBoard.Silence {
      if stop.trouble == .timetableExpired || stop.timetables[today]?.isExpired == true { return .timetableExpired }
      if let timetable = timetable(of: today) {
        if let later = all.first(where: { $0.state != .canceled }) { return .later(later) }
        let runs = timetable.visits.contains { $0.route == watch.route && !$0.isDropOffOnly }
        return runs || !told.isEmpty ? .noMoreToday(next: firstOfNextDay) : .noServiceToday
      }
      // What the last answer reached to it told, whatever has failed since.
      if let until = stop.answer?.until, until > now.server { return .noneUntil(until) }
      if case .down(let since) = stop.trouble { return .providerDown(since: since) }
      return .notAsked
    }

    private var firstOfNextDay: Date? {
      stop.timetables[today.advanced(by: 1)]?.visits.lazy.filter { $0.route == watch.route && !$0.isDropOffOnly }
        .map(\.scheduledAt).filter { $0 >= now.server }.min()
    }

    func advice(of rows: [Arrival], previous: WatchBoard?) -> [Visit.Key: LeaveAdvice] {
      guard let walk = watch.walkMinutes else { return [:] }
      var advice: [Visit.Key: LeaveAdvice] = [:]
      for row in rows where row.state != .canceled && row.minutes != nil {
        advice[row.key] = .advice(
          left: row.at.milliseconds(since: now.server), walk: walk, previous: previous?.advice[row.key])
      }
      return advice
    }
  }
}

extension Visit {
  /// Whether a call of a timetable is this one: the same trip at nearly the same time of the same day. Arrival and
  /// departure of one call may lie some minutes apart.
  fileprivate func isSameCall(as planned: Visit) -> Bool {
    abs(scheduledAt.milliseconds(since: planned.scheduledAt)) <= 600_000
  }
}
