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

  /// A block of a day and the index of the stretch in which it begins.
  typealias Bell = (stretch: Int, block: Block)

  /// The bells of the stretches, in order. A lesson that is the same on both sides of a seam is one: no bell rings where
  /// somebody's word ends.
  func bells(of stretches: [Stretch], on day: DayKey, for pupil: Pupil?) -> [Bell] {
    var bells: [Bell] = []
    var last: Block?
    for index in stretches.indices {
      for whole in wholeBlocks(of: stretches[index], on: day, for: pupil) {
        guard let part = part(of: whole, in: index, of: stretches) else { continue }
        if let before = bells.last, last == whole, before.block.endsAt == part.startsAt,
          let joined = whole.part(from: before.block.startsAt, until: part.endsAt)
        {
          bells[bells.count - 1].block = joined
        } else {
          bells.append((index, part))
        }
        last = whole
      }
    }
    return bells
  }

  /// The bells of what a stretch says, as if it counted all day.
  private func wholeBlocks(of stretch: Stretch, on day: DayKey, for pupil: Pupil?) -> [Block] {
    guard case .school(let name) = stretch.decision.kind, let type = school.dayType(name) else { return [] }
    return blocks(of: type, place: place(of: day, stretch.decision) ?? 1, on: day, for: pupil)
  }

  /// What of a block lies in its stretch. It is cut short where the stretch ends, unless nobody knows what comes then: that a
  /// lesson ends early would be made up, and so would be one that begins later.
  private func part(of whole: Block, in index: Int, of stretches: [Stretch]) -> Block? {
    let stretch = stretches[index]
    if let until = stretch.until, whole.startsAt >= until { return nil }
    let known = stretches[(index + 1)...].first { $0.decision.kind.isKnown }
    return whole.part(from: stretch.from, until: known?.from)
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
    let bells = bells(of: stretches, on: day, for: pupil)
    let counting = stretches.indices.first { !isIdle($0, of: stretches, bells: bells, on: day, for: pupil) } ?? 0
    let decision = stretches[counting].decision
    return DayTimeline(
      day: day, kind: decision.kind, source: decision.source,
      notes: notes(on: day, decision) + stretches[counting...].compactMap { noOrder(on: day, $0.decision) },
      occasion: year(of: day)?.breaks.first { $0.first <= day && day <= $0.last }?.name,
      cycle: cycleName(of: day, decision.kind), blocks: bells.map(\.block))
  }

  /// Whether what was said changes nothing: school that ends before its first bell, and takes no lesson from what comes then.
  private func isIdle(_ index: Int, of stretches: [Stretch], bells: [Bell], on day: DayKey, for pupil: Pupil?) -> Bool {
    guard index + 1 < stretches.count, stretches[index].decision.kind.isSchool,
      !bells.contains(where: { $0.stretch == index }), let end = stretches[index].until
    else { return false }
    return wholeBlocks(of: stretches[index + 1], on: day, for: pupil).allSatisfy { end <= $0.startsAt }
  }
}
