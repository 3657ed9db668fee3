package import Foundation

/// What can stand in the rail (DESIGN 5.5), as facts: the wall puts them into words and in order.
package struct RailInput: Equatable, Sendable {
  /// A dose that somebody is reminded of: not credited, its window not over, its person not paused.
  package struct Dose: Equatable, Sendable {
    /// Tells people of one name apart.
    package var personID: String
    package var person: String
    package var medication: String
    package var dueAt: Date
    package var isLate: Bool

    package init(personID: String, person: String, medication: String, dueAt: Date, isLate: Bool) {
      self.personID = personID
      self.person = person
      self.medication = medication
      self.dueAt = dueAt
      self.isLate = isLate
    }
  }

  /// The next change of the school day.
  package struct PeriodChange: Equatable, Sendable {
    package var id: String
    /// What begins then, such as `Period 3`.
    package var title: String
    package var at: Date
    /// The time that is told for it, where the bells ring off the table.
    package var told: Date

    /// - Parameter told: nil: `at`.
    package init(id: String, title: String, at: Date, told: Date? = nil) {
      self.id = id
      self.title = title
      self.at = at
      self.told = told ?? at
    }
  }

  /// Something on a calendar that begins at an instant; all-day events stand in the agenda only.
  package struct Event: Equatable, Sendable {
    package var id: String
    package var title: String
    package var start: Date
    /// Where it is; nil: not known, or nobody's business.
    package var place: String?
    /// What follows from somebody having chosen it; nil: nobody has.
    package var plan: EventPlan?

    package init(id: String, title: String, start: Date, place: String? = nil, plan: EventPlan? = nil) {
      self.id = id
      self.title = title
      self.start = start
      self.place = place
      self.plan = plan
    }
  }

  /// A source that fails.
  package struct Fault: Equatable, Sendable {
    /// Seconds for which a source may fail before the rail says so; until then the cards show the age of what they have
    /// (`display.md` 3.5).
    package static let grace: TimeInterval = 15 * 60

    /// Its id on the wall (DESIGN 4.2).
    package var source: String
    package var name: String
    /// One sentence, in the wall's language.
    package var message: String
    package var since: Date
    /// What `message` says, of a source whose words are ours.
    package var problem: SourceFacts.Problem?

    package init(source: String, name: String, message: String, since: Date, problem: SourceFacts.Problem? = nil) {
      self.source = source
      self.name = name
      self.message = message
      self.since = since
      self.problem = problem
    }
  }

  /// What a provider says in words: a detour, a holiday.
  package struct Notice: Equatable, Sendable {
    package var id: String
    /// Of which watch.
    package var name: String
    package var text: String

    package init(id: String, name: String, text: String) {
      self.id = id
      self.name = name
      self.text = text
    }
  }

  package var doses: [Dose] = []
  /// Those of watches whose window is open, as their boards have them.
  package var buses: [BusFacts] = []
  package var notices: [Notice] = []
  package var periodChanges: [PeriodChange] = []
  package var events: [Event] = []
  /// Of what could be chosen and is not, what begins in the next hours; nothing when something is chosen.
  package var suggestions: [Event] = []
  package var faults: [Fault] = []
  /// How long a source fails before that is a card, in seconds; 0: at once, where nobody looks a second time.
  package var grace: TimeInterval = Fault.grace

  package init() {}
}

/// One bus of the rail, or why a watch has none. What depends on the provider's clock is counted by whoever knows it.
package struct BusFacts: Equatable, Sendable {
  package enum State: Equatable, Sendable {
    /// A prediction that counts. `age`: whole minutes since it was made; nil: it is fresh.
    case predicted(lateSeconds: Double?, scheduledAt: Date, age: Int?)
    /// By the timetable. `heard`: whole minutes since anything was heard of it, when nothing new comes; nil: all is well.
    case scheduled(heard: Int? = nil)
    /// By the timetable, and the provider does not name it any more: it may not run.
    case unconfirmed
    /// Struck, at its scheduled time.
    case canceled
    /// One comes every so many minutes.
    /// `heard` as above.
    case frequency(every: Int, heard: Int? = nil)
    /// The prediction is too old and there is no timetable: its time is not shown as one.
    case stale(minutes: Int, was: Date)
    case silent(Silence)
  }

  /// Why there is no bus; each is another text (`transit.md` 0.7).
  package enum Silence: Equatable, Sendable {
    case later(Date)
    case noServiceToday
    /// When the timetable of the next day begins, if it is known.
    case noMoreToday(next: Date?)
    case timetableExpired
    /// Nothing comes from the provider, since then.
    case providerDown(since: Date)
    /// It was not asked, or answers with something else than buses, since then.
    case notAvailable(SourceFacts.Problem, since: Date)
    case noneUntil(Date)
  }

  package enum Advice: Equatable, Sendable {
    case leave(inMinutes: Int)
    case leaveNow
    case run
    case missed
  }

  package enum Last: Equatable, Sendable {
    case ofWindow
    case ofDay
  }

  /// The same for as long as it is the same bus of the same watch.
  package var id: String
  /// The id on the wall of the source it comes from, whose fault speaks for its silence; nil: none does.
  package var source: String?
  /// The household's short name for it, or the headsign.
  package var name: String
  /// The route's short name; empty: none.
  package var route: String
  package var state: State
  /// When it leaves; nil: it is silent or not counted.
  package var at: Date?
  /// Whole minutes left, by the provider's clock; nil: nothing to count down to.
  package var minutes: Int?
  package var advice: Advice?
  /// The one after it.
  package var then: Date?
  package var last: Last?

  package init(
    id: String, source: String? = nil, name: String, route: String, state: State, at: Date? = nil, minutes: Int? = nil,
    advice: Advice? = nil, then: Date? = nil, last: Last? = nil
  ) {
    self.id = id
    self.source = source
    self.name = name
    self.route = route
    self.state = state
    self.at = at
    self.minutes = minutes
    self.advice = advice
    self.then = then
    self.last = last
  }

  /// Since when the card would only say that its provider fails; nil: it says something else.
  var failingSince: Date? {
    switch state {
    case .silent(.providerDown(let since)), .silent(.notAvailable(_, let since)): since
    default: nil
    }
  }

  /// More than 90 s behind the timetable: 90 s is not late (`transit.md` 0.3).
  package var isLate: Bool {
    guard case .predicted(let lateSeconds?, _, _) = state else { return false }
    return (lateSeconds * 1000).rounded() > 90_000
  }
}
