extension Snapshot {
  /// One event of today or tomorrow (DESIGN 4.4 "agenda").
  package struct AgendaEntry: Encodable, Equatable, Sendable {
    /// An instant, or a day for an event of whole days.
    package var start: String
    /// Not included; written as the start is.
    package var end: String
    package var allDay: Bool
    package var title: String
    /// What one must know of it: `clashes with Swim`, `maybe`; empty: nothing. Titles may be cut where there is no room, and
    /// this may not.
    package var note: String
    /// `now`, `next` or `later`. Whole days are now or later, and never next.
    package var state: String
    /// When it is, in a few letters: `14:00`, `until 10:30`, `all day`, `day 2/3`, `Wed 8:00`.
    package var text: String
  }
}

extension Snapshot.AgendaEntry {
  /// Bytes of JSON, at most: keys and numbers, and texts whose every byte may be a quote.
  var weight: Int { 120 + 2 * [start, end, title, note, text].reduce(0) { $0 + $1.utf8.count } }
}
