package import Foundation

/// A row of the board: a bus that one can still board, as it is to be shown at one instant (DESIGN 4.4 "arrivals").
package struct Arrival: Equatable, Sendable {
  package enum State: String, Sendable {
    /// A prediction not older than 90 s.
    case live
    /// A prediction not older than 180 s.
    case aging
    /// By the timetable.
    case scheduled
    /// It does not run. It stays, struck, until its time, and is never the next.
    case canceled
    /// One comes every `headway`; there is no time to count down to.
    case frequency
  }

  package var key: Visit.Key
  package var route: TransitID
  package var routeName: String
  package var headsign: String
  /// When it leaves; never before the instant the row is for.
  package var at: Date
  package var scheduledAt: Date
  /// While the prediction counts. With `.scheduled`: the last that was heard of a bus that should have left already.
  package var predictedAt: Date?
  package var state: State
  /// Whole minutes left; nil: nothing to count down to.
  package var minutes: Int?
  /// Seconds behind the timetable, to the millisecond, negative when early; nil without a prediction that counts and
  /// without a timetable to hold it against.
  package var lateness: TimeInterval?
  /// When its prediction was made; nil: there never was one.
  package var updatedAt: Date?
  /// Seconds, of `.frequency`.
  package var headway: TimeInterval?
  /// The provider does not name it any more, and not for a moment only.
  package var isUnconfirmed: Bool
  package var notices: [TransitID]

  package var trip: TransitID { key.trip }

  /// More than 90 s behind the timetable: 90 s is not late (transit.md 0.3).
  package var isLate: Bool { lateness.map { ($0 * 1000).rounded() > 90_000 } ?? false }

  /// A minute or more ahead of the timetable: enough to miss it.
  package var isEarly: Bool { lateness.map { ($0 * 1000).rounded() <= -60_000 } ?? false }

  /// Earliest first; those of one instant by what they show, then by id: the same rows are always in the same order.
  static func inOrder(_ a: Arrival, _ b: Arrival) -> Bool {
    if a.at != b.at { return a.at < b.at }
    if a.routeName != b.routeName { return a.routeName < b.routeName }
    if a.trip != b.trip { return a.trip < b.trip }
    return (a.key.stopSequence ?? 0, a.key.serviceDate ?? 0) < (b.key.stopSequence ?? 0, b.key.serviceDate ?? 0)
  }
}

extension Visit {
  /// How it is to be shown at an instant of the server's clock; nil: nobody can board it any more.
  package func arrival(at now: Date) -> Arrival? {
    guard !isDropOffOnly else { return nil }
    if isCanceled { return scheduledAt.isPast(at: now) ? nil : row(.canceled, at: scheduledAt, now: now) }
    guard !hasPassed else { return nil }
    if let frequency { return arrival(every: frequency, now: now) }
    guard let prediction else { return scheduledAt.isPast(at: now) ? nil : row(.scheduled, at: scheduledAt, now: now) }
    let age = now.milliseconds(since: prediction.updatedAt)
    if age <= prediction.countsFor {
      guard !prediction.at.isPast(at: now) else { return nil }
      return row(age <= Prediction.live ? .live : .aging, at: prediction.at, told: prediction, now: now)
    }
    // It left while its prediction still counted: an early bus must not come back at its scheduled time.
    if prediction.at.milliseconds(since: prediction.updatedAt) <= prediction.countsFor { return nil }
    if !scheduledAt.isPast(at: now) { return row(.scheduled, at: scheduledAt, now: now) }
    // A late bus is kept until the time it was expected at, though that is not vouched for any more (transit.md 0.6).
    return prediction.at.isPast(at: now) ? nil : row(.scheduled, at: prediction.at, told: prediction, now: now)
  }

  /// "Every 10 min": the timetable time of such a trip is made up anew for each request, so it only orders the row and
  /// moves on with the headway. A prediction that counts is counted down to.
  private func arrival(every frequency: Frequency, now: Date) -> Arrival? {
    if let prediction, now.milliseconds(since: prediction.updatedAt) <= prediction.countsFor,
      !prediction.at.isPast(at: now)
    {
      return row(.frequency, at: prediction.at, told: prediction, now: now)
    }
    if let end = frequency.end, end.isPast(at: now) { return nil }
    let behind = now.milliseconds(since: scheduledAt)
    guard behind > 0 else { return row(.frequency, at: scheduledAt, now: now) }
    guard let headway = frequency.milliseconds else { return nil }
    let at = scheduledAt.adding(milliseconds: floorDivide(behind + headway - 1, headway) * headway)
    return row(.frequency, at: at, now: now)
  }

  /// - Parameter told: the prediction that `at` is taken from.
  private func row(_ state: Arrival.State, at: Date, told: Prediction? = nil, now: Date) -> Arrival {
    let isMeasured = told != nil && (state == .live || state == .aging) && !isAdded
    let isCounted = state != .frequency || told != nil
    return Arrival(
      key: key, route: route, routeName: routeName, headsign: headsign, at: at, scheduledAt: scheduledAt,
      predictedAt: told?.at, state: state,
      minutes: isCounted ? floorDivide(wholeSeconds(ofMilliseconds: at.milliseconds(since: now)), 60) : nil,
      lateness: isMeasured ? Double(at.milliseconds(since: scheduledAt)) / 1000 : nil,
      updatedAt: state == .canceled ? nil : prediction?.updatedAt,
      headway: state == .frequency ? frequency?.headway : nil, isUnconfirmed: isUnconfirmed(at: now), notices: notices)
  }

  /// The first instant after `now` at which `arrival` is another, by the passing of time alone; nil: never.
  func nextChange(after now: Date) -> Date? {
    guard let shown = arrival(at: now) else { return nil }
    var changes = [shown.at.adding(milliseconds: 1)]
    if let minutes = shown.minutes, minutes > 0 {
      // Half a second before the full minute the seconds are rounded down to less than it.
      changes.append(shown.at.adding(milliseconds: 501 - minutes * 60_000))
    }
    if let prediction, state(shown, counts: prediction) {
      changes.append(prediction.updatedAt.adding(milliseconds: Prediction.live + 1))
      changes.append(prediction.updatedAt.adding(milliseconds: prediction.countsFor + 1))
    }
    if let end = frequency?.end { changes.append(end.adding(milliseconds: 1)) }
    if let namedAt { changes.append(namedAt.adding(milliseconds: Prediction.live + 1)) }
    return changes.filter { $0.milliseconds(since: now) > 0 }.min()
  }

  private func state(_ shown: Arrival, counts prediction: Prediction) -> Bool {
    shown.state == .live || shown.state == .aging || (shown.state == .frequency && shown.predictedAt == prediction.at)
  }
}
