internal import Foundation

extension StopBoard.Look {
  /// Seconds until any of a board changes by the passing of time alone.
  func changesIn(_ board: WatchBoard, notices ids: Set<TransitID>) -> TimeInterval? {
    let server = serverChanges(board, notices: ids).map { $0.milliseconds(since: now.server) }
    let local = [opening?.end ?? watch.window.nextOpening(after: now.local, in: zone)?.start].compactMap(\.self)
      .map { $0.milliseconds(since: now.local) }
    return (server + local).filter { $0 > 0 }.min().map { Double($0) / 1000 }
  }

  private func serverChanges(_ board: WatchBoard, notices ids: Set<TransitID>) -> [Date] {
    var displayed = Set((board.arrivals + [board.after].compactMap(\.self)).map(\.key))
    if case .later(let row) = board.silence { displayed.insert(row.key) }
    var changes = told.compactMap { $0.nextChange(after: now.server) }
    // Of the rest of the timetable it only matters when it is past: its minutes are not shown.
    changes += planned.compactMap {
      displayed.contains($0.key) ? $0.nextChange(after: now.server) : $0.scheduledAt.adding(milliseconds: 1)
    }
    changes += board.arrivals.compactMap { row in
      guard let walk = watch.walkMinutes, let left = board.advice[row.key]?.endsAtMillisecondsLeft(walk: walk)
      else { return nil }
      return row.at.adding(milliseconds: -left)
    }
    if let answer = stop.answer {
      changes += [answer.time.adding(milliseconds: Prediction.aging + 1), answer.until]
      changes += [Notice.nextChange(answer.notices, among: ids, after: now.server)].compactMap(\.self)
    }
    // Timetable rows come within reach one by one, and with midnight another timetable is today's.
    changes += planned.map { $0.scheduledAt.addingTimeInterval(-StopBoard.reach) }
    changes.append(ZoneClock(agencyZone).startOfDay(today.advanced(by: 1)))
    return changes
  }
}
