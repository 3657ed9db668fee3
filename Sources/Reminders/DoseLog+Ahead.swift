package import Foundation

extension Occurrence {
  /// Windows are [opens, closes).
  package func holds(_ now: Date) -> Bool { opensAt <= now && now < closesAt }

  /// Whether a tap of the window could have been in the span. One without length, as a clock that was set back leaves it,
  /// counts as its instant.
  func overlaps(_ span: DateInterval) -> Bool { span.start < closesAt && opensAt < span.end }

  /// By due instant, then medication; a changed zone can put two doses of one medication on one instant, these by local day
  /// and time.
  static func inOrder(_ a: Occurrence, _ b: Occurrence) -> Bool {
    guard a.dueAt == b.dueAt else { return a.dueAt < b.dueAt }
    return (a.key.medication, a.key.day, a.key.at) < (b.key.medication, b.key.day, b.key.at)
  }
}

extension DoseLog.Row {
  /// Whether a tap in the window credits it, when nothing has yet.
  ///
  /// What only the end of the window can write (missed, unknown, entered late) was written by a clock that has since been
  /// set back, when the window holds now: such rows are not believed (DESIGN 5.2).
  /// - Parameter household: the rules now; a time that was taken away and entered again is asked for no more, but
  ///   whoever takes it is credited.
  func isCreditable(in household: Household) -> Bool {
    switch ending {
    case nil, .missed, .unknown, .skipped(.paused), .skipped(.enteredLate): true
    case .skipped(.ruleEnded): household.person(of: occurrence.key) != nil
    case .skipped(.clockChange), .skipped(.alreadyTaken): false
    }
  }
}

extension Household {
  /// The person whom the rules ask for this dose; nil when its time, its medication or its person is gone.
  func person(of key: OccurrenceKey) -> Person? {
    guard let medication = medications.first(where: { $0.id == key.medication }),
      medication.times.contains(where: { $0.at == key.at && $0.days.contains(key.day.weekday) })
    else { return nil }
    return people.first { $0.id == medication.person }
  }
}

extension DoseLog {
  /// The uncredited doses of a medication that can be credited now or later, by due instant: rows as they were opened,
  /// the others as the rules have them now.
  func ahead(of medication: Medication, in household: Household, now: Date, zone: TimeZone) -> [Occurrence] {
    let rows = rows.filter { $0.occurrence.key.medication == medication.id }
    let settled = Set(rows.map(\.occurrence.key)).union(credits.map(\.key))
    let credited = Set(credits.map(\.key))
    let opened = rows.filter { row in
      row.occurrence.closesAt > now && row.isCreditable(in: household) && !credited.contains(row.occurrence.key)
    }.map(\.occurrence)
    // A spacing of days puts what can be credited that much further away.
    let end = now + Schedule.horizon(of: medication) + Double(medication.minimumSpacing ?? 0) * 60
    let planned = Schedule(zone: zone).occurrences(of: medication, from: now, to: end)
      .filter { $0.occurrence.opensAt > now && !$0.isSkippedByClockChange && !settled.contains($0.occurrence.key) }
      .map(\.occurrence)
    return (opened + planned).sorted(by: Occurrence.inOrder)
  }

  /// Missed and unknown doses that the wall still shows: until acknowledged or 24 h after the window closed. One whose row
  /// may be lost is shown while its window is open, instead of being late.
  package func unseen(at now: Date) -> [Row] {
    let credited = Set(credits.map(\.key))
    return rows.filter { row in
      guard !row.acknowledged, row.occurrence.closesAt <= now || row.ending == .unknown(.recordsLost),
        now < row.occurrence.closesAt + 86_400,
        !credited.contains(row.occurrence.key)
      else { return false }
      switch row.ending {
      case .missed, .unknown: return true
      case .skipped, nil: return false
      }
    }.sorted { Occurrence.inOrder($0.occurrence, $1.occurrence) }
  }
}
