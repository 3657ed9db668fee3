/// Why something is not read as a calendar. What was read before stays.
package enum CalendarError: Error, Equatable, Sendable {
  case empty
  /// More bytes than this are not read.
  case tooLarge(limit: Int)
  /// More events than this are no calendar for a wall.
  case tooManyEvents(limit: Int)
  /// HTML: a page for people, often one to log in.
  case webPage
  /// Anything else that does not begin with BEGIN:VCALENDAR.
  case notCalendar
  /// There is no END:VCALENDAR.
  case cut

  /// One sentence for people: what is wrong, and what to do.
  package var sentence: String {
    switch self {
    case .empty: "the calendar is empty: export it again, or check its address"
    case .tooLarge(let limit): "the calendar has more than \(limit / 1_048_576) MB: export only the last year"
    case .tooManyEvents(let limit): "the calendar has more than \(limit) events: export only the last year"
    case .webPage: "this is a web page and not a calendar: use the calendar's address in iCal format"
    case .notCalendar: "this is not a calendar, it does not begin with BEGIN:VCALENDAR: export it as iCalendar (.ics)"
    case .cut: "the calendar is cut off, END:VCALENDAR is missing: fetch or export it again"
    }
  }
}

/// Something in a calendar that is not as it should be. It never concerns more than its own event.
package struct EventProblem: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The event is not shown.
    case noStart
    case badStart
    case notClosed
    /// What is named is longer than anything that is read: a part of it would be another time, or show what was taken out.
    case tooLong(String)
    /// The event is shown without what is named.
    case badProperty(String)
    /// The event is shown at the wall's time: its zone is not known.
    case unknownZone(String)
    /// Only the first of the event is shown, marked: the rule is not understood.
    case unsupportedRule
    /// Only a part of the repetitions is shown: working out the rule takes too long.
    case tooManyRepetitions
  }

  package let kind: Kind
  /// Where the event begins, in lines of the file, from 1.
  package let line: Int
  /// Of the event; empty when it has none.
  package let uid: String

  /// Whether the event is missing because of it.
  package var isDropped: Bool {
    switch kind {
    case .noStart, .badStart, .notClosed, .tooLong: true
    case .badProperty, .unknownZone, .unsupportedRule, .tooManyRepetitions: false
    }
  }

  /// One sentence for the technician, without the event's title.
  package var sentence: String {
    let name = "the event at line \(line)" + (uid.isEmpty ? "" : " (\(uid.onOneLine(limit: 60)))")
    return switch kind {
    case .noStart: "\(name) is left out: it has no DTSTART"
    case .badStart: "\(name) is left out: its DTSTART is not a date of the years 1583 to 9999"
    case .notClosed: "\(name) is left out: it has no END:VEVENT"
    case .tooLong(let what): "\(name) is left out: its \(what) is longer than anything that is read"
    case .badProperty(let property): "\(name) is shown without its \(property), which is not understood"
    case .unknownZone(let zone):
      "\(name) is shown at the wall's time: the zone \"\(zone.onOneLine(limit: 60))\" is not known"
    case .unsupportedRule: "\(name) is shown only once: its RRULE is not understood"
    case .tooManyRepetitions: "\(name) repeats too often: only a part of it is shown"
    }
  }
}
