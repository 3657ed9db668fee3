internal import Agenda
internal import Foundation

/// What the planner promises of any instances.
enum PlannerPromises {
  /// More than a day of a conference has; what is looked at here only grows with the square of them.
  private static let most = 200

  static func check(_ instances: [AgendaInstance], from: Date, in zone: TimeZone) throws(BrokenPromise) {
    let items = instances.prefix(most).map { AgendaItem(calendar: "family", instance: $0) }
    for hours in [0.0, 30] {
      let now = from.addingTimeInterval(hours * 3600)
      try check(AgendaView(items, at: now, in: zone), at: now)
      let reminders = EventReminder.plan(items, at: now)
      try expect(reminders.count <= EventReminder.mostPending, "\(reminders.count) reminders")
      try expect(reminders.allSatisfy { $0.fireAt >= now }, "a reminder of the past")
      let change = ComingHours.nextChange(chosen: items, others: items, after: now)
      try expect(change.map { $0 > now } ?? true, "a change that is past")
    }
    let clashes = Clash.find(in: items, walking: WalkingTimes())
    try expect(clashes.count <= 200, "\(clashes.count) clashes")
    for clash in clashes {
      switch clash.kind {
      case .overlap(let seconds): try expect(seconds >= 0, "an overlap of \(seconds) s")
      case .tight(let missing): try expect(missing > 0, "\(missing) s are missing")
      }
    }
    let gaps = AgendaGap.find(in: items, on: CalendarDay(of: from, in: zone), zone: zone)
    try expect(
      gaps.allSatisfy { $0.end.timeIntervalSince($0.start) >= AgendaGap.shortest }, "a gap that is too short")
  }

  private static func check(_ view: AgendaView, at now: Date) throws(BrokenPromise) {
    try expect(view.changesAt > now, "a view that should have changed")
    try expect(view.now.allSatisfy { $0.start <= now && now < $0.end }, "something runs that does not")
    try expect((view.next + view.laterToday + view.tomorrow).allSatisfy { $0.start > now }, "the past is still to come")
    let positions = view.timed.compactMap(\.position) + view.allDay.compactMap(\.position)
    try expect(positions.allSatisfy { (1...$0.count).contains($0.number) }, "a day that an event does not have")
  }
}
