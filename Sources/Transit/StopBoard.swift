package import Foundation

/// What is known of one stop: the last good answer, what the ones before it said and this one lost, and the timetables.
///
/// A failure takes nothing away. It is only said, and time does the rest.
package struct StopBoard: Equatable, Sendable {
  /// Why the provider gives nothing new.
  package enum Trouble: Equatable, Sendable {
    /// It cannot be reached or does not make sense; since when, by the local clock.
    case down(since: Date)
    /// It answers that its timetable has run out.
    case timetableExpired
  }

  package private(set) var answer: StopAnswer?
  package private(set) var trouble: Trouble?
  private(set) var visits: [Visit.Key: Visit] = [:]
  private(set) var timetables: [ServiceDay: StopTimetable] = [:]

  package init() {}

  /// The days whose timetable is here.
  package var timetableDays: Set<ServiceDay> { Set(timetables.keys) }

  package mutating func received(_ answer: StopAnswer) {
    var merged = Dictionary(answer.visits.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    for (key, old) in visits {
      if let new = merged[key] {
        merged[key] = new.keeping(old, at: answer.time)
      } else if let kept = old.lost(at: answer.time, named: self.answer?.time ?? answer.time) {
        merged[key] = kept
      }
    }
    visits = merged
    self.answer = answer
    trouble = answer.isTimetableExpired ? .timetableExpired : nil
  }

  /// Takes a timetable; those of more than a day before it go.
  package mutating func received(_ timetable: StopTimetable) {
    timetables[timetable.day] = timetable
    timetables = timetables.filter { $0.key >= timetable.day.advanced(by: -2) }
  }

  /// - Parameter since: the local clock at this failure; the first of a row of failures counts.
  package mutating func failed(since: Date) {
    if case .down = trouble { return }
    trouble = .down(since: since)
  }

  package mutating func failedAsTimetableExpired() { trouble = .timetableExpired }

  /// Whether the agency's clock shows another time than the household's, which a person should be told.
  package func agencyClockDiffers(from zone: TimeZone, at now: Date) -> Bool {
    guard let agencyZone = answer?.agencyZone else { return false }
    return agencyZone.secondsFromGMT(for: now) != zone.secondsFromGMT(for: now)
  }
}

extension Visit {
  /// This, as the newest answer has it, with what an older one knew better.
  ///
  /// A vehicle that drops out of one poll stays live until its prediction is 90 s old, and one that has left or passed
  /// stays gone when the next poll knows it from the timetable only.
  fileprivate func keeping(_ old: Visit, at time: Date) -> Visit {
    guard !isCanceled, !old.isCanceled else { return self }
    var merged = self
    merged.hasPassed = hasPassed || old.hasPassed && !isHeardOfSince(old)
    guard var kept = old.prediction else { return merged }
    if let prediction {
      // An older server of several answered.
      guard prediction.updatedAt < kept.updatedAt, !kept.isWithdrawn else { return merged }
    } else {
      kept.isWithdrawn = !old.isGone(at: time)
    }
    merged.prediction = kept
    return merged
  }

  /// Whether its vehicle has told something since. Only that says of one that had passed that it is still to come: a
  /// position off the road puts a vehicle behind its stop for a moment.
  private func isHeardOfSince(_ old: Visit) -> Bool {
    guard let prediction else { return false }
    return old.prediction.map { $0.updatedAt < prediction.updatedAt } ?? true
  }

  /// This, when the newest answer does not name it; nil: there is nothing left to show.
  ///
  /// - Parameter last: the time of the answer before it.
  fileprivate func lost(at time: Date, named last: Date) -> Visit? {
    guard frequency == nil, !isDropOffOnly, lastMoment >= time else { return nil }
    var kept = self
    kept.namedAt = namedAt ?? last
    kept.prediction?.isWithdrawn = !isGone(at: time)
    return kept
  }

  /// It has left, as far as was known while its prediction counted.
  private func isGone(at time: Date) -> Bool {
    guard let prediction else { return hasPassed }
    let counted = prediction.at.milliseconds(since: prediction.updatedAt) <= prediction.countsFor
    return hasPassed || prediction.isWithdrawn == false && counted && prediction.at < time
  }
}
