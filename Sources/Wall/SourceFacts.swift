package import Foundation

/// How something fetched stands (DESIGN 4.4 "sources").
package struct SourceFacts: Equatable, Sendable {
  package enum State: String, CaseIterable, Sendable {
    case fresh, aging, stale
    /// It fails, and there is nothing that could still be shown.
    case down
    /// It is not asked.
    case off
  }

  /// What is wrong, as far as it makes a difference to a household.
  package enum Problem: CaseIterable, Equatable, Sendable {
    case noKey
    /// The file with the key cannot be used as it is.
    case badKeyFile
    case keyRejected
    case notConnected
    /// No answer within the deadline.
    case slow
    /// No secure connection: a log-in page or a wrong date, mostly.
    case notSecure
    case webPage
    /// The answer cannot be understood.
    case unreadable
    case tooMany
    /// The provider says that it is broken.
    case broken
    /// The provider does not know what is asked for.
    case notFound
    case timetableExpired
    /// The file that the household names is not there, or cannot be read.
    case noFile
    /// The file that the household names has a mistake.
    case badFile
    case other
  }

  /// A source id of DESIGN 4.2.
  package var id: String
  /// The household's name for it; nil: the wall's own.
  package var name: String?
  package var state: State
  /// The source's clock at its last good answer; nil: there is none.
  package var fetchedAt: Date?
  package var problem: Problem?
  /// The household's names of what of the source has the problem; empty: all of it.
  package var parts: [String] = []
  /// What exactly is wrong, for who is to mend it, in English: a line of a file, say. Behind the problem.
  package var detail: String?
  /// Since when it gives nothing; nil: it does not fail.
  package var failingSince: Date?
  /// What is odd about data that is used; it makes the source no worse.
  package var remark: Remark?

  package enum Remark: Equatable, Sendable {
    /// About a day that is still to come: some instant in the middle of it.
    case day(Date, PeriodInput.Note)
    case noSuchLunch(person: String, lunch: String)
    /// So many events of a calendar ask for more repetitions than are worked out: not all of them are shown.
    case repeatsTooOften(events: Int)
  }

  package init(
    id: String, name: String? = nil, state: State, fetchedAt: Date? = nil, problem: Problem? = nil,
    detail: String? = nil, failingSince: Date? = nil
  ) {
    self.id = id
    self.name = name
    self.state = state
    self.fetchedAt = fetchedAt
    self.problem = problem
    self.detail = detail
    self.failingSince = failingSince
  }
}

/// Puts sources into words: a line for the strip, a card when it fails for long.
struct SourceWriter {
  let now: Date
  let zone: TimeZone
  let words: Words
  /// People's names by id.
  let names: [String: String]

  private var source: SourceWords { words.source }
  private var times: LocalTimes { LocalTimes(zone: zone, words: words) }

  func row(_ facts: SourceFacts) -> Snapshot.Source {
    Snapshot.Source(
      id: TapTextWriter.bounded(facts.id), state: facts.state.rawValue,
      fetchedAt: facts.fetchedAt.map { InstantText.text($0, in: zone) },
      message: said(facts).map { "\(name(facts)): \($0)" })
  }

  /// The card of a source that fails: what does not fail has none, nor has what only waits for its time.
  func fault(_ facts: SourceFacts) -> RailInput.Fault? {
    guard let since = facts.failingSince, let message = said(facts) else { return nil }
    return RailInput.Fault(
      source: facts.id, name: name(facts), message: message, since: since, problem: facts.problem)
  }

  private func name(_ facts: SourceFacts) -> String {
    let name = facts.name ?? source.names[facts.id] ?? facts.id
    return TapTextWriter.bounded(facts.parts.isEmpty ? name : "\(name) (\(facts.parts.joined(separator: ", ")))")
  }

  /// What there is to say; nil: all is well.
  private func said(_ facts: SourceFacts) -> String? {
    let problem = facts.problem.flatMap { source.problems[$0] }
    let at = facts.fetchedAt.map { times.time($0, from: now) }
    let age: String?
    switch facts.state {
    case .fresh, .off: age = nil
    case .aging: age = at.map(source.asOf)
    // What comes from a file is as old as its last good reading, and nothing else is waited for.
    case .stale where facts.problem == .badFile || facts.problem == .noFile: age = at.map(source.asOf)
    case .stale, .down: age = at.map(source.nothingSince) ?? source.nothing
    }
    // A source that fails and still has fresh data is nobody's business yet; one that is not asked for a reason is.
    let reason = facts.state == .fresh ? nil : problem
    let detail = reason == nil ? nil : facts.detail.map { TapTextWriter.bounded($0, characters: 160, bytes: 320) }
    let parts = [age, reason, detail, facts.remark.map(said)].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }

  private func said(_ remark: SourceFacts.Remark) -> String {
    switch remark {
    case .day(let noon, let note):
      let day = times.isSameDay(noon, now) ? "" : "\(times.shortDay(noon, from: now)): "
      return day + PeriodWriter(now: now, zone: zone, words: words, names: names).remark(note)
    case .noSuchLunch(let person, let lunch):
      return words.school.noSuchLunch(
        TapTextWriter.bounded(names[person] ?? person), TapTextWriter.bounded(lunch))
    case .repeatsTooOften(let events): return source.repeatsTooOften(events)
    }
  }
}
