import Foundation

@testable import Reminders

/// Short ways to write vectors.
let losAngeles = TimeZone(identifier: "America/Los_Angeles")!

/// An instant from ISO 8601 with an offset.
func at(_ text: String) -> Date { try! Date(text, strategy: .iso8601) }

let ann = Person(id: "ann", name: "Ann")
let bob = Person(id: "bob", name: "Bob")
let annTag = TagUID(hex: "04A1B2C3D4E5F6")!
let bobTag = TagUID(hex: "04B0B0B0B0B0B0")!

func time(
  _ text: String, days: Set<Weekday> = Set(Weekday.allCases), opens: Int? = nil, closes: Int? = nil,
  since: String? = nil
) -> DoseTime {
  DoseTime(at: LocalTime(text)!, days: days, opensBefore: opens, closesAfter: closes, since: since.map(at))
}

func medication(_ id: String, of person: Person = ann, _ times: DoseTime..., spacing: Int? = nil) -> Medication {
  Medication(id: id, person: person.id, name: id, times: times, minimumSpacing: spacing)
}

/// A wall that keeps its log as the ledger does: advance, decide, store.
struct TestWall {
  var household: Household
  var zone = losAngeles
  var log = DoseLog()
  var recording: [DateInterval] = [DateInterval(start: .distantPast, end: .distantFuture)]

  init(_ medications: [Medication], people: [Person] = [ann, bob], tags: [Tag]? = nil) {
    let defaults = people.map { person in
      Tag(
        uid: person.id == "ann" ? annTag : bobTag,
        medications: medications.filter { $0.person == person.id }.map(\.id))
    }
    household = Household(people: people, medications: medications, tags: tags ?? defaults)
  }

  @discardableResult
  mutating func advance(to now: Date) -> [DoseChange] {
    let changes = Advance(household: household, zone: zone, recording: recording).changes(to: log, now: now)
    log = log.applying(changes, at: now)
    return changes
  }

  @discardableResult
  mutating func tap(_ text: String, _ uid: TagUID = annTag) -> TapVerdict { tap(uid, at(text)) }

  @discardableResult
  mutating func tap(_ uid: TagUID, _ now: Date) -> TapVerdict {
    advance(to: now)
    let verdict = TapDecision(household: household, zone: zone).decide(uid, at: now, log: log)
    log.credits += verdict.credited.map { Credit(key: $0.key, tappedAt: now) }
    return verdict
  }

  func status(_ text: String) -> DoseStatus { status(at(text)) }

  func status(_ now: Date) -> DoseStatus {
    var copy = self
    copy.advance(to: now)
    return DoseStatus.of(household, log: copy.log, now: now, zone: zone, clockTrusted: true)
  }

  func ending(_ medication: String, _ day: String, _ time: String) -> Ending? {
    log.rows.first {
      $0.occurrence.key.medication == medication && $0.occurrence.key.day.description == day
        && $0.occurrence.key.at.description == time
    }?.ending
  }
}
