/// What one VEVENT says: an event, a series of events, or other words for one of a series.
struct EventVersion: Equatable, Sendable {
  /// How long it takes.
  enum Length: Hashable, Sendable {
    /// DTEND.
    case until(EventTime)
    /// DURATION.
    case duration(WrittenDuration)
    /// Neither: a day for a day, nothing for a moment.
    case unsaid
  }

  /// RDATE: another time at which the event takes place.
  struct ExtraTime: Hashable, Sendable {
    let start: EventTime
    /// Nil: as long as the others.
    let length: Length?
  }

  /// Which of two with the same identity is the newer (RFC 5545 3.8.7.4): by SEQUENCE, then by DTSTAMP, then by
  /// LAST-MODIFIED, then the later one in the file.
  struct Age: Comparable, Sendable {
    var sequence = 0
    var stamp = 0
    var modified = 0
    var line = 0

    static func < (a: Age, b: Age) -> Bool {
      (a.sequence, a.stamp, a.modified, a.line) < (b.sequence, b.stamp, b.modified, b.line)
    }
  }

  var uid: String
  var line: Int
  var age = Age()
  var start: EventTime
  var length = Length.unsaid
  var title = ""
  var location: String?
  /// STATUS: of a series, all of it.
  var isCancelled = false
  /// By the calendar's owner.
  var isDeclined = false
  var isTentative = false
  /// TRANSP: TRANSPARENT.
  var isFree = false
  /// CLASS: PRIVATE or CONFIDENTIAL.
  var isPrivate = false
  /// Start by the series of what this one replaces.
  var recurrenceID: EventTime?
  /// RANGE=THISANDFUTURE: it replaces the later ones too.
  var isRange = false
  var rules: [RecurrenceRule] = []
  /// It has a rule that is not understood: only its first is known.
  var hasUnknownRule = false
  var extraTimes: [ExtraTime] = []
  var excluded: [EventTime] = []
}

/// The versions of one UID: a series with its exceptions, or exceptions of a series that is not there, which then are
/// events of their own.
struct EventSeries: Equatable, Sendable {
  var master: EventVersion?
  /// The oldest first: the newest is taken where two replace the same.
  var overrides: [EventVersion]
  /// Where the first of them stands in the file.
  let line: Int

  init(_ versions: [EventVersion]) {
    master = versions.filter { $0.recurrenceID == nil }.max { $0.age < $1.age }
    overrides = versions.filter { $0.recurrenceID != nil }.sorted { $0.age < $1.age }
    line = versions.map(\.line).min() ?? 0
  }
}
