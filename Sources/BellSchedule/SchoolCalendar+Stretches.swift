package import Foundation

extension SchoolCalendar {
  /// A part of a day on which one decision counts.
  struct Stretch {
    var decision: Decision
    /// nil: from the day's beginning.
    var from: Date?
    /// Not included; nil: to the day's end.
    var until: Date?
  }

  /// What counts on a day from `now` on, one after the other; at least one: what was said of it, each until it ends, then
  /// what the day is without.
  func stretches(of day: DayKey, at now: Date) -> [Stretch] {
    guard overrides.contains(where: { $0.day == day && now < $0.until }) else { return [Stretch(decision: usual(day))] }
    let end = endOfDay(day)
    var stretches: [Stretch] = []
    // What ends before its day begins never counts.
    var from = max(now, clock.startOfDay(day))
    // The last one said counts; when it ends, the one said before it that has not ended.
    while let said = overrides.last(where: { $0.day == day && from < $0.until }) {
      let isFirst = stretches.isEmpty
      stretches.append(Stretch(decision: decision(said), from: isFirst ? nil : from, until: said.until))
      from = said.until
      if from >= end {
        stretches[stretches.count - 1].until = nil
        return stretches
      }
    }
    return stretches + [Stretch(decision: usual(day), from: stretches.isEmpty ? nil : from)]
  }

  /// The bells of one of the stretches. What was said is cut short where it ends, unless nobody knows what comes then:
  /// that a lesson ends early would be made up.
  func blocks(of index: Int, in stretches: [Stretch], on day: DayKey, for pupil: Pupil?) -> [Block] {
    let stretch = stretches[index]
    guard case .school(let name) = stretch.decision.kind, let type = school.dayType(name) else { return [] }
    let isCut = index + 1 < stretches.count && stretches[index + 1].decision.kind.isKnown
    return blocks(of: type, place: place(of: day, stretch.decision) ?? 1, on: day, for: pupil)
      .compactMap { $0.part(from: stretch.from, until: isCut ? stretch.until : nil) }
  }

  /// What a day is and when its bells ring: manual override → exceptions → outside the school year → breaks → weekend →
  /// regular (DESIGN 5.4).
  ///
  /// An override that ends within the day is followed by the day as it is without it: its bells are among the blocks, from
  /// the end of the override on, so that what comes then is told before it comes.
  ///
  /// - Parameters:
  ///   - pupil: nil: the school's day, in whole periods and without a lunch.
  ///   - now: which overrides still count. The kind, the source and the notes are of then.
  package func resolveDay(_ day: DayKey, for pupil: Pupil? = nil, at now: Date) -> DayTimeline {
    timeline(of: stretches(of: day, at: now), on: day, for: pupil)
  }

  func timeline(of stretches: [Stretch], on day: DayKey, for pupil: Pupil?) -> DayTimeline {
    let blocks = stretches.indices.flatMap { self.blocks(of: $0, in: stretches, on: day, for: pupil) }
    // What was said ends before its first bell, and without it there is no school: so it changes nothing.
    let isIdle = blocks.isEmpty && stretches.count > 1 && stretches[0].decision.kind.isSchool
    let decision = stretches[isIdle ? stretches.count - 1 : 0].decision
    return DayTimeline(
      day: day, kind: decision.kind, source: decision.source,
      notes: notes(on: day, decision) + stretches.compactMap { noOrder(on: day, $0.decision) },
      occasion: year(of: day)?.breaks.first { $0.first <= day && day <= $0.last }?.name,
      cycle: cycleName(of: day, decision.kind), blocks: blocks)
  }
}
