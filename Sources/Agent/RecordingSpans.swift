package import Foundation

/// When the wall could record: reader ready and ledger writable. What decides between missed and unknown (DESIGN 5.2).
package struct RecordingSpans: Equatable, Sendable {
  /// How long a span matters, s.
  static let memory: TimeInterval = 40 * 86_400

  /// [from, until), oldest first, not overlapping.
  package private(set) var spans: [DateInterval]
  /// The start of the span that still runs.
  package private(set) var openSince: Date?

  package init() { spans = [] }

  /// Takes in the spans of earlier runs, as far as they matter.
  package mutating func recall(_ stored: [DateInterval]) {
    let ours = spans.first?.start ?? openSince ?? .distantFuture
    spans = stored.filter { $0.start < ours }.sorted { $0.start < $1.start } + spans
  }

  /// Takes note of whether a tap could be recorded at `now`.
  /// - Returns: true when that changed.
  package mutating func note(able: Bool, at now: Date) -> Bool {
    switch (openSince, able) {
    case (nil, true):
      openSince = now
      return true
    case (let since?, false):
      close(since, at: now)
      return true
    default: return false
    }
  }

  /// All spans, the running one up to `now`.
  package func all(until now: Date) -> [DateInterval] {
    guard let openSince, openSince < now else { return spans }
    return spans + [DateInterval(start: openSince, end: now)]
  }

  /// Forgets what ended before `date`.
  package mutating func forget(before date: Date) { spans.removeAll { $0.end < date } }

  /// After a step of the wall clock the running span is cut: what was true before was true at other instants.
  package mutating func clockStepped(to now: Date) {
    guard openSince != nil else { return }
    openSince = now
  }

  private mutating func close(_ since: Date, at now: Date) {
    openSince = nil
    if since < now { spans.append(DateInterval(start: since, end: now)) }
  }
}
