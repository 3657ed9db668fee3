package import Foundation

/// The doses that a medication's rules make, in one zone: a pure function of rules and calendar.
package struct Schedule: Sendable {
  /// An occurrence and, when the clock change put it onto another one, that it is not to be taken.
  package struct Planned: Equatable, Sendable {
    package var occurrence: Occurrence
    package var isSkippedByClockChange: Bool
    /// When the rule behind it was put in; nil: it always was.
    package var entered: Date?
  }

  private let zone: TimeZone
  private let calendar: Calendar

  package init(zone: TimeZone) {
    self.zone = zone
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  /// All occurrences whose window touches [from, to], by due instant. An occurrence that was over when its rule came
  /// into force, or was put in, does not exist: the past is never judged by rules that came later (DESIGN 5.2).
  ///
  /// Neighbours are those of the rules, whenever these came into force: a window must not depend on when it is asked for.
  package func occurrences(of medication: Medication, from: Date, to: Date) -> [Planned] {
    guard from <= to, !medication.times.isEmpty else { return [] }
    let reach = Self.reach(of: medication)
    let raw = dueTimes(of: medication, from: from - reach, to: to + reach)
    let kept = raw.filter { !$0.collides }
    var result: [Planned] = []
    for (index, due) in kept.enumerated() {
      let before = index > 0 ? due.instant - kept[index - 1].instant : Self.week
      let after = index + 1 < kept.count ? kept[index + 1].instant - due.instant : Self.week
      result.append(planned(due, before: before, after: after))
    }
    for due in raw where due.collides {
      result.append(planned(due, before: Self.week, after: Self.week))
    }
    return
      result
      .filter { $0.occurrence.closesAt > from && $0.occurrence.opensAt <= to }
      .filter { planned in planned.entered.map { planned.occurrence.closesAt > $0 } ?? true }
      .sorted { Occurrence.inOrder($0.occurrence, $1.occurrence) }
  }

  /// How long after any instant the next window of a medication has opened at the latest: rules repeat every week, and a
  /// clock change may take one dose away.
  package static func horizon(of medication: Medication) -> TimeInterval {
    TimeInterval(2 * longestGap(of: medication) + 1) * day
  }

  /// How far from a window its due instant and that one's neighbours can lie.
  private static func reach(of medication: Medication) -> TimeInterval {
    let window = medication.times.map { max($0.opensBefore ?? 0, $0.closesAfter ?? 0, 240) }.max() ?? 0
    return TimeInterval(window) * 60 + horizon(of: medication)
  }

  /// The days from one day with a dose to the next one, at most: 1 for a daily medication, 7 for a weekly one.
  private static func longestGap(of medication: Medication) -> Int {
    let asked = medication.times.reduce(into: Set<Weekday>()) { $0.formUnion($1.days) }
    guard asked.count < 7 else { return 1 }
    let days = Weekday.allCases.indices.filter { asked.contains(Weekday.allCases[$0]) }
    guard let first = days.first else { return 7 }
    return zip(days, days.dropFirst() + [first + 7]).map { $1 - $0 }.max() ?? 7
  }

  /// The local day of an instant.
  package func day(of instant: Date) -> LocalDay {
    let parts = calendar.dateComponents([.year, .month, .day], from: instant)
    return LocalDay(year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1)
  }

  private static let day: TimeInterval = 86_400
  private static let week: TimeInterval = 7 * day

  private struct Due {
    let key: OccurrenceKey
    let time: DoseTime
    let instant: Date
    /// The local time does not exist on its day: it was moved forward by the gap.
    let isShifted: Bool
    /// It fell onto another occurrence and is not taken.
    var collides = false
  }

  /// Every due instant in [from, to], in order, with those that a clock change put onto another one marked.
  private func dueTimes(of medication: Medication, from: Date, to: Date) -> [Due] {
    var dues: [Due] = []
    for number in day(of: from).number...max(day(of: from).number, day(of: to).number) {
      let day = LocalDay(number: number)
      let weekday = day.weekday
      for time in medication.times where time.days.contains(weekday) {
        let key = OccurrenceKey(medication: medication.id, day: day, at: time.at)
        if let due = resolve(key, time) { dues.append(due) }
      }
    }
    dues.sort { a, b in
      guard a.instant == b.instant else { return a.instant < b.instant }
      return a.isShifted == b.isShifted ? a.key.at < b.key.at : b.isShifted
    }
    for index in dues.indices.dropFirst() where dues[index].instant == dues[index - 1].instant {
      dues[index].collides = true
    }
    return dues
  }

  /// In a gap `Calendar` moves forward by the gap, in an overlap it takes the first: the rule of RFC 5545 3.3.5.
  private func resolve(_ key: OccurrenceKey, _ time: DoseTime) -> Due? {
    let wanted = DateComponents(
      year: key.day.year, month: key.day.month, day: key.day.day, hour: key.at.hour, minute: key.at.minute)
    guard let instant = calendar.date(from: wanted) else { return nil }
    let shown = Int(instant.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: instant)
    let asked = (key.day.number * 24 + key.at.hour) * 3600 + key.at.minute * 60
    return Due(key: key, time: time, instant: instant, isShifted: shown != asked)
  }

  private func planned(_ due: Due, before: TimeInterval, after: TimeInterval) -> Planned {
    let opensBefore = due.time.opensBefore.map { Double($0) * 60 } ?? min(120 * 60, before / 4)
    let closesAfter = due.time.closesAfter.map { Double($0) * 60 } ?? min(240 * 60, after / 2)
    let isDueBeforeItsRule = due.time.since.map { due.instant < $0 } ?? false
    let occurrence = Occurrence(
      key: due.key, dueAt: due.instant, opensAt: due.instant - opensBefore, closesAt: due.instant + closesAfter,
      lateAt: isDueBeforeItsRule ? nil : due.instant + Double(due.time.lateAfter) * 60, spacing: before / 2)
    return Planned(occurrence: occurrence, isSkippedByClockChange: due.collides, entered: due.time.putIn)
  }
}

extension Date {
  static func - (a: Date, b: Date) -> TimeInterval { a.timeIntervalSince(b) }
}
