internal import Foundation

/// Everything the wall shows at one instant (DESIGN 4.4 "Snapshot"). The page only paints it: every text is made here.
///
/// Every key is always there; what there is nothing of is null, [] or {}.
package struct Snapshot: Encodable, Equatable, Sendable {
  package struct Clock: Encodable, Equatable, Sendable {
    package var trusted: Bool
    /// The time of day, or "--:--" while the clock is wrong.
    package var text: String
    /// The day, such as "Monday, 30 November"; empty while the clock is wrong.
    package var dateText: String
  }

  package struct Reader: Encodable, Equatable, Sendable {
    package var state: String
    @Nullable package var name: String?
    @Nullable package var since: String?
    package var message: String
  }

  package struct Overlay: Encodable, Equatable, Sendable {
    /// An outcome.
    package var kind: String
    package var headline: String
    package var detail: String
    /// `good`, `warn` or `bad`.
    package var style: String
    package var until: String

    package init(kind: String, headline: String, detail: String, style: String, until: String) {
      self.kind = kind
      self.headline = headline
      self.detail = detail
      self.style = style
      self.until = until
    }
  }

  package struct Late: Encodable, Equatable, Sendable {
    package var person: String
    package var medication: String
    @Nullable package var dose: String?
    package var dueAt: String
    package var minutesLate: Int
    package var text: String
  }

  package struct Missed: Encodable, Equatable, Sendable {
    package var person: String
    package var medication: String
    @Nullable package var dose: String?
    package var dueAt: String
    package var closedAt: String
    /// `missed` or `unknown`.
    package var state: String
    package var text: String
  }

  package struct Banner: Encodable, Equatable, Sendable {
    package var id: String
    package var text: String
  }

  package struct Card: Encodable, Equatable, Sendable {
    package var id: String
    /// `dose`, `bus`, `bell`, `agenda` or `fault`.
    package var kind: String
    /// A bus's route as it stands on the bus; empty for what has none.
    package var badge: String
    /// Whose or what it is; a name, which the page may cut.
    package var title: String
    /// Facts with ` · ` between them, the most important first; never cut.
    package var detail: String
    /// What is left until then, such as `7`; "–" when it is not known any more, empty when there is nothing to count.
    package var value: String
    /// Of the value; empty for one that needs none.
    package var unit: String
    @Nullable package var at: String?
    /// `normal`, `late`, `scheduled`, `stale` or `canceled`.
    package var style: String
  }

  package struct Rail: Encodable, Equatable, Sendable {
    /// The most urgent first; at most 4.
    package var cards: [Card]
    /// How many more there are than `cards`.
    package var more: Int
  }

  package struct Arrival: Encodable, Equatable, Sendable {
    package var watch: String
    package var trip: String
    package var route: String
    package var headsign: String
    package var at: String
    package var scheduledAt: String
    @Nullable package var predictedAt: String?
    /// `live`, `aging`, `scheduled`, `canceled` or `frequency`.
    package var state: String
    @Nullable package var minutes: Int?
    @Nullable package var lateSeconds: Double?
    @Nullable package var updatedAt: String?
  }

  package struct Source: Encodable, Equatable, Sendable {
    package var id: String
    /// `fresh`, `aging`, `stale`, `down` or `off`.
    package var state: String
    @Nullable package var fetchedAt: String?
    /// One sentence; null: all is well.
    @Nullable package var message: String?
  }

  package struct Period: Encodable, Equatable, Sendable {
    package struct Next: Encodable, Equatable, Sendable {
      /// What comes next, such as `Period 3`; null: its times are not known.
      @Nullable package var name: String?
      @Nullable package var startsAt: String?
      /// Of the day it lies on.
      @Nullable package var dayType: String?
    }

    /// Somebody for whom the day is another than for the school now.
    package struct Person: Encodable, Equatable, Sendable {
      package var id: String
      package var state: String
      /// The person's.
      package var name: String
      @Nullable package var secondsLeft: Int?
      package var text: String
    }

    /// `inPeriod`, `passing`, `beforeSchool`, `afterSchool`, `noSchool` or `unpublished`.
    package var state: String
    /// As the school calls it; null: not known.
    @Nullable package var dayType: String?
    /// Of the period that is now, such as `Period 2`.
    @Nullable package var name: String?
    /// When this state began and ends, by the bells.
    @Nullable package var startsAt: String?
    @Nullable package var endsAt: String?
    /// As of the snapshot's `now`; the text counts minutes.
    @Nullable package var secondsLeft: Int?
    @Nullable package var next: Next?
    /// Who says what the day is: `override`, `remote`, `bundled` or `default`.
    package var source: String
    /// Facts with ` · ` between them, the most important first.
    package var text: String
    package var people: [Person]
  }

  package var schema = 1
  package var agent: String
  package var boot: String
  package var v: Int
  package var now: String
  package var timeZone: String
  package var clock: Clock
  package var reader: Reader
  @Nullable package var overlay: Overlay?
  package var late: [Late]
  package var missed: [Missed]
  package var banners: [Banner]
  package var rail: Rail
  package var arrivals: [Arrival]
  @Nullable package var period: Period?
  /// The menu and what lasts all day first, then what is now, what comes next, and what comes later today and tomorrow.
  package var agenda: [AgendaEntry]
  package var sources: [Source]
  /// `day` or `night`.
  package var mode: String
  package var texts: PageTexts

  /// JSON with its keys sorted, so that equal snapshots are equal texts.
  package var json: String { Self.json(self) }

  fileprivate static func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// Whether a page would look the same: all but the number and the instants that move with the clock.
  package func looksLike(_ other: Snapshot) -> Bool {
    var a = self
    a.v = other.v
    a.now = other.now
    if let until = other.overlay?.until { a.overlay?.until = until }
    a.reader.since = other.reader.since
    a.period = a.period?.counted(as: other.period)
    return a == other
  }
}

extension Snapshot.Period {
  /// As in the snapshot.
  package var json: String { Snapshot.json(self) }

  /// This with the seconds of another: they move with the clock, and the page does not show them.
  fileprivate func counted(as other: Snapshot.Period?) -> Snapshot.Period {
    var period = self
    period.secondsLeft = other?.secondsLeft
    guard let people = other?.people, people.map(\.id) == period.people.map(\.id) else { return period }
    for index in people.indices { period.people[index].secondsLeft = people[index].secondsLeft }
    return period
  }
}

/// The fixed words of the page, in the wall's language.
package struct PageTexts: Encodable, Equatable, Sendable {
  package var language: String
  package var lateHeading: String
  package var missedHeading: String
  package var more: String
  package var connectionLost: String
  package var restarting: String
  /// Before the instant of what is shown.
  package var updated: String
}

/// An optional that is written as null instead of being left out.
@propertyWrapper
package struct Nullable<Value: Encodable & Equatable & Sendable>: Encodable, Equatable, Sendable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
  }
}
