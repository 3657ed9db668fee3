import Foundation
import Reminders

/// Mistakes that the comparison must find: each is put between the simulation and the rules.
enum PlantedFault: String, CaseIterable, Sendable {
  /// Two taps that are nearer than the spacing both count.
  case forgetsSpacing
  /// The instant at which a window closes still belongs to it.
  case closingInstantHolds
  /// Of two open doses the newer one is credited (danger D2).
  case newestFirst
  /// The last credit is gone after a restart.
  case restartLosesCredit
  /// A new zone makes new rows of the same doses.
  case zoneChangeDoubles
  /// A new time is late for what was due before it was entered (danger D12).
  case ignoresSince
  /// A bounce is a tap (danger D1).
  case answersBounces
}

/// The rules as the simulation asks them, sound or with one fault.
struct Rules {
  var fault: PlantedFault?

  func advance(_ log: DoseLog, _ household: Household, _ zone: TimeZone, _ recording: [DateInterval], _ now: Date)
    -> [DoseChange]
  {
    var household = household
    if fault == .ignoresSince {
      for index in household.medications.indices {
        for time in household.medications[index].times.indices { household.medications[index].times[time].since = nil }
      }
    }
    return Advance(household: household, zone: zone, recording: recording).changes(to: log, now: now)
  }

  func decide(_ uid: TagUID, _ log: DoseLog, _ household: Household, _ zone: TimeZone, _ now: Date) -> TapVerdict {
    var log = log
    var household = household
    switch fault {
    case .forgetsSpacing:
      for index in household.medications.indices { household.medications[index].minimumSpacing = 0 }
    case .closingInstantHolds:
      for index in log.rows.indices { log.rows[index].occurrence.closesAt += 1 }
    case .newestFirst:
      let credited = Set(log.credits.map(\.key))
      let open = log.rows.filter { $0.occurrence.holds(now) && !credited.contains($0.occurrence.key) }
      let newest = Dictionary(grouping: open, by: \.occurrence.key.medication).values.compactMap { rows in
        rows.max { $0.occurrence.dueAt < $1.occurrence.dueAt }?.occurrence.key
      }
      log.rows.removeAll { row in open.contains(row) && !newest.contains(row.occurrence.key) }
    default: break
    }
    return TapDecision(household: household, zone: zone).decide(uid, at: now, log: log)
  }

  func isBounce(_ debounce: inout Debounce, _ uid: TagUID, _ presentAt: Duration, _ seenBefore: Duration?) -> Bool {
    let isBounce = debounce.isBounce(uid, presentAt: presentAt, seenBefore: seenBefore)
    return fault == .answersBounces ? false : isBounce
  }
}
